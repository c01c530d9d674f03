"""What can be read off the runs of one setup: one number per seed.

A reading takes a `Runs` and returns an array (S,). `final("win_rate")` is one; so is any function of that shape.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from simulator.engine import simulate

FloatArray = npt.NDArray[np.float64]


class Runs:
    """The runs of one setup on a sequence of seeds, each kind of run made when it is first asked for."""

    def __init__(self, setup: Any, seeds: Sequence[int]) -> None:
        self.setup = setup
        self.seeds = seeds

    @cached_property
    def plain(self) -> Any:
        """The simulation without its history, or with it if that is there already."""
        return self.traced if "traced" in self.__dict__ else simulate(self.setup, self.seeds)

    @cached_property
    def traced(self) -> Any:
        """The simulation with its history."""
        return simulate(self.setup, self.seeds, history=True)

    @property
    def sampled_responses(self) -> float:
        """Responses that one run samples, averaged over seeds where they differ."""
        return float(np.mean(self.plain.sampled_responses))


Reading = Callable[[Runs], FloatArray]


def final(metric: str) -> Reading:
    """A metric at the end of the run."""
    return lambda runs: np.asarray(runs.plain.final[metric])


def at_step(metric: str, step: int) -> Reading:
    """A metric of the history at one recorded step."""

    def read(runs: Runs) -> FloatArray:
        index = np.flatnonzero(runs.traced.steps == step)
        if not index.size:
            raise LookupError(f"nothing is recorded at step {step}")
        return np.asarray(runs.traced.history[metric][:, index[0]])

    return read


def evaluated(metric: str, step: int) -> Reading:
    """A metric of the token world's exact evaluation after `step` steps: 0, 5, 10 ... or the last."""

    def read(runs: Runs) -> FloatArray:
        index = np.flatnonzero(runs.traced.evaluated_steps == step)
        if not index.size:
            raise LookupError(f"nothing is evaluated after step {step}")
        return np.asarray(runs.traced.evaluations[metric][:, index[0]])

    return read


def mean_over(metric: str, first: int = 1, last: int | None = None) -> Reading:
    """A metric of the history, averaged over steps `first` to `last`, both included, by default to the end."""

    def read(runs: Runs) -> FloatArray:
        steps = runs.traced.steps
        chosen = (steps >= first) & (steps <= (steps[-1] if last is None else last))
        return np.asarray(runs.traced.history[metric][:, chosen].mean(axis=1))

    return read


def along_path(metric: str, other: str, target: float) -> Reading:
    """A metric where another one, which rises through training, first passes a target; linear between records."""

    def read(runs: Runs) -> FloatArray:
        targets = np.full(len(runs.seeds), target)
        return path_value(runs, metric, other, targets)

    return read


def path_value(runs: Runs, metric: str, other: str, targets: FloatArray) -> FloatArray:
    """As `along_path`, with a target of its own for every seed, `targets` (S,).

    Raises LookupError when a run ends before its target.
    """
    values, path = runs.traced.history[metric], runs.traced.history[other]
    found = np.empty(len(targets))
    for seed, target in enumerate(targets):
        reached = np.flatnonzero(path[seed] >= target)
        if not reached.size:
            raise LookupError(f"{other} ends at {path[seed, -1]:.3f} and never reaches {target:.3f}")
        end = int(reached[0])
        start = max(end - 1, 0)
        found[seed] = np.interp(target, path[seed, start : end + 1], values[seed, start : end + 1])
    return found
