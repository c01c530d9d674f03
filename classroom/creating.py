"""Who may create courses, and how one comes into being: new, or as a copy of another."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from classroom.dates import shifted
from classroom.memberships import DETAILS, enrol
from classroom.models import Assignment, Course, JoinLink, Membership, MembershipEvent, Publication, Role

Via = MembershipEvent.Via
# What a copy takes over without asking: the rules of the course, not who is in it.
SETTINGS = (
    "description",
    "time_zone",
    "mission_order",
    "late_policy",
    "late_percent",
    "stuck_after_tries",
    "has_leaderboard",
    "asks_to_reveal",
)


@transaction.atomic
def create_course(course: Course, owner: AbstractBaseUser) -> Course:
    """Store a new course with its owner and a link to join it."""
    course.save()
    enrol(course, owner, Role.OWNER, Via.CREATED)
    JoinLink.objects.create(course=course)
    return course


@dataclass(frozen=True)
class Taken:
    """How much of each kind a copy took along."""

    assignments: int = 0
    staff: int = 0
    students: int = 0

    def in_words(self) -> str:
        return (
            f"{self.assignments} assigned mission{'' if self.assignments == 1 else 's'}, "
            f"{self.staff} more who teach and {self.students} student{'' if self.students == 1 else 's'}"
        )


@dataclass(frozen=True)
class TakeAlong:
    """What a copy is to take along. `weeks` moves all dates; None leaves them out."""

    assignments: bool = True
    weeks: int | None = None
    staff: bool = False
    students: bool = False


@transaction.atomic
def copy_course(source: Course, copy: Course, take: TakeAlong, by: AbstractBaseUser) -> Taken:
    """Store `copy` (with its name and term set) with what is to be taken along from `source`.

    Attempts belong to the person, so none is copied; extensions belong to a term's dates, so neither are they.
    """
    for field in SETTINGS:
        setattr(copy, field, getattr(source, field))
    create_course(copy, by)
    assignments = _copy_assignments(source, copy, take.weeks) if take.assignments else 0
    if take.assignments:
        # What was written for the course can be played in the copy, too, as the assignments of it need.
        for one in source.publications.filter(mission__is_retired=False):
            Publication.objects.create(course=copy, mission_id=one.mission_id, published_by=by)
    here = Membership.objects.current().filter(course=source).select_related("user").exclude(user=by.pk)
    staff = _copy_people(here.exclude(role=Role.STUDENT), copy, by) if take.staff else 0
    students = _copy_people(here.filter(role=Role.STUDENT), copy, by) if take.students else 0
    return Taken(assignments, staff, students)


def _copy_assignments(source: Course, copy: Course, weeks: int | None) -> int:
    rows = list(source.assignments.filter(mission__is_retired=False))
    for row in rows:
        row.pk, row.course = None, copy
        row._state.adding = True
        row.opens_at = moved(row.opens_at, weeks, source.zone)
        row.due_at = moved(row.due_at, weeks, source.zone)
    return len(Assignment.objects.bulk_create(rows))


def moved(at: datetime | None, weeks: int | None, zone: ZoneInfo) -> datetime | None:
    """The same hour on the clock so many weeks later, whatever summer time does in between; None without weeks."""
    if at is None or weeks is None:
        return None
    return shifted(at, 7 * weeks, zone)


def _copy_people(people: Iterable[Membership], copy: Course, by: AbstractBaseUser) -> int:
    return sum(
        enrol(
            copy, person.user, Role(person.role), Via.COPY, by, {name: getattr(person, name) for name in DETAILS}
        ).is_new
        for person in people
    )
