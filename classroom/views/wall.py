"""The wall of a lecture hall: a class's tries at one mission, live and anonymous."""

import random

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag

from classroom.access import Access, Capability, course_page
from classroom.mission.page import assigned_mission
from classroom.mission.wall import Asked, version_of, wall_of
from classroom.results import roll_of

POLL = "wall-poll"
"""The id of the element that asks for news while the page is open."""
EVERY = (15, 20)
"""Seconds between two such requests, drawn anew for each page."""


@course_page(Capability.SEE, tab="course_progress")
def projector(request: HttpRequest, access: Access, slug: str) -> HttpResponse:
    """The wall. To htmx only what changes; to an open page that asks for news nothing, or the new wall."""
    is_fragment = bool(request.htmx) and not request.htmx.history_restore_request
    roll, at, asked = roll_of(access.course), timezone.now(), Asked.read(request.GET)
    assignment = assigned_mission(roll, slug)
    version = quote_etag(version_of(roll, assignment, asked, at))
    if is_fragment and request.htmx.trigger == POLL:
        unchanged = get_conditional_response(request, version)
        if unchanged is not None:
            return unchanged
    wall = wall_of(roll, assignment, asked, at)
    if wall is None:
        return redirect("course_mission", access.course.public_id, slug)
    context = {
        "wall": wall,
        "version": version,
        "poll": POLL,
        "every": random.randint(*EVERY),  # noqa: S311
    }
    template = "classroom/parts/wall.html" if is_fragment else "classroom/wall.html"
    response = render(request, template, context)
    response.headers["ETag"] = version
    return response
