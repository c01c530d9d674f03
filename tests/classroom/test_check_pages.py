"""The pages of a check: what they say in each state, and what they write."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from classroom.authoring.check_picture import staircase
from missions import tasks
from missions.authoring.reading import read_text
from missions.checking import Limits
from missions.checks import ask, latest_check
from missions.models import Check, OwnMission
from missions.seeds import evaluation_seeds
from missions.tasks import run_check
from tests.classroom.factories import make_user
from tests.classroom.pages import element, elements, parsed, text
from tests.classroom.test_access import let_create_courses
from tests.missions.checked import own_mission

POLL = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TRIGGER": "check-poll"}


@pytest.fixture
def author(db: None, monkeypatch: pytest.MonkeyPatch) -> User:
    monkeypatch.setattr(tasks, "limits_for", lambda world, seconds: Limits(12, 4, seconds))
    monkeypatch.setattr(tasks, "FRESH_SETS", {"candidates": 1, "reasoning": 1})
    user = make_user("author")
    let_create_courses(user)
    return user


@pytest.fixture
def pen(author: User) -> Client:
    client = Client()
    client.force_login(author)
    return client


@pytest.fixture
def own(author: User) -> OwnMission:
    return own_mission(author)


def address(own: OwnMission, end: str = "") -> str:
    return f"/own-missions/{own.public_id}/check/{end}"


def finished(own: OwnMission) -> Check:
    check = ask(own, own.author)
    run_check.call(check.pk)
    check.refresh_from_db()
    assert check.state == "finished"
    return check


def said(pen: Client, own: OwnMission, **asked: str) -> str:
    response = pen.get(address(own), asked)
    assert response.status_code == 200
    return text(element(parsed(response), "div", id="check"))


def test_a_check_is_asked_for_waits_runs_and_is_called_off(pen: Client, own: OwnMission) -> None:
    assert "Can it be won, and not by luck?" in said(pen, own)
    for _ in range(2):
        assert pen.post(address(own, "start/")).headers["Location"] == address(own)
    check = Check.objects.get()
    assert "Waiting for its turn" in said(pen, own) and "It is next." in said(pen, own)
    Check.objects.update(asked_at=timezone.now() - timedelta(minutes=1))
    assert "No worker seems to run" in said(pen, own) and "manage.py worker" in said(pen, own)
    # Without scripts the page asks again by itself, and has a link.
    page = pen.get(address(own)).content.decode()
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page and "Look again" in page
    now = timezone.now()
    Check.objects.update(state="running", started_at=now, heard_at=now, share_done=0.421, doing="Searching: 20 tried")
    assert "42%. Searching: 20 tried." in said(pen, own)
    fragment = pen.get(address(own), **POLL).content.decode()
    assert "<html" not in fragment and fragment.count('hx-trigger="every 2s"') == 1 and 'value="42"' in fragment
    pen.post(address(own, "cancel/"))
    check.refresh_from_db()
    assert check.is_cancel_asked and "Being called off" in said(pen, own)
    Check.objects.update(state="cancelled", ended_at=now)
    fragment = pen.get(address(own), **POLL).content.decode()
    assert "The check was called off" in fragment and "hx-trigger" not in fragment
    assert "The check has ended: cancelled." in fragment


@pytest.mark.parametrize(
    ("state", "words"), [("failed", "stopped with an error"), ("lost", "stopped on the way"), ("running", "on the way")]
)
def test_a_check_that_came_to_nothing_says_so_and_can_be_asked_for_again(
    state: str, words: str, pen: Client, own: OwnMission
) -> None:
    check, long_ago = ask(own, own.author), timezone.now() - timedelta(hours=1)
    Check.objects.filter(pk=check.pk).update(state=state, started_at=long_ago, heard_at=long_ago)
    assert words in said(pen, own)
    pen.post(address(own, "start/"))
    assert latest_check(own) != check and latest_check(own).state == "waiting"


def test_what_was_found_is_shown_and_no_seed(pen: Client, own: OwnMission) -> None:
    finished(own)
    response = pen.get(address(own))
    page, words = parsed(response), said(pen, own)
    assert "1 problem found" in words and "No setting that was tried earns three stars." in words
    assert "The start fails , as it should: all goals hold on 0 of 32 seeds" in words
    assert "49.3 standard errors short of the tightest goal" in words or "49.4 standard errors short" in words
    stars = next(elements(page, "table", css="check-stars"))
    rows = [text(row) for row in elements(stars, "tr")][1:]
    assert "Nothing that was tried reaches the goal at this cost." in rows[0]
    assert "group size 8" in rows[1] and "6,400" in rows[1] and "passes on 1 of 1 fresh sets" in rows[1]
    assert "cheap enough for more stars" in rows[2]
    assert "Exact: 100% of all choices fit the budget; 1 of these 9 pass." in words
    assert "Three stars, 6,400:" in words and "Take these budgets" in words
    assert len(list(elements(page, "svg", css="tries-plot"))) == 3
    numbers = element(page, "details", id="tried-table")
    assert "group size 8 6,400 30 of 32 seeds" in text(numbers)
    assert not [seed for seed in evaluation_seeds() if str(seed) in response.content.decode()]


def test_goals_are_drawn_one_at_a_time_whatever_is_asked(pen: Client, author: User) -> None:
    goals = [{"metric": "win_rate", "at_least": 0.7}, {"metric": "kl", "at_most": 5.0}]
    own = own_mission(author, goals=goals)
    finished(own)
    assert "goal: KL at most 5.00" in said(pen, own, goal="2")
    for odd in ("0", "3", "-1", "x", "9" * 30, "²"):
        assert "goal: win rate at least 0.700" in said(pen, own, goal=odd)


def test_runs_are_counted_in_the_other_world(pen: Client, author: User) -> None:
    own = own_mission(author, "reasoning")
    finished(own)
    words = said(pen, own)
    assert "The start fails , as it should: all goals hold on 3 of 32 seeds; 21 runs fewer than needed" in words
    assert "goal: 24 of 32 runs" in words and "6 runs more than needed; all goals hold on 30 of 32 seeds" in words


def test_taking_the_budgets_writes_them_and_nothing_else(pen: Client, own: OwnMission) -> None:
    finished(own)
    before = own.text
    pen.post(address(own, "take-budgets/"), {"version": own.version})
    own.refresh_from_db()
    assert own.version == 2
    changed = [(a, b) for a, b in zip(before.splitlines(), own.text.splitlines(), strict=True) if a != b]
    assert [b for _, b in changed] == ["one_star = 20000", "two_stars = 12000", "three_stars = 6400"]
    assert "[budgets]  # guessed" in own.text
    assert read_text(own.text).is_valid
    words = said(pen, own)
    assert "The mission has the budgets that this check proposed" in words and "Take these budgets" not in words
    pen.post(address(own, "take-budgets/"), {"version": own.version})
    own.refresh_from_db()
    assert own.version == 2


def test_budgets_are_not_written_over_what_is_newer_nor_into_another_mission(pen: Client, own: OwnMission) -> None:
    finished(own)
    OwnMission.objects.update(text=own.text.replace('title = "', 'title = "New: '), version=2)
    for version in ("1", "", "x", "9" * 40):
        pen.post(address(own, "take-budgets/"), {"version": version})
    own.refresh_from_db()
    assert own.version == 2 and "one_star = 20000" not in own.text
    # Another story changes nothing of what was found; another goal does.
    assert "Take these budgets" in said(pen, own)
    OwnMission.objects.update(text=own.text.replace("0.745", "0.7"))
    assert "The mission was changed since" in said(pen, own) and "Take these budgets" not in said(pen, own)
    pen.post(address(own, "take-budgets/"), {"version": "2"})
    own.refresh_from_db()
    assert own.version == 2
    OwnMission.objects.update(text="no mission = [")
    assert "1 thing has to be put right" in said(pen, own)
    pen.post(address(own, "start/"))
    assert Check.objects.count() == 1


def test_a_mission_without_a_way_and_one_as_proposed(pen: Client, author: User) -> None:
    hopeless = own_mission(author, goals=[{"metric": "win_rate", "at_least": 0.99}])
    finished(hopeless)
    words = said(pen, hopeless)
    assert "Closest came group size 8 : Win rate 0.768" in words
    assert "Budgets that fit" not in words and "None reaches the goal." in words
    fitting = own_mission(author, budgets={"one_star": 20_000, "two_stars": 12_000, "three_stars": 6_400})
    finished(fitting)
    assert "The mission has just the budgets that this check proposes." in said(pen, fitting)


def test_a_check_of_an_earlier_version_of_the_site_is_out_of_date(pen: Client, own: OwnMission) -> None:
    check = finished(own)
    assert check.result is not None
    for changes in ({"result": check.result | {"version": 0}}, {"source": {"setup": {"gone": 1}}}):
        Check.objects.filter(pk=check.pk).update(**{"result": check.result, **changes})
        assert "The last check is out of date" in said(pen, own)


def test_the_line_of_the_front_is_level_until_something_safer_is_to_be_had() -> None:
    assert staircase([], 9) == []
    assert staircase([(2, 0.5)], 9) == [(2, 0.5), (9, 0.5)]
    assert staircase([(2, 0.5), (4, 0.8)], 4) == [(2, 0.5), (4, 0.5), (4, 0.8), (4, 0.8)]
