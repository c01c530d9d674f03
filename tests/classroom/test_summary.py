"""The summary of a course: what it counts, when, and that its queries stay as many."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.http import QueryDict
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from classroom.models import Assignment, Course
from classroom.results import Cell, class_results, roll_of
from classroom.summary.activity import MOST_PERIODS, activity_of, tries_by_day
from classroom.summary.histograms import WIDTH, histograms_of
from classroom.summary.missions import MissionCounts
from classroom.summary.page import SummaryPage, summary_page
from missions.definition import Budgets
from missions.models import Attempt, Mission
from missions.progress import Standing
from missions.queries import definition_of
from tests.classroom.factories import add, assign, make_course, make_students, make_user
from tests.classroom.pages import element, elements, parsed, text
from tests.missions.helpers import record

ROME = ZoneInfo("Europe/Rome")


@pytest.fixture
def course(db: None, missions: list[Mission]) -> Course:
    course = make_course(make_user("prof"))
    assign(course, missions[:3])
    return course


@pytest.fixture
def prof(client: Client, course: Course) -> Client:
    client.force_login(User.objects.get(username="prof"))
    return client


def tried(user: User, mission: Mission, at: datetime, **result: Any) -> None:
    attempt = record(user, mission, **({"passed": False} | result)).attempt
    Attempt.objects.filter(pk=attempt.pk).update(created_at=at)


def page_of(course: Course, query: str = "", at: datetime | None = None) -> SummaryPage:
    return summary_page(course, QueryDict(query), at)


@pytest.mark.parametrize("zone", ["Europe/Rome", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"])
def test_a_try_counts_on_the_day_of_the_courses_clocks(zone: str, course: Course, missions: list[Mission]) -> None:
    course.time_zone = zone
    member = make_students(course, 1)[0]
    # The night in which Rome's clocks go back, in steps that cross every midnight closely.
    moments = [datetime(2026, 10, 24, 8, tzinfo=UTC) + timedelta(minutes=29 * n) for n in range(100)]
    tried(member.user, missions[0], moments[0])
    first = Attempt.objects.get()
    Attempt.objects.bulk_create(
        Attempt(
            **{f.attname: getattr(first, f.attname) for f in Attempt._meta.concrete_fields if not f.primary_key}
            | {"created_at": moment, "number": n, "submission_token": f"{n:032x}"}
        )
        for n, moment in enumerate(moments[1:], 2)
    )
    found = tries_by_day(roll_of(course), datetime(2026, 10, 31, tzinfo=UTC))
    days = [moment.astimezone(ZoneInfo(zone)).date() for moment in moments]
    assert found == {(member.user_id, day): days.count(day) for day in days}


def test_the_days_on_which_clocks_change_are_days_like_others(course: Course, missions: list[Mission]) -> None:
    member = make_students(course, 1)[0]
    at = datetime(2026, 10, 27, 12, tzinfo=ROME)
    rows = class_results(course, at=at).rows
    tries = {(member.user_id, date(2026, 10, 24)): 2, (member.user_id, date(2026, 10, 26)): 3}
    activity = activity_of(tries, rows, ROME, at)
    assert activity is not None and activity.by == "day"
    assert [(p.starts.day, p.tries, p.students) for p in activity.periods] == [
        (23, 0, 0),
        (24, 2, 1),
        (25, 0, 0),
        (26, 3, 1),
        (27, 0, 0),
    ]


def test_weeks_begin_on_monday_and_what_is_too_old_is_a_number(course: Course) -> None:
    member = make_students(course, 1)[0]
    at = datetime(2026, 10, 28, 12, tzinfo=ROME)
    tries = {(member.user_id, date(2025, 1, 1)): 7, (member.user_id, date(2026, 10, 25)): 1}
    activity = activity_of(tries, class_results(course, at=at).rows, ROME, at)
    assert activity is not None and activity.by == "week"
    assert (activity.earlier, activity.tries, len(activity.periods)) == (7, 8, MOST_PERIODS["week"])
    assert [(p.starts, p.tries) for p in activity.periods[-2:]] == [(date(2026, 10, 19), 1), (date(2026, 10, 26), 0)]
    assert all(p.starts.weekday() == 0 for p in activity.periods)


def test_missions_passed_are_counted_at_the_end_of_each_period(course: Course, missions: list[Mission]) -> None:
    one, _ = make_students(course, 2)
    record(one.user, missions[0], passed=True, sampled_responses=1)
    record(one.user, missions[1], passed=False)
    activity = page_of(course).activity
    assert activity is not None
    assert [period.passed for period in activity.periods] == [(0, 0, 0), (0.25, 0.5, 0.75)]


@pytest.fixture
def busy(course: Course, missions: list[Mission]) -> Course:
    """Five students of two sections: stars, a pass without one, misses, and one who did nothing."""
    budgets = definition_of(missions[0]).budgets
    users = {name: make_user(name) for name in ("three", "one", "none", "miss", "idle")}
    for name, user in users.items():
        add(course, user, name=name, section="A" if name in ("three", "miss", "idle") else "B")
    record(users["three"], missions[0], passed=True, sampled_responses=budgets.three)
    record(users["one"], missions[0], passed=True, sampled_responses=budgets.two + 1)
    record(users["none"], missions[0], passed=True, sampled_responses=budgets.one + 1)
    for _ in range(4):
        record(users["miss"], missions[0], passed=False)
    record(users["one"], missions[6], passed=False)
    return course


def test_everybody_is_in_one_part_of_a_missions_bar(busy: Course) -> None:
    first, second, _ = page_of(busy).missions
    assert (first.by_stars, first.not_met, first.new, first.tries) == ((1, 1, 0, 1), 1, 1, 7)
    assert (first.passed, first.starred, first.median_tries) == (3, 2, 1)
    assert [(part.css, part.start, part.width) for part in first.parts] == [
        ("star", 0, 40),
        ("met", 40, 20),
        ("miss", 60, 20),
    ]
    assert (second.new, second.parts, second.median_tries) == (5, (), None)


def test_a_section_or_a_chapter_can_be_looked_at_alone(busy: Course, missions: list[Mission]) -> None:
    section = page_of(busy, "section=B")
    assert (section.numbers.students, section.numbers.active, section.missions[0].tries) == (2, 2, 2)
    assert section.activity is not None and section.activity.tries == 2
    other = next(mission for mission in missions if mission.chapter != missions[0].chapter)
    Assignment.objects.create(course=busy, mission=other, position=9)
    chapter = page_of(busy, f"chapter={other.chapter}")
    assert [one.assignment.mission for one in chapter.missions] == [other]
    assert (chapter.activity, chapter.numbers.not_started, chapter.numbers.most_stars) == (None, 5, 3)
    unknown = page_of(busy, "section=Z&chapter=9&by=year&of=money")
    assert (unknown.asked.section, unknown.asked.chapter, unknown.asked.by, unknown.asked.of) == ("", "", "", "stars")


@pytest.mark.parametrize("measure", ["stars", "tries", "responses"])
def test_histograms_count_everybody_once(busy: Course, measure: str) -> None:
    page = page_of(busy, f"of={measure}")
    first, second, _ = page.histograms
    assert first.counted == (3 if measure == "responses" else 4)
    assert sum(int(count) for _, count in first.table.rows) == first.counted
    assert not second.bars


def test_a_mission_that_samples_nothing_has_no_responses_to_count(course: Course, student: User) -> None:
    look = Mission.objects.get(slug="one-group-spoke")
    add(course, student)
    course.assignments.all().delete()
    assign(course, [look])
    record(student, look, passed=True, sampled_responses=0)
    assert [page_of(course, f"of={of}").histograms[0].counted for of in ("stars", "tries", "responses")] == [1, 1, 0]


@given(
    costs=st.lists(st.integers(1, 10**7), min_size=1, max_size=30),
    budgets=st.lists(st.integers(1, 10**6), min_size=3, max_size=3).map(sorted),
)
def test_bins_of_responses_end_at_budgets_and_hold_every_cost(costs: list[int], budgets: list[int]) -> None:
    three, two, one = budgets
    limits = Budgets(one=one, two=two, three=three)
    mission = counts_with(costs)
    (histogram,) = histograms_of([mission], "responses", [limits])
    assert histogram.counted == len(costs)
    ends = [int(text.split(" to ")[-1].replace(",", "")) for text, _ in histogram.table.rows]
    assert {three, two, one} <= set(ends) and ends == sorted(set(ends))
    earned = [
        sum(int(n) for (_, n), end in zip(histogram.table.rows, ends, strict=True) if limits.stars_for(end) == stars)
        for stars in range(4)
    ]
    assert earned == [sum(limits.stars_for(cost) == stars for cost in costs) for stars in range(4)]
    assert all(bar.x >= 0 and bar.x + bar.width <= WIDTH + 0.2 and bar.width > 0 for bar in histogram.bars)


def counts_with(costs: list[int]) -> MissionCounts:
    """A mission at which passes cost so much; without a database."""
    assignment = Assignment(mission=Mission(title="Any"))
    passed = [Standing(1, datetime(2026, 1, 1, tzinfo=UTC), 0, cost, 1, None) for cost in costs]
    cells = [Cell((1, 1), assignment, None, False, None, None, None, one) for one in passed]  # type: ignore[arg-type]
    return MissionCounts(assignment, tuple(cells), (len(costs), 0, 0, 0), 0, 0, 0, len(costs), 1, 0)


def test_the_page_links_to_missions_students_and_the_grid(busy: Course, prof: Client, missions: list[Mission]) -> None:
    page = parsed(prof.get(f"/courses/{busy.public_id}/summary/"))
    links = {dict(a.attributes).get("href") for a in elements(page, "a")}
    here, slug = f"/courses/{busy.public_id}", missions[0].slug
    assert {f"{here}/missions/{slug}/", f"{here}/missions/{slug}/?who=not-yet#who", f"{here}/progress/?"} <= links
    names = element(page, "ul", css="names")
    assert [text(one) for one in elements(names, "li")] == ["idle"]
    assert "1 of 5 has no try" in text(page)


@pytest.mark.parametrize("query", ["", "of=tries", "of=responses&by=day", "section=A"])
def test_a_course_without_anything_says_so(query: str, prof: Client, course: Course, missions: list[Mission]) -> None:
    address = f"/courses/{course.public_id}/summary/?{query}"
    assert "No students yet." in text(parsed(prof.get(address)))
    make_students(course, 1)
    page = text(parsed(prof.get(address)))
    assert "No try yet." in page and "1 of 1 has no try" in page
    course.assignments.all().delete()
    assert "Nothing is assigned yet." in text(parsed(prof.get(address)))


def test_queries_do_not_grow_with_students(
    prof: Client, course: Course, missions: list[Mission], django_assert_num_queries: Any
) -> None:
    address = f"/courses/{course.public_id}/summary/?of=responses"
    for count in (1, 9):
        for number in range(count):
            member = add(course, make_user(f"m{count}-{number}"))
            record(member.user, missions[0], passed=True, sampled_responses=1)
        with django_assert_num_queries(8):
            prof.get(address)
