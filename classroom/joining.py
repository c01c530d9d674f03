"""Joining a course with a code: who gets in, and why not."""

import re
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.limits import Limit
from classroom.memberships import DETAILS, Enrolled, enrol
from classroom.models import Course, Invitation, JoinLink, Membership, MembershipEvent, Role
from classroom.models.joining import CODE_LENGTH

# Per account: a hall types its code from one address. At this pace, trying all codes takes 200,000 years.
WRONG_CODES = Limit("wrong join code", 20, timedelta(minutes=10))

# One message whatever the reason, so that trying codes tells nothing about which courses there are.
NO_ENTRY = (
    "This code lets nobody in now. Compare it with the one you were given, letter by letter; if it is the same, ask "
    "whoever teaches the course for a new one: codes can run out, be closed, or be full."
)
WAS_REMOVED = "You were taken off this course’s list, so its code doesn’t let you back in. Whoever teaches it can."


class NoEntryError(Exception):
    """A code that lets this person not in; the message is for them."""


def normalized(typed: str) -> str:
    """What a person typed, as codes are written: letters and digits only, in capitals."""
    return re.sub("[^A-Z0-9]", "", typed[:100].upper())


def open_link(code: str, user: AbstractBaseUser) -> JoinLink:
    """Find the link a code belongs to, if it lets `user` in or they are in already. Raises NoEntryError."""
    who = f"account {user.pk}"
    if wait := WRONG_CODES.wait(who):
        raise NoEntryError(f"Those were too many codes that don’t exist. Try again {wait}.")
    code = normalized(code)
    link = None
    if len(code) == CODE_LENGTH:
        link = JoinLink.objects.filter(code=code).select_related("course").first()
    if link is None:
        WRONG_CODES.count(who)
        raise NoEntryError(NO_ENTRY)
    membership = Membership.objects.filter(course=link.course_id, user=user.pk).first()
    if membership is not None and membership.is_current:
        return link
    if not is_open(link):
        raise NoEntryError(NO_ENTRY)
    if membership is not None and membership.end == Membership.End.REMOVED:
        raise NoEntryError(WAS_REMOVED)
    return link


def is_open(link: JoinLink, now: datetime | None = None) -> bool:
    """Whether a link lets somebody new in."""
    return not why_shut(link, now)


def why_shut(link: JoinLink, now: datetime | None = None) -> str:
    """Why a link lets nobody new in, for those who teach; "" if it does."""
    if link.retired_at is not None:
        return "replaced by a newer one"
    if link.course.is_archived:
        return "the course is archived"
    if link.closed_at is not None:
        return "closed"
    if link.expires_at is not None and link.expires_at <= (now or timezone.now()):
        return "expired"
    if link.cap is not None and link.joined >= link.cap:
        return "full"
    return ""


@transaction.atomic
def join(link: JoinLink, user: AbstractBaseUser) -> Enrolled:
    """Let somebody in through a link that `open_link` found. Raises NoEntryError if it shut a moment ago.

    Whoever is in already stays as they are, and no place is used up.
    """
    # One after the other, or two would both take the last place. PostgreSQL locks the row; on SQLite every transaction
    # holds the write lock from its start.
    link = JoinLink.objects.select_for_update(of=("self",)).select_related("course").get(pk=link.pk)
    course = link.course
    here = Membership.objects.current().filter(course=course, user=user.pk).first()
    if here is not None:
        return Enrolled(here, is_new=False)
    if not is_open(link):
        raise NoEntryError(NO_ENTRY)
    invitation = invitation_for(course, user)
    details = {name: getattr(invitation, name) for name in DETAILS} if invitation else {}
    enrolled = enrol(course, user, Role.STUDENT, MembershipEvent.Via.LINK, details=details)
    if invitation:
        invitation.delete()
    # Somebody may have been let in by hand at the same moment, which takes no place.
    if enrolled.is_new:
        link.joined += 1
        link.save(update_fields=["joined"])
    return enrolled


def invitation_for(course: Course, user: AbstractBaseUser) -> Invitation | None:
    """What the roster says of somebody who isn't in yet: by e-mail, or else by user name."""
    by_name = Q(username__iexact=user.get_username())
    email = getattr(user, "email", "")
    found = list(course.invitations.filter(Q(email__iexact=email) | by_name if email else by_name))
    return min(found, key=lambda invitation: invitation.email.lower() != email.lower(), default=None)


@transaction.atomic
def rotate(course: Course) -> JoinLink:
    """Retire the course's link for good and make a new one with the same limits."""
    # Two who rotate at once must not both make one.
    Course.objects.select_for_update().get(pk=course.pk)
    old = current_link(course)
    limits = {"expires_at": old.expires_at, "cap": old.cap} if old else {}
    JoinLink.objects.filter(course=course, retired_at=None).update(retired_at=timezone.now())
    return JoinLink.objects.create(course=course, **limits)


def current_link(course: Course) -> JoinLink | None:
    """The link that isn't retired."""
    link = JoinLink.objects.filter(course=course, retired_at=None).first()
    if link is not None:
        link.course = course
    return link


def address_of(link: JoinLink) -> str:
    """The link as it is sent around: absolute, from SITE_URL."""
    return settings.SITE_URL + reverse("join_with", args=[link.code])
