"""Over what a color scale reaches: one prompt, the update, or a sample of the whole run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.engine.reasoning.setup import ReasoningSetup
from simulator.engine.reasoning.stages import CHECKPOINT_EVERY
from simulator.explorer.exploration import Exploration
from simulator.explorer.inspector.colors import Color, Scale, scale_of
from simulator.explorer.inspector.sheet import Sheet
from simulator.kept import Kept
from simulator.records import SimulatedRun

_scales: Kept[Scale] = Kept(2**20)


@dataclass(frozen=True)
class Domain:
    """A scale, and in words what it was made from."""

    scale: Scale
    words: str


def domain(x: Exploration, sheet: Sheet, color: Color) -> Domain:
    """The scale of the view. Of a log that was opened a whole run isn't read for it: then it is the update's."""
    values = color.of(sheet)
    if x.state.dom == "group" and x.state.p is not None:
        return Domain(scale_of(color, values[x.state.p - 1]), "this prompt")
    if x.state.dom == "run" and x.run is not None and isinstance(x.run.setup, ReasoningSetup):
        return _over_run(x, x.run.setup, color)
    words = "this step" if x.state.dom != "run" else "this step, because a log is not read as a whole for it"
    return Domain(scale_of(color, values), words)


def sampled_steps(steps: int) -> list[int]:
    """Training steps, from 1, that stand for a run: those after a checkpoint, which are soon made again, and the
    last."""
    return sorted({*range(1, steps + 1, CHECKPOINT_EVERY), steps})


def _over_run(x: Exploration, setup: ReasoningSetup, color: Color) -> Domain:
    assert x.run is not None and isinstance(x.record, SimulatedRun)
    per_step = setup.num_iterations * setup.minibatches
    # A run that diverged made no updates in its last steps.
    steps = sampled_steps(-(-x.steps // per_step))
    words = f"all updates on the responses of {_listed(steps)} of this run’s {setup.steps} rollouts"
    key = (setup.run_hash, x.run.seed, color.name)
    scale = _scales.get(key)
    if scale is None:
        found = []
        for step in steps:
            record, _ = x.record.step_record((step - 1) * per_step)
            found.append(np.asarray(color.recorded(record), dtype=np.float64).ravel())
        scale = scale_of(color, np.concatenate(found))
        _scales.put(key, scale)
    return Domain(scale, words)


def _listed(steps: list[int]) -> str:
    numbers = [str(step) for step in steps]
    if len(numbers) == 1:
        return f"number {numbers[0]}"
    return f"numbers {', '.join(numbers[:-1])} and {numbers[-1]}"
