"""A verdict follows from the means over the hidden seeds and from nothing else."""

import math

import numpy as np
import pytest

from missions.definition import Budgets, Goal
from missions.grading import grade
from missions.loading import read_catalogue
from simulator.engine import simulate
from simulator.interval import Interval

SEEDS = tuple(range(20_000, 20_006))
DEFINITIONS = [entry.definition for entry in read_catalogue()]


def test_the_interval_is_196_standard_errors() -> None:
    values = np.array([0.1, 0.4, 0.2, 0.7])
    interval = Interval.of(values)
    assert interval.mean == pytest.approx(0.35)
    spread = math.sqrt(sum((v - 0.35) ** 2 for v in values) / 3)
    assert interval.half_width == pytest.approx(1.96 * spread / 2)
    assert Interval.of(np.array([0.3])).half_width == 0.0


@pytest.mark.parametrize(("cost", "stars"), [(99, 3), (100, 3), (101, 2), (200, 2), (201, 1), (300, 1), (301, 0)])
def test_a_budget_is_met_up_to_and_with_its_number(cost: int, stars: int) -> None:
    assert Budgets(300, 200, 100).stars_for(cost) == stars


def test_goals_count_their_bound_as_met() -> None:
    assert Goal("win_rate", 0.8, True).is_met(0.8)
    assert not Goal("win_rate", 0.8, True).is_met(0.7999)
    assert Goal("kl", 0.8, False).is_met(0.8)
    assert not Goal("kl", 0.8, False).is_met(0.8001)


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda d: d.slug)
def test_a_verdict_repeats_what_the_engine_says(definition) -> None:
    setup = definition.start
    verdict = grade(definition, setup, SEEDS)
    final = simulate(setup, SEEDS).final
    for result in verdict.goals:
        assert result.interval.mean == pytest.approx(float(np.mean(final[result.goal.metric])), abs=1e-12)
        assert list(result.values) == sorted(round(float(v), 6) for v in final[result.goal.metric])
    assert verdict.sampled_responses == setup.sampled_responses
    assert verdict.passed == all(g.goal.is_met(float(np.mean(final[g.goal.metric]))) for g in verdict.goals)
    assert (verdict.stars > 0) <= verdict.passed


def test_a_failed_goal_earns_nothing_however_cheap() -> None:
    definition = DEFINITIONS[0]
    verdict = grade(definition, definition.start.replace(steps=25, group_size=2), SEEDS)
    assert verdict.sampled_responses < definition.budgets.three
    assert (verdict.passed, verdict.stars) == (False, 0)


def test_the_stored_verdict_holds_values_but_no_seeds() -> None:
    stored = grade(DEFINITIONS[0], DEFINITIONS[0].start, SEEDS).to_dict()
    assert stored["seed_count"] == len(SEEDS)
    assert not set(map(str, SEEDS)) & set(str(stored).replace(",", " ").split())
