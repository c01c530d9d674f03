"""Finished runs, kept per process: going back, stepping through prompts and comparing cost nothing twice."""

import threading
from collections import OrderedDict

from simulator.engine import CandidateSetup, Simulation, simulate

KEPT = 32  # a run of 800 steps holds half a megabyte of probabilities

_runs: OrderedDict[tuple[str, int], Simulation] = OrderedDict()
_lock = threading.Lock()


def run(setup: CandidateSetup, seed: int) -> Simulation:
    """The run of a setup with one seed, with its history and all its probabilities.

    Its `setup` may differ from the one asked for in fields that the method does not use.
    """
    key = (setup.run_hash, seed)
    with _lock:
        if key in _runs:
            _runs.move_to_end(key)
            return _runs[key]
    # Outside the lock: two threads may run the same thing, which gives the same numbers.
    finished = simulate(setup, [seed], history=True, policy=True)
    with _lock:
        _runs[key] = finished
        while len(_runs) > KEPT:
            _runs.popitem(last=False)
    return finished


def forget() -> None:
    """Drop all kept runs, to measure how long they take."""
    with _lock:
        _runs.clear()
