"""The leaderboard: of whom, in which order, while it is frozen, and what it must not tell."""

import re
from datetime import timedelta
from typing import Any

import pytest
from auditlog.models import LogEntry
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from classroom.choices import choose_name, leave_leaderboard
from classroom.leaderboard.board import Board, best_tries, board_of
from classroom.leaderboard.ranking import Best, places, standing_of
from classroom.memberships import leave
from classroom.models import Course, Membership
from missions.models import Attempt, Mission
from tests.classroom.factories import add, assign, make_course, make_students, make_user
from tests.classroom.pages import attribute, element, elements, parsed, text
from tests.missions.helpers import record

BESTS = st.lists(st.builds(Best, st.integers(0, 3), st.integers(1, 40)), max_size=4)


@given(st.lists(BESTS, max_size=8))
def test_places_follow_the_rule(classes: list[list[Best]]) -> None:
    board = places(standing_of(f"n{place}", bests) for place, bests in enumerate(classes))
    assert sorted(place.standing.name for place in board) == sorted(f"n{place}" for place in range(len(classes)))
    for one in board:
        # Straight from the words: how many have more stars, or as many with fewer responses.
        better = [
            other
            for other in board
            if other.standing.stars > one.standing.stars
            or (other.standing.stars == one.standing.stars and other.standing.responses < one.standing.responses)
        ]
        same = [other for other in board if other.standing.rank == one.standing.rank]
        assert one.number == len(better) + 1
        assert one.is_shared == (len(same) > 1) and {other.number for other in same} == {one.number}
    assert [place.number for place in board] == sorted(place.number for place in board)


@given(BESTS, st.integers(1, 40))
def test_a_mission_without_a_star_changes_nothing(bests: list[Best], responses: int) -> None:
    assert standing_of("a", [*bests, Best(0, responses)]) == standing_of("a", bests)


@pytest.fixture
def course(db: None, missions: list[Mission]) -> Course:
    """Ann, Bea and Dov are on the board: six stars, three with few responses, three with more. Cem, the best, isn't."""
    course = make_course(make_user("prof"), has_leaderboard=True)
    assign(course, missions[:2])
    for name in ("Ann", "Bea", "Cem", "Dov"):
        add(course, make_user(name.lower(), f"{name.lower()}@uni.example"), name=f"Doe, {name}")
    for name, handle in (("ann", "Quiet Otter"), ("bea", "Brave Yak"), ("dov", "Calm Newt")):
        choose_name(_member(name), handle)
    for name, responses in (("ann", (5, 7)), ("bea", (9,)), ("cem", (1, 1)), ("dov", (11,))):
        for mission, cost in zip(missions, responses, strict=False):
            record(_user(name), mission, passed=True, sampled_responses=cost)
    record(_user("dov"), missions[1], passed=True, sampled_responses=10**8)  # no star
    record(_user("bea"), missions[5], passed=True, sampled_responses=1)  # not assigned
    return course


def _user(name: str) -> User:
    return User.objects.get(username=name)


def _member(name: str) -> Membership:
    return Membership.objects.select_related("user", "course").get(user__username=name)


def _get(course: Course, name: str, page: str = "leaderboard/") -> Any:
    client = Client()
    client.force_login(_user(name))
    return client.get(f"/courses/{course.public_id}/{page}")


def _post(course: Course, who: str, page: str, **fields: str) -> Any:
    client = Client()
    client.force_login(_user(who))
    return client.post(f"/courses/{course.public_id}/leaderboard/{page}", fields, follow=True)


def rows(response: Any) -> list[tuple[str, str, str, str]]:
    lines = [row for row in elements(parsed(response), "tr") if list(elements(row, "td"))]
    return [tuple(text(cell) for cell in row.children) for row in lines]  # type: ignore[misc]


def summary(board: Board) -> list[tuple[int, str, int, int]]:
    return [(p.number, p.standing.name, p.standing.stars, p.standing.responses) for p in board.places]


def test_stars_first_then_fewer_responses_at_assigned_missions_of_those_who_asked(course: Course) -> None:
    page = _get(course, "cem")
    assert rows(page) == [("1", "Quiet Otter", "6", "12"), ("2", "Brave Yak", "3", "9"), ("3", "Calm Newt", "3", "11")]
    words = text(parsed(page))
    assert "More stars come first" in words and "Students who are not on it are not counted" in words
    # Cem is not on it: no place, and the number of names is of those who are.
    assert "in place" not in words and "3 names on the leaderboard" in words and " 4 " not in words


def test_a_place_is_shared_and_the_next_is_counted_on(course: Course, missions: list[Mission]) -> None:
    record(_user("dov"), missions[0], passed=True, sampled_responses=9)
    choose_name(_member("cem"), "Late Lynx")
    assert [(line[0], line[1]) for line in rows(_get(course, "prof"))] == [
        ("1", "Late Lynx"),
        ("2", "Quiet Otter"),
        ("3 , shared", "Brave Yak"),
        ("3 , shared", "Calm Newt"),
    ]
    record(_user("ann"), missions[0], passed=True, sampled_responses=1)
    record(_user("ann"), missions[1], passed=True, sampled_responses=1)
    assert [line[0] for line in rows(_get(course, "prof"))] == ["1 , shared", "1 , shared", "3 , shared", "3 , shared"]


def test_one_s_own_place_is_marked_for_oneself_alone(course: Course) -> None:
    page = _get(course, "bea")
    assert "You are Brave Yak, in place 2 of 3." in text(parsed(page))
    assert text(element(element(parsed(page), "tr", aria_current="true"), "th")) == "Brave Yak you"
    for name in ("cem", "prof"):
        assert not list(elements(parsed(_get(course, name)), "tr", aria_current="true"))


@pytest.mark.parametrize("reader", ["bea", "cem", "prof"])
def test_the_page_tells_nobody_s_name_and_no_key(reader: str, course: Course) -> None:
    page = _get(course, reader)
    body = page.content.decode().partition("<main")[2]
    for member in course.memberships.students().select_related("user"):
        for told in (member.name, member.user.username, member.user.email, f"/{member.pk}/", f'="{member.pk}"'):
            assert not re.search(rf"(?<![\w-]){re.escape(told)}(?![\w-])", body), told
    assert "no-store" in page.headers["Cache-Control"]


def test_no_page_of_those_who_teach_has_a_name_of_the_board_beside_a_person(course: Course) -> None:
    ann = _member("ann")
    pages = ("progress/", "progress.csv", "people/", f"people/{ann.pk}/", f"students/{ann.pk}/", "people/roster.csv")
    for page in (*pages, "grades/", f"grades/{ann.pk}/", "grades/lossless.csv", "changes/", "export/", "settings/"):
        answer = _get(course, "prof", page)
        assert answer.status_code == 200, page
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert b"Quiet Otter" not in content, page


def test_off_there_is_none_for_anybody_and_nothing_leads_there(course: Course) -> None:
    assert (
        b"/leaderboard/" in _get(course, "ann", "").content
        and b"/leaderboard/" in _get(course, "prof", "progress/").content
    )
    Course.objects.update(has_leaderboard=False)
    for name in ("ann", "cem", "prof"):
        assert _get(course, name).status_code == 404
    assert _post(course, "prof", "freeze/").status_code == _post(course, "prof", "take-off/").status_code == 404
    for name, page in (("ann", ""), ("prof", "progress/"), ("ann", "choices/")):
        assert b"/leaderboard/" not in _get(course, name, page).content


def test_whoever_leaves_the_board_the_course_or_the_site_is_gone_at_once(course: Course) -> None:
    leave_leaderboard(_member("ann"))
    assert [line[1] for line in rows(_get(course, "prof"))] == ["Brave Yak", "Calm Newt"]
    leave(_member("bea"))
    assert [line[:2] for line in rows(_get(course, "prof"))] == [("1", "Calm Newt")]
    _user("dov").delete()
    assert "Nobody is on it yet" in text(parsed(_get(course, "prof")))


def _seen(course: Course, name: str) -> str:
    """The page without the site's head, which has the reader's own stars, and without the token of its forms."""
    body = _get(course, name).content.decode().partition("<main")[2]
    return re.sub(r'csrfmiddlewaretoken" value="[^"]*"', "", body)


def test_frozen_it_says_so_and_no_later_try_shows(course: Course, missions: list[Mission]) -> None:
    page = _post(course, "prof", "freeze/")
    assert "Frozen since" in text(element(parsed(page), "p", css="board-note"))
    before = [_seen(course, name) for name in ("bea", "cem", "prof")]
    record(_user("bea"), missions[1], passed=True, sampled_responses=1)
    record(_user("cem"), missions[1], passed=True, sampled_responses=1)
    assert [_seen(course, name) for name in ("bea", "cem", "prof")] == before
    # Freezing again moves nothing; who goes is gone also now.
    _post(course, "prof", "freeze/")
    leave_leaderboard(_member("ann"))
    assert [line[1:] for line in rows(_get(course, "cem"))] == [("Brave Yak", "3", "9"), ("Calm Newt", "3", "11")]
    assert rows(_post(course, "prof", "freeze/", thaw=""))[0] == ("1", "Brave Yak", "6", "10")
    assert "Frozen" not in _seen(course, "cem")


def test_frozen_at_this_moment_it_says_what_it_said(course: Course, missions: list[Mission]) -> None:
    """Read from tries it says the same as from progress, also with many tries of every kind."""
    for step, (member, mission) in enumerate(
        (m, mission) for m in course.memberships.students() for mission in missions[:2]
    ):
        budgets = mission.definition["budgets"]
        for cost in (budgets["one_star"], budgets["two_stars"] - step, budgets["two_stars"] - 2 * step, 10**8):
            record(member.user, mission, passed=(step + cost) % 3 != 0, sampled_responses=cost)
    choose_name(_member("cem"), "Late Lynx")
    users, keys = User.objects.values("pk"), [mission.pk for mission in missions[:2]]
    assert best_tries(users, keys) == best_tries(users, keys, timezone.now())
    live = summary(board_of(course))
    course.leaderboard_frozen_at = timezone.now()
    assert summary(board_of(course)) == live
    Attempt.objects.update(created_at=timezone.now() + timedelta(hours=1))
    assert {stars for _, _, stars, _ in summary(board_of(course))} == {0}


def test_freezing_is_in_the_log_of_changes(course: Course) -> None:
    _post(course, "prof", "freeze/")
    page = text(parsed(_get(course, "prof", "changes/")))
    assert "leaderboard frozen at" in page


def test_an_owner_takes_a_name_off_without_learning_whose_it_was(course: Course) -> None:
    page = _post(course, "prof", "take-off/", name="Brave Yak")
    assert "is off the leaderboard" in text(parsed(page)) and "Doe" not in text(parsed(page))
    assert [line[1] for line in rows(page)] == ["Quiet Otter", "Calm Newt"]
    assert _member("bea").leaderboard_name == "" and "was taken off" in text(parsed(_get(course, "bea", "choices/")))
    assert "Nobody on the leaderboard has that name" in text(
        parsed(_post(course, "prof", "take-off/", name="Brave Yak"))
    )
    entry = LogEntry.objects.filter(changes__has_key="name on the leaderboard").get()
    assert entry.actor == _user("prof") and entry.changes == {"name on the leaderboard": ["Brave Yak", None]}
    assert "bea" not in repr(vars(entry)) and "Brave Yak" in text(parsed(_get(course, "prof", "changes/")))
    assert attribute(element(parsed(_get(course, "prof")), "select", id="taken"), "name") == "name"
    assert not list(elements(parsed(_get(course, "ann")), "select"))


@pytest.mark.parametrize("is_frozen", [False, True])
def test_queries_do_not_grow_with_names(
    is_frozen: bool, course: Course, missions: list[Mission], client: Client, django_assert_num_queries: Any
) -> None:
    client.force_login(_user("prof"))
    address = f"/courses/{course.public_id}/leaderboard/"
    Course.objects.update(leaderboard_frozen_at=timezone.now() + timedelta(hours=1) if is_frozen else None)
    # Session, account, course; names, missions, and what they reached.
    with django_assert_num_queries(6):
        client.get(address)
    for place, member in enumerate(make_students(course, 12)):
        Membership.objects.filter(pk=member.pk).update(leaderboard_name=f"Newt {place}")
        record(member.user, missions[0], passed=True, sampled_responses=place + 1)
    with django_assert_num_queries(6):
        assert len(rows(client.get(address))) == 15
