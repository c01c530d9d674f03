"""What opens a mission besides the trail: rules from other parts of the site, single unlocks, and one's own tries."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from accounts.models import User
from missions import opening
from missions.models import Mission, Progress
from missions.opening import lock_again, unlock
from missions.progress import rebuild_progress
from tests.missions.helpers import record

THEN = datetime(2026, 11, 2, tzinfo=UTC)


def open_to(user: User, missions: list[Mission]) -> list[int]:
    """The places of the missions that answer a student with their page."""
    client = Client()
    client.force_login(user)
    return [place for place, m in enumerate(missions[:5], 1) if client.get(f"/missions/{m.slug}/").status_code == 200]


def test_a_rule_opens_missions_and_closes_none(
    student: User, missions: list[Mission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_rules", [])
    asked = []

    def rule(user: User, playable: list[Mission], passed: set[int]) -> set[int]:
        asked.append((user, passed))
        return {missions[3].pk}

    opening.add_rule(rule)  # type: ignore[arg-type]
    opening.add_rule(rule)  # type: ignore[arg-type]
    record(student, missions[0], passed=True)
    assert open_to(student, missions) == [1, 2, 4]
    client = Client()
    client.force_login(student)
    asked.clear()
    page = client.get("/missions/").content.decode()
    assert page.count('class="stop open"') == 1 and page.count('class="stop now"') == 1
    assert asked == [(student, {missions[0].pk})], "a page asks each rule once"
    client.logout()
    assert client.get("/").status_code == 200
    assert len(asked) == 1, "a visitor is nobody whom a rule could know"


def test_nobody_is_shut_out_from_their_own_tries(student: User, missions: list[Mission]) -> None:
    record(student, missions[3], passed=False)
    assert open_to(student, missions) == [1, 4]


def test_an_unlock_is_taken_back_while_there_are_no_tries(student: User, missions: list[Mission]) -> None:
    assert unlock(student, missions[3], THEN)
    assert not unlock(student, missions[3], THEN)
    assert open_to(student, missions) == [1, 4]
    assert lock_again(student, missions[3])
    assert open_to(student, missions) == [1]
    unlock(student, missions[3], THEN)
    record(student, missions[3], passed=False)
    assert not lock_again(student, missions[3])
    assert Progress.objects.get(user=student, mission=missions[3]).unlocked_at == THEN


def test_taking_an_unlock_back_leaves_what_the_trail_has_opened_since(student: User, missions: list[Mission]) -> None:
    unlock(student, missions[1], THEN)
    passed_at = record(student, missions[0], passed=True).attempt.created_at
    lock_again(student, missions[1])
    assert open_to(student, missions) == [1, 2]
    assert Progress.objects.get(user=student, mission=missions[1]).unlocked_at == passed_at
    assert rebuild_progress(student) is False
