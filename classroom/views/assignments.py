"""What a course assigns: the list with its rules, adding, dates and points, order, and taking away."""

from collections.abc import Callable, Sequence
from functools import wraps

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from classroom import assigning
from classroom.access import Access, Capability, assignments_of, course_page
from classroom.assignment_page import examples, listed, offered
from classroom.authoring.access import may_write_missions
from classroom.authoring.publications import published_in
from classroom.forms import sent, status_of
from classroom.forms.assignments import AddForm, AssignmentForm, RulesForm, ShiftForm
from classroom.models import Assignment
from missions.progress import missions_in_order

TAB = "course_assignments"
ChosenView = Callable[[HttpRequest, Access, list[Assignment]], HttpResponse]


@course_page(Capability.SEE, tab=TAB)
def assignments(request: HttpRequest, access: Access) -> HttpResponse:
    """What is assigned, in the course's order, and the rules in words."""
    # A count takes a model's own order away.
    found = access.course.assignments.annotate(extended=Count("extensions")).order_by("position", "pk")
    context = listed(access.course, list(found.select_related("mission")), timezone.now())
    context["published"], context["may_write"] = published_in(access.course), may_write_missions(request.user)
    context["assigned"] = {row.assignment.mission_id for row in context["rows"]}
    return render(request, "classroom/assignments.html", context)


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab=TAB)
def add_assignments(request: HttpRequest, access: Access) -> HttpResponse:
    """Assign missions one by one or chapters whole, and go on to their dates."""
    chapters = offered(access.course, [*missions_in_order(), *(p.mission for p in published_in(access.course))])
    form = AddForm(sent(request), missions=[o.mission for chapter in chapters for o in chapter.missions if o.is_free])
    if form.is_valid():
        new = assigning.assign(access.course, form.cleaned_data["chosen"])
        messages.success(request, f"{_count(new)} assigned. Dates and points can be set now, or later.")
        return _with_chosen("edit_assignments", access, new)
    context = {"form": form, "chapters": chapters, "may_write": may_write_missions(request.user)}
    return render(request, "classroom/add_assignments.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab=TAB)
def rules(request: HttpRequest, access: Access) -> HttpResponse:
    """How assigned missions open, what becomes of late tries, and who counts as stuck."""
    form = RulesForm(sent(request), instance=access.course)
    if form.is_valid():
        form.save()
        messages.success(request, "The rules are saved, and points follow them at once.")
        return redirect("course_assignments", access.course.public_id)
    return render(request, "classroom/rules.html", {"form": form}, status=status_of(form))


@course_page(Capability.CHANGE, "POST", tab=TAB)
def move_assignment(request: HttpRequest, access: Access) -> HttpResponse:
    """Move one assignment a place up or down, and come back to its row."""
    for name, steps in (("up", -1), ("down", 1)):
        for assignment in assignments_of(access, request.POST.getlist(name)[:1]):
            assigning.move_by(assignment, steps)
            return redirect(f"{reverse('course_assignments', args=[access.course.public_id])}#a{assignment.pk}")
    return redirect("course_assignments", access.course.public_id)


@course_page(Capability.CHANGE, "POST", tab=TAB)
def choose_assignments(request: HttpRequest, access: Access) -> HttpResponse:
    """Lead from the ticked boxes of the list to the page on which something is done with them."""
    pages = {"edit": "edit_assignments", "shift": "shift_assignments", "remove": "remove_assignments"}
    page = next((page for name, page in pages.items() if name in request.POST), "")
    chosen = assignments_of(access, request.POST.getlist("chosen"))
    if not page or not chosen:
        messages.warning(request, "No mission was ticked, so nothing was changed.")
        return redirect("course_assignments", access.course.public_id)
    return _with_chosen(page, access, chosen)


def for_chosen(view: ChosenView) -> Callable[..., HttpResponse]:
    """Give a view the assignments that ?chosen= names; without any, lead back to the list."""

    @wraps(view)
    def inner(request: HttpRequest, access: Access) -> HttpResponse:
        chosen = assignments_of(access, request.GET.getlist("chosen"))
        if not chosen:
            return redirect("course_assignments", access.course.public_id)
        return view(request, access, chosen)

    return inner


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab=TAB)
@for_chosen
def edit_assignments(request: HttpRequest, access: Access, chosen: list[Assignment]) -> HttpResponse:
    """Set dates and points of one assignment or of many, with what the points come to in examples."""
    form = AssignmentForm(sent(request), chosen=chosen, places=access.course.assignments.count())
    is_preview = "save" not in request.POST
    is_valid = form.is_valid()
    context = {"form": form, "chosen": chosen, "examples": examples(access.course, chosen, form)}
    if request.htmx and request.method == "POST" and is_preview:
        return render(request, "classroom/parts/points_preview.html", context)
    if is_valid and not is_preview:
        assigning.change(chosen, form.changes())
        if "place" in form.changed_data:
            assigning.move(chosen[0], form.cleaned_data["place"])
        messages.success(request, f"Saved for {_count(chosen)}.")
        return redirect("course_assignments", access.course.public_id)
    return render(request, "classroom/edit_assignments.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab=TAB)
def shift_assignments(request: HttpRequest, access: Access) -> HttpResponse:
    """Move dates by days: of the chosen assignments, or of all. What it would do is shown first."""
    keys = request.GET.getlist("chosen") or [str(one.pk) for one in access.course.assignments.all()]
    chosen = assignments_of(access, keys)
    form = ShiftForm(sent(request), chosen=chosen)
    is_valid = form.is_valid()
    if is_valid and "save" in request.POST:
        assigning.shift(form.planned, form.cleaned_data["days"])
        messages.success(request, f"Dates of {_count(form.planned)} moved.")
        return redirect("course_assignments", access.course.public_id)
    context = {
        "form": form,
        "chosen": chosen,
        "planned": form.planned if is_valid else assigning.shifts(chosen, 0),
        "is_planned": is_valid,
        "extensions": sum(one.extensions.count() for one in chosen),
    }
    return render(request, "classroom/shift_assignments.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab=TAB)
@for_chosen
def remove_assignments(request: HttpRequest, access: Access, chosen: list[Assignment]) -> HttpResponse:
    """Take missions out of the course, once it was said what goes with them."""
    if request.method == "POST":
        assigning.unassign(access.course, chosen)
        messages.success(request, f"{_count(chosen)} removed from the course. All tries and stars are still there.")
        return redirect("course_assignments", access.course.public_id)
    context = {"chosen": chosen, "loss": assigning.loss_of(access.course, chosen)}
    return render(request, "classroom/remove_assignments.html", context)


def _with_chosen(page: str, access: Access, chosen: Sequence[Assignment]) -> HttpResponse:
    query = urlencode([("chosen", one.pk) for one in chosen])
    return redirect(f"{reverse(page, args=[access.course.public_id])}?{query}")


def _count(things: Sequence[object]) -> str:
    return f"{len(things)} mission{'' if len(things) == 1 else 's'}"
