"""One submission is one row, and what follows from it is written with it or not at all."""

from unittest.mock import patch
from uuid import uuid4

import pytest
from django.test import Client

from accounts.models import User
from missions.attempts import next_token
from missions.models import Attempt, Draft, Mission, Progress
from simulator.engine import ENGINE_VERSION
from tests.missions.helpers import record


def test_an_attempt_carries_what_it_was_graded_by(student: User, missions: list[Mission]) -> None:
    attempt = record(student, missions[0], passed=True, sampled_responses=3000).attempt
    assert (attempt.mission_revision, attempt.engine_version) == (missions[0].revision, ENGINE_VERSION)
    assert attempt.evaluation["budgets"] == missions[0].definition["budgets"]
    assert attempt.stars == 3


def test_the_same_token_again_is_the_same_attempt(student: User, missions: list[Mission]) -> None:
    token = uuid4()
    first = record(student, missions[0], passed=False, token=token)
    again = record(student, missions[0], passed=True, token=token)
    assert (first.is_new, again.is_new) == (True, False)
    assert first.attempt.pk == again.attempt.pk
    assert Progress.objects.get(mission=missions[0]).tries == 1


def test_a_token_belongs_to_one_student(student: User, other_student: User, missions: list[Mission]) -> None:
    token = uuid4()
    record(student, missions[0], passed=False, token=token)
    assert record(other_student, missions[0], passed=False, token=token).is_new


def test_the_next_token_changes_only_with_the_number_of_tries(
    student: User, other_student: User, missions: list[Mission]
) -> None:
    token = next_token(student, missions[0], 0)
    assert token == next_token(student, missions[0], 0)
    others = [
        next_token(student, missions[0], 1),
        next_token(student, missions[1], 0),
        next_token(other_student, missions[0], 0),
    ]
    assert len({token, *others}) == 4


def test_a_pass_opens_the_next_mission_once(student: User, missions: list[Mission]) -> None:
    first = record(student, missions[0], passed=True)
    second = record(student, missions[0], passed=True)
    assert first.opened == (missions[1],)
    assert second.opened == ()
    assert Progress.objects.get(mission=missions[1]).unlocked_at == first.attempt.created_at


def test_the_last_mission_opens_nothing(student: User, missions: list[Mission]) -> None:
    assert record(student, missions[-1], passed=True).opened == ()


def test_a_retired_mission_is_skipped_when_the_next_one_opens(student: User, missions: list[Mission]) -> None:
    Mission.objects.filter(pk=missions[1].pk).update(is_retired=True)
    assert record(student, missions[0], passed=True).opened == (missions[2],)


def test_training_ends_the_draft(student: User, missions: list[Mission]) -> None:
    Draft.objects.create(user=student, mission=missions[0], fields={"steps": "75"})
    record(student, missions[0], passed=False)
    assert not Draft.objects.exists()


@pytest.mark.parametrize("broken", ["missions.attempts._unlock_after", "missions.models.Progress.save"])
def test_a_failure_on_the_way_stores_nothing(broken: str, student: User, missions: list[Mission]) -> None:
    record(student, missions[0], passed=False)
    before = list(Progress.objects.values())
    with patch(broken, side_effect=RuntimeError("disk on fire")), pytest.raises(RuntimeError):
        record(student, missions[0], passed=True)
    assert Attempt.objects.count() == 1
    assert list(Progress.objects.values()) == before


def test_editing_a_mission_moves_no_past_score(student: User, missions: list[Mission]) -> None:
    attempt = record(student, missions[0], passed=True, sampled_responses=3000).attempt
    edited = dict(missions[0].definition) | {"budgets": {"one_star": 30, "two_stars": 20, "three_stars": 10}}
    Mission.objects.filter(pk=missions[0].pk).update(definition=edited, revision=2)
    attempt.refresh_from_db()
    assert (attempt.stars, attempt.mission_revision) == (3, 1)
    assert Progress.objects.get(mission=missions[0]).best_stars == 3


def test_what_somebody_did_at_a_mission_that_went_out_of_play_stays_readable(
    student: User, other_student: User, missions: list[Mission], client: Client
) -> None:
    attempt = record(student, missions[0], passed=True).attempt
    Mission.objects.filter(pk=missions[0].pk).update(is_retired=True)
    client.force_login(student)
    there = client.get(f"/missions/{missions[0].slug}/tries/{attempt.number}/")
    assert (there.status_code, there.headers["Location"]) == (302, f"/attempts/{attempt.pk}/run/")
    assert client.get(f"/missions/{missions[0].slug}/").headers["Location"] == "/me/"
    assert "out of play" in client.get("/me/").content.decode()
    assert client.get(f"/missions/{missions[0].slug}/tries/2/").status_code == 404
    client.force_login(other_student)
    assert client.get(f"/missions/{missions[0].slug}/").status_code == 404
