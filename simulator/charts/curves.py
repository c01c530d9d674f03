"""Line charts as data: what templates/charts/curves.html shows and static/js/curves.js draws with Chart.js.

`training_curve(simulation, ("win_rate",))` for metrics over training, `plain_curve(...)` for any other lines,
`training_table(simulation, names)` for the numbers of several charts in one table.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.charts.scale import Ticks, round_ticks, thin
from simulator.charts.table import Table, fixed
from simulator.engine import Simulation
from simulator.labels import METRICS

MOST_ROWS = 21
MARKERS = 6
# Color, dash and marker travel together; each metric keeps its own on every page.
STYLES = {"win_rate": 1, "quality": 1, "reward_model_score": 2, "kl": 3, "entropy": 1, "response_length": 4}


@dataclass(frozen=True)
class Line:
    """One line: its points `(x, y)`, its style 1 to 4, or a thin dashed one for an earlier run."""

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
    """A line chart. `now` and `was` are the final values as text; `summary` says the chart in words."""

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

    @property
    def data(self) -> dict[str, Any]:
        """What static/js/curves.js draws."""
        current = [line for line in self.lines if not line.is_previous]
        return {
            "lines": [
                {
                    "label": line.label,
                    "points": [[x, round(y, 5)] for x, y in line.points],
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
        }


def _axis(ticks: Ticks) -> dict[str, Any]:
    return {"ticks": list(ticks.values), "texts": ticks.texts()}


def training_curve(
    simulation: Simulation,
    names: Sequence[str],
    *,
    previous: Simulation | None = None,
    goals: Sequence[Goal] = (),
    ident: str = "",
    title: str = "",
    with_table: bool = False,
    run: int = 0,
) -> CurveFigure:
    """Metrics over training for the `run`-th seed, with an earlier run dashed behind.

    Needs simulations that ran with `history=True`. Metrics in one chart should share a unit.
    """
    lines = [_line(simulation, name, style, run) for name, style in zip(names, _styles(names), strict=True)]
    if previous is not None:
        lines = [
            _line(previous, name, style, run, is_previous=True)
            for name, style in zip(names, _styles(names), strict=True)
        ] + lines
    metric = METRICS[names[0]]
    only = len(names) == 1
    return CurveFigure(
        ident=ident or "curve-" + "-".join(names),
        title=title or " and ".join([metric.label, *(METRICS[name].in_sentence for name in names[1:])]),
        summary=" ".join(_sentence(simulation, name, previous, run) for name in names),
        lines=tuple(lines),
        goals=tuple(goals),
        x_label="step",
        y_label=metric.unit if only else "",
        x_ticks=_step_ticks(simulation, previous),
        y_ticks=_value_ticks(lines, goals),
        decimals=metric.decimals,
        now=fixed(float(simulation.final[names[0]][run]), metric.decimals) if only else "",
        was=fixed(float(previous.final[names[0]][run]), metric.decimals) if only and previous is not None else "",
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
    simulation: Simulation, names: Sequence[str], *, caption: str = "Training as a table", run: int = 0
) -> Table:
    """Metrics at no more than `MOST_ROWS` recorded steps, the first and the last among them."""
    history = _history(simulation)
    kept = thin(simulation.steps.size, MOST_ROWS)
    rows = tuple(
        (f"{simulation.steps[i]:,}", *(fixed(history[name][run, i], METRICS[name].decimals) for name in names))
        for i in kept
    )
    count = simulation.steps.size
    note = f"{len(kept)} of {count} recorded steps, evenly spread." if len(kept) < count else ""
    return Table(caption, ("Step", *(METRICS[name].label for name in names)), rows, note)


def _history(simulation: Simulation) -> Mapping[str, Any]:
    if simulation.history is None:
        raise ValueError("curves need a simulation that ran with history=True")
    return simulation.history


def _styles(names: Sequence[str]) -> list[int]:
    """A style per metric: its own, or the next free one where two would look alike."""
    taken: list[int] = []
    for name in names:
        own = STYLES[name]
        free = [style for style in (own, 1, 2, 3, 4) if style not in taken]
        taken.append(free[0] if free else own)
    return taken


def _line(simulation: Simulation, name: str, style: int, run: int, is_previous: bool = False) -> Line:
    values = _history(simulation)[name][run]
    points = tuple((int(step), float(value)) for step, value in zip(simulation.steps, values, strict=True))
    return Line(METRICS[name].label, points, style, is_previous)


def _step_ticks(simulation: Simulation, previous: Simulation | None) -> Ticks:
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


def _sentence(simulation: Simulation, name: str, previous: Simulation | None, run: int) -> str:
    metric = METRICS[name]
    values = _history(simulation)[name][run]

    def text(value: float) -> str:
        return fixed(value, metric.decimals) + (f" {metric.unit}" if metric.unit else "")

    words = f"{metric.label} goes from {text(values[0])} to {text(values[-1])} in {simulation.steps[-1]:,} steps"
    for index, word in ((int(np.argmax(values)), "highest"), (int(np.argmin(values)), "lowest")):
        is_inside = 0 < index < values.size - 1
        if is_inside and min(abs(values[index] - values[0]), abs(values[index] - values[-1])) > 10 * metric.steady:
            words += f", {word} {text(values[index])} at step {simulation.steps[index]:,}"
    if previous is not None:
        words += f"; with the previous setup it ended at {text(previous.final[name][run])}"
    return words + "."
