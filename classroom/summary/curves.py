"""Activity as line charts and as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.formats import date_format

from classroom.summary.activity import Activity
from simulator.charts.curves import CurveFigure, Line
from simulator.charts.scale import Ticks, round_ticks
from simulator.charts.table import Table

LARGEST_SINGLE = 5
"""Up to here an axis of counts has a tick at every number."""


@dataclass(frozen=True)
class NamedTicks(Ticks):
    """One tick for each of some places that are no numbers; a narrow chart leaves some of the names out."""

    names: tuple[str, ...] = ()

    def texts(self) -> list[str]:
        return list(self.names)


def curves_of(activity: Activity) -> tuple[CurveFigure, ...]:
    """Tries, active students, and missions passed over time."""
    periods = activity.periods
    quartiles = {
        "upper quarter": [period.passed[2] for period in periods],
        "median": [period.passed[1] for period in periods],
        "lower quarter": [period.passed[0] for period in periods],
    }
    return (
        _curve(activity, "activity-tries", "Tries", {"tries": [period.tries for period in periods]}),
        _curve(activity, "activity-students", "Active students", {"students": [p.students for p in periods]}),
        _curve(activity, "activity-passed", "Missions passed per student", quartiles, (2, 1, 4)),
    )


def table_of(activity: Activity) -> Table:
    """The numbers of all charts, latest first."""
    rows = tuple(
        (
            f"{day_text(period.starts)}{', not over yet' if place == 0 else ''}",
            f"{period.tries:,}",
            f"{period.students:,}",
            *(f"{value:g}" for value in period.passed),
        )
        for place, period in enumerate(reversed(activity.periods))
    )
    head = ("Week from" if activity.by == "week" else "Day", "Tries", "Active students")
    passed = ("Missions passed: lower quarter", "Median", "Upper quarter")
    return Table(f"Activity by {activity.by}", (*head, *passed), rows)


def day_text(day: date) -> str:
    return date_format(day, "M j, Y")


def _curve(
    activity: Activity,
    ident: str,
    title: str,
    lines: Mapping[str, Sequence[float]],
    styles: Sequence[int] = (1,),
) -> CurveFigure:
    starts = [period.starts for period in activity.periods]
    names = tuple(date_format(start, "M j") for start in starts)
    drawn = tuple(
        Line(label, tuple(enumerate(map(float, values))), style)
        for (label, values), style in zip(lines.items(), styles, strict=True)
    )
    return CurveFigure(
        ident=ident,
        title=title,
        summary=" ".join(_sentence(activity, label, values) for label, values in lines.items()),
        lines=drawn,
        goals=(),
        x_label="week from" if activity.by == "week" else "day",
        y_label="",
        x_ticks=NamedTicks(tuple(map(float, range(len(starts)))), 0, names),
        y_ticks=_count_ticks(max(value for values in lines.values() for value in values)),
        decimals=0 if len(lines) == 1 else 2,
    )


def _count_ticks(most: float) -> Ticks:
    if most <= LARGEST_SINGLE:
        return Ticks(tuple(map(float, range(max(1, -int(-most // 1)) + 1))), 0)
    return round_ticks(0, most)


def _sentence(activity: Activity, label: str, values: Sequence[float]) -> str:
    """What a reader of the chart sees at a glance: the most, and the last."""
    top = max(range(len(values)), key=lambda place: values[place])
    periods, unit = activity.periods, "week from" if activity.by == "week" else "day"
    return (
        f"{label.capitalize()}: most in the {unit} {day_text(periods[top].starts)}, {values[top]:,.10g}; "
        f"in the {unit} {day_text(periods[-1].starts)}, which is not over yet, {values[-1]:,.10g}."
    )
