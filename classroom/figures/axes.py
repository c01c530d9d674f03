"""The axis of costs: every doubling is equally wide."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from classroom.figures.parts import Look
from missions.definition import Budgets

Place = Callable[[float], float]
"""From a value to a pixel."""


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True)
class Edge:
    """The most that so many stars may cost; `text_y` is where that is written."""

    x: float
    text: str
    text_y: float


def log_place(low: float, high: float, left: float, right: float) -> Place:
    """Spread the logarithms of `low` to `high` over `left` to `right`."""
    first, span = math.log(low), math.log(high) - math.log(low)

    def place(value: float) -> float:
        return round(left + (math.log(max(value, low)) - first) / span * (right - left), 1)

    return place


def cost_ticks(low: float, high: float, place: Place, character: float) -> tuple[Tick, ...]:
    """Round costs from `low` to `high`, 1, 2 and 5 times powers of ten, as many as have room beside each other."""
    found: list[Tick] = []
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    # Powers of ten first: where there is room for few, these are the ones.
    for factor in (1, 5, 2):
        for power in powers:
            value = factor * 10**power
            if not low <= value <= high:
                continue
            tick = Tick(place(value), f"{value:,.0f}")
            if all(abs(tick.at - other.at) > _room(tick, other, character) for other in found):
                found.append(tick)
    return tuple(sorted(found, key=lambda tick: tick.at))


def _room(one: Tick, other: Tick, character: float) -> float:
    return (len(one.text) + len(other.text)) / 2 * character + 0.6 * character


def edges_of(budgets: Budgets, place_x: Place, look: Look, label: str = "") -> tuple[float, tuple[Edge, ...]]:
    """Where the plot begins below the budgets' numbers, and these: those close to each other on lines of their own.

    `label` is what stands at the left of the lowest line.
    """
    rows: list[tuple[float, str, int]] = [(len(label) / 2 * look.character, label, 0)] if label else []
    for budget in sorted({budgets.three, budgets.two, budgets.one}):
        x, text = place_x(budget), f"{budget:,}"
        row = 0
        while any(taken == row and abs(x - other) < _width(text, name, look) for other, name, taken in rows):
            row += 1
        rows.append((x, text, row))
    top = round(look.text * (1.9 + 1.25 * max(row for *_, row in rows)), 1)
    edges = rows[1:] if label else rows
    return top, tuple(Edge(x, text, round(top - look.text * (0.5 + 1.25 * row), 1)) for x, text, row in edges)


def _width(one: str, other: str, look: Look) -> float:
    """How far the middles of two texts are apart that have a gap between them."""
    return (len(one) + len(other)) / 2 * look.character + look.text * 0.5
