"""The progress of a class: the grid as a page, its refresh while it is open, and the same as a file."""

import random

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags, quote_etag
from django.utils.text import slugify

from classroom.access import Access, Capability, course_page
from classroom.grid.asked import Asked
from classroom.grid.export import csv_lines
from classroom.grid.rows import RULES_IN_WORDS, grid_of
from classroom.grid.version import Version
from classroom.results import ACTIVE_LATELY, class_results, results_for, roll_of, stuck_rule_in_words

POLL = "grid-poll"
"""The id of the element that asks for news while the page is open."""
EVERY = (15, 25)
"""Seconds between two such requests, drawn once per page: those who opened it together don't all ask at once."""


@course_page(Capability.SEE, tab="course_progress")
def progress(request: HttpRequest, access: Access) -> HttpResponse:
    """Students by missions. To htmx only the grid; to an open page that asks for news nothing, or what is new."""
    is_fragment = bool(request.htmx) and not request.htmx.history_restore_request
    is_poll = is_fragment and request.htmx.trigger == POLL
    roll, at = roll_of(access.course), timezone.now()
    if is_poll:
        version = Version.read(roll, at)
        unchanged = get_conditional_response(request, quote_etag(str(version)))
        if unchanged is not None:
            return unchanged
    results = results_for(roll, at)
    version = Version.of(roll, results)
    grid = grid_of(results, Asked.read(request.GET))
    known = next(iter(parse_etags(request.headers.get("If-None-Match", ""))), "").removeprefix("W/").strip('"')
    context = {
        "grid": grid,
        "version": version,
        "every": random.randint(*EVERY),  # noqa: S311
        "changed": version.changed_rows(known, results) if is_poll else None,
        "poll": POLL,
        "other_numbers": grid.asked.query(points=not grid.asked.points),
        "active_lately": ACTIVE_LATELY,
        "stuck_rule": stuck_rule_in_words(access.course),
        "other_rules": RULES_IN_WORDS,
    }
    template = "classroom/parts/grid.html" if is_fragment else "classroom/progress.html"
    response = render(request, template, context)
    response.headers["ETag"] = quote_etag(str(version))
    return response


@course_page(Capability.SEE)
def progress_csv(request: HttpRequest, access: Access) -> StreamingHttpResponse:
    """The grid as it is sorted and filtered, as a file."""
    grid = grid_of(class_results(access.course), Asked.read(request.GET))
    response = StreamingHttpResponse(csv_lines(grid), content_type="text/csv; charset=utf-8")
    name = f"{slugify(access.course.name) or 'course'}-progress-{timezone.localdate().isoformat()}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
