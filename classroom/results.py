"""Where a class stands: the one read behind the grid, the drill-down, the summary, the grades and a student's own page.

Five queries, however many students: members, assignments, extensions, progress, and passes once a score is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from classroom.models import Assignment, Course, Extension, Membership
from classroom.opening import opened
from classroom.reading import Passes, standings
from classroom.scoring import NOTHING, Rules, Score, best_score
from missions.progress import Standing

ACTIVE_LATELY = timedelta(days=7)
"""Whoever hasn't tried for longer has stopped, not got stuck."""
DUE_SOON = timedelta(days=3)


@dataclass(frozen=True)
class Cell:
    """One student and one assigned mission, as it stands `at` a time. `due_at` is the student's own due date."""

    user_id: int
    assignment: Assignment
    due_at: datetime | None
    is_extended: bool
    at: datetime
    rules: Rules
    passes: Passes
    progress: Standing | None = None
    is_stuck: bool = False
    unlocked_at: datetime | None = None

    @cached_property
    def score(self) -> Score:
        """The points, and the try that counts."""
        return best_score(self.passes.of(self.user_id, self.assignment.mission_id), self.rules, self.due_at)

    @property
    def has_opened(self) -> bool:
        """Whether the assignment's opening date, if there is one, is over."""
        return self.assignment.opens_at is None or self.assignment.opens_at <= self.at

    @property
    def is_playable(self) -> bool:
        """Whether the mission is still played; a retired one keeps its tries and points."""
        return not self.assignment.mission.is_retired

    @property
    def is_over(self) -> bool:
        return self.due_at is not None and self.due_at < self.at

    @property
    def is_due_soon(self) -> bool:
        """Whether there is something to do about it soon: due within days, and not passed yet."""
        return self.due_at is not None and self.at <= self.due_at <= self.at + DUE_SOON and not self.is_passed

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
    def changed_at(self) -> datetime | None:
        """When something was tried or unlocked last."""
        unlocked = max((at for cell in self.cells if (at := cell.unlocked_at)), default=None)
        return max((at for at in (unlocked, self.last_tried_at) if at), default=None)

    @cached_property
    def stuck(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.is_stuck)

    @cached_property
    def open_missions(self) -> set[int]:
        """The ids of the assigned missions that the student can play: by the trail, the course, or an instructor."""
        if not self.cells:
            return set()
        assigned = [(c.assignment.mission_id, c.assignment.opens_at) for c in self.cells if c.is_playable]
        passed = {cell.assignment.mission_id for cell in self.cells if cell.is_passed}
        by_course = opened(self.member.course.mission_order, assigned, passed, self.cells[0].at)
        return by_course | {c.assignment.mission_id for c in self.cells if c.is_playable and (c.unlocked_at or c.tries)}


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


@dataclass(frozen=True)
class Roll:
    """Who is asked about, by name, and what is assigned to them; what they did is not read yet."""

    course: Course
    members: tuple[Membership, ...]
    users: QuerySet[Membership, Any]
    assignments: tuple[Assignment, ...]
    extensions: Mapping[tuple[int, int], datetime]

    @property
    def missions(self) -> list[int]:
        return [assignment.mission_id for assignment in self.assignments]


def roll_of(course: Course, *, member: Membership | None = None, gone: bool = False) -> Roll:
    """All current students of a course, those who are gone, or one member either way; in three queries."""
    if member is None:
        asked = course.memberships.students().filter(ended_at__isnull=not gone)
        members = tuple(asked.by_name())
    else:
        asked = Membership.objects.filter(pk=member.pk)
        members = (member,)
    for one in members:
        one.course = course
    assignments = tuple(course.assignments.select_related("mission").defer("mission__definition", "mission__evidence"))
    extended = Extension.objects.filter(assignment__course=course, membership__in=asked)
    extensions = {(a, m): due for a, m, due in extended.values_list("assignment_id", "membership_id", "due_at")}
    return Roll(course, members, asked.values("user"), assignments, extensions)


def class_results(
    course: Course, *, member: Membership | None = None, gone: bool = False, at: datetime | None = None
) -> ClassResults:
    """Read the standing of all current students of a course, of those who are gone, or of one member either way.

    Attempts belong to the person: what was done in another course, or before joining, counts here too.
    """
    return results_for(roll_of(course, member=member, gone=gone), at)


def results_for(roll: Roll, at: datetime | None = None) -> ClassResults:
    """What those on the roll did at what is assigned to them."""
    course, at = roll.course, at or timezone.now()
    progress, unlocked = standings(roll.users, roll.missions)
    passes = Passes(roll.users, roll.missions)
    rules = {assignment.pk: Rules.of(assignment, course) for assignment in roll.assignments}

    def cell(member: Membership, assignment: Assignment) -> Cell:
        key = (member.user_id, assignment.mission_id)
        due_at, is_extended = own_due_date(assignment.due_at, roll.extensions.get((assignment.pk, member.pk)))
        row = progress.get(key)
        return Cell(
            member.user_id,
            assignment,
            due_at,
            is_extended,
            at,
            rules[assignment.pk],
            passes,
            row,
            row is not None and is_stuck(row, course, at),
            unlocked.get(key),
        )

    return ClassResults(
        course,
        roll.assignments,
        tuple(Row(one, tuple(cell(one, assignment) for assignment in roll.assignments)) for one in roll.members),
        at,
    )


def result_of(member: Membership, *, at: datetime | None = None) -> Row:
    """One member's row of `class_results`."""
    return class_results(member.course, member=member, at=at).rows[0]


def own_due_date(due_at: datetime | None, extended: datetime | None) -> tuple[datetime | None, bool]:
    """The due date of one student, and whether that is their extension: it only ever gives more time."""
    if due_at is None or extended is None or extended <= due_at:
        return due_at, False
    return extended, True


def is_stuck(progress: Standing, course: Course, at: datetime) -> bool:
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
