"""From a setup to a verdict: train on the hidden evaluation seeds, hold the means against the goals.

Pure: nothing here knows about users, requests or tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from missions.definition import METRICS, Budgets, Goal, MissionDefinition
from simulator.engine import CandidateSetup, simulate
from simulator.interval import Interval

# Enough decimals for every page and for a re-computed mean to agree with the stored one.
DECIMALS = 6


@dataclass(frozen=True)
class GoalResult:
    """One goal with what was measured against it; `values` are sorted, so they don't tell which seed is which."""

    goal: Goal
    interval: Interval
    values: tuple[float, ...]

    @property
    def met(self) -> bool:
        return self.goal.is_met(self.interval.mean)

    def to_dict(self) -> dict[str, Any]:
        return self.goal.to_dict() | {
            "mean": self.interval.mean,
            "half_width": self.interval.half_width,
            "values": list(self.values),
            "met": self.met,
        }


@dataclass(frozen=True)
class Verdict:
    """What a submission earned and why."""

    goals: tuple[GoalResult, ...]
    metrics: dict[str, Interval]
    budgets: Budgets
    sampled_responses: int
    seed_count: int

    @property
    def passed(self) -> bool:
        return all(goal.met for goal in self.goals)

    @property
    def stars(self) -> int:
        return self.budgets.stars_for(self.sampled_responses) if self.passed else 0

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as stored with an attempt: enough to show it forever, whatever becomes of the mission."""
        return {
            "goals": [goal.to_dict() for goal in self.goals],
            "budgets": self.budgets.to_dict(),
            "metrics": {name: {"mean": i.mean, "half_width": i.half_width} for name, i in self.metrics.items()},
            "seed_count": self.seed_count,
        }


def grade(definition: MissionDefinition, setup: CandidateSetup, seeds: Sequence[int]) -> Verdict:
    """Train `setup` once per hidden seed (S,) and judge the means. Raises nothing a checked setup can cause."""
    final = simulate(setup, seeds).final
    goals = tuple(
        GoalResult(
            goal,
            Interval.of(final[goal.metric]),
            tuple(round(float(value), DECIMALS) for value in np.sort(final[goal.metric])),
        )
        for goal in definition.goals
    )
    return Verdict(
        goals=goals,
        metrics={metric: Interval.of(final[metric]) for metric in METRICS},
        budgets=definition.budgets,
        sampled_responses=setup.sampled_responses,
        seed_count=len(seeds),
    )
