"""What tokens can be colored by: seven bins for what has a sign, five for amounts, and a color a clip state."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from simulator.charts.pushes import BINS, bin_width
from simulator.charts.table import fixed, signed
from simulator.engine import StepRecord
from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW, TIE, UNCLIPPED
from simulator.explorer.inspector.sheet import FloatArray, Sheet, kl_or_k3

IntArray = npt.NDArray[np.int64]

AMOUNT_BINS = 5
MIDDLE = 3
"""The bin of an amount, 1 to 5, less this is what a filter says: -2 to 2."""
STATES = {CLIPPED_LOW: -2, TIE: 0, UNCLIPPED: 1, CLIPPED_HIGH: 2}
"""Clip states as bins."""
STRENGTHS = ("about zero", "slightly", "clearly", "strongly")


@dataclass(frozen=True)
class Color:
    """One thing to color by.

    Attributes:
        kind: ``signed`` is symmetric around ``center``; an ``amount`` starts at 0; a ``state`` is a name.
        unit: what stands behind its name in the legend.
        factor: the value is shown multiplied with this.
        of: its values, ``(P, G, T)``.
        recorded: the same of all updates of a training step, in any shape.
        end: where the scale of an amount ends by definition, or None.
    """

    name: str
    label: str
    kind: Literal["signed", "amount", "state"]
    meaning: str
    of: Callable[[Sheet], FloatArray]
    recorded: Callable[[StepRecord], FloatArray]
    unit: str = ""
    factor: float = 1.0
    center: float = 0.0
    end: float | None = None

    @property
    def title(self) -> str:
        """The name with its unit."""
        return f"{self.label}, {self.unit}" if self.unit else self.label

    def written(self, value: float, digits: int = 3) -> str:
        """A value as it is shown: a sign where signs matter."""
        if not math.isfinite(value):
            return "not logged"
        shows_sign = self.kind == "signed" and self.center == 0
        return signed(value * self.factor, digits) if shows_sign else fixed(value * self.factor, digits)


COLORS: Mapping[str, Color] = {
    color.name: color
    for color in (
        Color(
            "push",
            "push",
            "signed",
            "How this update moves the log-probability of the token: the derivative of the objective by it.",
            lambda sheet: sheet.numbers("push"),
            lambda record: record.pushes,
            unit="thousandths",
            factor=1000.0,
        ),
        Color(
            "objective",
            "objective",
            "signed",
            "The token's term of the objective, before it is weighed. A large term need not push at all.",
            lambda sheet: sheet.numbers("token_objective"),
            lambda record: record.objectives,
        ),
        Color(
            "ratio",
            "ratio",
            "signed",
            "How many times as likely the token is now as when it was sampled.",
            lambda sheet: sheet.numbers("ratio"),
            lambda record: record.ratios,
            center=1.0,
        ),
        Color(
            "advantage",
            "advantage",
            "signed",
            "How much better this went than expected.",
            lambda sheet: sheet.numbers("advantages"),
            lambda record: record.advantages,
        ),
        Color(
            "kl",
            "KL",
            "amount",
            "How far the policy is from the reference policy, estimated from this token.",
            lambda sheet: sheet.kl,
            lambda record: kl_or_k3(record.token_kls, record.log_probs, record.ref_log_probs),
            unit="nats",
        ),
        Color(
            "probability",
            "probability",
            "amount",
            "How likely the policy makes the token before this update.",
            lambda sheet: np.exp(sheet.numbers("log_probs")),
            lambda record: np.exp(record.log_probs),
            end=1.0,
        ),
        Color(
            "entropy",
            "entropy",
            "amount",
            "How undecided the policy that sampled was before the token.",
            lambda sheet: sheet.entropies,
            lambda record: record.entropies,
            unit="nats",
        ),
        Color(
            "clip",
            "clip state",
            "state",
            "Which branch of the minimum the token is on.",
            lambda sheet: sheet.numbers("clip_state"),
            lambda record: record.clip_states.astype(np.float64),
        ),
    )
}
"""Every color by its name in an address."""


@dataclass(frozen=True)
class Scale:
    """How values become bins. ``width`` is that of a bin, 0 where all values are the same."""

    color: Color
    kind: Literal["signed", "amount", "state"]
    width: float

    @property
    def limit(self) -> float:
        """How far the scale reaches from its middle, or from 0."""
        return self.width * (BINS + 0.5 if self.kind == "signed" else AMOUNT_BINS)

    @property
    def limit_text(self) -> str:
        if self.kind == "state" or not self.width:
            return ""
        text = fixed(self.limit * self.color.factor, self._digits)
        if self.kind == "amount":
            return f"0 to {text}"
        return f"1 ± {text}" if self.color.center else f"± {text}"

    def bins(self, values: FloatArray) -> IntArray:
        """-3 to 3, or 1 to 5 for amounts, each value's; 0 for none."""
        is_known = np.isfinite(values)
        known = np.where(is_known, values, self.color.center)
        if self.kind == "state":
            return np.select([known == state for state in STATES], list(STATES.values()), 0)
        if self.kind == "amount":
            place = np.floor(known / self.width) + 1 if self.width else np.ones(values.shape)
            return np.where(is_known, np.clip(place, 1, AMOUNT_BINS), 0).astype(np.int64)
        if not self.width:
            return np.zeros(values.shape, dtype=np.int64)
        return np.clip(np.rint((known - self.color.center) / self.width), -BINS, BINS).astype(np.int64)

    def is_beyond(self, values: FloatArray) -> npt.NDArray[np.bool_]:
        """Values that the scale is too short for."""
        if self.kind == "state" or not self.width:
            return np.zeros(values.shape, dtype=bool)
        distance = np.abs(values - self.color.center) if self.kind == "signed" else values
        return np.asarray(distance > self.limit * (1 + 1e-12))

    @property
    def places(self) -> tuple[int, ...]:
        """The bins from the lowest to the highest."""
        if self.kind == "state":
            return tuple(STATES.values())
        return tuple(range(1, AMOUNT_BINS + 1)) if self.kind == "amount" else tuple(range(-BINS, BINS + 1))

    def filter_of(self, bin_: int) -> int:
        """What an address calls a bin."""
        return bin_ - MIDDLE if self.kind == "amount" else bin_

    def css(self, bin_: int) -> str:
        return f"c{bin_}" if self.kind == "amount" and bin_ else f"q{bin_}"

    def range(self, bin_: int, state_words: Mapping[int, str]) -> str:
        """The values of a bin."""
        if self.kind == "state":
            return state_words[bin_]
        if not self.width:
            is_all = bin_ in (0, 1) if self.kind == "amount" else bin_ == 0
            return self.color.written(self.color.center, 0) if is_all else ""
        shift = self.color.center
        ends = [shift + (bin_ + side) * self.width for side in (-0.5, 0.5)]
        if self.kind == "amount":
            ends = [(bin_ - 1) * self.width, bin_ * self.width]
        low, high = (self.color.written(end, self._digits) for end in ends)
        if bin_ == self.places[-1] and self.color.end is None:
            return f"{low} or more"
        if self.kind == "signed" and bin_ == self.places[0]:
            return f"{high} or less"
        return f"{low} to {high}"

    @property
    def _digits(self) -> int:
        return max(0, min(6, math.ceil(-math.log10(self.width * self.color.factor)) + 1))


def scale_of(color: Color, values: FloatArray) -> Scale:
    """The scale for a color over some values: symmetric and robust, so that few of the strongest lie beyond it."""
    known = values[np.isfinite(values)]
    if color.kind == "state":
        return Scale(color, "state", 1.0)
    if color.kind == "amount" and not (known < 0).any():
        end = color.end if color.end is not None else bin_width(known) * (2 * BINS + 1) / 2
        return Scale(color, "amount", end / AMOUNT_BINS)
    # An estimate that can be below 0, as k1, needs both sides.
    return Scale(color, "signed", bin_width(known - color.center))
