"""Grades: the book, one student's, and files for learning platforms. They follow from the tries; none is stored."""

from collections.abc import Iterator

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.text import slugify

from classroom import grade_facts, grade_files, gradebook
from classroom.access import Access, Capability, course_page, people_counts, student_of
from classroom.grade_files import MOODLE_KEYS, Options, identified
from classroom.results import class_results
from classroom.scoring import late_policy_in_words

TAB = "course_grades"
STUDENTS_ON_A_PAGE = 50


@course_page(Capability.SEE, tab=TAB)
def grades(request: HttpRequest, access: Access) -> HttpResponse:
    """The grade book of the students who are here, or with ?show=gone of those who left or were removed."""
    is_gone = request.GET.get("show") == "gone"
    results = class_results(access.course, gone=is_gone)
    order = gradebook.Order.asked(request.GET.get("sort", ""), request.GET.get("way", ""), results.assignments)
    *statistics, total = gradebook.statistics_of(results.rows, results.assignments)
    page = Paginator(gradebook.in_order(results.rows, order), STUDENTS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "results": results,
        "page": page,
        "rows": [(row, gradebook.percent(row.points, results.most_points)) for row in page],
        "order": order,
        "is_gone": is_gone,
        "counts": people_counts(access.course),
        "gone": access.course.memberships.students().filter(ended_at__isnull=False).count(),
        "headings": grade_files.headings(results.assignments),
        "statistics": list(zip(results.assignments, statistics, strict=True)),
        "total": total,
        **_rules(access, results),
    }
    return render(request, "classroom/grades.html", context)


@course_page(Capability.ATTEND, tab=TAB)
def student_grades(request: HttpRequest, access: Access, member: int) -> HttpResponse:
    """One student's grades: for those who teach, and for students their own."""
    found = student_of(access, member)
    results = class_results(access.course, member=found)
    row = results.rows[0]
    reasons = dict(found.extensions.values_list("assignment_id", "reason"))
    context = {
        "member": found,
        "is_own": found == access.membership,
        "row": row,
        "cells": [
            (cell, gradebook.counted_in_words(cell), gradebook.why_nothing(cell), reasons.get(cell.assignment.pk, ""))
            for cell in row.cells
        ],
        "results": results,
        "percent": gradebook.percent(row.points, results.most_points),
        **_rules(access, results),
    }
    return render(request, "classroom/student_grades.html", context)


def _rules(access: Access, results: object) -> dict[str, object]:
    return {
        "formula": gradebook.formula(results),  # type: ignore[arg-type]
        "counts_words": gradebook.COUNTS,
        "late_words": late_policy_in_words(access.course),
    }


@course_page(Capability.SEE, tab=TAB)
def export_grades(request: HttpRequest, access: Access) -> HttpResponse:
    """The files there are, with who would be missing in each and why."""
    results = class_results(access.course)
    found = {key: identified(results.rows, key) for key in MOODLE_KEYS}
    # The one that finds most of the class comes first: with another the file may be empty.
    best = max(MOODLE_KEYS, key=lambda key: len(found[key].known))
    context = {
        "results": results,
        "best": best,
        "keys": [(key, name, found[key]) for key, name in MOODLE_KEYS.items()],
        **found,
    }
    return render(request, "classroom/export_grades.html", context)


@course_page(Capability.SEE, tab=TAB)
def grade_file(request: HttpRequest, access: Access, shape: str) -> HttpResponse:
    """One file, sent as it is made. Dates in it say their zone, as this page's zone is gone by then."""
    options = Options(zeros="zeros" in request.GET, total_only="total" in request.GET)
    key = request.GET.get("key", "")
    results = class_results(access.course)
    if shape == "canvas":
        lines = grade_files.canvas(results, options)
    elif shape == "moodle":
        lines = grade_files.moodle(results, options, key if key in MOODLE_KEYS else "email")
    elif shape == "blackboard":
        lines = grade_files.blackboard(results, options)
    else:
        lines = grade_facts.facts([results, class_results(access.course, gone=True, at=results.at)])
    response = StreamingHttpResponse(_in_pieces(lines), content_type="text/csv; charset=utf-8")
    day = timezone.localdate().isoformat()
    name = f"{slugify(access.course.name) or 'course'}-grades-{shape}-{day}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response  # type: ignore[return-value]


def _in_pieces(lines: Iterator[str], at_once: int = 200) -> Iterator[str]:
    """Lines in pieces that are worth sending: each is compressed by itself."""
    piece: list[str] = []
    for line in lines:
        piece.append(line)
        if len(piece) == at_once:
            yield "".join(piece)
            piece.clear()
    yield "".join(piece)
