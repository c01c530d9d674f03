"""Progress is what follows from the attempts, whichever way it is arrived at."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from missions.models import Attempt, Mission, Progress
from missions.progress import rebuild_progress, standing_of
from tests.missions.helpers import record


@dataclass(frozen=True)
class FakeTry:
    created_at: datetime
    passed: bool
    stars: int
    sampled_responses: int


@st.composite
def tries(draw: st.DrawFn) -> list[FakeTry]:
    start = datetime(2026, 11, 1, tzinfo=UTC)
    made = []
    for place in range(draw(st.integers(0, 12))):
        passed = draw(st.booleans())
        stars = draw(st.integers(0, 3)) if passed else 0
        made.append(FakeTry(start + timedelta(minutes=place), passed, stars, draw(st.integers(8, 40))))
    return made


@given(tries())
def test_standing_is_the_best_of_the_tries(made: list[FakeTry]) -> None:
    standing = standing_of(made)
    passes = [one for one in made if one.passed]
    best = max((one.stars for one in passes), default=0)
    assert standing.tries == len(made)
    assert standing.best_stars == best
    assert standing.passed_at == (passes[0].created_at if passes else None)
    assert standing.fewest_responses == min((o.sampled_responses for o in passes if o.stars == best), default=None)
    assert standing.gained_at_try == next((n for n, o in enumerate(made, 1) if o.passed and o.stars == best), 0)
    assert standing.last_tried_at == (made[-1].created_at if made else None)


@given(tries())
def test_stars_never_fall_and_a_record_never_rises_at_the_same_stars(made: list[FakeTry]) -> None:
    standing = standing_of([])
    for one in made:
        after = standing.after(one)
        assert after.best_stars >= standing.best_stars
        if after.best_stars == standing.best_stars and standing.fewest_responses is not None:
            assert after.fewest_responses is not None
            assert after.fewest_responses <= standing.fewest_responses
        standing = after


def rows_of(user: User) -> list[tuple[object, ...]]:
    names = (
        *("mission_id", "unlocked_at", "passed_at", "best_stars", "fewest_responses", "tries"),
        *("gained_at_try", "last_tried_at"),
    )
    return list(Progress.objects.filter(user=user).order_by("mission_id").values_list(*names))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    plays=st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.sampled_from([200, 3000, 9000, 90_000])), max_size=9)
)
def test_rebuilding_gives_the_same_rows(
    plays: list[tuple[int, bool, int]], student: User, missions: list[Mission]
) -> None:
    with transaction.atomic():
        for place, passed, cost in plays:
            record(student, missions[place], passed=passed, sampled_responses=cost)
        written = rows_of(student)
        assert rebuild_progress(student) is False
        assert rows_of(student) == written
        # An unlock that only a row knows of can't be found again, so rows of missions nobody passed into stay out.
        Progress.objects.filter(user=student).delete()
        rebuild_progress(student)
        assert rows_of(student) == written
        transaction.set_rollback(True)


def test_rebuilding_mends_rows_that_are_wrong(student: User, missions: list[Mission]) -> None:
    record(student, missions[0], passed=True, sampled_responses=3000)
    written = rows_of(student)
    Progress.objects.filter(mission=missions[0]).update(best_stars=1, tries=7)
    call_command("rebuild_progress", verbosity=0)
    assert rows_of(student) == written


def test_an_unlock_on_record_survives_a_rebuild(student: User, missions: list[Mission]) -> None:
    opened = datetime(2026, 11, 2, tzinfo=UTC)
    Progress.objects.create(user=student, mission=missions[5], unlocked_at=opened)
    rebuild_progress(student)
    assert Progress.objects.get(mission=missions[5]).unlocked_at == opened


@pytest.mark.parametrize(
    "broken",
    [
        {"stars": 4, "passed": True},
        {"stars": 1, "passed": False},
        {"number": 0},
    ],
)
def test_the_database_refuses_impossible_attempts(
    broken: dict[str, object], student: User, missions: list[Mission]
) -> None:
    attempt = record(student, missions[0], passed=True).attempt
    with pytest.raises(IntegrityError), transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk).update(**broken)


def test_the_database_refuses_stars_without_a_pass(student: User, missions: list[Mission]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Progress.objects.create(user=student, mission=missions[0], best_stars=2)
