"""What single students get on top: extensions of due dates, and missions before their turn."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from classroom import opening
from classroom.access import Access, Capability, assignments_of, course_page, extension_of, numbers, override_of
from classroom.assigning import extend
from classroom.forms import sent, status_of
from classroom.forms.exceptions import ExtendForm, ExtensionForm, UnlockForm
from classroom.memberships import NotPossibleError
from classroom.models import Extension, UnlockOverride

TAB = "course_assignments"


@course_page(Capability.SEE, tab=TAB)
def exceptions(request: HttpRequest, access: Access) -> HttpResponse:
    """All extensions and early unlocks of the course."""
    extensions = Extension.objects.filter(assignment__course=access.course)
    overrides = UnlockOverride.objects.filter(membership__course=access.course)
    context = {
        "extensions": extensions.select_related("assignment__mission", "membership__user", "granted_by"),
        "overrides": overrides.select_related("mission", "membership__user", "granted_by"),
    }
    return render(request, "classroom/exceptions.html", context)


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab=TAB)
def new_extension(request: HttpRequest, access: Access) -> HttpResponse:
    """Give one student more time; ?student= and ?assignment= say what is filled in already."""
    student, chosen = request.GET.get("student", ""), request.GET.getlist("assignment")
    initial = {"student": student, "assignments": chosen}
    there = Extension.objects.filter(assignment__in=assignments_of(access, chosen), membership__in=numbers([student]))
    initial |= there.values("due_at", "reason").first() or {}
    form = ExtendForm(sent(request), course=access.course, initial=initial)
    if form.is_valid():
        typed = form.cleaned_data
        try:
            count = extend(
                typed["student"],
                assignments_of(access, typed["assignments"]),
                typed["due_at"],
                typed["reason"],
                request.user,
            )
        except NotPossibleError as why:
            form.add_error("due_at", str(why))
        else:
            missions = f"{count} mission{'' if count == 1 else 's'}"
            messages.success(request, f"{typed['student'].display_name} has more time for {missions}.")
            return redirect(_back(request, access))
    context = {"form": form, "back": _back(request, access)}
    return render(request, "classroom/new_extension.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab=TAB)
def extension(request: HttpRequest, access: Access, extension: int) -> HttpResponse:
    """Change one extension."""
    found = extension_of(access, extension)
    form = ExtensionForm(sent(request), instance=found)
    if form.is_valid():
        form.instance.granted_by = request.user
        form.save()
        messages.success(request, "The extension is saved.")
        return redirect(_back(request, access))
    context = {"form": form, "extension": found, "back": _back(request, access)}
    return render(request, "classroom/extension.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "POST", tab=TAB)
def delete_extension(request: HttpRequest, access: Access, extension: int) -> HttpResponse:
    found = extension_of(access, extension)
    found.delete()
    messages.success(
        request,
        f"{found.membership.display_name} has no extension for “{found.assignment.mission.title}” any more. Points "
        "follow everybody’s due date again.",
    )
    return redirect("course_exceptions", access.course.public_id)


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab=TAB)
def unlock_mission(request: HttpRequest, access: Access) -> HttpResponse:
    """Open a mission for one student before its turn; ?student= and ?mission= say what is filled in already."""
    initial = {name: request.GET.get(name) for name in ("student", "mission")}
    form = UnlockForm(sent(request), course=access.course, initial=initial)
    if form.is_valid():
        student, mission = form.cleaned_data["student"], form.playable[form.cleaned_data["mission"]]
        try:
            opening.open_early(student, mission, request.user)
        except NotPossibleError as why:
            form.add_error("mission", str(why))
        else:
            messages.success(request, f"{student.display_name} can play “{mission.title}” now.")
            return redirect(_back(request, access))
    context = {"form": form, "back": _back(request, access)}
    return render(request, "classroom/unlock_mission.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "POST", tab=TAB)
def lock_mission(request: HttpRequest, access: Access, override: int) -> HttpResponse:
    """Take back an early unlock of a mission that was not tried yet."""
    found = override_of(access, override)
    try:
        opening.take_back(found)
    except NotPossibleError as why:
        messages.warning(request, str(why))
    else:
        messages.success(
            request, f"“{found.mission.title}” opens to {found.membership.display_name} in its turn again."
        )
    return redirect("course_exceptions", access.course.public_id)


def _back(request: HttpRequest, access: Access) -> str:
    """Where somebody came from, if ?next= says so and it is a page of this course; else the page of all exceptions."""
    page = request.GET.get("next", "")
    home = reverse("course", args=[access.course.public_id])
    if page.startswith(home) and ".." not in page and url_has_allowed_host_and_scheme(page, allowed_hosts=None):
        return page
    return reverse("course_exceptions", args=[access.course.public_id])
