"""The minimum of a token in words, and its objective against the ratio as a drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.charts.scale import round_ticks
from simulator.charts.table import fixed
from simulator.engine.objective.clip import (
    CISPO,
    CLIPPED_HIGH,
    CLIPPED_LOW,
    NO_CLIP,
    SYMMETRIC,
    surrogate,
)
from simulator.engine.objective.ratio import NO_RATIO, SEQUENCE_RATIO

TOLERANCE = 1e-9
"""Branches of the minimum that differ by less are a tie."""

# As wide as a phone has room for, so that its text is never smaller than it is written.
WIDTH, HEIGHT = 300, 160
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 292, 10, 126


@dataclass(frozen=True)
class MinState:
    """Which branch of the minimum counts, as a word for a chip, and what follows from it.

    `name` is tie, unclipped, clipped_high, clipped_low, held (CISPO's weight at its bound), or "" where there is no
    minimum.
    """

    name: str
    chip: str
    consequence: str
    unclipped: float = np.nan
    clipped: float = np.nan

    @property
    def is_clipped(self) -> bool:
        """Whether the clip takes the gradient, or holds the weight."""
        return self.name in ("clipped_high", "clipped_low", "held")


def bounds(codes: dict[str, int], settings: dict[str, Any]) -> tuple[float | None, float | None]:
    """Below and above which ratio the clip acts; None for a side without a bound."""
    if codes["importance_ratio"] == NO_RATIO or codes["clip"] == NO_CLIP:
        return None, None
    upper = 1.0 + float(settings["epsilon"] if codes["clip"] == SYMMETRIC else settings["epsilon_high"])
    return (None if codes["clip"] == CISPO else 1.0 - float(settings["epsilon"])), upper


def min_state(codes: dict[str, int], settings: dict[str, Any], ratio: float, advantage: float, state: int) -> MinState:
    """What the clip does to a token. `state` is the engine's; it decides about the gradient."""
    lower, upper = bounds(codes, settings)
    if codes["importance_ratio"] == NO_RATIO:
        return MinState("", "no ratio, no clip", "Every token keeps its gradient, however far the policy has moved.")
    shared = "This response’s ratio" if codes["importance_ratio"] == SEQUENCE_RATIO else "The ratio"
    if upper is None:
        return MinState("", "no clip", "Every token keeps its gradient, however far the policy has moved.")
    if lower is None:
        if state == CLIPPED_HIGH:
            return MinState(
                "held",
                "weight held",
                f"{shared} is above {upper:g}: its weight is held there, and its gradient goes on.",
            )
        return MinState(
            "tie", "below the bound", f"{shared} is not above {upper:g}, so the weight is the ratio itself."
        )
    unclipped, clipped = ratio * advantage, min(max(ratio, lower), upper) * advantage
    name, chip, consequence = _minimum(shared, state, lower, upper, unclipped, clipped, advantage)
    return MinState(name, chip, consequence, unclipped, clipped)


def _minimum(
    shared: str, state: int, lower: float, upper: float, unclipped: float, clipped: float, advantage: float
) -> tuple[str, str, str]:
    stops = "The clip is active, so this token’s gradient by the advantage is 0."
    if state == CLIPPED_HIGH:
        return "clipped_high", "clipped high", f"{shared} has risen above {upper:g} as the advantage wanted. {stops}"
    if state == CLIPPED_LOW:
        return "clipped_low", "clipped low", f"{shared} has fallen below {lower:g} as the advantage wanted. {stops}"
    if advantage == 0:
        return "tie", "tie: advantage is 0", "Both branches are 0: nothing is pushed, and nothing has to be clipped."
    if abs(unclipped - clipped) <= TOLERANCE:
        return (
            "tie",
            "tie: clip not active",
            f"{shared} lies from {lower:g} to {upper:g}: both branches are equal, and the gradient goes through.",
        )
    return (
        "unclipped",
        "unclipped",
        f"{shared} has left {lower:g} to {upper:g} against the advantage. The unclipped branch is the smaller one, so "
        "the gradient goes through and pulls it back.",
    )


@dataclass(frozen=True)
class Mark:
    """A place on an axis with its text."""

    at: float
    text: str


@dataclass(frozen=True)
class ClipPlot:
    """The drawing. Lengths in its own units; `zones` are x and width of where the gradient is 0 or held."""

    title: str
    description: str
    line: str
    unclipped: str
    zones: tuple[tuple[float, float], ...]
    zone_word: str
    x_marks: tuple[Mark, ...]
    y_marks: tuple[Mark, ...]
    dot: tuple[float, float]
    label_end: bool
    x_label: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = _RIGHT
    top: int = _TOP
    bottom: int = _BOTTOM

    @property
    def tall(self) -> int:
        return self.bottom - self.top


def clip_plot(
    codes: dict[str, int], settings: dict[str, Any], ratio: float, log_prob: float, advantage: float
) -> ClipPlot | None:
    """The token's term without KL against its ratio, by the engine's own function; for CISPO the weight times the
    advantage, which is what the gradient is made of. None where there is no ratio or nothing to draw."""
    if codes["importance_ratio"] == NO_RATIO or advantage == 0 or not np.isfinite([ratio, log_prob, advantage]).all():
        return None
    lower, upper = bounds(codes, settings)
    is_held = codes["clip"] == CISPO
    edges = [one for one in (lower, upper) if one is not None]
    reach = max((2.5 * abs(one - 1.0) for one in edges), default=0.5)
    start, end = max(0.0, min(1.0 - reach, ratio - 0.1 * reach)), max(1.0 + reach, ratio + 0.1 * reach)

    def term(at: float) -> float:
        value, slope, _ = surrogate(
            codes["importance_ratio"],
            codes["clip"],
            float(settings["epsilon"]),
            float(settings["epsilon_high"]),
            at,
            log_prob,
            advantage,
        )
        return slope if is_held else value

    xs = sorted({start, end, ratio, 1.0, *(one for one in edges if start < one < end)})
    ys = [term(one) for one in xs]
    plain = [one * advantage for one in (start, end)]
    ticks = round_ticks(min(*ys, *plain), max(*ys, *plain), 3)
    y = _scale(ticks.low, ticks.high, _BOTTOM, _TOP)
    x = _scale(start, end, _LEFT, _RIGHT)
    zones = tuple(
        (round(x(low), 1), round(x(high) - x(low), 1))
        for low, high in _stopped(codes, lower, upper, advantage, start, end)
    )
    names = [*dict.fromkeys([*edges, 1.0])]
    chosen = (round(x(ratio), 1), round(y(term(ratio)), 1))
    what = "Weight times advantage" if is_held else "Objective of the token"
    sign = "positive" if advantage > 0 else "negative"
    return ClipPlot(
        title=f"{what} against the ratio, for this {sign} advantage",
        description=_described(is_held, lower, upper, advantage, ratio, term(ratio)),
        line=" ".join(f"{x(one):.1f},{y(value):.1f}" for one, value in zip(xs, ys, strict=True)),
        unclipped=" ".join(f"{x(one):.1f},{y(value):.1f}" for one, value in zip((start, end), plain, strict=True)),
        zones=zones,
        zone_word="held" if is_held else "flat",
        x_marks=tuple(Mark(round(x(one), 1), f"{one:g}") for one in sorted(names) if start <= one <= end),
        y_marks=tuple(Mark(round(y(value), 1), text) for value, text in zip(ticks.values, ticks.texts(), strict=True)),
        dot=chosen,
        label_end=chosen[0] > (_LEFT + _RIGHT) / 2,
        x_label="ratio of the response" if codes["importance_ratio"] == SEQUENCE_RATIO else "ratio",
    )


def _stopped(
    codes: dict[str, int], lower: float | None, upper: float | None, advantage: float, start: float, end: float
) -> list[tuple[float, float]]:
    """Where the clip acts for this sign of the advantage."""
    if upper is not None and upper < end and (advantage > 0 or codes["clip"] == CISPO):
        return [(max(upper, start), end)]
    if lower is not None and lower > start and advantage < 0:
        return [(start, lower)]
    return []


def _scale(low: float, high: float, first: float, last: float) -> Any:
    return lambda value: first + (value - low) / (high - low) * (last - first)


def _described(
    is_held: bool, lower: float | None, upper: float | None, advantage: float, ratio: float, value: float
) -> str:
    if is_held:
        shape = f"A line that is level above ratio {upper:g}."
    elif upper is None:
        shape = "A straight line: nothing is clipped."
    elif advantage > 0:
        shape = f"A rising line that is level above ratio {upper:g}."
    else:
        shape = f"A falling line that is level below ratio {lower:g}."
    return f"{shape} This token has ratio {fixed(ratio)} and value {fixed(value)}."
