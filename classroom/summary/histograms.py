"""A histogram for each mission: students by stars, by tries, or by what their best pass cost. Pure.

All of a page share the scale of students. Those of stars and tries share their bins, too, so that missions can be
compared. Responses are counted on an axis on which doublings are equally wide, with the budgets as edges of bins.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from classroom.models import Assignment
from classroom.summary.missions import MissionCounts
from missions.definition import Budgets
from simulator.charts.scale import round_ticks
from simulator.charts.table import Table

WIDTH, HEIGHT = 224, 132
"""The native size in px: no card is narrower, so that text never gets smaller than it is written."""
TOP, FLOOR = 30.0, 106.0
GAP = 2.0
MOST_BINS = 10
CHARACTER = 7.4
STAR_WIDTH = 11.0


@dataclass(frozen=True)
class Bin:
    """Some values, in words, and how many students are there. `label` stands below its left end, or its middle;
    `upper` is the largest of values that are costs."""

    text: str
    count: int
    label: str = ""
    left: float = 0.0
    right: float = 0.0
    upper: int = 0


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    text: str
    text_x: float

    @property
    def text_y(self) -> float:
        return round(self.y - 4, 1)


@dataclass(frozen=True)
class Zone:
    """The costs that earn so many stars; `stars` are where each of these is drawn, if there is room."""

    css: str
    x: float
    width: float
    stars: tuple[str, ...]


@dataclass(frozen=True)
class Histogram:
    """One mission's, drawn and in words; without bars where nobody is counted."""

    assignment: Assignment
    counted: int
    bars: tuple[Bar, ...]
    labels: tuple[tuple[float, str], ...]
    zones: tuple[Zone, ...]
    summary: str
    table: Table


def histograms_of(
    missions: Sequence[MissionCounts], measure: str, budgets: Sequence[Budgets | None]
) -> tuple[Histogram, ...]:
    """Count "stars", "tries" or "responses" at each mission. `budgets` are the missions', in the same order, and None
    for those that are answered without sampling anything."""
    bins: list[tuple[Bin, ...]]
    if measure == "responses":
        bins = [_response_bins(one, budget) if budget else () for one, budget in zip(missions, budgets, strict=True)]
        head = "Responses of the best pass"
    else:
        bins = _try_bins(missions) if measure == "tries" else [_star_bins(one) for one in missions]
        head = "Tries" if measure == "tries" else "Best try"
    most = max((one.count for found in bins for one in found), default=0)
    drawn = []
    for mission, found, budget in zip(missions, bins, budgets, strict=True):
        zones = _zones(found, budget) if measure == "responses" and budget else ()
        drawn.append(_histogram(mission, found, most, head, zones))
    return tuple(drawn)


def _star_bins(mission: MissionCounts) -> tuple[Bin, ...]:
    """Those who tried: goal not met, and passes by stars."""
    none, one, two, three = mission.by_stars
    named = (
        ("goal not met yet", mission.not_met, "not met"),
        ("goal met, no star", none, "0"),
        ("one star", one, "1"),
        ("two stars", two, "2"),
        ("three stars", three, "3"),
    )
    return _evenly([Bin(text, count, label) for text, count, label in named])


def _try_bins(missions: Sequence[MissionCounts]) -> list[tuple[Bin, ...]]:
    """Those who tried, by how often: in steps that nearly all of them fit into, and a last bin for the others."""
    tries = [[cell.tries for cell in mission.cells if cell.tries] for mission in missions]
    everybody = sorted(count for one in tries for count in one)
    if not everybody:
        return [() for _ in missions]
    nearly_all = everybody[min(len(everybody) - 1, math.ceil(0.95 * len(everybody)))]
    step = max(1, math.ceil(round_ticks(0, nearly_all, MOST_BINS - 1).values[1]))
    starts = list(range(1, nearly_all + 1, step))
    rest = starts[-1] + step
    found = []
    for one in tries:
        places = Counter(min((count - 1) // step, len(starts)) for count in one)
        bins = [
            Bin(f"{start}" if step == 1 else f"{start} to {start + step - 1}", places[place], f"{start}")
            for place, start in enumerate(starts)
        ]
        bins += [Bin(f"{rest} and more", places[len(starts)], f"{rest}+")] if everybody[-1] >= rest else []
        found.append(_evenly(bins))
    return found


def _evenly(bins: Sequence[Bin]) -> tuple[Bin, ...]:
    width = WIDTH / len(bins)
    return tuple(
        Bin(one.text, one.count, one.label, round(place * width, 1), round((place + 1) * width, 1))
        for place, one in enumerate(bins)
    )


def _response_bins(mission: MissionCounts, budgets: Budgets) -> tuple[Bin, ...]:
    """Those who passed, by the responses of their best pass: more than a bin's lower edge, at most its upper one."""
    passed = (cell.fewest_responses for cell in mission.cells if cell.is_passed)
    costs = sorted(cost for cost in passed if cost is not None)
    # A mission that is answered by looking has no budgets, and costs no responses.
    if not costs or not budgets.one:
        return ()
    marks = sorted({budgets.three, budgets.two, budgets.one})
    edges = sorted({min(costs[0] - 1, marks[0] // 2), *marks, max(costs[-1], marks[-1] + marks[-1] // 2)})
    total = _log(edges[-1]) - _log(edges[0])
    fine = [edges[0]]
    for low, high in pairwise(edges):
        pieces = max(1, round((_log(high) - _log(low)) / total * MOST_BINS))
        inner = {round(2 ** (_log(low) + (_log(high) - _log(low)) * n / pieces)) for n in range(1, pieces)}
        fine += [*sorted(edge for edge in inner if low < edge < high), high]
    place = _place(fine)
    return tuple(
        Bin(
            f"{low + 1:,} to {high:,}" if high > low + 1 else f"{high:,}",
            bisect_right(costs, high) - bisect_right(costs, low),
            f"{low:,}" if low in marks else "",
            place(low),
            place(high),
            high,
        )
        for low, high in pairwise(fine)
    )


def _log(value: int) -> float:
    return math.log2(max(value, 0.5))


def _place(edges: Sequence[int]) -> Callable[[int], float]:
    first, last = _log(edges[0]), _log(edges[-1])
    return lambda value: round((_log(value) - first) / (last - first) * WIDTH, 1)


def _zones(bins: Sequence[Bin], budgets: Budgets) -> tuple[Zone, ...]:
    """Which stretches of the axis earn how many stars: bins end at budgets, so each is in one zone."""
    stretches: dict[int, tuple[float, float]] = {}
    for one in bins:
        stars = budgets.stars_for(one.upper)
        left, _ = stretches.get(stars, (one.left, 0.0))
        stretches[stars] = left, one.right
    return tuple(
        Zone(f"zone{stars}", left, round(right - left, 1), _stars(stars, left, right))
        for stars, (left, right) in stretches.items()
    )


def _stars(count: int, left: float, right: float) -> tuple[str, ...]:
    first = (left + right - count * STAR_WIDTH) / 2
    if count * STAR_WIDTH > right - left:
        return ()
    return tuple(f"translate({first + n * STAR_WIDTH:.1f} 2) scale(.42)" for n in range(count))


def _histogram(mission: MissionCounts, bins: Sequence[Bin], most: int, head: str, zones: tuple[Zone, ...]) -> Histogram:
    counted = sum(one.count for one in bins)
    bars = []
    for one in bins:
        if one.count:
            height = round(one.count / most * (FLOOR - TOP), 1)
            gap = min(GAP, (one.right - one.left) / 3)
            fits = len(f"{one.count}") * CHARACTER <= one.right - one.left + GAP
            middle = round((one.left + one.right) / 2, 1)
            width = round(one.right - one.left - gap, 1)
            text = f"{one.count}" if fits else ""
            bars.append(Bar(round(one.left + gap / 2, 1), round(FLOOR - height, 1), width, height, text, middle))
    return Histogram(
        mission.assignment,
        counted,
        tuple(bars),
        _labels(bins, in_the_middle=not zones),
        zones,
        "; ".join(f"{one.text}: {one.count}" for one in bins if one.count),
        Table(
            f"{mission.assignment.mission.title}: students by {head[0].lower()}{head[1:]}",
            (head, "Students"),
            tuple((one.text, f"{one.count}") for one in bins),
        ),
    )


def _labels(bins: Sequence[Bin], in_the_middle: bool) -> tuple[tuple[float, str], ...]:
    """The labels that have room beside those before them, kept inside the drawing."""
    found: list[tuple[float, str]] = []
    free_from = -math.inf
    for one in bins:
        half = len(one.label) * CHARACTER / 2
        at = (one.left + one.right) / 2 if in_the_middle else one.left
        at = min(max(at, half), WIDTH - half)
        if one.label and at - half >= free_from:
            found.append((round(at, 1), one.label))
            free_from = at + half + CHARACTER / 2
    return tuple(found)
