"""One student's tries in the order they were made: what changed, what came of it, and which of them count.

Only tries at missions that the course assigns: what else somebody plays is not the course's business.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import F, QuerySet, Window
from django.db.models.functions import Lag

from classroom.models import Membership
from classroom.results import Cell, Row
from missions.definition import MissionDefinition
from missions.goals import goal_results, world_for
from missions.models import Attempt, Mission
from missions.outcome import Try, headline, try_after
from missions.predictions import Judged, prediction_of
from missions.queries import definition_of
from simulator.charts.intervals import IntervalMark, interval_mark, reach_of
from simulator.interval import Interval

PER_PAGE = 25


@dataclass(frozen=True)
class Entry:
    """A try on the timeline. `mark` shows how far the first goal was reached; None where there is none."""

    row: Try
    headline: str
    prediction: Judged | None
    mark: IntervalMark | None
    counts: bool

    @property
    def attempt(self) -> Attempt:
        return self.row.attempt


@dataclass(frozen=True)
class Stretch:
    """Tries at one mission with none at another between them, newest first."""

    mission: Mission
    cell: Cell
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Timeline:
    """A page of tries, newest first."""

    page: Page  # type: ignore[type-arg]
    stretches: tuple[Stretch, ...]


def timeline_of(member: Membership, cells: Sequence[Cell], page: str = "") -> Timeline:
    """The tries of a student at the missions of `cells`, a page at a time; in one query."""
    pages = Paginator(_attempts(member, cells), PER_PAGE)
    # Known from progress: the table of attempts need not be counted.
    pages.count = sum(cell.tries for cell in cells)
    shown = pages.get_page(page)
    by_mission = {cell.assignment.mission_id: cell for cell in cells}
    groups = groupby(shown.object_list, key=lambda attempt: attempt.mission_id)
    return Timeline(shown, tuple(_stretch(by_mission[key], tuple(group)) for key, group in groups))


def neighbors(row: Row) -> tuple[Membership | None, Membership | None]:
    """The students before and after a present one in the class list, by name; in one query."""
    members = list(row.member.course.memberships.current().students().by_name())
    place = next((place for place, one in enumerate(members) if one.pk == row.member.pk), None)
    if place is None:
        return None, None
    return members[place - 1] if place else None, members[place + 1] if place + 1 < len(members) else None


def _attempts(member: Membership, cells: Iterable[Cell]) -> QuerySet[Attempt]:
    """Newest first, each with the setup of the one before it at the same mission as `before`."""
    before = Window(Lag("setup"), partition_by=F("mission"), order_by=F("number").asc())
    attempts = Attempt.objects.filter(user=member.user_id, mission__in=[cell.assignment.mission_id for cell in cells])
    return attempts.annotate(before=before).select_related("mission").defer("mission__evidence", "user")


def _stretch(cell: Cell, attempts: Sequence[Attempt]) -> Stretch:
    mission = attempts[0].mission
    definition = definition_of(mission)
    reached = [_from_goal(attempt) for attempt in attempts]
    reach = reach_of([interval for interval in reached if interval] or [Interval(0.0, 1.0)])
    counted = cell.score.counted
    entries = (
        _entry(attempt, definition, interval, reach, counted is not None and counted.number == attempt.number)
        for attempt, interval in zip(attempts, reached, strict=True)
    )
    return Stretch(mission, cell, tuple(entries))


def _entry(attempt: Any, definition: MissionDefinition, interval: Interval | None, reach: float, counts: bool) -> Entry:
    row = try_after(attempt, attempt.before, definition.start.to_dict())
    return Entry(
        row,
        headline(attempt),
        prediction_of(definition, attempt),
        interval_mark(interval, _in_words(attempt, row), reach) if interval else None,
        counts,
    )


def _from_goal(attempt: Attempt) -> Interval | None:
    """How far the first goal was passed (positive) or missed, on average; None where runs or answers are."""
    first = next(iter(goal_results(attempt)), None)
    if first is None or first.seeds_met is not None:
        return None
    return Interval(first.goal.margin(first.interval.mean), first.interval.half_width)


def _in_words(attempt: Attempt, row: Try) -> str:
    first = goal_results(attempt)[0]
    metric = world_for(attempt).metrics[first.goal.metric]
    return f"{metric.label} {row.value}, {'goal met' if first.met else 'goal missed'}"
