"""What tries cost, as a histogram over costs with the star budgets drawn; two bars a doubling."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from classroom.figures.axes import Edge, Tick, cost_ticks, edges_of, log_place
from classroom.figures.parts import Look, Outcome, Point
from missions.definition import Budgets
from simulator.charts.scale import round_ticks
from simulator.charts.table import Table

LOOKS = (Look("at-narrow", 304, 230, 12, 0), Look("at-medium", 440, 250, 12, 0), Look("at-wide", 720, 280, 12, 0))
_STEPS = 2
"""Bars a doubling."""
_UPWARD = (Outcome.STAR, Outcome.MET, Outcome.MISS)


@dataclass(frozen=True)
class Piece:
    """The part of a bar that stands for tries of one outcome."""

    outcome: str
    y: float
    height: float


@dataclass(frozen=True)
class Bar:
    x: float
    width: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class CostChart:
    """One native size of the histogram, ready to draw."""

    look: Look
    left: float
    right: float
    top: float
    bottom: float
    bars: tuple[Bar, ...]
    edges: tuple[Edge, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]

    @property
    def middle(self) -> float:
        return round((self.left + self.right) / 2, 1)

    @property
    def x_text_y(self) -> float:
        return round(self.bottom + self.look.text * 1.5, 1)

    @property
    def x_label_y(self) -> float:
        return round(self.bottom + self.look.text * 2.9, 1)

    @property
    def y_text_x(self) -> float:
        return round(self.left - self.look.text * 0.6, 1)


def binned(points: Sequence[Point]) -> dict[int, Counter[Outcome]]:
    """How many tries of each outcome cost from 2 ** (k / 2) up to 2 ** ((k + 1) / 2) responses, by k, without gaps."""
    found: dict[int, Counter[Outcome]] = {}
    for point in points:
        found.setdefault(_bin(point.cost), Counter())[point.outcome] += point.count
    if not found:
        return {}
    return {place: found.get(place, Counter()) for place in range(min(found), max(found) + 1)}


def cost_chart(points: Sequence[Point], budgets: Budgets, look: Look) -> CostChart:
    bins = binned(points)
    most = max((counts.total() for counts in bins.values()), default=0)
    ticks = round_ticks(0, max(most, 4), 4)
    texts = [f"{value:,.0f}" for value in ticks.values]
    left = max(map(len, texts)) * look.character + look.text
    right = look.width - look.text * 0.8
    low = min(budgets.three / 1.5, *(_from(place) for place in bins)) if bins else budgets.three / 1.5
    high = max(budgets.one * 1.5, *(_from(place + 1) for place in bins)) if bins else budgets.one * 1.5
    place_x = log_place(low, high, left, right)
    top, edges = edges_of(budgets, place_x, look)
    bottom = look.height - look.text * 3.4
    scale = (bottom - top) / ticks.high
    bars = []
    for place, counts in bins.items():
        x, end = place_x(_from(place)), place_x(_from(place + 1))
        pieces, y = [], bottom
        for outcome in _UPWARD:
            height = round(counts[outcome] * scale, 1)
            y = round(y - height, 1)
            if counts[outcome]:
                pieces.append(Piece(outcome.value, y, height))
        bars.append(Bar(round(x + 1, 1), round(max(end - x - 2, 1), 1), tuple(pieces)))
    return CostChart(
        look,
        round(left, 1),
        round(right, 1),
        top,
        round(bottom, 1),
        tuple(bars),
        edges,
        cost_ticks(low, high, place_x, look.character),
        tuple(Tick(round(bottom - v * scale, 1), text) for v, text in zip(ticks.values, texts, strict=True)),
    )


def cost_table(points: Sequence[Point], budgets: Budgets) -> Table:
    """The histogram in numbers."""
    head = ("Responses", "Worth", *(outcome.words.capitalize() for outcome in _UPWARD))
    rows = []
    for place, counts in binned(points).items():
        first, last = math.ceil(_from(place)), math.ceil(_from(place + 1)) - 1
        best, worst = budgets.stars_for(first), budgets.stars_for(last)
        worth = f"{best}" if best == worst else f"{worst} to {best}"
        cells = (f"{first:,} to {last:,}", f"{worth} stars", *(f"{counts[outcome]:,}" for outcome in _UPWARD))
        rows.append(cells)
    return Table("What tries cost, and what came of them", head, tuple(rows))


def _bin(cost: int) -> int:
    place = math.floor(_STEPS * math.log2(max(cost, 1)))
    # Whole numbers at an edge belong to the bar that begins there, whatever rounding makes of their logarithm.
    return place + 1 if cost >= _from(place + 1) else place


def _from(place: int) -> float:
    return float(2 ** (place / _STEPS))
