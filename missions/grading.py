"""From a setup to a verdict: train on the hidden evaluation seeds, hold what comes out against the goals.

Pure: nothing here knows about users, requests or tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from missions.definition import STAR_NAMES, Budgets, Goal, MissionDefinition
from simulator.engine import ReasoningSimulation, Simulation, simulate
from simulator.interval import Interval
from simulator.worlds import Setup, world_of

# Enough decimals for every page and for a re-computed mean to agree with the stored one.
DECIMALS = 6


@dataclass(frozen=True)
class GoalResult:
    """One goal with what was measured against it; `values` are sorted, so they don't tell which seed is which.

    Under the rule of seeds, `seeds_met` of the values meet the goal and `seeds_needed` have to; else both are None.
    """

    goal: Goal
    interval: Interval
    values: tuple[float, ...]
    seeds_met: int | None = None
    seeds_needed: int | None = None

    @property
    def met(self) -> bool:
        if self.seeds_met is not None and self.seeds_needed is not None:
            return self.seeds_met >= self.seeds_needed
        return self.goal.is_met(self.interval.mean)

    def to_dict(self) -> dict[str, Any]:
        counted = {} if self.seeds_met is None else {"seeds_met": self.seeds_met}
        return (
            self.goal.to_dict()
            | counted
            | {
                "mean": self.interval.mean,
                "half_width": self.interval.half_width,
                "values": list(self.values),
                "met": self.met,
            }
        )

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any], seeds_needed: int | None = None) -> "GoalResult":
        """Read back what `to_dict` made."""
        at_least = "at_least" in stored
        goal = Goal(stored["metric"], stored["at_least" if at_least else "at_most"], at_least)
        interval = Interval(stored["mean"], stored["half_width"])
        return cls(goal, interval, tuple(stored["values"]), stored.get("seeds_met"), seeds_needed)


@dataclass(frozen=True)
class Verdict:
    """What a submission earned and why.

    `sampled_responses` is what a run cost; where runs differ, the mean over the seeds, rounded up. Under the rule of
    seeds, every goal holds on `seeds_passed` runs and has to on `seeds_needed`; else both are None. `diverged` counts
    the seeds on which training left the range of finite numbers.
    """

    goals: tuple[GoalResult, ...]
    metrics: dict[str, Interval]
    budgets: Budgets
    sampled_responses: int
    seed_count: int
    seeds_passed: int | None = None
    seeds_needed: int | None = None
    diverged: int = 0

    @property
    def passed(self) -> bool:
        if self.seeds_passed is not None and self.seeds_needed is not None:
            return self.seeds_passed >= self.seeds_needed
        return all(goal.met for goal in self.goals)

    @property
    def stars(self) -> int:
        return self.budgets.stars_for(self.sampled_responses) if self.passed else 0

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as stored with an attempt: enough to show it forever, whatever becomes of the mission.

        Keys of the rule of seeds are there only under that rule, so that all evaluations ever stored read alike.
        """
        stored: dict[str, Any] = {
            "goals": [goal.to_dict() for goal in self.goals],
            "budgets": self.budgets.to_dict(),
            "metrics": {name: {"mean": i.mean, "half_width": i.half_width} for name, i in self.metrics.items()},
            "seed_count": self.seed_count,
        }
        if self.seeds_needed is not None:
            stored |= {"pass_rule": "seeds", "seeds_passed": self.seeds_passed, "seeds_needed": self.seeds_needed}
        if self.diverged:
            stored["diverged"] = self.diverged
        return stored

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any], sampled_responses: int) -> "Verdict":
        """Read back what `to_dict` made, now or by an earlier version."""
        needed = stored.get("seeds_needed")
        return cls(
            goals=tuple(GoalResult.from_dict(goal, needed) for goal in stored["goals"]),
            metrics={name: Interval(i["mean"], i["half_width"]) for name, i in stored["metrics"].items()},
            budgets=Budgets(*(stored["budgets"][name] for name in STAR_NAMES.values())),
            sampled_responses=sampled_responses,
            seed_count=stored["seed_count"],
            seeds_passed=stored.get("seeds_passed"),
            seeds_needed=needed,
            diverged=stored.get("diverged", 0),
        )


def grade(definition: MissionDefinition, setup: Setup, seeds: Sequence[int]) -> Verdict:
    """Train `setup` once per hidden seed (S,) and judge it. Raises nothing a checked setup can cause."""
    return judged(definition, simulate(setup, seeds))


def judged(definition: MissionDefinition, run: Simulation | ReasoningSimulation) -> Verdict:
    """Hold what runs on the hidden seeds (S,) came to against the goals."""
    final, needed = run.final, definition.seeds_needed
    return Verdict(
        goals=tuple(_result(goal, final[goal.metric], needed) for goal in definition.goals),
        metrics={metric: Interval.of(final[metric]) for metric in world_of(run.setup).metrics},
        budgets=definition.budgets,
        sampled_responses=charged(run.sampled_responses),
        seed_count=len(run.seeds),
        seeds_passed=None if needed is None else int(definition.seeds_passed(final).sum()),
        seeds_needed=needed,
        diverged=int(np.count_nonzero(getattr(run, "diverged_at", 0))),
    )


def charged(sampled_responses: int | NDArray[np.int64]) -> int:
    """What runs cost that sampled so many responses (one number, or one per seed): the mean, rounded up."""
    counts = np.atleast_1d(sampled_responses)
    return -(-int(counts.sum()) // counts.size)


def _result(goal: Goal, values: NDArray[np.float64], seeds_needed: int | None) -> GoalResult:
    return GoalResult(
        goal,
        Interval.of(values),
        tuple(round(float(value), DECIMALS) for value in np.sort(values)),
        None if seeds_needed is None else int(goal.met_by(values).sum()),
        seeds_needed,
    )
