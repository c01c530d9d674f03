"""What the panels of the ten-answers world look at: one prompt of a step, its answers numbered as in every figure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from simulator.charts.pushes import BINS, bin_of
from simulator.charts.table import signed
from simulator.engine.candidates.setup import FIELDS, CandidateSetup
from simulator.engine.candidates.step_record import AnswerPairs, CandidateStepRecord
from simulator.engine.candidates.world import ANSWERS
from simulator.explorer.exploration import Exploration
from simulator.records import CandidateRun

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

RESPONSES, REWARDS, CREDIT, ADDING_UP, UPDATE = 2, 3, 4, 5, 6
"""Stages of an update, as `beat` numbers them, at which something comes to be shown. 0 shows everything."""

# Larger than any answer, and found again in an address.
_ANSWER = 918_273
STRENGTHS = ("about zero", "slightly", "clearly", "strongly")


@dataclass(frozen=True, eq=False)
class Sight:
    """One prompt of a step of a run.

    Attributes:
        b: the prompt's place in the step, from 0.
        chosen: the answer in focus as the engine counts it, from 0, or None.
        stage: how far the update has come; all of it at 6.
        setup: the run's own; that of ``record`` has other values in it where the view asks what if.
    """

    x: Exploration
    record: CandidateStepRecord
    b: int
    chosen: int | None
    setup: CandidateSetup
    stage: int = UPDATE

    @property
    def is_what_if(self) -> bool:
        """Whether the update is not the one that the run made."""
        return self.record.setup != self.setup

    def shows(self, stage: int) -> bool:
        """Whether the update has come that far."""
        return self.stage >= stage

    @cached_property
    def order(self) -> IntArray:
        """The answers, best first, ``(K,)``."""
        return self.record.best_first[self.b]

    @cached_property
    def ranks(self) -> IntArray:
        """The number of every answer, from 1, ``(K,)``."""
        found = np.empty(ANSWERS, np.int64)
        found[self.order] = np.arange(1, ANSWERS + 1)
        return found

    def name(self, k: int) -> str:
        return f"Answer {self.ranks[k]}"

    def href(self, k: int) -> str:
        """The view with this answer in focus."""
        before, behind = self._address
        return f"{before}{self.ranks[k]}{behind}"

    @cached_property
    def _address(self) -> tuple[str, str]:
        """An address before and behind the number of an answer: made once, not for every link."""
        before, behind = self.x.link(r=_ANSWER, t=1).split(str(_ANSWER), 1)
        return before, behind

    @property
    def prompt_name(self) -> str:
        return f"Prompt {self.record.prompts[self.b] + 1}"

    @property
    def size(self) -> int:
        """Draws of the prompt."""
        return int(self.record.draws.shape[1])

    @property
    def pairs(self) -> AnswerPairs | None:
        return None if self.record.pairs is None else self.record.pairs[self.b]

    @property
    def is_silent(self) -> bool:
        """Nothing tells the draws apart: the method takes nothing from them."""
        return bool(self.record.silent[self.b]) and self.record.baseline is None

    @cached_property
    def before(self) -> FloatArray:
        return np.exp(self.record.log_probs[self.b])

    @cached_property
    def after(self) -> FloatArray:
        return np.exp(self.record.new_log_probs[self.b])

    @cached_property
    def reference(self) -> FloatArray:
        return np.exp(self.record.ref_log_probs[self.b])

    @cached_property
    def highest(self) -> float:
        """The largest probability that is shown."""
        shown = [self.reference, self.before, *([self.after] if self.shows(UPDATE) else [])]
        return max(float(one.max()) for one in shown)

    @cached_property
    def pushes(self) -> FloatArray:
        return self.record.pushes[self.b]

    @cached_property
    def width(self) -> float:
        """Width of a bin of pushes: over the step, or over this prompt alone."""
        return whole_width(self.pushes if self.x.state.dom == "group" else self.record.pushes)

    def bin(self, push: float) -> int:
        return bin_of(push, self.width)

    @cached_property
    def draw_width(self) -> float:
        """The same for single draws, which are smaller."""
        return whole_width(self.record.draw_pushes)

    def push_words(self, push: float) -> str:
        """A push in words: "push up +0.213, clearly"."""
        found = self.bin(push)
        way = "" if found == 0 else " up" if found > 0 else " down"
        return f"push{way} {signed(push)}, {STRENGTHS[abs(found)]}"


def sight_of(x: Exploration) -> Sight:
    """What a view looks at."""
    run, step = run_of(x), x.update.step
    setup = in_force(x)
    record = run.step_record(step, None if setup == run.setup else setup)
    b = (x.state.p or 1) - 1
    chosen = None if x.state.r is None else int(record.best_first[b][x.state.r - 1])
    return Sight(x, record, b, chosen, run.setup, x.state.beat or UPDATE)


def run_of(x: Exploration) -> CandidateRun:
    assert isinstance(x.record, CandidateRun)
    return x.record


def in_force(x: Exploration) -> CandidateSetup:
    """The run's setup with what the view asks to be otherwise."""
    setup = run_of(x).setup
    if x.state.beta_if is None:
        return setup
    field = FIELDS["beta"]
    assert field.minimum is not None and field.maximum is not None
    return setup.replace(beta=min(max(x.state.beta_if, field.minimum), field.maximum))


def whole_width(pushes: FloatArray) -> float:
    """Width of a bin where a scale holds all pushes: a step has only eighty, and few of them may be all that moves."""
    return float(2 * np.abs(pushes).max() / (2 * BINS + 1))


def bin_range(bin_: int, width: float) -> str:
    """The pushes of a bin."""
    if width == 0:
        return "0" if bin_ == 0 else ""
    digits = max(1, min(6, int(np.ceil(-np.log10(width)))))
    near, far = ((abs(bin_) + side) * width for side in (-0.5, 0.5))
    if bin_ == 0:
        return f"{signed(-far, digits)} to {signed(far, digits)}"
    sign = 1 if bin_ > 0 else -1
    if abs(bin_) == BINS:
        return f"{signed(sign * near, digits)} or {'more' if bin_ > 0 else 'less'}"
    ends = sorted((sign * near, sign * far))
    return f"{signed(ends[0], digits)} to {signed(ends[1], digits)}"
