"""Line charts as data: what templates/charts/curves.html shows and static/js/curves.js draws with Chart.js.

`training_curve(simulation, ("win_rate",))` for metrics over training, `plain_curve(...)` for any other lines,
`training_table(simulation, names)` for the numbers of several charts in one table.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator.charts.scale import Ticks, round_ticks, thin
from simulator.charts.table import Table, fixed
from simulator.labels import MetricLabel
from simulator.runs import AnySimulation, Trace, trace
from simulator.worlds import world_of

MOST_ROWS = 21
MARKERS = 6


@dataclass(frozen=True)
class Line:
    """One line: its points `(x, y)`, its style 1 to 4, or a thin dashed one for an earlier run.

    A `y` that is no finite number leaves a gap.
    """

    label: str
    points: tuple[tuple[float, float], ...]
    style: int
    is_previous: bool = False


@dataclass(frozen=True)
class Goal:
    """A level to reach; it becomes part of the drawing."""

    value: float
    label: str


@dataclass(frozen=True)
class CurveFigure:
    """A line chart. `now` and `was` are the final values as text; `summary` says the chart in words.

    `beside` says whose value `was` is. `here` is a place on the x axis that is marked, and with `rollouts` their
    alternation is drawn along the axis.
    """

    ident: str
    title: str
    summary: str
    lines: tuple[Line, ...]
    goals: tuple[Goal, ...]
    x_label: str
    y_label: str
    x_ticks: Ticks
    y_ticks: Ticks
    decimals: int
    is_log: bool = False
    now: str = ""
    was: str = ""
    table: Table | None = None
    here: float | None = None
    rollouts: int = 0
    beside: str = "was"

    @property
    def data(self) -> dict[str, Any]:
        """What static/js/curves.js draws."""
        current = [line for line in self.lines if not line.is_previous]
        return {
            "lines": [
                {
                    "label": line.label,
                    "points": [[x, round(y, 5) if math.isfinite(y) else None] for x, y in line.points],
                    "style": line.style,
                    "previous": line.is_previous,
                    "markers": thin(len(line.points), MARKERS),
                    # One line is named by the title; several are named where they end.
                    "end": line.label if len(current) > 1 and not line.is_previous else "",
                }
                for line in self.lines
            ],
            "goals": [{"value": goal.value, "label": goal.label} for goal in self.goals],
            "x": {"label": self.x_label, "log": self.is_log, **_axis(self.x_ticks)},
            "y": {"label": self.y_label, **_axis(self.y_ticks)},
            "decimals": self.decimals,
            "here": self.here,
            "rollouts": self.rollouts,
        }


def _axis(ticks: Ticks) -> dict[str, Any]:
    return {"ticks": list(ticks.values), "texts": ticks.texts()}


def training_curve(
    simulation: AnySimulation,
    names: Sequence[str],
    *,
    previous: AnySimulation | None = None,
    goals: Sequence[Goal] = (),
    ident: str = "",
    title: str = "",
    with_table: bool = False,
    run: int = 0,
    short: Sequence[str] = (),
) -> CurveFigure:
    """Metrics over training for the `run`-th seed, with an earlier run dashed behind.

    Needs simulations that ran with `history=True`. Metrics in one chart should share a unit. `short` are names for the
    ends of their lines, where the title says the rest.
    """
    labels = [world_of(simulation.setup).label(name) for name in names]
    styles = _styles(labels)
    lines = [_line(simulation, label, style, run) for label, style in zip(labels, styles, strict=True)]
    if previous is not None:
        behind = [_line(previous, label, style, run, True) for label, style in zip(labels, styles, strict=True)]
        lines = behind + lines
    if short:
        lines = [replace(line, label=short[i % len(short)]) for i, line in enumerate(lines)]
    metric = labels[0]
    only = len(names) == 1
    return CurveFigure(
        ident=ident or "curve-" + "-".join(names),
        title=title or " and ".join([metric.label, *(label.in_sentence for label in labels[1:])]),
        summary=" ".join(_sentence(simulation, label, previous, run) for label in labels),
        lines=tuple(lines),
        goals=tuple(goals),
        x_label="step",
        y_label=metric.unit if only else "",
        x_ticks=_step_ticks(simulation, previous),
        y_ticks=_value_ticks(lines, goals),
        decimals=metric.decimals,
        now=_text(_end(simulation, metric, run), metric.decimals) if only else "",
        was=_text(_end(previous, metric, run), metric.decimals) if only and previous is not None else "",
        table=training_table(simulation, names, run=run) if with_table else None,
    )


def plain_curve(
    *,
    ident: str,
    title: str,
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    x_label: str,
    y_label: str = "",
    decimals: int = 3,
    is_log: bool = False,
    goals: Sequence[Goal] = (),
) -> CurveFigure:
    """Lines over any setting, for example the win rate by number of steps; `is_log` spaces doublings evenly."""
    drawn = [
        Line(label, tuple((float(a), float(b)) for a, b in zip(x, values, strict=True)), 1 + i % 4)
        for i, (label, values) in enumerate(lines.items())
    ]
    x_ticks = Ticks(tuple(map(float, x)), _decimals_of(x)) if is_log else round_ticks(min(x), max(x))
    parts = []
    for line in drawn:
        top = max(line.points, key=lambda point: point[1])
        parts.append(
            f"{line.label}: {fixed(line.points[0][1], decimals)} at {line.points[0][0]:g}, "
            f"highest {fixed(top[1], decimals)} at {top[0]:g}, {fixed(line.points[-1][1], decimals)} "
            f"at {line.points[-1][0]:g}."
        )
    rows = tuple((f"{value:g}", *(fixed(line.points[i][1], decimals) for line in drawn)) for i, value in enumerate(x))
    return CurveFigure(
        ident=ident,
        title=title,
        summary=" ".join(parts),
        lines=tuple(drawn),
        goals=tuple(goals),
        x_label=x_label + (", log scale" if is_log else ""),
        y_label=y_label,
        x_ticks=x_ticks,
        y_ticks=_value_ticks(drawn, goals),
        decimals=decimals,
        is_log=is_log,
        table=Table(title, (x_label, *lines), rows),
    )


def training_table(
    simulation: AnySimulation, names: Sequence[str], *, caption: str = "Training as a table", run: int = 0
) -> Table:
    """Metrics at no more than `MOST_ROWS` recorded steps, the first and the last among them."""
    labels = [world_of(simulation.setup).label(name) for name in names]
    traces = [trace(simulation, name) for name in names]
    # Metrics that are known at other steps than the first one's leave a gap.
    steps = traces[0].steps
    kept = thin(steps.size, MOST_ROWS)
    rows = tuple(
        (f"{steps[i]:,}", *(_at(t, int(steps[i]), run, m.decimals) for t, m in zip(traces, labels, strict=True)))
        for i in kept
    )
    note = f"{len(kept)} of {steps.size} recorded steps, evenly spread." if len(kept) < steps.size else ""
    return Table(caption, ("Step", *(label.label for label in labels)), rows, note)


def _at(found: Trace, step: int, run: int, decimals: int) -> str:
    place = int(np.searchsorted(found.steps, step))
    is_there = place < found.steps.size and found.steps[place] == step
    return _text(found.values[run, place], decimals) if is_there else ""


def _text(value: float, decimals: int) -> str:
    """A value in words; "none" where a step has nothing to measure, such as the length of wrong responses."""
    return fixed(value, decimals) if math.isfinite(value) else "none"


def _end(simulation: AnySimulation, metric: MetricLabel, run: int) -> float:
    """Where the curve of a metric ends. A tile may say the mean over the last steps, as it is graded."""
    return float(trace(simulation, metric.name).values[run, -1])


def _styles(labels: Sequence[MetricLabel]) -> list[int]:
    """A style per metric: its own, or the next free one where two would look alike."""
    taken: list[int] = []
    for label in labels:
        free = [style for style in (label.style, 1, 2, 3, 4) if style not in taken]
        taken.append(free[0] if free else label.style)
    return taken


def _line(simulation: AnySimulation, metric: MetricLabel, style: int, run: int, is_previous: bool = False) -> Line:
    found = trace(simulation, metric.name)
    points = tuple((int(step), float(value)) for step, value in zip(found.steps, found.values[run], strict=True))
    return Line(metric.label, points, style, is_previous)


def _step_ticks(simulation: AnySimulation, previous: AnySimulation | None) -> Ticks:
    last = max(int(run.steps[-1]) for run in (simulation, previous) if run is not None)
    ticks = round_ticks(0, last, 4)
    # Steps are whole: a run of two steps has no tick at 0.5. The axis ends where the longest run ends.
    values = tuple(value for value in ticks.values if value == int(value) and value <= last)
    return Ticks(values if values[-1] == last else _with_end(values, last), 0)


def _with_end(values: tuple[float, ...], last: int) -> tuple[float, ...]:
    pitch = values[1] - values[0] if len(values) > 1 else last
    kept = values if last - values[-1] > 0.4 * pitch or len(values) == 1 else values[:-1]
    return (*kept, float(last))


def _value_ticks(lines: Sequence[Line], goals: Sequence[Goal]) -> Ticks:
    values = [y for line in lines for _, y in line.points if math.isfinite(y)] + [goal.value for goal in goals]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if 0 <= low < 0.35 * high:
        low = 0.0  # near enough to show the zero
    return round_ticks(low, high)


def _decimals_of(values: Sequence[float]) -> int:
    return max((len(f"{value:g}".partition(".")[2]) for value in values), default=0)


def _sentence(simulation: AnySimulation, metric: MetricLabel, previous: AnySimulation | None, run: int) -> str:
    found = trace(simulation, metric.name)
    is_known = np.isfinite(found.values[run])
    values, steps = found.values[run][is_known], found.steps[is_known]
    if not values.size:
        return f"{metric.label} is not known in any step."

    def text(value: float) -> str:
        return _text(value, metric.decimals) + (f" {metric.unit}" if metric.unit and math.isfinite(value) else "")

    words = f"{metric.label} goes from {text(values[0])} to {text(values[-1])} in {found.steps[-1]:,} steps"
    for index, word in ((int(np.argmax(values)), "highest"), (int(np.argmin(values)), "lowest")):
        is_inside = 0 < index < values.size - 1
        if is_inside and min(abs(values[index] - values[0]), abs(values[index] - values[-1])) > 10 * metric.steady:
            words += f", {word} {text(values[index])} at step {steps[index]:,}"
    if previous is not None:
        words += f"; with the previous setup it ended at {text(_end(previous, metric, run))}"
    return words + "."
