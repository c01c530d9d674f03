"""Which courses an own mission is published to, and the change of that."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from auditlog.models import LogEntry
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from classroom.memberships import NotPossibleError
from classroom.models import Assignment, Course, Membership, Publication, Role
from missions.authoring.publishing import Published, publish, retire
from missions.models import Mission, OwnMission


@dataclass(frozen=True)
class Place:
    """A course and an own mission: whether it is published there, and whether it is assigned."""

    course: Course
    publication: Publication | None
    is_assigned: bool
    may_change: bool


def changeable_courses(user: AbstractBaseUser) -> list[Course]:
    """The courses in which somebody may publish; archived ones are only read."""
    courses = Course.objects.filter(archived_at=None)
    if not user.is_superuser:  # type: ignore[attr-defined]
        teaching = Membership.objects.current().filter(user=user.pk, role__in=(Role.INSTRUCTOR, Role.OWNER))
        courses = courses.filter(pk__in=teaching.values("course"))
    return list(courses)


def places_of(own: OwnMission, user: AbstractBaseUser) -> list[Place]:
    """The courses it is published to, then those that it could be; those that somebody else added come along."""
    changeable = {course.pk: course for course in changeable_courses(user)}
    published, assigned = {}, set()
    if own.mission_id is not None:
        found = Publication.objects.filter(mission=own.mission_id).select_related("course")
        published = {publication.course_id: publication for publication in found}
        assigned = set(Assignment.objects.filter(mission=own.mission_id).values_list("course_id", flat=True))
    places = [
        Place(publication.course, publication, pk in assigned, pk in changeable)
        for pk, publication in published.items()
    ]
    free = [course for pk, course in changeable.items() if pk not in published]
    return places + [Place(course, None, course.pk in assigned, True) for course in free]


def publish_to(own: OwnMission, courses: Sequence[Course], by: AbstractBaseUser) -> Published:
    """Make the text what is played, and show it in further courses. Raises NotReadyError.

    The log of every course that has it says so when what is played changes.
    """
    made = publish(own)
    with transaction.atomic():
        before = list(Publication.objects.filter(mission=made.mission).select_related("course", "mission"))
        there = {publication.course_id for publication in before}
        for course in courses:
            if course.pk not in there:
                Publication.objects.get_or_create(course=course, mission=made.mission, defaults={"published_by": by})
        if made.is_changed and made.before is not None:
            _log_revision(before, made.before, made.mission)
    return made


def _log_revision(publications: Iterable[Publication], before: int, mission: Mission) -> None:
    for publication in publications:
        publication.mission = mission
        LogEntry.objects.log_create(
            publication,
            action=LogEntry.Action.UPDATE,
            changes={"revision": [str(before), str(mission.revision)]},
            additional_data=publication.get_additional_data(),
        )


def unpublish(course: Course, mission: Mission) -> None:
    """Show a mission in a course no more, but to those who tried it. Raises NotPossibleError while it is assigned."""
    if Assignment.objects.filter(course=course, mission=mission).exists():
        raise NotPossibleError(
            f"“{mission.title}” is assigned in {course}. Take it out of the assignments there first."
        )
    for publication in Publication.objects.filter(course=course, mission=mission):
        publication.delete()


@transaction.atomic
def retire_everywhere(own: OwnMission) -> None:
    """Take a mission out of all courses, and out of play. Tries, stars and points stay."""
    for publication in Publication.objects.filter(mission=own.mission_id).select_related("course", "mission"):
        publication.delete()
    retire(own)


def published_in(course: Course) -> list[Publication]:
    """What is published to a course, by title; a mission that is out of play isn't."""
    found = Publication.objects.filter(course=course, mission__is_retired=False)
    found = found.select_related("mission", "published_by").defer("mission__evidence")
    return list(found.order_by("mission__title", "pk"))
