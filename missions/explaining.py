"""Which step of a run explains what came of it: where the explorer opens from the outcome of a try.

The rule, in words. A run that diverged is explained by its last step. A try that missed is explained by where its
first missed goal was lost: where the metric fell most if it had been better before, where it passed the bound if it was
to stay below it; else by the first silent groups if at least half of all groups are silent, then by the step that clips
most if that is a tenth of its tokens or more. Whatever is left, and a try that passed, is explained by the step in
which the first goal's metric moved most in the wanted direction. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from missions.grading import GoalResult
from simulator.charts.table import fixed
from simulator.engine import CandidateSetup, ReasoningSimulation
from simulator.engine.candidates.inspection import candidate_metrics
from simulator.engine.reasoning.setup import ReasoningSetup
from simulator.runs import AnySimulation, trace
from simulator.worlds import world_of

MANY_SILENT = 0.5
MUCH_CLIPPED = 0.1
TURN = 0.02
"""How far below its best a metric counts as fallen, where its world doesn't say."""


@dataclass(frozen=True)
class Explained:
    """A step of training, from 1, the optimizer update of it to look at, from 1, and why, as part of a sentence."""

    step: int
    update: int
    why: str


def explaining_step(run: AnySimulation, goals: Sequence[GoalResult], passed: bool) -> Explained:
    """The step that explains an outcome, of a run that is shown (S = 1, with history)."""
    diverged = int(run.diverged_at[0]) if isinstance(run, ReasoningSimulation) else 0
    if diverged:
        return _at(run, diverged, "in this step training left the range of finite numbers")
    missed = [result for result in goals if not result.met]
    if not passed and missed:
        return _lost(run, missed[0]) or _silent(run) or _clipped(run) or _moved(run, missed[0])
    return _moved(run, goals[0])


def _lost(run: AnySimulation, result: GoalResult) -> Explained | None:
    goal, metric = result.goal, world_of(run.setup).metrics[result.goal.metric]
    steps, values = _known(run, goal.metric)
    if not goal.at_least:
        above = np.flatnonzero(values > goal.bound)
        if above.size and above[0]:
            why = f"by this step {metric.in_sentence} passed {fixed(goal.bound, metric.decimals)}"
            return _at(run, int(steps[above[0]]), why)
        return None
    best = int(values.argmax())
    fell = values[best] - values[-1] > (metric.turn or TURN)
    if not best or not fell:
        return None
    falls = -np.diff(values[best:])
    return _at(run, int(steps[best + 1 + falls.argmax()]), f"here {metric.in_sentence} fell most")


def _silent(run: AnySimulation) -> Explained | None:
    steps, share = _known(run, "frac_zero_std")
    if not share.size or share.mean() < MANY_SILENT:
        return None
    first = int(np.flatnonzero(share > 0)[0])
    return _at(run, int(steps[first]), "the first groups without a signal; at least half of all groups were such")


def _clipped(run: AnySimulation) -> Explained | None:
    steps, share = _known(run, "clip_fraction")
    if not share.size or share.max() < MUCH_CLIPPED:
        return None
    return _at(run, int(steps[share.argmax()]), "here the clip took most pushes", is_last=True)


def _moved(run: AnySimulation, result: GoalResult) -> Explained:
    metric = world_of(run.setup).metrics[result.goal.metric]
    steps, values = _known(run, metric.name)
    changes = np.diff(values) * (1 if result.goal.at_least else -1)
    if not changes.size or changes.max() <= 0:
        return _at(run, 1, "the first step; nothing moved toward the goal")
    way = "rose" if result.goal.at_least else "fell"
    return _at(run, int(steps[1 + changes.argmax()]), f"here {metric.in_sentence} {way} most")


def _at(run: AnySimulation, step: int, why: str, *, is_last: bool = False) -> Explained:
    """The first update of a step, or its last one, where ratios have moved."""
    setup = run.setup
    updates = setup.num_iterations * setup.minibatches if isinstance(setup, ReasoningSetup) else 1
    step = max(step, 1)
    return Explained(step, step * updates if is_last else (step - 1) * updates + 1, why)


def _known(run: AnySimulation, name: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The steps at which a metric is known and its values there; empty where the run has no such metric."""
    if isinstance(run.setup, CandidateSetup) and name not in (run.history or {}):
        found = candidate_metrics(run.setup, int(run.seeds[0])).get(name)
        values = np.zeros(0) if found is None else found
        steps = np.arange(1, len(values) + 1)
    else:
        try:
            known = trace(run, name)
        except KeyError:
            return np.zeros(0, np.int64), np.zeros(0)
        steps, values = known.steps, known.values[0]
    is_known = np.isfinite(values)
    return steps[is_known], values[is_known]
