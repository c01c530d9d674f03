"""Whatever is sent to a course's pages: an answer below 500, and nothing changed that was not asked for."""

import pytest
from django.test import Client
from django.utils import timezone

from classroom.models import Invitation, Membership
from tests.classroom.factories import add, assign, make_course, make_user
from tests.unipo_site.test_hostile import BAD

KEYS = [
    "q",
    "show",
    "shown",
    "code",
    "name",
    "term",
    "time_zone",
    "description",
    "weeks",
    "students",
    "people",
    "role",
    "chosen",
    "confirmed",
    "drop",
    "let_in",
    "text",
    "roster",
    "digest",
    "removes_missing",
    "expires_at",
    "cap",
    "student_number",
    "invitation",
    "missions",
    "chapters",
    "mission_order",
    "late_percent",
    "stuck_after_tries",
    "up",
    "edit",
    "opens_at",
    "due_at",
    "no_due_at",
    "rule",
    "per_star",
    "points_no_star",
    "place",
    "days",
    "save",
    "student",
    "assignment",
    "assignments",
    "reason",
    "mission",
    "sort",
    "way",
    "page",
    "key",
    "zeros",
    "total",
]
PAGES = [
    "settings/",
    "copy/",
    "people/",
    "people/add/",
    "people/remove/",
    "people/expected/",
    "people/roster/",
    "people/roster/confirm/",
]
PAGES += [
    "assignments/",
    "assignments/add/",
    "assignments/rules/",
    "assignments/move/",
    "assignments/choose/",
    "assignments/edit/?chosen={assignment}",
    "assignments/shift/",
    "assignments/remove/",
    "exceptions/extend/",
    "exceptions/unlock/",
    "exceptions/extensions/99999999999999999999/",
    "exceptions/unlocks/99999999999999999999/lock/",
    "grades/",
    "grades/export/",
    "grades/moodle.csv",
    "grades/99999999999999999999/",
]
PAGES += ["people/{member}/", "people/99999999999999999999/", "people/0/let-in/", "join-link/", "join-link/poster/"]


@pytest.mark.parametrize("page", ["/courses/new/", "/join/", *(f"/courses/{{course}}/{page}" for page in PAGES)])
def test_no_request_breaks_a_page(page: str, operator: object, missions: list) -> None:
    course = make_course(operator)  # type: ignore[arg-type]
    assigned = assign(course, missions[:2], due_at=timezone.now())
    member = add(course, make_user("maya"))
    Invitation.objects.create(course=course, email="new@uni.example")
    client = Client(raise_request_exception=False)
    client.force_login(operator)  # type: ignore[arg-type]
    address = page.format(course=course.public_id, member=member.pk, assignment=assigned[0].pk)
    for bad in BAD:
        assert client.get(address, dict.fromkeys(KEYS, bad[:700])).status_code < 500
        assert client.post(address, dict.fromkeys(KEYS, bad)).status_code < 500
    assert Membership.objects.current().filter(course=course).count() == 2
    assert course.invitations.count() == 1
    assert list(course.assignments.values_list("mission", "points_three_stars")) == [
        (one.mission_id, 3) for one in assigned
    ]


@pytest.mark.parametrize("bad", BAD)
def test_no_code_breaks_the_way_in(bad: str, student: object) -> None:
    visitor, known = Client(raise_request_exception=False), Client(raise_request_exception=False)
    known.force_login(student)  # type: ignore[arg-type]
    for client in (visitor, known):
        assert client.get(f"/join/{bad[:2000]}/").status_code < 500
        assert client.get(f"/courses/{bad[:2000]}/").status_code < 500
