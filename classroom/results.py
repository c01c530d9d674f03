"""Where a class stands: the one read behind the grid, the drill-down, the summary, the grades and a student's own page.

Five queries, however many students: members, assignments, extensions, progress, passes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property

from django.db.models import Min
from django.utils import timezone

from classroom.models import Assignment, Course, Extension, Membership
from classroom.scoring import NOTHING, Pass, Rules, Score, best_score
from missions.models import Attempt, Progress

ACTIVE_LATELY = timedelta(days=7)
"""Whoever hasn't tried for longer has stopped, not got stuck."""


@dataclass(frozen=True)
class Cell:
    """One student and one assigned mission."""

    assignment: Assignment
    due_at: datetime | None
    is_extended: bool
    score: Score
    progress: Progress | None = None
    is_stuck: bool = False

    @property
    def stars(self) -> int:
        return self.progress.best_stars if self.progress else 0

    @property
    def tries(self) -> int:
        return self.progress.tries if self.progress else 0

    @property
    def is_passed(self) -> bool:
        return self.progress is not None and self.progress.passed_at is not None

    @property
    def last_tried_at(self) -> datetime | None:
        return self.progress.last_tried_at if self.progress else None

    @property
    def tries_without_gain(self) -> int:
        return self.progress.tries_without_gain if self.progress else 0

    @property
    def fewest_responses(self) -> int | None:
        return self.progress.fewest_responses if self.progress else None


@dataclass(frozen=True)
class Row:
    """One student with a cell for each assignment, in the course's order."""

    member: Membership
    cells: tuple[Cell, ...]

    @cached_property
    def stars(self) -> int:
        return sum(cell.stars for cell in self.cells)

    @cached_property
    def tries(self) -> int:
        return sum(cell.tries for cell in self.cells)

    @cached_property
    def passed(self) -> int:
        return sum(cell.is_passed for cell in self.cells)

    @cached_property
    def points(self) -> Decimal:
        return sum((cell.score.points for cell in self.cells), NOTHING)

    @cached_property
    def last_tried_at(self) -> datetime | None:
        return max((at for cell in self.cells if (at := cell.last_tried_at)), default=None)

    @cached_property
    def stuck(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.is_stuck)


@dataclass(frozen=True)
class ClassResults:
    """Everybody asked for, by name."""

    course: Course
    assignments: tuple[Assignment, ...]
    rows: tuple[Row, ...]
    at: datetime

    @property
    def most_stars(self) -> int:
        return 3 * len(self.assignments)

    @cached_property
    def most_points(self) -> Decimal:
        return sum((assignment.most_points for assignment in self.assignments), NOTHING)


def class_results(course: Course, *, member: Membership | None = None, at: datetime | None = None) -> ClassResults:
    """Read the standing of all current students of a course, or of one member, who may have left.

    Attempts belong to the person: what was done in another course, or before joining, counts here too.
    """
    at = at or timezone.now()
    if member is None:
        members = list(course.memberships.current().students().by_name())
        users = course.memberships.current().students().values("user")
    else:
        members = [member]
        users = Membership.objects.filter(pk=member.pk).values("user")
    assignments = tuple(course.assignments.select_related("mission").defer("mission__definition", "mission__evidence"))
    missions = [assignment.mission_id for assignment in assignments]
    extensions: dict[tuple[int, int], datetime] = {}
    progress: dict[tuple[int, int], Progress] = {}
    passes: dict[tuple[int, int], list[Pass]] = {}
    if members and missions:
        extended = Extension.objects.filter(assignment__course=course, membership__user__in=users)
        extensions = {(a, m): due for a, m, due in extended.values_list("assignment_id", "membership_id", "due_at")}
        rows = Progress.objects.filter(user__in=users, mission__in=missions, tries__gt=0)
        progress = {(row.user_id, row.mission_id): row for row in rows}
        passes = _passes(users, missions)
    rules = {assignment.pk: Rules.of(assignment, course) for assignment in assignments}

    def cell(member: Membership, assignment: Assignment) -> Cell:
        key = (member.user_id, assignment.mission_id)
        extended = extensions.get((assignment.pk, member.pk))
        due_at = extended or assignment.due_at
        row = progress.get(key)
        return Cell(
            assignment,
            due_at,
            extended is not None,
            best_score(passes.get(key, ()), rules[assignment.pk], due_at),
            row,
            row is not None and is_stuck(row, course, at),
        )

    return ClassResults(
        course,
        assignments,
        tuple(Row(one, tuple(cell(one, assignment) for assignment in assignments)) for one in members),
        at,
    )


def result_of(member: Membership, *, at: datetime | None = None) -> Row:
    """One member's row of `class_results`."""
    return class_results(member.course, member=member, at=at).rows[0]


def is_stuck(progress: Progress, course: Course, at: datetime) -> bool:
    """Whether somebody goes on trying at a mission and gets no further; in words: `stuck_rule_in_words`."""
    return (
        progress.best_stars < 3
        and progress.tries_without_gain >= course.stuck_after_tries
        and progress.last_tried_at is not None
        and at - progress.last_tried_at <= ACTIVE_LATELY
    )


def stuck_rule_in_words(course: Course) -> str:
    return (
        f"Stuck: {course.stuck_after_tries} or more tries at a mission since the last new star, "
        f"and active in the last {ACTIVE_LATELY.days} days."
    )


def _passes(users: object, missions: list[int]) -> Mapping[tuple[int, int], list[Pass]]:
    """The first pass with each number of stars: a later one with as many is never worth more."""
    found: dict[tuple[int, int], list[Pass]] = {}
    firsts = (
        Attempt.objects.filter(user__in=users, mission__in=missions, passed=True)
        .order_by()
        .values_list("user_id", "mission_id", "stars")
        .annotate(first_at=Min("created_at"), first_number=Min("number"))
    )
    for user, mission, stars, at, number in firsts:
        found.setdefault((user, mission), []).append(Pass(stars, at, number))
    return found
