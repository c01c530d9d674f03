"""Geometry of the mission pages' own figures: the budget meter, the seeds of a goal, the trail of the map.

Pure: numbers in, coordinates out; the templates in templates/missions/figures/ draw them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from missions.definition import Budgets
from missions.grading import GoalResult
from simulator.charts.scale import round_ticks

WIDTHS = {"wide": 384, "narrow": 296}
SEED_WIDTHS = {"wide": 560, "narrow": 296}
STAR_WIDTH = 16


@dataclass(frozen=True)
class Zone:
    """One stretch of the budget meter: costs that earn the same number of stars."""

    stars: int
    x: float
    width: float
    star_x: tuple[float, ...]

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


# Room for a budget's number, such as 12,800.
LABEL_WIDTH = 46.0


@dataclass(frozen=True)
class Meter:
    """A cost against the star budgets, on a log scale: each doubling is equally wide.

    `edges` are where budgets end, `labels` where their numbers stand: below them, or beside each other where two
    budgets are close.
    """

    width: int
    zones: tuple[Zone, ...]
    edges: tuple[tuple[float, int], ...]
    labels: tuple[tuple[float, int], ...]
    needle: float


def budget_meter(cost: int, budgets: Budgets, width: int) -> Meter:
    """Lay out the meter from below half the tightest budget, or the cost if it is lower, to well past the loosest."""
    low = math.log2(min(budgets.three / 2.4, cost))
    high = math.log2(max(budgets.one * 4, cost * 1.25))

    def place(value: float) -> float:
        return round((math.log2(value) - low) / (high - low) * width, 1)

    edges = (
        (place(budgets.three), budgets.three),
        (place(budgets.two), budgets.two),
        (place(budgets.one), budgets.one),
    )
    starts = (0.0, *(x for x, _ in edges))
    ends = (*(x for x, _ in edges), float(width))
    zones = []
    for stars, start, end in zip((3, 2, 1, 0), starts, ends, strict=True):
        room = end - start
        first = start + room / 2 - stars * STAR_WIDTH / 2
        fits = room >= stars * STAR_WIDTH + 4
        zones.append(
            Zone(
                stars,
                round(start, 1),
                round(room, 1),
                tuple(round(first + STAR_WIDTH * i, 1) for i in range(stars)) if fits else (),
            )
        )
    needle = min(max(place(cost), 6.0), width - 6.0)
    labels = tuple(zip(_apart([x for x, _ in edges], width), (budget for _, budget in edges), strict=True))
    return Meter(width, tuple(zones), edges, labels, needle)


def _apart(places: Sequence[float], width: int) -> list[float]:
    """Move the middles of labels, in order from left to right, as far as they need to not run into each other."""
    found = [max(x, LABEL_WIDTH / 2) for x in places]
    for i in range(1, len(found)):
        found[i] = max(found[i], found[i - 1] + LABEL_WIDTH)
    limit = width - LABEL_WIDTH / 2
    for i in reversed(range(len(found))):
        found[i] = round(min(found[i], limit), 1)
        limit = found[i] - LABEL_WIDTH
    return found


@dataclass(frozen=True)
class SeedPlot:
    """The hidden seeds as dots over an axis and the goal; under the rule of means also the mean with its interval.

    Under the rule of seeds `dots` are those that meet the goal and `misses` the others; else all are in `dots`.
    """

    width: int
    dots: tuple[tuple[float, float], ...]
    misses: tuple[tuple[float, float], ...]
    ticks: tuple[tuple[float, str], ...]
    goal: float
    goal_anchor: str
    mean: float
    band: tuple[float, float]
    has_mean: bool

    @property
    def right(self) -> int:
        return self.width - 10

    @property
    def band_width(self) -> float:
        return round(max(self.band[1] - self.band[0], 1.0), 1)

    @property
    def goal_x(self) -> float:
        return self.goal + (7 if self.goal_anchor == "start" else -7)


def seed_plot(result: GoalResult, width: int) -> SeedPlot:
    """Lay out one goal's values; dots that would overlap are stacked."""
    interval, bound = result.interval, result.goal.bound
    is_counted = result.seeds_met is not None
    points = (*result.values, bound) if is_counted else (*result.values, bound, interval.low, interval.high)
    ticks = round_ticks(min(points), max(points), 5 if width > 400 else 3)
    left, right = 20.0, width - 20.0

    def place(value: float) -> float:
        return round(left + (value - ticks.low) / (ticks.high - ticks.low) * (right - left), 1)

    columns: dict[int, int] = {}
    placed = []
    for value in result.values:
        x = place(value)
        column = round(x / 7)
        level = columns.get(column, 0)
        columns[column] = level + 1
        # A tall pile closes up instead of leaving the figure.
        placed.append((round(column * 7.0, 1), round(49 - min(level * 7.4, 44), 1)))
    # The values rise, so those on the wrong side of the goal stand at one end.
    count = len(placed) - (len(placed) if result.seeds_met is None else result.seeds_met)
    misses, dots = placed[:count], placed[count:]
    if not result.goal.at_least:
        misses, dots = placed[len(placed) - count :], placed[: len(placed) - count]
    goal = place(bound)
    return SeedPlot(
        width=width,
        dots=tuple(dots),
        misses=tuple(misses),
        ticks=tuple((place(tick), text) for tick, text in zip(ticks.values, ticks.texts(), strict=True)),
        goal=goal,
        goal_anchor="end" if goal > width / 2 else "start",
        mean=place(interval.mean),
        band=(place(interval.low), place(interval.high)),
        has_mean=not is_counted,
    )


TRAIL_COLUMN = 100
TRAIL_ROW = 290
TRAIL_GROUND = 266
# How far a circle's middle stands below its row's top, left to right: a learning curve that levels off.
TRAIL_HEIGHTS = (140.0, 94.2, 67.1, 51.1, 41.6, 36.0)
TRAIL_FOOT = 173.7


@dataclass(frozen=True)
class TrailPiece:
    path: str
    is_done: bool


@dataclass(frozen=True)
class Trail:
    """The map's road: pieces between stops, and the ground under what has been walked."""

    width: int
    height: int
    pieces: tuple[TrailPiece, ...]
    hills: tuple[str, ...]
    floors: tuple[float, ...]


def trail(done: Sequence[bool]) -> Trail:
    """Lay out a road over rows of six stops; `done` says per stop whether it has been reached on foot."""
    columns = len(TRAIL_HEIGHTS)
    rows = math.ceil(len(done) / columns)
    pieces: list[TrailPiece] = []
    hills: list[str] = []
    for row in range(rows):
        stops = done[row * columns : (row + 1) * columns]
        top = row * TRAIL_ROW
        points = [(0.0, top + TRAIL_FOOT)]
        points += [(TRAIL_COLUMN * (i + 0.5), top + TRAIL_HEIGHTS[i]) for i in range(len(stops))]
        if len(stops) == columns:
            points.append((float(TRAIL_COLUMN * columns), top + TRAIL_HEIGHTS[-1] - 2))
        reached = [*stops, bool(stops) and all(stops)]
        hill, is_walking = "", True
        for i in range(len(points) - 1):
            curve = _curve(points[i], points[i + 1])
            pieces.append(TrailPiece(f"M{_at(points[i])}{curve}", reached[i]))
            if reached[i]:
                hill = (hill or f"M{_at(points[0])}") + curve
            elif hill and is_walking:
                # The ground goes on to the edge of the last column, half way along the next piece.
                hill += _half_curve(points[i], points[i + 1])
            is_walking = reached[i]
        if hill:
            hills.append(f"{hill}V{top + TRAIL_GROUND}H0z")
    floors = tuple(float(row * TRAIL_ROW + TRAIL_GROUND) for row in range(rows))
    return Trail(TRAIL_COLUMN * columns, rows * TRAIL_ROW, tuple(pieces), tuple(hills), floors)


def _at(point: tuple[float, float]) -> str:
    return f"{point[0]:g} {point[1]:g}"


def _curve(start: tuple[float, float], end: tuple[float, float]) -> str:
    middle = (start[0] + end[0]) / 2
    return f"C{middle:g} {start[1]:g} {middle:g} {end[1]:g} {_at(end)}"


def _half_curve(start: tuple[float, float], end: tuple[float, float]) -> str:
    """The first half of `_curve`, split where its parameter is one half."""
    (x0, y0), (x3, y3) = start, end
    x1 = x2 = (x0 + x3) / 2
    first = ((x0 + x1) / 2, y0)
    second = ((x0 + 2 * x1 + x2) / 4, (3 * y0 + y3) / 4)
    middle = ((x0 + x3) / 2, (y0 + y3) / 2)
    return f"C{_at(first)} {_at(second)} {_at(middle)}"
