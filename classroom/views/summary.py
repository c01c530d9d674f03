"""A course over its term."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from classroom.access import Access, Capability, course_page
from classroom.results import ACTIVE_LATELY, stuck_rule_in_words
from classroom.summary.asked import MEASURES, PERIODS
from classroom.summary.page import summary_page


@course_page(Capability.SEE, tab="course_summary")
def summary(request: HttpRequest, access: Access) -> HttpResponse:
    """Activity, completion and histograms of all students, or of a section, at all missions, or at a chapter's."""
    page = summary_page(access.course, request.GET)
    context = {
        "page": page,
        "periods": [(by, page.asked.query(by=by)) for by in PERIODS],
        "measures": [(of, name, page.asked.query(of=of)) for of, name in MEASURES.items()],
        "active_lately": ACTIVE_LATELY,
        "stuck_rule": stuck_rule_in_words(access.course),
    }
    return render(request, "classroom/summary.html", context)
