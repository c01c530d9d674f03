"""Which try counts and what it is worth: rules alone, no database."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.models import Course
from classroom.scoring import Pass, Rules, best_score, days_late, points_in_words

DUE = datetime(2026, 12, 1, 12, tzinfo=UTC)
PER_STAR = (Decimal(0), Decimal(1), Decimal(2), Decimal(3))
HOUR = timedelta(hours=1)


def rules(policy: str = "none", percent: str = "10", points: tuple = PER_STAR) -> Rules:
    return Rules(points, policy, Decimal(percent))


@pytest.mark.parametrize(("hours", "days"), [(-5, 0), (0, 0), (0.01, 1), (24, 1), (24.01, 2), (240, 10)])
def test_a_day_late_is_a_day_begun(hours: float, days: int) -> None:
    assert days_late(DUE + hours * HOUR, DUE) == days
    assert days_late(DUE + hours * HOUR, None) == 0


@pytest.mark.parametrize(
    ("policy", "points", "number"),
    [("none", "3", 3), ("percent", "2.10", 3), ("closed", "2", 2)],
)
def test_the_try_worth_most_counts_and_is_named(policy: str, points: str, number: int) -> None:
    tries = [Pass(1, DUE - 9 * HOUR, 1), Pass(2, DUE - HOUR, 2), Pass(3, DUE + 49 * HOUR, 3)]
    score = best_score(tries, rules(policy), DUE)
    assert score.counted is not None
    assert (score.points, score.counted.number) == (Decimal(points), number)


def test_a_late_better_try_never_costs_points() -> None:
    early, late = Pass(2, DUE - HOUR, 1), Pass(3, DUE + 24 * 9 * HOUR, 2)
    score = best_score([early, late], rules("percent"), DUE)
    assert score.counted == early
    assert score.points == 2


def test_nothing_that_counts_is_nothing() -> None:
    assert best_score([], rules(), DUE).points == 0
    assert best_score([Pass(3, DUE + HOUR, 1)], rules("closed"), DUE).counted is None


def test_a_cut_of_everything_leaves_nothing_and_never_less() -> None:
    assert best_score([Pass(3, DUE + 24 * 30 * HOUR, 1)], rules("percent"), DUE).points == 0


passes = st.builds(
    Pass,
    st.integers(0, 3),
    st.integers(-200, 400).map(lambda hours: DUE + hours * HOUR),
    st.integers(1, 50),
)


@given(st.lists(passes, max_size=8), passes, st.sampled_from(Course.LatePolicy.values), st.integers(0, 100))
def test_one_more_pass_or_a_later_due_date_never_lowers_points(
    made: list[Pass], more: Pass, policy: str, percent: int
) -> None:
    rule = rules(policy, str(percent))
    before = best_score(made, rule, DUE).points
    assert best_score([*made, more], rule, DUE).points >= before
    assert best_score(made, rule, DUE + 30 * HOUR).points >= before
    assert best_score(made, rule, None).points >= before


@given(st.lists(passes, min_size=1, max_size=8), st.sampled_from(Course.LatePolicy.values))
def test_the_first_pass_of_each_number_of_stars_is_enough(made: list[Pass], policy: str) -> None:
    firsts = {one.stars: one for one in sorted(made, key=lambda one: one.at, reverse=True)}
    assert best_score(firsts.values(), rules(policy), DUE).points == best_score(made, rules(policy), DUE).points


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (("0", "1", "2", "3"), "1 point per star."),
        (("0", "2.5", "5", "7.5"), "2.5 points per star."),
        (("4", "6", "8", "10"), "4 points for reaching the goal and 2 more per star."),
        (("1", "1", "5", "10"), "1 for no star; 1 for one star; 5 for two stars; 10 for three stars."),
    ],
)
def test_points_are_said_in_words(points: tuple, words: str) -> None:
    assert points_in_words([Decimal(value) for value in points]) == words
