"""Writes about who is in a course: each changes the membership and notes what happened, or does neither."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from classroom.access import Access
from classroom.models import Course, Membership, MembershipEvent, Role
from classroom.rights import may_enrol

Kind = MembershipEvent.Kind
Via = MembershipEvent.Via
# What a roster says of a person; fields of Membership and of Invitation alike.
DETAILS = ("name", "student_number", "section", "login")


class NotPossibleError(Exception):
    """A change that would break a rule of the course; the message is for whoever asked."""


@dataclass(frozen=True)
class Enrolled:
    """A membership, and whether this call let the person in; False: they were in already, and nothing changed."""

    membership: Membership
    is_new: bool
    is_back: bool = False


@transaction.atomic
def enrol(
    course: Course,
    user: AbstractBaseUser,
    role: Role,
    via: Via,
    by: AbstractBaseUser | None = None,
    details: Mapping[str, str] | None = None,
) -> Enrolled:
    """Let somebody in, or back in; whoever is in already keeps their role.

    `details` are what a roster says of them, by names of Membership's fields; what it leaves empty stays as it was.
    """
    now = timezone.now()
    membership, is_new = Membership.objects.get_or_create(
        course=course, user=user, defaults={"role": role, "joined_at": now}
    )
    set_details(membership, details or {})
    if not is_new:
        # Whoever clicks twice at once comes in once: only one of the two updates finds the old end.
        back = Membership.objects.filter(pk=membership.pk, ended_at__isnull=False)
        if not back.update(role=role, joined_at=now, ended_at=None, end=""):
            return Enrolled(membership, is_new=False)
        membership.role, membership.joined_at, membership.ended_at, membership.end = role, now, None, ""
    _note(membership, Kind.JOINED if via in (Via.LINK, Via.CREATED) else Kind.ADDED, now, by or user, via)
    return Enrolled(membership, is_new=True, is_back=not is_new)


def set_details(membership: Membership, details: Mapping[str, str]) -> bool:
    """Take over what a roster says of somebody; return whether anything is different now."""
    changed = {name: value for name, value in details.items() if value and getattr(membership, name) != value}
    for name, value in changed.items():
        setattr(membership, name, value)
    if changed:
        membership.save(update_fields=list(changed))
    return bool(changed)


@transaction.atomic
def leave(membership: Membership) -> None:
    """End one's own membership. Raises NotPossibleError for the only owner."""
    _keep_an_owner(membership)
    _end(membership, Membership.End.LEFT, Kind.LEFT, by=membership.user)


@transaction.atomic
def remove(memberships: Iterable[Membership], by: AbstractBaseUser) -> int:
    """End the memberships of others; return how many ended now. Raises NotPossibleError for the only owner."""
    ended = 0
    for membership in memberships:
        _keep_an_owner(membership)
        ended += _end(membership, Membership.End.REMOVED, Kind.REMOVED, by)
    return ended


@transaction.atomic
def change_role(membership: Membership, role: Role, by: AbstractBaseUser) -> bool:
    """Give somebody another role; return whether it is another. Raises NotPossibleError for the only owner."""
    if membership.role == role:
        return False
    if role != Role.OWNER:
        _keep_an_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    _note(membership, Kind.ROLE, timezone.now(), by)
    return True


def _end(membership: Membership, end: Membership.End, kind: Kind, by: AbstractBaseUser) -> int:
    now = timezone.now()
    ended = Membership.objects.filter(pk=membership.pk, ended_at=None).update(ended_at=now, end=end)
    if ended:
        membership.ended_at, membership.end = now, end
        _note(membership, kind, now, by)
    return ended


def _keep_an_owner(membership: Membership) -> None:
    """Raise NotPossibleError if the course would be left without an owner."""
    if membership.role != Role.OWNER or not membership.is_current:
        return
    # Two owners who go at the same moment must not both count on each other.
    Course.objects.select_for_update().get(pk=membership.course_id)
    others = Membership.objects.current().filter(course=membership.course_id, role=Role.OWNER)
    if not others.exclude(pk=membership.pk).exists():
        raise NotPossibleError(
            f"{membership.display_name} is the only owner of this course. Make somebody else an owner first."
        )


def _note(membership: Membership, kind: Kind, at: datetime, by: AbstractBaseUser, via: str = "") -> None:
    MembershipEvent.objects.create(membership=membership, kind=kind, at=at, role=membership.role, via=via, by=by)


def may_manage(access: Access, member: Membership) -> bool:
    """Whether somebody may change or remove another: owners everybody, instructors students and assistants."""
    return access.may_change and (access.may_own or member.role in (Role.STUDENT, Role.ASSISTANT))


def may_let_back_in(access: Access, member: Membership, user: AbstractBaseUser) -> bool:
    """Whether somebody may take up the membership of one who is gone.

    Whoever was removed joined once; whoever left wanted to, and is put back only by those who may put people in.
    """
    is_asked = member.end == Membership.End.REMOVED or may_enrol(user)
    return may_manage(access, member) and is_asked


def roles_to_give(access: Access, member: Membership | None = None) -> list[Role]:
    """The roles somebody may give, to a person or in general, from the least to the most."""
    if not access.may_change or (member is not None and not may_manage(access, member)):
        return []
    few = [Role.STUDENT, Role.ASSISTANT]
    return [*few, Role.INSTRUCTOR, Role.OWNER] if access.may_own else few
