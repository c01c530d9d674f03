"""Every page that says where somebody stands says the same of everybody, whatever happened to them.

Each page is read as it is served. To hold one more page to it, add it to PAGES: a function from a course, a member and
a mission to what the page says of them, as a Said.
"""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from classroom.models import Course, Extension, Membership
from classroom.results import result_of
from missions.models import Attempt, Mission
from tests.classroom.factories import add, assign, make_course, make_user
from tests.classroom.pages import attribute, element, elements, parsed, text
from tests.missions.helpers import record

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Said:
    """What a page says of a student and a mission; None for what it doesn't say."""

    stars: int
    tries: int
    points: Decimal | None = None


@pytest.fixture
def course(db: None, missions: list[Mission]) -> Course:
    """Everybody had to be done half a day ago, and every day begun since then takes a tenth off."""
    course = make_course(make_user("prof"), late_policy="percent", mission_order="free")
    assign(course, missions[:2], due_at=timezone.now() - DAY / 2)
    for name in ("on_time", "late", "extended", "left", "idle", "starless", "worse_later", "elsewhere"):
        # A section for each, so that what is said of a section is said of one student.
        add(course, make_user(name), name=name, section=name)
    return course


@pytest.fixture
def people(course: Course, missions: list[Mission]) -> dict[str, Membership]:
    found = {member.name: member for member in course.memberships.students().select_related("user")}

    def tried(name: str, days_ago: float, *, passed: bool = True, responses: int = 1) -> None:
        attempt = record(found[name].user, missions[0], passed=passed, sampled_responses=responses).attempt
        Attempt.objects.filter(pk=attempt.pk).update(created_at=timezone.now() - days_ago * DAY)

    budgets = missions[0].definition["budgets"]
    tried("on_time", 3, passed=False)
    tried("on_time", 2)
    tried("late", 0)
    tried("extended", 0)
    Extension.objects.create(
        assignment=course.assignments.all()[0], membership=found["extended"], due_at=timezone.now() + DAY
    )
    tried("left", 2, responses=budgets["two_stars"])
    Membership.objects.filter(name="left").update(ended_at=timezone.now(), end="left")
    tried("starless", 2, responses=10**8)
    tried("worse_later", 2, responses=budgets["two_stars"])
    tried("worse_later", 1.5, responses=budgets["one_star"])
    tried("worse_later", 0, passed=False)
    # What was done before joining, and at a mission that isn't assigned.
    tried("elsewhere", 90)
    record(found["elsewhere"].user, missions[4], passed=True, sampled_responses=1)
    return {member.name: member for member in course.memberships.students().select_related("user")}


EXPECTED = {
    "on_time": Said(3, 2, Decimal(3)),
    "late": Said(3, 1, Decimal("2.7")),
    "extended": Said(3, 1, Decimal(3)),
    "left": Said(2, 1, Decimal(2)),
    "idle": Said(0, 0, Decimal(0)),
    "starless": Said(0, 1, Decimal(0)),
    "worse_later": Said(2, 3, Decimal(2)),
    "elsewhere": Said(3, 1, Decimal(3)),
}


@cache
def _client(user: int) -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=user))
    return client


def _get(user: User, course: Course, page: str) -> Any:
    _client.cache_clear()
    return _client(user.pk).get(f"/courses/{course.public_id}/{page}")


def _prof() -> User:
    return User.objects.get(username="prof")


def grid(course: Course, member: Membership, mission: Mission) -> Said:
    """The cell with tries, and the same with points."""
    read = []
    for query in ("", "?points=1"):
        page = parsed(_get(_prof(), course, f"progress/{query}"))
        row = next(r for r in elements(page, "tr", data_key=str(member.pk)))
        cell = next(elements(row, "td"))
        stars = next(int(name[1]) for name in attribute(cell, "class").split() if name[0] == "s")
        read.append((stars, text(cell)))
    (stars, tries), (again, points) = read
    assert stars == again
    return Said(stars, int(tries), Decimal(points))


def drill_down(course: Course, member: Membership, mission: Mission) -> Said:
    return _of_student(_prof(), course, member, mission)


def own_page(course: Course, member: Membership, mission: Mission) -> Said:
    return _of_student(member.user, course, member, mission)


def _of_student(user: User, course: Course, member: Membership, mission: Mission) -> Said:
    page = parsed(_get(user, course, f"students/{member.pk}/missions/{mission.slug}/"))
    panel = next(elements(page, "section", css="student-cell"))
    facts = {text(element(row, "dt")): text(element(row, "dd")) for row in elements(element(panel, "dl"), "div")}
    entries = list(elements(page, "li", css="att"))
    assert len(entries) == int(facts["Tries"].split(";")[0])
    stars = attribute(element(panel, "span", role="img"), "aria-label")
    return Said(int(stars.split()[0]), len(entries), Decimal(facts["Points"].split()[0]))


def course_page(course: Course, member: Membership, mission: Mission) -> Said:
    page = parsed(_get(member.user, course, ""))
    row = next(r for r in elements(page, "tr") if mission.title in text(r))
    stars, tries, points, _ = elements(row, "td")
    earned = attribute(element(stars, "span", role="img"), "aria-label").split()[0]
    said = [word for word in text(points).split() if word[0].isdigit()]
    return Said(int(earned), int(text(tries).split()[0]), Decimal(said[0]))


def file(course: Course, member: Membership, mission: Mission) -> Said:
    answer = _get(_prof(), course, "progress.csv")
    rows = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig")))
    row = next(row for row in rows if row["User name"] == member.user.username)
    stars, tries, points = (row[f"{mission.title}: {what}"] for what in ("stars", "tries", "points"))
    return Said(int(stars), int(tries), Decimal(points))


def mission_page(course: Course, member: Membership, mission: Mission) -> Said:
    """The line among those who are named there."""
    page = parsed(_get(_prof(), course, f"missions/{mission.slug}/?who=all"))
    address = f"/courses/{course.public_id}/students/{member.pk}/missions/{mission.slug}/"
    rows = (row for row in elements(element(page, "section", aria_labelledby="who"), "tr"))
    row = next(row for row in rows if any(attribute(link, "href") == address for link in elements(row, "a")))
    stars, tries, *_ = elements(row, "td")
    return Said(int(text(stars)), int(text(tries)))


def leaderboard(course: Course, member: Membership, mission: Mission) -> int:
    """The stars of somebody who is on it, as a classmate reads them; nothing but this mission has any."""
    Membership.objects.filter(pk=member.pk).update(leaderboard_name="Quiet Otter")
    Course.objects.update(has_leaderboard=True)
    page = parsed(_get(User.objects.get(username="idle"), course, "leaderboard/"))
    (row,) = (row for row in elements(page, "tr") if "Quiet Otter" in text(row))
    return int(text(list(elements(row, "td"))[1]))


def lossless(course: Course, member: Membership, mission: Mission) -> Said:
    answer = _get(_prof(), course, "grades/lossless.csv")
    rows = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig")))
    row = next(row for row in rows if (row["student_id"], row["mission"]) == (str(member.pk), mission.slug))
    return Said(int(row["best_stars"]), int(row["tries"]), Decimal(row["points"]))


def book(course: Course, member: Membership, mission: Mission) -> Decimal:
    """The cell of the grade book, where those who are gone have a list of their own."""
    page = parsed(_get(_prof(), course, f"grades/{'' if member.is_current else '?show=gone'}"))
    rows = elements(element(page, "table", css="book"), "tr")
    row = next(row for row in rows if text(element(row, "th")).split()[0] == member.name)
    points = list(elements(row, "td"))[-2].children[0]
    return Decimal(points) if isinstance(points, str) else Decimal(0)


def own_grades(course: Course, member: Membership, mission: Mission) -> Decimal:
    reader = member.user if member.is_current else _prof()
    page = parsed(_get(reader, course, f"grades/{member.pk}/"))
    row = next(row for row in elements(page, "tr") if text(row).startswith(mission.title))
    return Decimal(text(element(row, "b")))


def canvas(course: Course, member: Membership, mission: Mission) -> Decimal:
    answer = _get(_prof(), course, "grades/canvas.csv")
    rows = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig")))
    return Decimal(next(row for row in rows if row["Student"] == member.name)[mission.title] or 0)


def summary(course: Course, member: Membership, mission: Mission) -> Said:
    """The summary of a section of one student: stars by the histogram, tries by the table, and both by the curves."""
    page = parsed(_get(_prof(), course, f"summary/?section={member.section}"))
    table = element(page, "table", css="completion")
    row = next(row for row in elements(table, "tr") if mission.title in text(row))
    passed, starred, *_, tries, _ = (text(cell) for cell in elements(row, "td", css="n"))
    histogram = next(one for one in elements(page, "figure", css="histogram") if mission.title in text(one))
    names = ("goal met, no star", "one star", "two stars", "three stars")
    stars = [place for place, name in enumerate(names) if (name, 1) in _numbers(histogram)]
    assert (passed, starred) == (str(len(stars)), str(sum(place > 0 for place in stars)))
    drawn = [count for one in elements(page, "details", id="activity-table") for _, count in _numbers(one)]
    assert sum(drawn) == int(tries)
    return Said(max(stars, default=0), int(tries))


def _numbers(root: Any) -> list[tuple[str, int]]:
    """The names of a table's rows, and their first numbers."""
    rows = ((row, next(elements(row, "td"), None)) for row in elements(root, "tr"))
    return [(text(element(row, "th")), int(text(cell))) for row, cell in rows if cell is not None]


PAGES: tuple[Callable[[Course, Membership, Mission], Said], ...] = (
    grid,
    drill_down,
    own_page,
    course_page,
    file,
    lossless,
)
# These say points alone.
GRADES: tuple[Callable[[Course, Membership, Mission], Decimal], ...] = (book, own_grades, canvas)
# And these no points.
COUNTS: tuple[Callable[[Course, Membership, Mission], Said], ...] = (mission_page, summary)
STARS: tuple[Callable[[Course, Membership, Mission], int], ...] = (leaderboard,)
OF_PRESENT_STUDENTS = (grid, own_page, course_page, file)


@pytest.mark.parametrize("name", EXPECTED)
def test_all_pages_agree(name: str, course: Course, people: dict[str, Membership], missions: list[Mission]) -> None:
    member = people[name]
    cell = result_of(member).cells[0]
    assert Said(cell.stars, cell.tries, cell.score.points) == EXPECTED[name]
    for page in PAGES:
        if member.is_current or page not in OF_PRESENT_STUDENTS:
            assert page(course, member, missions[0]) == EXPECTED[name], page.__name__
    for points_of in GRADES:
        if member.is_current or points_of is not canvas:
            assert points_of(course, member, missions[0]) == EXPECTED[name].points, points_of.__name__
    if member.is_current:
        for counts_of in COUNTS:
            assert counts_of(course, member, missions[0]) == replace(EXPECTED[name], points=None), counts_of.__name__
        for stars_of in STARS:
            assert stars_of(course, member, missions[0]) == EXPECTED[name].stars, stars_of.__name__


def test_whoever_left_is_in_no_list_of_the_class(course: Course, people: dict[str, Membership]) -> None:
    for page in ("progress/", "progress.csv", "grades/canvas.csv"):
        answer = _get(_prof(), course, page)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert b"on_time" in content and b"left" not in content.replace(b"arrow-left", b"")
