"""Tries as marks over what they cost and what they reached, with the star budgets and the goal as zones.

Tries whose marks would cover each other become one mark, the larger the more they are; nothing is left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from classroom.figures.axes import Edge, Place, Tick, cost_ticks, edges_of, log_place
from classroom.figures.parts import Level, Look, Mark, Outcome, Point, Zone
from missions.definition import Budgets
from simulator.charts.scale import Ticks, round_ticks

PAGE = (
    Look("at-narrow", 304, 300, 12, 3.4),
    Look("at-medium", 440, 340, 12, 3.8),
    Look("at-wide", 760, 380, 12, 4.2),
)
WALL = (Look("narrow", 340, 400, 13, 4.0), Look("wide", 1180, 455, 29, 8))
# Lower, so that its text is as large with a revealed try below it.
WALL_REVEALED = (WALL[0], Look("wide", 1180, 375, 29, 8))

LARGEST = 2.6
"""The mark for most tries is at most so many times as wide as one for a single try."""


@dataclass(frozen=True)
class Scatter:
    """One native size of the figure, ready to draw."""

    look: Look
    left: float
    right: float
    top: float
    bottom: float
    zones: tuple[Zone, ...]
    zone_top: float
    zone_height: float
    edges: tuple[Edge, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    label: str
    goal: float
    goal_text: str
    goal_text_x: float
    goal_text_y: float
    goal_text_anchor: str
    marks: tuple[Mark, ...]
    ring: Mark | None = None
    line: str = ""

    @property
    def plot_width(self) -> float:
        return round(self.right - self.left, 1)

    @property
    def plot_height(self) -> float:
        return round(self.bottom - self.top, 1)

    @property
    def middle(self) -> float:
        return round((self.left + self.right) / 2, 1)

    @property
    def label_y(self) -> float:
        return round(self.top - self.look.text * 0.8, 1)

    @property
    def x_foot(self) -> float:
        return round(self.bottom + self.look.text * 0.5, 1)

    @property
    def x_text_y(self) -> float:
        return round(self.bottom + self.look.text * 1.65, 1)

    @property
    def x_label_y(self) -> float:
        return round(self.bottom + self.look.text * 3.0, 1)

    @property
    def y_text_x(self) -> float:
        return round(self.left - self.look.text * 0.6, 1)


def scatter(
    points: Sequence[Point],
    level: Level,
    budgets: Budgets,
    look: Look,
    ring: tuple[int, float] | None = None,
    line: Sequence[tuple[int, float]] = (),
) -> Scatter:
    """Lay the points out in one size.

    `ring` is a cost and a value to draw a ring around, `line` such pairs to draw a line through.
    """
    ticks = _level_ticks([point.value for point in points], level)
    texts = ticks.texts()
    left = max(map(len, texts)) * look.character + look.text * 1.1
    right = look.width - look.text * 0.9
    costs = [point.cost for point in points]
    low = min(budgets.three / 2, *costs) if costs else budgets.three / 2
    high = max(budgets.one * 1.6, *costs) if costs else budgets.one * 1.6
    place_x = log_place(low / 1.12, high * 1.12, left, right)
    top, edges = edges_of(budgets, place_x, look, level.label)
    bottom = look.height - look.text * 3.4

    def place_y(value: float) -> float:
        share = (value - ticks.low) / (ticks.high - ticks.low)
        return round(bottom - min(max(share, 0.0), 1.0) * (bottom - top), 1)

    goal = place_y(level.bound)
    marks = _marks([(place_x(p.cost), place_y(p.value), p.outcome, p.count) for p in points], look)
    zone = (top, goal) if level.at_least else (goal, bottom)
    zones = _zones(budgets, place_x, left, right, zone, look)
    text_x, text_y, anchor = _goal_text(level, goal, (left, top, right, bottom), marks, zones, look)
    return Scatter(
        look=look,
        left=round(left, 1),
        right=round(right, 1),
        top=top,
        bottom=round(bottom, 1),
        zones=zones,
        zone_top=round(zone[0], 1),
        zone_height=round(zone[1] - zone[0], 1),
        edges=edges,
        x_ticks=cost_ticks(low, high, place_x, look.character),
        y_ticks=tuple(
            Tick(place_y(value), text)
            for value, text in zip(ticks.values, texts, strict=True)
            if _can_be(value, points, level)
        ),
        label=level.label,
        goal=goal,
        goal_text=level.goal_text,
        goal_text_x=text_x,
        goal_text_y=text_y,
        goal_text_anchor=anchor,
        marks=marks,
        ring=Mark(place_x(ring[0]), place_y(ring[1]), look.mark * 2.2, "", 1) if ring else None,
        line=" ".join(f"{place_x(cost)},{place_y(value)}" for cost, value in line),
    )


def _level_ticks(values: Sequence[float], level: Level) -> Ticks:
    if level.ends is not None:
        low, high = level.ends
        # A quarter more than there can be, so that no mark reaches into what is written above.
        return Ticks(tuple(low + (high - low) * quarter / 4 for quarter in range(6)), level.decimals)
    low, high = min([*values, level.bound]), max([*values, level.bound])
    # The side on which the goal is met keeps room for its stars.
    room = max(0.3 * (high - low), 0.02 * abs(level.bound), 1e-6)
    if level.at_least:
        high = max(high, level.bound + room)
    else:
        low = min(low, level.bound - room)
    return round_ticks(low, high, 5)


def _can_be(value: float, points: Sequence[Point], level: Level) -> bool:
    """Whether a tick says something: the room for stars has none below 0 or above 1 where nothing else is there."""
    if level.ends is not None:
        return level.ends[0] <= value <= level.ends[1]
    there = [level.bound, *(point.value for point in points)]
    return (value >= 0 or min(there) < 0) and (value <= 1 or max(there) > 1)


def _goal_text(
    level: Level,
    goal: float,
    plot: tuple[float, float, float, float],
    marks: Sequence[Mark],
    zones: Sequence[Zone],
    look: Look,
) -> tuple[float, float, str]:
    """Where the goal is written along its line, and how it is anchored: where it covers fewest marks and stars."""
    left, top, right, bottom = plot
    # Set in the proportional font, which is narrower than the figures'.
    width, inset = 0.85 * len(level.goal_text) * look.character, look.text * 0.4
    above, below = goal - look.text * 0.55, goal + look.text * 1.2
    things = [(mark.x - mark.size, mark.y - mark.size, 2 * mark.size) for mark in marks]
    things += [(x, zone.star_y, zone.star) for zone in zones for x in zone.star_xs]
    best, fewest = (right, above if level.at_least else below, "end"), math.inf
    for y in (above, below) if level.at_least else (below, above):
        if not top + look.text <= y <= bottom:
            continue
        for x, start, anchor in ((right, right - width, "end"), (left + inset, left + inset, "start")):
            covered = sum(
                x < start + width and x + size > start and y1 < y + look.text * 0.2 and y1 + size > y - look.text * 0.75
                for x, y1, size in things
            )
            if covered < fewest:
                best, fewest = (x, y, anchor), covered
    return round(best[0], 1), round(best[1], 1), best[2]


def _zones(
    budgets: Budgets, place_x: Place, left: float, right: float, zone: tuple[float, float], look: Look
) -> tuple[Zone, ...]:
    edges = [left, *(min(max(place_x(b), left), right) for b in (budgets.three, budgets.two, budgets.one))]
    star = look.text * 1.35
    found = []
    for stars, (start, end) in zip((3, 2, 1), pairwise(edges), strict=True):
        width = end - start
        xs: tuple[float, ...] = ()
        # At the far side from the goal, where few marks are.
        y = zone[0] + star * 0.1 if zone[0] < look.height / 2 else zone[1] - star * 1.1
        if width >= stars * star + 4 and zone[1] - zone[0] >= star * 1.1:
            first = start + (width - stars * star) / 2
            xs = tuple(first + star * number for number in range(stars))
        found.append(Zone(stars, round(start, 1), round(max(width, 0.0), 1), xs, y, star))
    return tuple(found)


def _marks(placed: Sequence[tuple[float, float, Outcome, int]], look: Look) -> tuple[Mark, ...]:
    """Marks in the order in which they are drawn. Those of a kind that share a cell of the plane become one."""
    pitch = look.mark * 2.2
    cells: dict[tuple[Outcome, int, int], list[float]] = {}
    for x, y, outcome, count in placed:
        cell = cells.setdefault((outcome, round(x / pitch), round(y / pitch)), [0.0, 0.0, 0])
        cell[0] += x * count
        cell[1] += y * count
        cell[2] += count
    order = list(Outcome)
    most = max((count for *_, count in cells.values()), default=1)
    found = []
    for key in sorted(cells, key=lambda key: (order.index(key[0]), -cells[key][2])):
        x, y, count = cells[key]
        # Areas grow with numbers, but no mark is more than LARGEST times as wide as the smallest.
        size = look.mark * min(math.sqrt(count), 1 + (LARGEST - 1) * math.sqrt((count - 1) / max(most - 1, 1)))
        found.append(Mark(round(x / count, 1), round(y / count, 1), round(size, 1), key[0].value, int(count)))
    return tuple(found)
