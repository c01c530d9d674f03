"""The page of a mission for those who teach: what the class reached, predicted, and where it took wrong turns."""

import re
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from accounts.models import User
from classroom.mission import page as mission_pages
from classroom.mission import tries as class_tries
from classroom.mission.picture import points_of
from classroom.mission.standing import REACHED
from classroom.mission.tries import ClassTries, tries_at
from classroom.models import Course
from classroom.results import class_results
from missions.models import Attempt, Mission
from missions.queries import definition_of
from tests.classroom.factories import add, assign, make_course, make_students, make_user
from tests.classroom.pages import attribute, element, elements, parsed, text
from tests.missions.helpers import record


@pytest.fixture
def prof(db: None) -> User:
    return make_user("prof")


@pytest.fixture
def course(prof: User, missions: list[Mission]) -> Course:
    course = make_course(prof, stuck_after_tries=3)
    assign(course, missions[:3])
    for name in ("Ann", "Bea", "Cem", "Dov"):
        add(course, make_user(name.lower()), name=name)
    return course


def _user(name: str) -> User:
    return User.objects.get(username=name.lower())


def tried(name: str, mission: Mission, passed: bool, **changes: Any) -> None:
    record(_user(name), mission, passed=passed, **changes)


def found_at(mission: Mission) -> ClassTries:
    return tries_at(mission, definition_of(mission), User.objects.values("pk"))


@pytest.fixture
def visit(prof: User, course: Course, missions: list[Mission]) -> Any:
    client = Client()
    client.force_login(prof)
    return lambda query="", slug=missions[0].slug: client.get(f"/courses/{course.public_id}/missions/{slug}/{query}")


def bars(page: Any, section: str) -> dict[str, int]:
    part = element(parsed(page), "section", aria_labelledby=section)
    rows = [row for row in elements(part, "tr") if list(elements(row, "td"))]
    return {text(element(row, "th")): int(text(list(elements(row, "td"))[-1])) for row in rows}


def tiles(page: Any) -> dict[str, str]:
    return {text(element(one, "dt")): text(element(one, "dd")) for one in elements(parsed(page), "div", css="tile")}


def people(page: Any) -> list[list[str]]:
    part = element(parsed(page), "section", aria_labelledby="who")
    rows = (row for row in elements(part, "tr") if list(elements(row, "td")))
    return [[text(cell) for cell in row.children] for row in rows]  # type: ignore[union-attr]


def test_what_they_reached_adds_up_and_agrees_with_the_grid(
    visit: Any, course: Course, missions: list[Mission]
) -> None:
    budgets = definition_of(missions[0]).budgets
    tried("Ann", missions[0], False)
    tried("Ann", missions[0], True, sampled_responses=budgets.three)
    for _ in range(3):
        tried("Bea", missions[0], False)
    tried("Cem", missions[0], True, sampled_responses=10**8)
    page = visit("?who=all")
    reached = bars(page, "reached")
    assert reached == {
        **{group.name: 0 for group in REACHED},
        "three stars": 1,
        "goal not met yet": 1,
        "goal met, no star": 1,
        "no try yet": 1,
    }
    assert sum(reached.values()) == 4
    assert bars(page, "first-star") == {"1": 0, "2": 1}
    said = tiles(page)
    assert (said["Passed"], said["Stuck"], said["Tries"]) == ("2 of 4", "1", "6")
    assert said["Tries to the first star, median"] == "2"
    rows = {row.member.name: row.cells[0] for row in class_results(course).rows}
    assert {line[0].split()[0]: (line[1], line[2]) for line in people(page)} == {
        name: (str(cell.stars), str(cell.tries)) for name, cell in rows.items()
    }
    assert [line[0] for line in people(visit())] == ["Bea stuck"]  # Who is stuck comes first, unless asked otherwise.
    assert [line[0] for line in people(visit("?who=new"))] == ["Dov"]
    assert [line[0] for line in people(visit("?who=nonsense"))] == ["Bea stuck"]


def test_all_marks_and_all_lines_of_the_table_are_all_tries(course: Course, missions: list[Mission]) -> None:
    for place, name in enumerate(("Ann", "Bea", "Cem", "Cem", "Dov")):
        tried(name, missions[0], place % 2 == 0, sampled_responses=100 * 2 ** (place // 2), steps=20 + place // 2)
    found = found_at(missions[0])
    assert sum(point.count for point in points_of(found, 0)) == 5
    picture = mission_pages.picture_of(found, mission_pages.PAGE)
    for drawing in picture.drawings:
        assert sum(mark.count for mark in drawing.marks) == 5
        assert all(drawing.left <= mark.x <= drawing.right for mark in drawing.marks)
    assert sum(int(cell.replace(",", "")) for row in picture.table.rows for cell in row[2:]) == 5


def test_without_a_try_with_one_and_with_the_whole_class(
    visit: Any, course: Course, missions: list[Mission], django_assert_num_queries: Any
) -> None:
    page = visit()
    assert page.status_code == 200 and "No try yet" in text(parsed(page))
    assert tiles(page)["Right predictions"] == "none yet"
    tried("Ann", missions[0], False, prediction=0)
    page = visit()
    assert "1 try by 1 student. 0 earned a star." in text(parsed(page))
    assert "None: after no kind of change" in text(parsed(page)) and "No setup that missed was tried twice" in text(
        parsed(page)
    )
    # Session, account, course; people, assignments, extensions, progress, passes; mission, tries, runs.
    with django_assert_num_queries(11):
        visit()
    template = Attempt.objects.get()
    fields = {f.attname: getattr(template, f.attname) for f in Attempt._meta.concrete_fields if f.name != "id"}
    Attempt.objects.bulk_create(
        Attempt(**fields | {"user_id": member.user_id, "submission_token": uuid4(), "number": number})
        for member in make_students(course, 500)
        for number in (1, 2)
    )
    with django_assert_num_queries(11):
        page = visit("?who=3")
    assert "1,001 tries by 501 students" in text(parsed(page)) and people(page) == []
    assert len(page.content) < 150_000


def test_tries_under_other_goals_and_the_earliest_of_very_many_are_named(
    visit: Any, course: Course, missions: list[Mission], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Ann", "Bea", "Cem"):
        tried(name, missions[0], False)
    Attempt.objects.filter(user=_user("Ann")).update(mission_revision=missions[0].revision + 1)
    page = text(parsed(visit()))
    assert "2 tries by 2 students" in page and "1 earlier try was made under other goals or budgets" in page
    monkeypatch.setattr(class_tries, "MOST_TRIES", 1)
    found = found_at(missions[0])
    assert found.is_cut and len(found.tries) == 1 and found.tries[0].user == _user("Cem").pk


def test_a_mission_with_more_goals_is_drawn_against_each(visit: Any, course: Course, missions: list[Mission]) -> None:
    mission = next(m for m in missions[3:] if len(definition_of(m).goals) > 1 and definition_of(m).seeds_needed is None)
    course.assignments.create(mission=mission, position=9)
    tried("Ann", mission, False)
    pictures = [visit(f"?goal={number}", mission.slug).content.decode() for number in (1, 2)]
    labels = [re.search(r"sampled responses against ([^\"]+)\"", page) for page in pictures]
    assert labels[0] and labels[1] and labels[0][1] != labels[1][1]
    assert visit("?goal=99", mission.slug).status_code == visit("?goal=²", mission.slug).status_code == 200


def test_only_present_students_of_the_course_are_in_it(visit: Any, course: Course, missions: list[Mission]) -> None:
    tried("Ann", missions[0], False)
    record(make_user("stranger"), missions[0], passed=True)
    course.memberships.filter(name="Ann").update(end="left", ended_at=course.created_at)
    page = visit("?who=all")
    assert "No try yet" in text(parsed(page)) and "Ann" not in [line[0] for line in people(page)]


def test_grid_and_assignments_lead_here_and_from_here_to_the_missions_around_it(
    visit: Any, prof: User, course: Course, missions: list[Mission]
) -> None:
    client = Client()
    client.force_login(prof)
    here = f"/courses/{course.public_id}/missions/"
    for page in ("progress/", "assignments/"):
        links = [
            attribute(one, "href") for one in elements(parsed(client.get(f"/courses/{course.public_id}/{page}")), "a")
        ]
        assert {f"{here}{mission.slug}/" for mission in missions[:3]} <= set(links), page
    around = [attribute(one, "href") for one in elements(parsed(visit(slug=missions[1].slug)), "a", css="btn-s")]
    assert around == [f"{here}{missions[0].slug}/", f"{here}{missions[2].slug}/", f"{here}{missions[1].slug}/wall/"]


def test_a_name_can_not_break_the_page(visit: Any, course: Course, missions: list[Mission]) -> None:
    course.memberships.filter(name="Ann").update(name="<script>alert(1)</script>")
    assert b"<script>alert" not in visit("?who=all").content


def test_a_mark_is_not_hidden_by_the_words_at_the_goal(missions: list[Mission]) -> None:
    from classroom.figures.parts import Level, Outcome, Point
    from classroom.figures.scatter import WALL, scatter

    budgets = definition_of(missions[0]).budgets
    level = Level("win rate", "goal: win rate at least 0.900", 0.9, True, 3)
    dear, cheap = Point(budgets.one, 0.93, Outcome.STAR), Point(budgets.three // 2, 0.93, Outcome.STAR)
    low = [Point(cost, 0.4, Outcome.MISS) for cost in (budgets.three // 2, budgets.one)]
    anchors = [scatter([one, *low], level, budgets, WALL[1]).goal_text_anchor for one in (dear, cheap)]
    assert anchors == ["start", "end"]
    drawn = scatter([dear, *low], level, budgets, WALL[1])
    assert max(float(tick.text) for tick in drawn.y_ticks) == 1.0  # Room for stars, but no rate above 1.
    counted = replace(level, label="hidden runs", bound=24.0, ends=(0.0, 32.0), decimals=0)
    assert [tick.text for tick in scatter([], counted, budgets, WALL[1]).y_ticks] == ["0", "8", "16", "24", "32"]
