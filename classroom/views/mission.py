"""One mission as a whole class tried it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from classroom.access import Access, Capability, course_page
from classroom.mission.page import mission_page
from classroom.results import stuck_rule_in_words


@course_page(Capability.SEE, tab="course_progress")
def mission(request: HttpRequest, access: Access, slug: str) -> HttpResponse:
    """What the class reached at a mission, what its tries have in common, and who is where."""
    context = {
        "page": mission_page(access.course, slug, request.GET),
        "stuck_rule": stuck_rule_in_words(access.course),
    }
    return render(request, "classroom/mission.html", context)
