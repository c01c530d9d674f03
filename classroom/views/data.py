"""What was changed in a course, a copy of all of it, and its end."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from classroom.access import Access, Capability, course_page, people_counts
from classroom.audit import changes_in
from classroom.data import erase_course, export_course

CHANGES_A_PAGE = 60


@course_page(Capability.CHANGE, tab="course_settings")
def changes(request: HttpRequest, access: Access) -> HttpResponse:
    """The log, newest first; `before` is the moment of the last line of the page before."""
    try:
        before = parse_datetime(request.GET.get("before", ""))
    except ValueError:
        before = None
    if before is not None and timezone.is_naive(before):
        before = None
    found = changes_in(access.course, CHANGES_A_PAGE + 1, before)
    context = {
        "changes": found[:CHANGES_A_PAGE],
        "before": found[CHANGES_A_PAGE - 1].at.isoformat() if len(found) > CHANGES_A_PAGE else "",
        "is_later_page": before is not None,
    }
    return render(request, "classroom/changes.html", context)


@course_page(Capability.OWN, tab="course_settings")
def export(request: HttpRequest, access: Access) -> HttpResponse:
    response = JsonResponse(export_course(access.course), json_dumps_params={"indent": 2})
    name = f"course-{access.course.public_id}-{timezone.localdate().isoformat()}.json"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@course_page(Capability.OWN, "GET", "HEAD", "POST", tab="course_settings", also_archived=True)
def erase(request: HttpRequest, access: Access) -> HttpResponse:
    """Erase the course once its name is typed. Nobody's account or tries go with it."""
    error = ""
    if request.method == "POST":
        if request.POST.get("name", "").strip() == access.course.name:
            erase_course(access.course)
            messages.success(request, f"{access.course} is erased. Everybody’s tries and stars stay their own.")
            return redirect("courses")
        error = "That is not the course’s name. Nothing was erased."
    context = {"error": error, "counts": people_counts(access.course)}
    return render(request, "classroom/erase.html", context, status=422 if error else 200)
