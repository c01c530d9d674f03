"""Where a class stands: the one read behind the grid, the drill-down, the summary, the grades and a student's own page.

Five queries, however many students: members, assignments, extensions, progress, and passes once a score is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import cached_property

from classroom.models import Assignment, Course, Extension, Membership
from classroom.opening import Assigned, opened
from classroom.reading import Key, Passes, standings
from classroom.scoring import NOTHING, Rules, Score, best_score
from missions.progress import Standing

ACTIVE_LATELY = timedelta(days=7)
"""Whoever hasn't tried for longer has stopped, not got stuck."""
DUE_SOON = timedelta(days=3)


@dataclass(eq=False)
class Cell:
    """One student and one assigned mission, as it stands `at` a time. `due_at` is the student's own due date.

    Nothing changes one. It isn't frozen: making one would take three times as long, and there are thousands.
    """

    key: Key
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
        return best_score(self.passes.of(self.key), self.rules, self.due_at)

    @property
    def has_opened(self) -> bool:
        """Whether the assignment's opening date, if there is one, is over."""
        return self.assignment.opens_at is None or self.assignment.opens_at <= self.at

    @property
    def mission_id(self) -> int:
        return self.key[1]

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
    """One student with a cell for each assignment, in the course's order; `playable` are those not retired."""

    member: Membership
    cells: tuple[Cell, ...]
    playable: tuple[Assigned, ...]
    at: datetime

    @cached_property
    def tried(self) -> list[Standing]:
        """Where the student stands with the missions tried."""
        return [cell.progress for cell in self.cells if cell.progress]

    @cached_property
    def stars(self) -> int:
        return sum([one.best_stars for one in self.tried])

    @cached_property
    def tries(self) -> int:
        return sum([one.tries for one in self.tried])

    @cached_property
    def passed(self) -> int:
        return sum([one.passed_at is not None for one in self.tried])

    @cached_property
    def points(self) -> Decimal:
        return sum([cell.score.points for cell in self.cells if cell.progress], NOTHING)

    @cached_property
    def last_tried_at(self) -> datetime | None:
        return max([one.last_tried_at for one in self.tried if one.last_tried_at], default=None)

    @cached_property
    def changed_at(self) -> datetime | None:
        """When something was tried or unlocked last."""
        moments = [cell.unlocked_at for cell in self.cells if cell.unlocked_at]
        return max([*moments, self.last_tried_at] if self.last_tried_at else moments, default=None)

    @cached_property
    def stuck(self) -> tuple[Cell, ...]:
        return tuple([cell for cell in self.cells if cell.is_stuck])

    @cached_property
    def open_missions(self) -> set[int]:
        """The ids of the assigned missions that the student can play: by the trail, the course, or an instructor."""
        passed = {cell.key[1] for cell in self.cells if cell.progress and cell.progress.passed_at}
        by_course = opened(self.member.course.mission_order, self.playable, passed, self.at)
        return by_course | {cell.key[1] for cell in self.cells if cell.unlocked_at or cell.progress}


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


def roll_of(course: Course, *, member: Membership | None = None, gone: bool = False, definitions: bool = False) -> Roll:
    """All current students of a course, those who are gone, or one member either way; in three queries.

    `definitions` reads those of the missions, too, which most pages of a class need nothing of.
    """
    if member is None:
        asked = course.memberships.students().filter(ended_at__isnull=not gone)
        members = tuple(asked.by_name())
    else:
        asked = Membership.objects.filter(pk=member.pk)
        members = (member,)
    for one in members:
        one.course = course
    left_out = ["mission__evidence"] if definitions else ["mission__definition", "mission__evidence"]
    assignments = tuple(course.assignments.select_related("mission").defer(*left_out))
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
    # Asking a model for a foreign key takes longer than all else that is done for a cell.
    columns = [(one, one.pk, one.mission_id, one.due_at, Rules.of(one, course)) for one in roll.assignments]
    playable = tuple((one.mission_id, one.opens_at) for one in roll.assignments if not one.mission.is_retired)

    def row(member: Membership) -> Row:
        user, key_in_course = member.user_id, member.pk
        cells = []
        for assignment, pk, mission, everybodys, rules in columns:
            extended = roll.extensions.get((pk, key_in_course))
            due_at, is_extended = own_due_date(everybodys, extended) if extended else (everybodys, False)
            key = user, mission
            tried = progress.get(key)
            stuck = tried is not None and tried.best_stars < 3 and is_stuck(tried, course, at)
            cells.append(Cell(key, assignment, due_at, is_extended, at, rules, passes, tried, stuck, unlocked.get(key)))
        return Row(member, tuple(cells), playable, at)

    return ClassResults(course, roll.assignments, tuple(map(row, roll.members)), at)


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
        # A pass that cost nothing was an answer: no later one earns more, whoever goes on looking is not stuck.
        and progress.fewest_responses != 0
        and progress.last_tried_at is not None
        and at - progress.last_tried_at <= ACTIVE_LATELY
    )


def stuck_rule_in_words(course: Course) -> str:
    return (
        f"Stuck: {course.stuck_after_tries} or more tries at a mission since the last new star, "
        f"and active in the last {ACTIVE_LATELY.days} days."
    )
