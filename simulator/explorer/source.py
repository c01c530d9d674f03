"""A run as the explorer looks at it: its record, and every metric over its optimizer updates, kept for a while."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simulator.engine import ReasoningSimulation
from simulator.engine.reasoning.setup import ReasoningSetup
from simulator.kept import Kept
from simulator.records import CandidateRun, RunRecord, SimulatedRun, Update, record_of
from simulator.runs import trace, visible_run, visible_step
from simulator.worlds import Setup, world_of

# A run's metrics take a tenth of a megabyte, the largest one's a few.
_sources: Kept["Source"] = Kept(24 * 2**20)
# An update of average size takes a third of a megabyte. One that is looked at is looked at more than once.
_updates: Kept[Update] = Kept(24 * 2**20)


@dataclass(frozen=True, eq=False)
class Series:
    """One metric: the places of the updates at which it is known (N,), from 1, and its values (N,)."""

    places: NDArray[np.int64]
    values: NDArray[np.float64]

    def at(self, place: int) -> float:
        """The value at an update, or the last one known before it; nan before the first."""
        index = int(np.searchsorted(self.places, place, side="right")) - 1
        return float(self.values[index]) if index >= 0 else np.nan


@dataclass(frozen=True, eq=False)
class Source:
    """A record with what is asked of it on every page.

    Attributes:
        steps: the record's own number of every update, ``(N,)``; the explorer counts updates by their place in it.
        rollouts: the training step that every update belongs to, from 1, ``(N,)``: each samples responses anew.
        series: metrics by name.
    """

    record: RunRecord
    steps: NDArray[np.int64]
    rollouts: NDArray[np.int64]
    series: dict[str, Series]

    @property
    def updates(self) -> int:
        return len(self.steps)

    def update(self, place: int) -> Update:
        """An update by its place. Raises LookupError when there is none."""
        found = _updates.get((self, place))
        if found is None:
            found = self.record.update(int(self.steps[place - 1]))
            _updates.put((self, place), found)
        return found

    def place_in_rollout(self, place: int) -> tuple[int, int]:
        """Which of its step's updates an update is, from 1, and how many that step has."""
        low, high = np.searchsorted(self.rollouts, self.rollouts[place - 1] + np.array([0, 1]))
        return place - int(low), int(high - low)

    def words(self, place: int) -> str:
        """Which update this is: "Step 12, update 2"."""
        update, updates = self.place_in_rollout(place)
        step = f"Step {int(self.rollouts[place - 1]):,}"
        return f"{step}, update {update}" if updates > 1 else step

    def short(self, place: int) -> str:
        """The same where there is little room: "12" for a step's first update, ".2" for its second."""
        update, _ = self.place_in_rollout(place)
        return f".{update}" if update > 1 else str(int(self.rollouts[place - 1]))

    @property
    def positions(self) -> NDArray[np.float64]:
        """Where every update stands on an axis of training steps, ``(N,)``: the last one of step 12 at 12."""
        _, starts, counts = np.unique(self.rollouts, return_index=True, return_counts=True)
        within = np.arange(1, len(self.rollouts) + 1) - np.repeat(starts, counts)
        return self.rollouts - 1 + within / np.repeat(counts, counts)


def source_of(setup: Setup, seed: int) -> Source:
    """A simulated run. Trains it if nobody has lately."""
    key = (setup.run_hash, seed)
    found = _sources.get(key)
    if found is None:
        found = _token_world(setup, seed) if isinstance(setup, ReasoningSetup) else read_source(record_of(setup, seed))
        _sources.put(key, found)
    return found


def read_source(record: RunRecord) -> Source:
    """Any record, for example a log that was opened. May raise RecordError."""
    updates = record.steps()
    steps = np.array([step for step, _ in updates], dtype=np.int64)
    series = {
        name: Series(np.searchsorted(steps, places) + 1, np.array(values, dtype=np.float64))
        for name, (places, values) in record.metrics().items()
    }
    # In the ten-answers world a step is one update, also where it uses the draws of the first again.
    is_first = np.array([is_first or isinstance(record, CandidateRun) for _, is_first in updates], dtype=bool)
    return Source(record, steps, np.maximum(np.cumsum(is_first), 1), series)


def _token_world(setup: ReasoningSetup, seed: int) -> Source:
    run = visible_run(setup, seed)
    assert isinstance(run, ReasoningSimulation)
    record = SimulatedRun(setup, seed, inspect=partial(visible_step, setup, seed))
    known = record.metrics()
    steps = np.array(next(iter(known.values()))[0], dtype=np.int64)
    per_step = setup.num_iterations * setup.minibatches
    places = np.arange(1, len(steps) + 1)
    labels = world_of(setup)
    series = {
        name: Series(places, np.array(values, dtype=np.float64))
        for name, (_, values) in known.items()
        if name in labels.metrics or name in labels.training
    }
    # What is calculated exactly, after the last update of every fifth step; of a metric that is also measured on each
    # step’s own samples, the measurements stay. The reference, step 0, is no update.
    for name in run.evaluations or ():
        found = trace(run, name)
        is_there = (found.steps > 0) & (found.steps * per_step <= len(steps))
        series.setdefault(name, Series(found.steps[is_there] * per_step, found.values[0, is_there]))
    return Source(record, steps, steps // per_step + 1, series)
