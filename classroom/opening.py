"""What courses open besides the trail: what they assign, everything for those who teach, unlocks for single students.

Nothing here closes a mission; see missions.opening.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import groupby

from django.contrib.auth.models import AbstractBaseUser, AbstractUser
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from classroom.memberships import NotPossibleError
from classroom.models import Assignment, Course, Membership, Publication, Role, UnlockOverride
from classroom.rights import may_enrol
from missions.models import Mission
from missions.opening import lock_again, missions_for, unlock
from missions.queries import open_missions, progress_rows

Assigned = tuple[int | None, datetime | None]
"""A mission's id and when its assignment opens."""


def opened(order: str, assigned: Iterable[Assigned], passed: Collection[int], at: datetime) -> set[int]:
    """The missions that a course has opened at a time for a student who has passed those in `passed`.

    `assigned` stands in the course's order. In any order, a mission opens with its assignment; one after the other,
    it also waits until the one before it is passed.
    """
    found: set[int] = set()
    is_turn = True
    for mission, opens_at in assigned:
        if mission is None:
            continue
        if (is_turn or order == Course.MissionOrder.FREE) and (opens_at is None or opens_at <= at):
            found.add(mission)
        is_turn = mission in passed
    return found


def opened_in_courses(user: AbstractUser, missions: Sequence[Mission], passed: Collection[int]) -> set[int]:
    """The rule that classroom adds to missions.opening: what all courses open for somebody in them.

    It takes one query, and another one where own missions are shown to them: those are open as soon as they are
    published, unless the same course assigns them, which then decides when.

    Those who teach look at every mission before they assign it; where anybody may create a course, only those whom
    an administrator let.
    """
    playable = {mission.pk for mission in missions}
    rows = (
        Membership.objects.current()
        .filter(user=user.pk)
        .order_by("course_id", "course__assignments__position", "course__assignments__pk")
        .values_list(
            "course_id",
            "role",
            "course__mission_order",
            "course__assignments__mission",
            "course__assignments__opens_at",
        )
    )
    now = timezone.now()
    found = _published_to(user) & playable if any(mission.is_own for mission in missions) else set()
    for (_, role, order), group in groupby(rows, key=lambda row: row[:3]):
        if role == Role.STUDENT:
            # A mission that is no longer played holds nobody up.
            assigned = [(mission, opens_at) for *_, mission, opens_at in group if mission in playable]
            found |= opened(order, assigned, passed, now)
        elif may_enrol(user):
            return playable
    return found


def shown_in_courses(user: AbstractUser) -> Q:
    """The own missions that are shown to somebody: those that a course they are in publishes, or assigns."""
    courses = Membership.objects.current().filter(user=user.pk).values("course")
    published = Publication.objects.filter(course__in=courses).values("mission")
    return Q(pk__in=published) | Q(pk__in=Assignment.objects.filter(course__in=courses).values("mission"))


def _published_to(user: AbstractUser) -> set[int]:
    """The own missions that are open to somebody because a course publishes them."""
    members = Membership.objects.current().filter(user=user.pk)
    students = members.filter(role=Role.STUDENT).values("course")
    found = Publication.objects.filter(course__in=members.values("course")).annotate(
        is_assigned=Exists(Assignment.objects.filter(course=OuterRef("course"), mission=OuterRef("mission")))
    )
    return set(found.exclude(is_assigned=True, course__in=students).values_list("mission", flat=True))


@transaction.atomic
def open_early(member: Membership, mission: Mission, by: AbstractBaseUser) -> UnlockOverride:
    """Open a mission for one student before its turn. Raises NotPossibleError if it is open to them already."""
    opened_now = open_missions(member.user, missions_for(member.user), progress_rows(member.user))
    if mission.pk in opened_now or not unlock(member.user, mission, timezone.now()):
        raise NotPossibleError(f"{member.display_name} can play “{mission.title}” already.")
    override, _ = UnlockOverride.objects.update_or_create(
        membership=member, mission=mission, defaults={"granted_by": by, "granted_at": timezone.now()}
    )
    return override


@transaction.atomic
def take_back(override: UnlockOverride) -> None:
    """Undo an early unlock. Raises NotPossibleError once the student has tried the mission."""
    member = override.membership
    if not lock_again(member.user, override.mission):
        raise NotPossibleError(
            f"{member.display_name} has tried “{override.mission.title}” since, so it stays open to them."
        )
    override.delete()
