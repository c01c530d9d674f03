"""Runs that are looked at: one seed, with all that its world can show of it, kept for a while.

A run is its setup and its seed, so the same one is asked for again by Back, by a reload and as "the previous setup".
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.core.cache import caches
from numpy.typing import NDArray

from simulator.engine import ReasoningSimulation, Simulation, StepRecord, inspect_step, simulate
from simulator.engine.reasoning.run import Checkpoint
from simulator.engine.reasoning.setup import ReasoningSetup
from simulator.engine.reasoning.stages import StagedRun
from simulator.kept import Kept
from simulator.worlds import Setup, world_of

AnySimulation = Simulation | ReasoningSimulation

AT_A_TIME = 0.5
"""Seconds that `train_for_a_while` trains within one request; it may take a stage longer."""

_MEGABYTE = 2**20


class _Run(NamedTuple):
    simulation: AnySimulation
    checkpoints: tuple[Checkpoint, ...] = ()


# A run of either world takes at most a megabyte or two, an average one a tenth of that; the largest possible step more
# than a hundred megabytes, an average one less than one.
_runs: Kept[_Run] = Kept(48 * _MEGABYTE)
_steps: Kept[StepRecord] = Kept(48 * _MEGABYTE)


@dataclass(frozen=True, eq=False)
class Trace:
    """One metric over training: the steps at which it is known (N,) and its values (S, N)."""

    steps: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Progress:
    """How far some runs have got. `seconds_left` is what the rest takes at the present pace."""

    done: int
    steps: int
    seconds_left: float


def visible_run(setup: Setup, seed: int) -> AnySimulation:
    """Train `setup` on one seed (S = 1) with history and, where the world has such, policies.

    The result's `setup` may differ from the one asked for in fields that the method does not use.
    Raises SetupError for a seed that can't be.
    """
    return _visible_run(setup, seed).simulation


def visible_step(setup: ReasoningSetup, seed: int, step: int) -> StepRecord:
    """Look into one step of a run, from 1. Raises SetupError for a seed or a step that can't be."""
    key = (setup.run_hash, seed, step)
    found = _steps.get(key)
    if found is None:
        found = inspect_step(setup, seed, step, _visible_run(setup, seed).checkpoints)
        _steps.put(key, found)
    return found


def train_for_a_while(runs: Iterable[tuple[Setup, int]]) -> Progress | None:
    """Train what is still missing of some runs, for `AT_A_TIME`; None once `visible_run` has them all.

    What was trained is kept where every process finds it, so that whichever is asked next goes on from there.
    """
    start = time.monotonic()
    done = steps = trained = 0
    for setup, seed in runs:
        if not isinstance(setup, ReasoningSetup):
            continue
        steps += setup.steps
        if _runs.get((setup.run_hash, seed)) is not None:
            done += setup.steps
            continue
        staged = _taken_up(setup, seed)
        before = staged.done
        # At least one stage, so that a run ends on the slowest of machines.
        is_time_up = bool(trained) and time.monotonic() - start >= AT_A_TIME
        while not staged.is_finished and not is_time_up:
            staged.advance()
            is_time_up = time.monotonic() - start >= AT_A_TIME
        if before or not staged.is_finished:
            _put_aside(staged)
        if staged.is_finished:
            _runs.put((setup.run_hash, seed), _run_of(staged))
        done += staged.done
        trained += staged.done - before
    if done == steps:
        return None
    return Progress(done, steps, (steps - done) * (time.monotonic() - start) / max(trained, 1))


def _visible_run(setup: Setup, seed: int) -> _Run:
    key = (setup.run_hash, seed)
    found = _runs.get(key)
    if found is not None:
        return found
    # Two threads may run the same thing, which gives the same numbers.
    if isinstance(setup, ReasoningSetup):
        staged = _taken_up(setup, seed)
        while not staged.is_finished:
            staged.advance()
        found = _run_of(staged)
    else:
        found = _Run(simulate(setup, [seed], history=True, policy=True))
    _runs.put(key, found)
    return found


def _run_of(staged: StagedRun) -> _Run:
    return _Run(staged.simulation(), tuple(staged.checkpoints))


def _taken_up(setup: ReasoningSetup, seed: int) -> StagedRun:
    """A run as far as any process has trained it, or its beginning."""
    kept = caches["runs"].get(_staged_key(setup, seed))
    return kept if kept is not None else StagedRun(setup, seed)


def _put_aside(staged: StagedRun) -> None:
    """Keep a run for whichever process is asked next. Where nothing can be kept, train it to its end instead."""
    try:
        caches["runs"].set(_staged_key(staged.setup, staged.seed), staged)
    except OSError:
        while not staged.is_finished:
            staged.advance()


def _staged_key(setup: ReasoningSetup, seed: int) -> str:
    return f"{setup.run_hash}-{seed}"


def trace(simulation: AnySimulation, metric: str) -> Trace:
    """How a metric went through training. Raises ValueError for a run without history, KeyError for no such metric.

    Of a metric that is both calculated exactly and measured on a step's own samples, this is the exact one.
    """
    if simulation.history is None:
        raise ValueError("curves need a simulation that ran with history=True")
    if isinstance(simulation, ReasoningSimulation) and metric in (simulation.evaluations or {}):
        assert simulation.evaluations is not None
        return Trace(simulation.evaluated_steps, simulation.evaluations[metric])
    return Trace(simulation.steps, simulation.history[metric])


def at_reference(simulation: AnySimulation) -> dict[str, float]:
    """Metrics of the reference policy, where they are the same for every seed of the run's world."""
    known = dict(world_of(simulation.setup).reference)
    if isinstance(simulation, ReasoningSimulation) and simulation.evaluations is not None:
        known |= {metric: float(values[0, 0]) for metric, values in simulation.evaluations.items()}
    return known


def forget_runs() -> None:
    """Drop all kept runs, to measure how long they take."""
    _runs.clear()
    _steps.clear()
    caches["runs"].clear()
