"""What students choose to show, and which names they can choose for the leaderboard."""

import random
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from classroom.choices import choose_name, offered_names, take_off
from classroom.handles import FIRST, LONGEST, SECOND, cleaned, problem_with, suggestions
from classroom.models import Course, Membership
from missions.models import Mission
from tests.classroom.factories import add, make_course, make_user
from tests.classroom.pages import elements, parsed, text

REAL = ["Rossi-Bianchi, Màya", "maya.rossi", "maya.r@uni.example", "Prof. Li, Wei", "1234567"]


@pytest.mark.parametrize(
    ("name", "is_fine"),
    [
        ("Quiet Otter", True),
        ("R2-D2", True),
        ("Ünal’s cat", True),
        ("学习的猫", True),
        ("ab", False),
        ("x" * (LONGEST + 1), False),
        ("-=evil", False),
        ("=1+2", False),
        ("<b>me</b>", False),
        ("a\u202eb c", False),
        ("....", False),
        # What tells who it is, in any spelling, also within a word if it is long enough.
        ("Maya", False),
        ("MÁYA 2", False),
        ("the.rossi", False),
        ("xxrossixx", False),
        ("Bianchi fan", False),
        ("no 1234567", False),
        ("maya.r", False),
        ("Wei the great", False),
        ("Weird otter", True),  # A short name is no name within a word.
        ("example otter", True),  # The university's part of an address tells nothing.
        # Others' names, and what looks like them.
        ("Brave Yak", False),
        ("brave-YAK", False),
        ("Bravé.Yak", False),
        ("Brave Yak 2", True),
    ],
)
def test_names_that_can_be_chosen(name: str, is_fine: bool) -> None:
    problem = problem_with(cleaned(name), ["Brave Yak"], REAL)
    assert (not problem) == is_fine, problem


@given(st.integers(), st.sets(st.sampled_from([f"{a} {b}" for a in FIRST[:6] for b in SECOND[:6]])))
def test_every_suggestion_could_be_chosen(seed: int, taken: set[str]) -> None:
    random.seed(seed)
    found = suggestions(taken, REAL)
    assert len(set(found)) == 4
    assert not [name for name in found if problem_with(name, taken, REAL)]


def test_no_suggestion_has_the_student_s_own_name() -> None:
    assert all("Amber" not in name for _ in range(20) for name in suggestions([], ["Amber, Ann"], 50))


@pytest.fixture
def course(db: None) -> Course:
    course = make_course(make_user("prof", last_name="Verdi"), has_leaderboard=True)
    add(course, make_user("maya.rossi", "maya@uni.example"), name="Rossi, Maya", student_number="4711")
    add(course, make_user("liam"))
    return course


def _member(username: str) -> Membership:
    return Membership.objects.select_related("user", "course").get(user__username=username)


@pytest.fixture
def choose(course: Course) -> Any:
    def choose(username: str = "maya.rossi", **fields: str) -> Any:
        client = Client()
        client.force_login(User.objects.get(username=username))
        address = f"/courses/{course.public_id}/choices/"
        return client.post(address, fields, follow=True) if fields else client.get(address)

    return choose


def test_nothing_is_shown_of_anybody_who_said_nothing(course: Course) -> None:
    assert not Membership.objects.filter(may_reveal=True).exists()
    assert not Membership.objects.exclude(leaderboard_name="").exists()
    assert not Course(name="x", time_zone="UTC").has_leaderboard


def test_agreeing_and_withdrawing(choose: Any) -> None:
    assert "may be shown, without a name" in choose(choice="reveal", may_reveal="on").content.decode()
    assert _member("maya.rossi").may_reveal and not _member("liam").may_reveal
    assert "are not shown, from now on" in choose(choice="reveal").content.decode()
    assert not _member("maya.rossi").may_reveal


def test_going_on_the_leaderboard_and_off_it(choose: Any) -> None:
    assert "as Quiet Otter" in choose(choice="name", name="  Quiet   Otter ").content.decode()
    assert _member("maya.rossi").leaderboard_name == "Quiet Otter"
    refused = choose("liam", choice="name", name="quiet otter")
    assert refused.status_code == 422 and "one that looks like it" in refused.content.decode()
    assert "not on the leaderboard any more" in choose(choice="leave").content.decode()
    assert choose("liam", choice="name", name="quiet otter").status_code == 200
    assert _member("maya.rossi").leaderboard_name == ""


@pytest.mark.parametrize("name", ["Rossi", "Maya 2", "4711 club", "Prof. Verdi", "maya@uni", "Pröf", "x", ""])
def test_a_name_that_tells_is_refused_and_what_was_there_stays(name: str, choose: Any) -> None:
    choose(choice="name", name="Quiet Otter")
    page = choose(choice="name", name=name)
    assert page.status_code == 422 and 'aria-invalid="true"' in page.content.decode()
    assert _member("maya.rossi").leaderboard_name == "Quiet Otter"


def test_classmates_names_are_not_told_by_what_is_refused(choose: Any) -> None:
    assert choose(choice="name", name="Liam Otter").status_code == 200


def test_two_who_choose_a_name_at_once(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    from classroom import choices

    choose_name(_member("liam"), "Quiet Otter")
    monkeypatch.setattr(choices, "names_of_others", lambda member: [])
    with pytest.raises(choices.NotPossibleNameError, match="has that name"):
        choose_name(_member("maya.rossi"), "QUIET otter")


def test_a_name_that_was_taken_off_is_gone_and_does_not_come_back(course: Course, choose: Any) -> None:
    choose(choice="name", name="Rude Otter")
    assert take_off(course, "Rude Otter") and not take_off(course, "Rude Otter") and not take_off(course, "")
    page = choose()
    assert "“Rude Otter” was taken off" in page.content.decode()
    assert choose(choice="name", name="rude otter").status_code == 422
    assert choose(choice="name", name="Kind Otter").status_code == 200


def test_the_page_has_what_the_course_has_and_the_course_page_leads_there(choose: Any, course: Course) -> None:
    def heads() -> list[str]:
        return [text(head) for head in elements(parsed(choose()), "h2")]

    assert heads() == ["In the lecture", "On the leaderboard"]
    Course.objects.update(has_leaderboard=False)
    assert heads() == ["In the lecture"]
    # Where there is no leaderboard, no name can be chosen for one.
    choose(choice="name", name="Quiet Otter")
    assert _member("maya.rossi").leaderboard_name == ""
    Course.objects.update(asks_to_reveal=False)
    assert heads() == [] and "nothing to choose" in choose().content.decode()
    # What was agreed to once can be taken back all the same.
    Membership.objects.filter(user__username="maya.rossi").update(may_reveal=True, leaderboard_name="Quiet Otter")
    assert heads() == ["In the lecture", "On the leaderboard"]
    choose(choice="leave")
    choose(choice="reveal")
    assert (_member("maya.rossi").may_reveal, _member("maya.rossi").leaderboard_name) == (False, "")
    client = Client()
    client.force_login(User.objects.get(username="liam"))
    assert f"/courses/{course.public_id}/choices/" in client.get(f"/courses/{course.public_id}/").content.decode()


def test_in_an_archived_course_a_student_can_still_withdraw(choose: Any, course: Course) -> None:
    choose(choice="reveal", may_reveal="on")
    Course.objects.update(archived_at=course.created_at)
    choose(choice="reveal")
    assert not _member("maya.rossi").may_reveal


def test_offered_names_are_others_than_those_there_are(course: Course) -> None:
    choose_name(_member("liam"), "Quiet Otter")
    assert all("Quiet Otter" not in offered_names(_member("maya.rossi")) for _ in range(30))


def test_a_course_s_export_has_no_choices_and_one_s_own_has(course: Course, missions: list[Mission]) -> None:
    from classroom.data import export_course, memberships_of

    member = _member("maya.rossi")
    choose_name(member, "Quiet Otter")
    assert "Quiet Otter" not in repr(export_course(course)) and "may_reveal" not in repr(export_course(course))
    own = memberships_of(member.user)[0]
    assert (own["leaderboard_name"], own["may_reveal"]) == ("Quiet Otter", False)
