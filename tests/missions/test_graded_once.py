"""The same run is graded once, whoever sends it; each student has an attempt of their own, and nothing of another's."""

from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

import pytest
from django.db import connection
from django.test import Client

from accounts.models import User
from missions import attempts, submitting
from missions.attempts import Recorded, Submission, next_token
from missions.grading import Verdict, grade
from missions.models import Attempt, Mission
from missions.queries import definition_of
from missions.seeds import digest_of, evaluation_seeds, fresh_seeds
from tests.missions.helpers import record, train


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs that were graded, by their hash."""
    hashes: list[str] = []

    def counted(definition, setup, seeds):
        hashes.append(setup.run_hash)
        return grade(definition, setup, seeds)

    monkeypatch.setattr(submitting, "grade", counted)
    return hashes


def send(user: User, mission: Mission, seed: int = 1, prediction: int | None = None, **changes: object) -> Recorded:
    number = Attempt.objects.filter(user=user, mission=mission).count()
    setup = definition_of(mission).start.replace(**changes)
    return submitting.submit(user, mission, Submission(next_token(user, mission, number), setup, seed, prediction))


def test_a_second_student_gets_the_same_verdict_without_grading(
    student: User, other_student: User, missions: list[Mission], graded: list[str]
) -> None:
    first = send(student, missions[0], seed=7, prediction=2).attempt
    second = send(other_student, missions[0], seed=8).attempt
    assert len(graded) == 1
    assert second.evaluation == first.evaluation
    assert (second.sampled_responses, second.passed, second.stars) == (
        first.sampled_responses,
        first.passed,
        first.stars,
    )
    assert (second.user, second.number, second.display_seed, second.prediction) == (other_student, 1, 8, None)
    send(student, missions[0], steps=75)
    assert len(graded) == 2


def test_the_page_of_a_reused_verdict_holds_nothing_of_the_first(
    client: Client, student: User, other_student: User, missions: list[Mission], graded: list[str]
) -> None:
    send(student, missions[0], seed=987654321)
    client.force_login(other_student)
    page = train(client, missions[0], other_student, htmx=True).content.decode()
    assert len(graded) == 1
    assert "Not yet" in page
    for secret in (student.username, "987654321", *(str(seed) for seed in evaluation_seeds())):
        assert secret not in page


def test_another_revision_engine_mission_or_set_of_seeds_is_graded_anew(
    student: User, missions: list[Mission], graded: list[str], settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(student, missions[0])
    send(student, missions[1], steps=50, beta=0.8)
    assert len(graded) == 2, "another mission has other goals"
    settings.EVALUATION_SEED_SALT = "of our own"
    send(student, missions[0])
    assert len(graded) == 3
    settings.EVALUATION_SEED_SALT = ""
    send(student, missions[0])
    assert len(graded) == 3
    missions[0].revision = 2
    missions[0].save()
    send(student, missions[0])
    assert len(graded) == 4
    monkeypatch.setattr(attempts, "ENGINE_VERSION", "another")
    send(student, missions[0])
    assert len(graded) == 5


def test_an_attempt_of_unknown_seeds_is_never_used_again(
    student: User, missions: list[Mission], graded: list[str]
) -> None:
    record(student, missions[0], passed=True)
    assert not send(student, missions[0]).attempt.passed
    assert len(graded) == 1


def test_a_verdict_comes_back_from_the_database_as_it_was(student: User, missions: list[Mission]) -> None:
    verdict = grade(definition_of(missions[1]), definition_of(missions[1]).start, evaluation_seeds())
    attempt = send(student, missions[1]).attempt
    attempt.refresh_from_db()
    assert Verdict.from_dict(attempt.evaluation, attempt.sampled_responses) == verdict


def test_seeds_have_digests_that_differ_and_hold_none_of_them() -> None:
    digests = {digest_of(seeds) for seeds in (evaluation_seeds(), fresh_seeds(0), fresh_seeds(1))}
    assert len(digests) == 3
    assert digest_of(evaluation_seeds()) == digest_of(list(evaluation_seeds()))


@pytest.mark.django_db(transaction=True)
def test_a_lecture_hall_sends_the_same_run_at_once(missions: list[Mission], graded: list[str]) -> None:
    hall = [User.objects.create(username=f"seat-{place}") for place in range(8)]

    def press(user: User) -> Recorded:
        try:
            return send(user, missions[0])
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        recorded = list(threads.map(press, hall))
    assert len(graded) == 1
    assert all(one.is_new for one in recorded)
    assert {one.attempt.user for one in recorded} == set(hall)
    assert len({str(one.attempt.evaluation) for one in recorded}) == 1


def test_a_run_that_fails_leaves_the_way_free_for_the_next(
    student: User, missions: list[Mission], graded: list[str]
) -> None:
    with patch.object(submitting, "record_attempt", side_effect=MemoryError), pytest.raises(MemoryError):
        send(student, missions[0])
    assert send(student, missions[0]).is_new
    assert len(graded) == 2
