"""The first view: a whole run in pictures and numbers, and the way to any of its updates."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse

from simulator.charts.curves import CurveFigure, Line
from simulator.charts.scale import Ticks, round_ticks, thin
from simulator.charts.table import fixed
from simulator.engine import SetupError, parse_setup
from simulator.engine.randomness import MAX_SEED
from simulator.explorer.address import pairs_of
from simulator.explorer.exploration import Exploration
from simulator.explorer.plots.ring import RingMetric, ring
from simulator.explorer.plots.thinning import thinned
from simulator.explorer.source import Series
from simulator.explorer.state import BEATS, OF_AN_UPDATE
from simulator.lab.link import Run
from simulator.labels import MetricLabel
from simulator.worlds import WORLDS, world_of

FIRST = ("reward", "win_rate", "kl", "entropy", "clip_fraction", "response_length", "quality", "grad_norm")
"""Metrics whose chips stand in the open, as far as a run has them; two of them are drawn at first."""
AROUND = 6
MOST_ROWS = 21


@dataclass(frozen=True)
class Chip:
    """One metric to draw or to take away, with its value at the update that is shown."""

    name: str
    label: str
    value: str
    is_on: bool
    href: str
    help: str


@dataclass(frozen=True)
class Bar:
    """One metric in a cell of the strip."""

    left: float
    top: float
    width: float
    height: float
    style: int


@dataclass(frozen=True)
class Tab:
    """One view on a small screen."""

    name: str
    label: str
    href: str
    is_on: bool


@dataclass(frozen=True)
class Cell:
    """One update of the strip around the one that is shown, with a bar a metric."""

    place: int
    text: str
    href: str
    is_shown: bool
    is_far: bool
    said: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Row:
    """One update of the data table."""

    text: str
    href: str
    is_shown: bool
    values: tuple[str, ...]


def explore_panel(x: Exploration) -> dict[str, Any]:
    """Everything templates/explorer/explore.html shows."""
    return run_pictures(x) | run_choices(x)


def run_pictures(x: Exploration) -> dict[str, Any]:
    """The run itself and the ways to its updates: the same whichever prompt and token of an update is looked at."""
    names = drawn(x)
    labels = [label_of(x, name) for name in names]
    state = x.state
    assert state.s is not None
    last = x.steps if state.beat in (0, len(BEATS) - 1) else state.s - 1
    points = max((len(x.source.series[name].places) for name in names), default=0)
    shown = max((len(_points(x, name, last)[0]) for name in names), default=0)
    return {
        "title": _title(x),
        "labels": [
            (label, 1 + i % 4, fixed(x.source.series[label.name].at(state.s), label.decimals))
            for i, label in enumerate(labels)
        ],
        "ring": _ring(x, labels, last) if state.plot == "ring" else None,
        "summary": _summary(x, labels),
        "curves": [_curve(x, label, 1 + i % 4, last) for i, label in enumerate(labels)],
        "is_thinned": (shown, points) if shown < min(points, last) else None,
        "is_cut": last < x.steps,
        "strip": _strip(x, names),
        "previous": x.link(s=state.s - 1) if state.s > 1 else "",
        "next": x.link(s=state.s + 1) if state.s < x.steps else "",
        "previous_rollout": _rollout_link(x, -1),
        "next_rollout": _rollout_link(x, +1),
        "hidden": x.hidden_fields("s", *OF_AN_UPDATE),
        "spots": [(spot, x.link(s=spot.place), x.source.words(spot.place)) for spot in x.spots],
        "table": _table(x, names, labels),
        "table_head": [label.label for label in labels],
    }


def run_choices(x: Exploration) -> dict[str, Any]:
    """What of the view can be chosen beside an update; links to it keep the token that is looked at."""
    names = drawn(x)
    in_the_open = [name for name in FIRST if name in x.source.series]
    in_the_open += [name for name in names if name not in in_the_open]
    return {
        "chips": [_chip(x, name, names) for name in in_the_open],
        "more": [
            (",".join((*names, name)), label_of(x, name).label) for name in x.source.series if name not in in_the_open
        ],
        "hidden_more": x.hidden_fields("m"),
        "shown": ",".join(names),
        "tabs": [
            Tab(name, label, x.link(tab=name), name == x.state.tab)
            for name, label in (("explore", "Explore"), ("step", "Step"), ("why", "Why"))
        ],
        "sampled": _sampled(x),
        "second_off": x.link(run2=""),
        "second_swap": _swapped(x),
        "second_links": _second_links(x),
        "ring_link": x.link(plot="ring"),
        "line_link": x.link(plot="line"),
    }


def drawn(x: Exploration) -> tuple[str, ...]:
    """The metrics that are drawn: those asked for, or the first two that every reader begins with."""
    if x.state.m:
        return x.state.m
    first = ("win_rate", "kl", *FIRST) if x.world == "candidates" else FIRST
    known = [name for name in dict.fromkeys(first) if name in x.source.series]
    return tuple(known[:2] or list(x.source.series)[:2])


def label_of(x: Exploration, name: str) -> MetricLabel:
    """The words of a metric; a log may have metrics that no world knows."""
    world = WORLDS[x.world]
    if name in world.metrics or name in world.training or name in world.stepwise:
        return world.label(name)
    return MetricLabel(name, name.replace("_", " "), 3, None, "higher", "lower", 0.0, "As the log has it.")


def _title(x: Exploration) -> str:
    return f"{x.step_count:,} steps" if x.steps == x.step_count else f"{x.step_count:,} steps, {x.steps:,} updates"


def _chip(x: Exploration, name: str, names: Sequence[str]) -> Chip:
    label, is_on = label_of(x, name), name in names
    after = tuple(one for one in names if one != name) if is_on else (*names, name)
    # The last metric can't be taken away: a plot of nothing helps nobody.
    return Chip(
        name=name,
        label=label.label,
        value=_value(x.source.series[name].at(x.state.s or 1), label),
        is_on=is_on,
        href=x.link(m=after or names),
        help=label.help + ({"up": " Higher is better.", "down": " Lower is better.", None: ""}[label.better]),
    )


def _value(value: float, label: MetricLabel) -> str:
    return fixed(value, label.decimals) if np.isfinite(value) else "–"


def _points(x: Exploration, name: str, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and values of a metric up to an update, thinned out where there are very many."""
    found = x.source.series[name]
    kept = found.places <= last
    places, values = found.places[kept], found.values[kept]
    marked = np.flatnonzero(np.isin(places, [x.state.s, *(spot.place for spot in x.spots)]))
    index = thinned(places.astype(np.float64), values, marked.tolist())
    return places[index], values[index]


def _behind(x: Exploration, name: str) -> tuple[np.ndarray, np.ndarray] | None:
    if x.second is None or name not in x.second.source.series:
        return None
    places, values = _points(x.second, name, x.second.steps)
    inside = places <= x.steps
    return places[inside].astype(np.float64), values[inside]


def _ring(x: Exploration, labels: Sequence[MetricLabel], last: int) -> Any:
    metrics = []
    for i, label in enumerate(labels):
        places, values = _points(x, label.name, last)
        metrics.append(
            RingMetric(label.name, label.label, 1 + i % 4, places.astype(np.float64), values, _behind(x, label.name))
        )
    assert x.state.s is not None
    return ring(metrics, x.steps, x.state.s, x.source.rollouts)


def _curve(x: Exploration, label: MetricLabel, style: int, last: int) -> CurveFigure:
    at = x.source.positions
    assert x.state.s is not None
    lines = [_line(x, label, style, last)]
    if x.second is not None and label.name in x.second.source.series:
        lines.insert(0, _line(x.second, label, style, x.second.steps, is_previous=True))
    values = [y for line in lines for _, y in line.points if np.isfinite(y)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    ends = [int(one.source.rollouts[-1]) for one in (x, x.second) if one is not None]
    return CurveFigure(
        ident=f"explorer-{label.name}",
        title=label.label,
        summary=_sentence(x, label),
        lines=tuple(lines),
        goals=(),
        x_label="step",
        y_label=label.unit,
        x_ticks=_whole_ticks(max(ends)),
        y_ticks=round_ticks(0.0 if 0 <= low < 0.35 * high else low, high, 4),
        decimals=label.decimals,
        now=_value(x.source.series[label.name].at(x.state.s), label),
        beside="second run" if x.second is not None else "",
        was=""
        if x.second is None
        else _value(x.second.source.series[label.name].at(x.second.state.s or 1), label)
        if label.name in x.second.source.series
        else "",
        here=round(float(at[x.state.s - 1]), 4),
        rollouts=x.step_count,
    )


def _line(x: Exploration, label: MetricLabel, style: int, last: int, is_previous: bool = False) -> Line:
    places, values = _points(x, label.name, last)
    at = x.source.positions[places - 1]
    return Line(
        label.label, tuple((round(float(a), 4), float(b)) for a, b in zip(at, values, strict=True)), style, is_previous
    )


def _whole_ticks(last: int) -> Ticks:
    ticks = round_ticks(0, last, 4)
    values = [value for value in ticks.values if value == int(value) and value < last]
    pitch = values[1] - values[0] if len(values) > 1 else last
    if len(values) > 1 and last - values[-1] < 0.4 * pitch:
        values.pop()
    return Ticks((*values, float(last)), 0)


def _strip(x: Exploration, names: Sequence[str]) -> list[Cell]:
    assert x.state.s is not None
    width = min(2 * AROUND + 1, x.steps)
    first = min(max(x.state.s - AROUND, 1), x.steps - width + 1)
    scales = [_range(x.source.series[name]) for name in names]
    cells = []
    for place in range(first, first + width):
        # What an update leads to is not known before the stage in which it is made.
        is_made = place < x.state.s or x.state.beat in (0, len(BEATS) - 1)
        values = [x.source.series[name].at(place) if is_made else np.nan for name in names]
        heights = [_share(value, *scale) for value, scale in zip(values, scales, strict=True)]
        wide = 18 / len(names)
        said = [
            f"{label_of(x, name).in_sentence} {_value(value, label_of(x, name))}"
            for name, value in zip(names, values, strict=True)
        ]
        cells.append(
            Cell(
                place=place,
                text=x.source.short(place),
                href=x.link(s=place),
                is_shown=place == x.state.s,
                is_far=abs(place - x.state.s) > 2,
                said=", ".join([x.source.words(place), *said]),
                bars=tuple(
                    Bar(
                        round(1 + i * wide, 2),
                        round(33 - 30 * height, 1),
                        round(wide - 1, 2),
                        round(30 * height, 1),
                        1 + i % 4,
                    )
                    for i, height in enumerate(heights)
                    if is_made
                ),
            )
        )
    return cells


def _range(series: Series) -> tuple[float, float]:
    known = series.values[np.isfinite(series.values)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    return (0.0 if 0 <= low < 0.35 * high else low), high


def _share(value: float, low: float, high: float) -> float:
    return float(np.clip((value - low) / (high - low), 0.03, 1)) if np.isfinite(value) and high > low else 0.03


def _rollout_link(x: Exploration, by: int) -> str:
    """The first update with the responses before or after these."""
    goal = x.rollout + by
    found = np.searchsorted(x.source.rollouts, goal)
    if not 1 <= goal <= x.step_count or x.steps == x.step_count:
        return ""
    return x.link(s=int(found) + 1)


def _table(x: Exploration, names: Sequence[str], labels: Sequence[MetricLabel]) -> list[Row]:
    places = sorted({1 + index for index in thin(x.steps, MOST_ROWS)} | {x.state.s or 1})
    rows = []
    for place in places:
        found = [x.source.series[name] for name in names]
        texts = tuple(
            _value(one.values[np.searchsorted(one.places, place)], label) if place in one.places else ""
            for one, label in zip(found, labels, strict=True)
        )
        rows.append(Row(x.source.words(place), x.link(s=place), place == x.state.s, texts))
    return rows


def _sampled(x: Exploration) -> str:
    """How many responses the run has sampled up to here."""
    found = x.source.series.get("sampled")
    if found is None or not found.values.size:
        return ""
    return f"{found.at(x.state.s or 1):,.0f} of {found.values[-1]:,.0f} responses so far"


def _swapped(x: Exploration) -> str:
    """The address that shows the second run first, and this one beside it."""
    if x.run is None or x.second is None or x.second.run is None:
        return ""
    mine, other = (urlencode([("world", x.world), *one.pairs()]) for one in (x.run, x.second.run))
    return f"{reverse('run')}?{other}&{urlencode([('s', str(x.second.state.s)), ('run2', mine)])}"


def _second_links(x: Exploration) -> list[tuple[str, str]]:
    """Runs that are worth laying over this one: another seed, and the same with each other algorithm."""
    return [] if x.run is None else [(label, x.link(run2=query)) for label, query in _others(x.run)]


@lru_cache(maxsize=64)
def _others(run: Run) -> tuple[tuple[str, str], ...]:
    setup, seed, world = run.setup, run.seed, world_of(run.setup)
    found = [("the next seed", Run(setup, seed + 1))] if seed < MAX_SEED else []
    chooser = world.fills or "method"
    for name, label in world.choices[chooser].items():
        if name in ("custom", getattr(setup, chooser)):
            continue
        try:
            other = world.filled(setup, name) if world.fills else parse_setup(setup.to_dict() | {chooser: name})
        except SetupError:
            continue
        found.append((label.label, Run(other, seed)))
    return tuple((label, urlencode(pairs_of(other))) for label, other in found)


def _summary(x: Exploration, labels: Sequence[MetricLabel]) -> str:
    return " ".join(_sentence(x, label) for label in labels)


def _sentence(x: Exploration, label: MetricLabel) -> str:
    """How a metric went, in words: where it began and ended, its highest and lowest, its largest jump."""
    found = x.source.series[label.name]
    is_known = np.isfinite(found.values)
    places, values = found.places[is_known], found.values[is_known]
    if not values.size:
        return f"{label.label} is not known at any update."

    def text(value: float) -> str:
        return fixed(value, label.decimals) + (f" {label.unit}" if label.unit else "")

    def at(index: int) -> str:
        return x.source.words(int(places[index]))[:1].lower() + x.source.words(int(places[index]))[1:]

    if values.size == 1:
        return f"{label.label} is {text(values[0])} at {at(0)}."
    words = f"{label.label} goes from {text(values[0])} to {text(values[-1])}"
    for index, word in ((int(values.argmax()), "highest"), (int(values.argmin()), "lowest")):
        if 0 < index < values.size - 1:
            words += f", {word} {text(values[index])} at {at(index)}"
    jumps = np.abs(np.diff(values))
    if jumps.max() > 0:
        words += f"; its largest jump leads to {at(int(jumps.argmax()) + 1)}"
    return words + "."
