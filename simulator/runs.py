"""Runs that are looked at: one seed, with its history and its policies, kept for a while.

A run is its setup and its seed, so the same one is asked for again by Back, by a reload and as "the previous setup".
"""

from collections import OrderedDict
from threading import Lock

from simulator.engine import CandidateSetup, Simulation, simulate

# A run of 800 steps holds half a megabyte of probabilities.
MOST_KEPT = 48

_kept: OrderedDict[tuple[str, int], Simulation] = OrderedDict()
_lock = Lock()


def visible_run(setup: CandidateSetup, seed: int) -> Simulation:
    """Train `setup` on one seed (S = 1) with history and policies.

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


def forget_runs() -> None:
    """Drop all kept runs, to measure how long they take."""
    with _lock:
        _kept.clear()
