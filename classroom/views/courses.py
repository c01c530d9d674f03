"""The list of courses, a course's front page, and what an owner does with a course."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from classroom import creating
from classroom.access import Access, Capability, course_page, people_counts
from classroom.authoring.access import may_write_missions
from classroom.authoring.publications import published_in
from classroom.forms import sent, status_of
from classroom.forms.courses import CopyForm, CourseForm, CourseSettingsForm
from classroom.models import Course
from classroom.navigation import tabs_for
from classroom.queries import course_cards
from classroom.results import result_of
from classroom.rights import may_create_courses
from classroom.scoring import late_policy_in_words


@require_safe
@login_required
def course_list(request: HttpRequest) -> HttpResponse:
    cards = course_cards(request.user)
    context = {
        "current": [card for card in cards if not card.course.is_archived],
        "archived": [card for card in cards if card.course.is_archived],
        "may_create": may_create_courses(request.user),
        "may_write": may_write_missions(request.user),
    }
    return render(request, "classroom/courses.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new_course(request: HttpRequest) -> HttpResponse:
    if not may_create_courses(request.user):
        raise PermissionDenied
    form = CourseForm(sent(request))
    if form.is_valid():
        course = creating.create_course(form.save(commit=False), request.user)
        messages.success(request, f"{course} is there. Now let your students in: with the code below, or a list.")
        return redirect("course_people", course.public_id)
    return render(request, "classroom/new_course.html", {"form": form}, status=status_of(form))


@course_page(Capability.ATTEND)
def course(request: HttpRequest, access: Access) -> HttpResponse:
    """A student's own page of the course; those who teach go on to the first of their tabs."""
    if access.may_see:
        return redirect(tabs_for(access)[0][1])
    assert access.membership is not None  # Whoever isn't in the course and gets here may see it.
    row = result_of(access.membership)
    assigned = {cell.mission_id for cell in row.cells}
    context = {
        "member": access.membership,
        "row": row,
        "most_stars": 3 * len(row.cells),
        "late_policy": late_policy_in_words(access.course),
        "more": [one.mission for one in published_in(access.course) if one.mission_id not in assigned],
    }
    return render(request, "classroom/course.html", context)


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab="course_settings")
def course_settings(request: HttpRequest, access: Access) -> HttpResponse:
    form = CourseSettingsForm(sent(request), instance=access.course)
    if form.is_valid():
        form.save()
        messages.success(request, "The course’s settings are saved.")
        return redirect("course_settings", access.course.public_id)
    context = {"form": form, "may_create": may_create_courses(request.user)}
    return render(request, "classroom/settings.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab="course_settings", also_archived=True)
def copy(request: HttpRequest, access: Access) -> HttpResponse:
    """Make a new course like this one, with what is asked for."""
    if not may_create_courses(request.user):
        raise PermissionDenied
    form = CopyForm(sent(request), source=access.course)
    if form.is_valid():
        made = Course(name=form.cleaned_data["name"], term=form.cleaned_data["term"])
        taken = creating.copy_course(access.course, made, form.take_along(), request.user)
        messages.success(request, f"{made} is there, with {taken.in_words()}. Nobody’s tries were copied or moved.")
        return redirect("course_settings", made.public_id)
    counts = people_counts(access.course) | {"assignments": access.course.assignments.count()}
    return render(request, "classroom/copy.html", {"form": form, "counts": counts}, status=status_of(form))


@course_page(Capability.OWN, "POST", also_archived=True)
def archive(request: HttpRequest, access: Access) -> HttpResponse:
    Course.objects.filter(pk=access.course.pk, archived_at=None).update(archived_at=timezone.now())
    messages.success(request, f"{access.course} is archived: nobody can join or change it, and everybody can read it.")
    return redirect("courses")


@course_page(Capability.OWN, "POST", also_archived=True)
def unarchive(request: HttpRequest, access: Access) -> HttpResponse:
    Course.objects.filter(pk=access.course.pk).update(archived_at=None)
    messages.success(request, f"{access.course} is back.")
    return redirect("course_settings", access.course.public_id)
