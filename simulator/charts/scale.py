"""Axes: round ticks, and the way from a value to a pixel."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.charts.table import fixed


@dataclass(frozen=True)
class Ticks:
    """Evenly spaced round values that cover a range; `decimals` writes them all exactly."""

    values: tuple[float, ...]
    decimals: int

    @property
    def low(self) -> float:
        return self.values[0]

    @property
    def high(self) -> float:
        return self.values[-1]

    def texts(self) -> list[str]:
        return [fixed(value, self.decimals) for value in self.values]


def round_ticks(low: float, high: float, intervals: int = 5) -> Ticks:
    """Ticks in steps of 1, 2 or 5 times a power of ten that cover `low` to `high`.

    About `intervals` of them; an empty or broken range gets a unit range, so that every chart has an axis.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        low, high = 0.0, 1.0
    if high < low:
        low, high = high, low
    if high - low < 1e-9 * max(1.0, abs(low), abs(high)):
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / intervals
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))
    # The small tolerance keeps a value that lies on a tick, up to rounding, from opening one more interval.
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    decimals = max(0, -math.floor(math.log10(step)))
    return Ticks(tuple(round(i * step, 10) + 0.0 for i in range(first, last + 1)), decimals)


def thin(count: int, at_most: int) -> list[int]:
    """At most `at_most` of the indices 0 to count - 1, evenly spread, the first and the last among them."""
    if count <= at_most:
        return list(range(count))
    last = count - 1
    return sorted({round(i * last / (at_most - 1)) for i in range(at_most)})


def place_labels(
    centers: Sequence[float], tops: Sequence[float], wanted: Sequence[bool], width: float, height: float
) -> list[bool]:
    """Which of the wanted labels above bars to show so that none covers another.

    `tops` are pixel rows of the bars' upper ends (0 is the top of the figure): the tallest bar is served first.
    """
    shown = [False] * len(centers)
    for i in sorted(range(len(centers)), key=lambda i: tops[i]):
        if wanted[i] and not any(
            shown[j] and abs(centers[i] - centers[j]) < width and abs(tops[i] - tops[j]) < height
            for j in range(len(centers))
        ):
            shown[i] = True
    return shown
