"""One student: how far they are, what they tried, and single tries; to read, for those who teach and for themselves."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from classroom.access import Access, Capability, course_page, student_of
from classroom.models import Membership
from classroom.results import Cell, Row, result_of, stuck_rule_in_words
from classroom.timeline import neighbors, timeline_of
from missions.answers import is_answer
from missions.desk import Desk, desk_for
from missions.look_desk import LookDesk, look_desk_for
from missions.models import Mission
from missions.queries import own_attempt
from missions.submission import typed_from


@course_page(Capability.ATTEND, tab="course_progress")
def student(request: HttpRequest, access: Access, member: int) -> HttpResponse:
    """A student's standing and tries at all assigned missions."""
    return _page(request, access, student_of(access, member))


@course_page(Capability.ATTEND, tab="course_progress")
def student_mission(request: HttpRequest, access: Access, member: int, slug: str) -> HttpResponse:
    """A student's standing and tries at one mission."""
    return _page(request, access, student_of(access, member), slug)


@course_page(Capability.ATTEND, tab="course_progress")
def student_try(request: HttpRequest, access: Access, member: int, slug: str, number: int) -> HttpResponse:
    """One try as the student saw it, without the desk to change it on."""
    found = student_of(access, member)
    row = result_of(found)
    cell = _cell(row, slug)
    # With its definition and what was measured for it, which the class's read leaves out.
    mission = Mission.objects.get(pk=cell.assignment.mission_id)
    attempt = own_attempt(found.user, mission, number)
    if is_answer(attempt):
        desk: Desk | LookDesk = look_desk_for(found.user, mission, attempt)
    else:
        desk = desk_for(found.user, mission, typed_from(attempt.setup, attempt.display_seed), attempt)
    context = {
        "member": found,
        "is_own": found == access.membership,
        "cell": cell,
        "desk": desk,
        "form": getattr(desk, "form", None),
        "is_read_only": True,
        "earlier": number - 1,
        "later": number + 1 if number < cell.tries else None,
    }
    return render(request, "classroom/student_try.html", context)


def _page(request: HttpRequest, access: Access, member: Membership, slug: str = "") -> HttpResponse:
    row = result_of(member)
    cell = _cell(row, slug) if slug else None
    before, after = neighbors(row) if access.may_see else (None, None)
    context = {
        "member": member,
        "row": row,
        "cell": cell,
        "is_own": member == access.membership,
        "timeline": timeline_of(member, (cell,) if cell else row.cells, request.GET.get("page", "")),
        "before": before,
        "after": after,
        "stuck_rule": stuck_rule_in_words(access.course),
        "most_stars": 3 * len(row.cells),
        "most_points": sum(one.assignment.most_points for one in row.cells),
    }
    return render(request, "classroom/student.html", context)


def _cell(row: Row, slug: str) -> Cell:
    """A student's cell of an assigned mission. Raises Http404."""
    for cell in row.cells:
        if cell.assignment.mission.slug == slug:
            return cell
    raise Http404("Not assigned in this course")
