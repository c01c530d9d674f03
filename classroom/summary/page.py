"""All that the summary of a course shows."""

from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

from django.http import QueryDict
from django.utils import timezone

from classroom.grid.asked import Asked as GridAsked
from classroom.models import Assignment, Course
from classroom.results import ACTIVE_LATELY, Row, results_for, roll_of
from classroom.summary.activity import Activity, activity_of, tries_by_day
from classroom.summary.asked import Asked, chapters_of, sections_of
from classroom.summary.curves import curves_of, table_of
from classroom.summary.histograms import Histogram, histograms_of
from classroom.summary.missions import MissionCounts, counts_of
from missions.chapters import Chapter, chapter_of
from missions.definition import Budgets
from missions.queries import definition_of
from simulator.charts.curves import CurveFigure
from simulator.charts.table import Table

MOST_NAMES = 24
"""So many of those who haven't started are named here; the grid has all of them."""


@dataclass(frozen=True)
class Numbers:
    """The students shown in key numbers, at the missions shown."""

    students: int
    active: int
    stuck: int
    not_started: int
    median_stars: float
    most_stars: int
    median_passed: float


@dataclass(frozen=True)
class SummaryPage:
    """Everything on the page below its title. `all_missions` and `all_students` count what no filter leaves out."""

    asked: Asked
    chapters: tuple[Chapter, ...]
    sections: tuple[str, ...]
    all_missions: int
    all_students: int
    numbers: Numbers
    activity: Activity | None
    curves: tuple[CurveFigure, ...]
    table: Table | None
    missions: tuple[MissionCounts, ...]
    histograms: tuple[Histogram, ...]
    new: tuple[Row, ...]
    at: datetime

    @property
    def named(self) -> tuple[Row, ...]:
        return self.new[:MOST_NAMES]

    def grid(self, **changes: str) -> str:
        """The query of the grid that shows the same students."""
        return GridAsked(section=self.asked.section).query(**changes)

    @property
    def grid_stuck(self) -> str:
        return self.grid(show="stuck")

    @property
    def grid_new(self) -> str:
        return self.grid(show="new")


def summary_page(course: Course, params: QueryDict, at: datetime | None = None) -> SummaryPage:
    """Gather the page, in as many queries for a class of ten as for one of five hundred."""
    at = at or timezone.now()
    everything = roll_of(course, definitions=True)
    chapters, sections = chapters_of(everything.assignments), sections_of(everything.members)
    asked = Asked.read(params, chapters, sections)
    shown = [one for one in everything.assignments if asked.chapter in ("", str(chapter_of(one.mission).number))]
    roll = replace(everything, assignments=tuple(shown))
    results = results_for(roll, at)
    rows = [row for row in results.rows if asked.section in ("", row.member.section)]
    activity = activity_of(tries_by_day(roll, at), rows, course.zone, at, asked.by) if rows else None
    missions = counts_of(roll.assignments, rows)
    return SummaryPage(
        asked=asked,
        chapters=chapters,
        sections=sections,
        all_missions=len(everything.assignments),
        all_students=len(everything.members),
        numbers=_numbers(rows, results.most_stars, at),
        activity=activity,
        curves=curves_of(activity) if activity else (),
        table=table_of(activity) if activity else None,
        missions=missions,
        histograms=histograms_of(missions, asked.of, [_budgets(one) for one in roll.assignments]),
        new=tuple(row for row in rows if not row.tries),
        at=at,
    )


def _budgets(assignment: Assignment) -> Budgets | None:
    definition = definition_of(assignment.mission)
    return None if definition.is_look else definition.budgets


def _numbers(rows: list[Row], most_stars: int, at: datetime) -> Numbers:
    return Numbers(
        students=len(rows),
        active=sum(row.last_tried_at is not None and at - row.last_tried_at <= ACTIVE_LATELY for row in rows),
        stuck=sum(bool(row.stuck) for row in rows),
        not_started=sum(not row.tries for row in rows),
        median_stars=median([row.stars for row in rows] or [0]),
        most_stars=most_stars,
        median_passed=median([row.passed for row in rows] or [0]),
    )
