"""Runs that are looked at: one seed, with all that its world can show of it, kept for a while.

A run is its setup and its seed, so the same one is asked for again by Back, by a reload and as "the previous setup".
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from simulator.engine import Simulation, simulate
from simulator.worlds import Setup, world_of

AnySimulation = Simulation

# A run of 800 steps holds half a megabyte of probabilities.
MOST_KEPT = 48

_kept: OrderedDict[tuple[str, int], AnySimulation] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True, eq=False)
class Trace:
    """One metric over training: the steps at which it is known (N,) and its values (S, N)."""

    steps: NDArray[np.int64]
    values: NDArray[np.float64]


def visible_run(setup: Setup, seed: int) -> AnySimulation:
    """Train `setup` on one seed (S = 1) with history and, where the world has such, policies.

    The result's `setup` may differ from the one asked for in fields that the method does not use.
    Raises SetupError for a seed that can't be.
    """
    key = (setup.run_hash, seed)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    # Outside the lock: two threads may run the same thing, which gives the same numbers.
    run = simulate(setup, [seed], history=True, policy=True)
    with _lock:
        _kept[key] = run
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return run


def trace(simulation: AnySimulation, metric: str) -> Trace:
    """How a metric went through training. Raises ValueError for a run without history, KeyError for no such metric."""
    if simulation.history is None:
        raise ValueError("curves need a simulation that ran with history=True")
    return Trace(simulation.steps, simulation.history[metric])


def at_reference(simulation: AnySimulation) -> dict[str, float]:
    """Metrics of the reference policy, where they are the same for every seed of the run's world."""
    return dict(world_of(simulation.setup).reference)


def forget_runs() -> None:
    """Drop all kept runs, to measure how long they take."""
    with _lock:
        _kept.clear()
