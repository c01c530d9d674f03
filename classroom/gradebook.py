"""The grade book: the class's results in order, with totals and statistics. Nothing of it is stored.

Pure: it works on what classroom.results has read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import mean, median

from django.utils import timezone
from django.utils.formats import date_format

from classroom.models import Assignment
from classroom.results import Cell, ClassResults, Row
from classroom.scoring import CENT, points_by_stars, points_in_words

TENTH = Decimal("0.1")
COUNTS = (
    "Of all tries that reach the goal, the one worth most counts; of equals the one on time, then the first. A later, "
    "worse try never takes anything away."
)


def percent(points: Decimal, most: Decimal) -> Decimal | None:
    """Points in percent of the most there are, to a tenth; None if there are none to have."""
    return (100 * points / most).quantize(TENTH, ROUND_HALF_UP) if most else None


@dataclass(frozen=True)
class Order:
    """By what a grade book is sorted: "name", "number", "section", "total", or an assignment's id."""

    by: str = "name"
    is_descending: bool = False

    @classmethod
    def asked(cls, by: str, way: str, assignments: Sequence[Assignment]) -> "Order":
        """What somebody asked for, if there is such a column."""
        known = {"number", "section", "total", *(str(one.pk) for one in assignments)}
        return cls(by if by in known else "name", way == "down")

    @property
    def aria(self) -> str:
        return "descending" if self.is_descending else "ascending"


def in_order(rows: Sequence[Row], order: Order) -> list[Row]:
    """Rows as asked for; they come by name, and equal ones stay so."""
    if order.by == "name":
        return list(rows)[::-1] if order.is_descending else list(rows)
    if order.by in ("number", "section"):
        field = "student_number" if order.by == "number" else "section"
        return sorted(rows, key=lambda row: str(getattr(row.member, field)).casefold(), reverse=order.is_descending)
    if order.by == "total":
        return sorted(rows, key=lambda row: row.points, reverse=order.is_descending)
    places = [place for place, c in enumerate(rows[0].cells) if str(c.assignment.pk) == order.by] if rows else []
    return sorted(rows, key=lambda row: row.cells[places[0]].score.points, reverse=order.is_descending)


@dataclass(frozen=True)
class Statistics:
    """A column in numbers, over all current students; whoever has nothing counts with 0 points."""

    counted: int
    late: int
    mean: Decimal | None
    median: Decimal | None


def statistics_of(rows: Sequence[Row], assignments: Sequence[Assignment]) -> list[Statistics]:
    """One for each assignment, and the last for the totals."""
    columns = [[row.cells[place] for row in rows] for place in range(len(assignments))]
    each = [
        _statistics(
            [cell.score.points for cell in column],
            sum(cell.score.counted is not None for cell in column),
            sum(cell.score.is_late for cell in column),
        )
        for column in columns
    ]
    totals = [row.points for row in rows]
    with_any = sum(any(cell.score.counted for cell in row.cells) for row in rows)
    return [*each, _statistics(totals, with_any, sum(any(c.score.is_late for c in row.cells) for row in rows))]


def _statistics(points: Sequence[Decimal], counted: int, late: int) -> Statistics:
    if not points:
        return Statistics(counted, late, None, None)
    return Statistics(counted, late, mean(points).quantize(CENT, ROUND_HALF_UP), median(points).quantize(CENT))


def formula(results: ClassResults) -> list[tuple[str, tuple[Assignment, ...]]]:
    """How points follow from stars: each rule in words with the assignments it holds for, in the course's order."""
    found: dict[str, list[Assignment]] = {}
    for one in results.assignments:
        found.setdefault(points_in_words(points_by_stars(one)), []).append(one)
    return [(words, tuple(ones)) for words, ones in found.items()]


def late_in_words(days: int) -> str:
    return "on time" if not days else f"{days} {'day' if days == 1 else 'days'} late"


def counted_in_words(cell: Cell) -> str:
    """Which try counts, and when it was: "Try 4 of Nov 3, 14:05, on time". In the active time zone."""
    counted = cell.score.counted
    if counted is None:
        return ""
    at = date_format(timezone.localtime(counted.at), "M j, H:i")
    when = late_in_words(cell.score.days_late) if cell.due_at is not None else ""
    return f"Try {counted.number} of {at}" + (f", {when}" if when else "")


def why_nothing(cell: Cell) -> str:
    """Why no try of a cell counts."""
    if cell.is_passed:
        return "too late"
    return "not passed" if cell.tries else "no try"
