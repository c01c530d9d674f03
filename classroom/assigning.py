"""Writes about what a course assigns. Each row is saved by itself, so that whatever watches single rows sees it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from classroom.dates import shifted
from classroom.memberships import NotPossibleError
from classroom.models import Assignment, Course, Extension, Membership
from classroom.results import class_results
from missions.models import Mission


@transaction.atomic
def assign(course: Course, missions: Iterable[Mission]) -> list[Assignment]:
    """Assign missions after those that are assigned already; return the new ones. Twice changes nothing."""
    order = _order(course)
    assigned = {assignment.mission_id for assignment in order}
    new = [
        Assignment.objects.create(course=course, mission=mission, position=len(order) + place)
        for place, mission in enumerate((m for m in missions if m.pk not in assigned), 1)
    ]
    _renumber([*order, *new])
    return new


@transaction.atomic
def move(assignment: Assignment, place: int) -> None:
    """Put an assignment at a place in the course's order, 1 being the first; beyond the ends is at the end."""
    order = [other for other in _order(assignment.course) if other.pk != assignment.pk]
    order.insert(max(0, min(place - 1, len(order))), assignment)
    _renumber(order)


@transaction.atomic
def move_by(assignment: Assignment, steps: int) -> None:
    """Move an assignment down the course's order; up, if `steps` is negative."""
    places = {other.pk: place for place, other in enumerate(_order(assignment.course), 1)}
    if assignment.pk in places:
        move(assignment, places[assignment.pk] + steps)


def _order(course: Course) -> list[Assignment]:
    """The course's assignments in order, and whoever changes it at the same time waits."""
    Course.objects.select_for_update().get(pk=course.pk)
    return list(course.assignments.all())


def _renumber(order: Sequence[Assignment]) -> None:
    for place, assignment in enumerate(order, 1):
        if assignment.position != place:
            assignment.position = place
            assignment.save(update_fields=["position"])


@transaction.atomic
def change(assignments: Iterable[Assignment], values: Mapping[str, Any]) -> None:
    """Give the same values to some fields of all assignments."""
    for assignment in assignments:
        for name, value in values.items():
            setattr(assignment, name, value)
        assignment.save(update_fields=list(values))


@dataclass(frozen=True)
class Shift:
    """The dates of an assignment before and after they are moved."""

    assignment: Assignment
    opens_at: datetime | None
    due_at: datetime | None


def shifts(assignments: Iterable[Assignment], days: int) -> list[Shift]:
    """What moving all dates by so many days makes of them; the hour on the clock stays.

    Raises OverflowError beyond the calendar.
    """

    def moved(at: datetime | None, course: Course) -> datetime | None:
        return None if at is None else shifted(at, days, course.zone)

    return [
        Shift(one, moved(one.opens_at, one.course), moved(one.due_at, one.course))
        for one in assignments
        if one.opens_at or one.due_at
    ]


@transaction.atomic
def shift(planned: Iterable[Shift], days: int) -> None:
    """Move dates as planned, and the extensions of the assignments with them."""
    for one in planned:
        change([one.assignment], {"opens_at": one.opens_at, "due_at": one.due_at})
        for extension in one.assignment.extensions.all():
            extension.due_at = shifted(extension.due_at, days, one.assignment.course.zone)
            extension.save(update_fields=["due_at"])


@dataclass(frozen=True)
class Loss:
    """What goes with assignments when they are removed: points of so many students, and so many extensions."""

    students: int
    extensions: int


def loss_of(course: Course, assignments: Sequence[Assignment]) -> Loss:
    keys = {assignment.pk for assignment in assignments}
    results = class_results(course)
    students = sum(any(c.score.points and c.assignment.pk in keys for c in row.cells) for row in results.rows)
    return Loss(students, Extension.objects.filter(assignment__in=keys).count())


@transaction.atomic
def unassign(course: Course, assignments: Iterable[Assignment]) -> None:
    """Take missions out of a course. Tries, stars and progress are the students' own and stay."""
    _order(course)
    for assignment in assignments:
        assignment.delete()
    _renumber(list(course.assignments.all()))


@transaction.atomic
def extend(
    member: Membership, assignments: Sequence[Assignment], due_at: datetime, reason: str, by: AbstractBaseUser
) -> int:
    """Give a student until `due_at`, in place of extensions there may be; return for how many missions.

    Raises NotPossibleError, and does nothing, where that would be no more time than everybody has.
    """
    for assignment in assignments:
        if assignment.due_at is None:
            raise NotPossibleError(f"“{assignment.mission.title}” has no due date, so there is nothing to extend.")
        if due_at <= assignment.due_at:
            raise NotPossibleError(f"“{assignment.mission.title}” is due later than that for everybody.")
    for assignment in assignments:
        Extension.objects.update_or_create(
            membership=member,
            assignment=assignment,
            defaults={"due_at": due_at, "reason": reason, "granted_by": by},
        )
    return len(assignments)
