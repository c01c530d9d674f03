"""Courses and people are fetched here and nowhere else, together with the right to see or change them.

    student      ATTEND   the course's page, own standing, the way out
    assistant    SEE      everything that is kept about the course and its students, to read
    instructor   CHANGE   settings, roster, assignments, extensions
    owner        OWN      who else teaches, archive, erase

Each line has the rights of those above it, and administrators (is_superuser) have all of them in every course. What
somebody may not see answers 404, like what isn't there, so that an address tells nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import wraps
from itertools import islice
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from classroom.models import Assignment, Course, Extension, Membership, Role, UnlockOverride
from classroom.models.people import MembershipQuerySet

# The longest a name of a course in an address can be; nothing longer is looked for.
LONGEST_ID = 16
# Numbers in addresses beyond this are nobody's, and a database may refuse to look for them.
LARGEST_KEY = 2**63 - 1


class Capability(IntEnum):
    """What one may do in a course; each includes those before it."""

    NONE = 0
    ATTEND = 1
    SEE = 2
    CHANGE = 3
    OWN = 4


OF_ROLE = {
    Role.STUDENT: Capability.ATTEND,
    Role.ASSISTANT: Capability.SEE,
    Role.INSTRUCTOR: Capability.CHANGE,
    Role.OWNER: Capability.OWN,
}


@dataclass(frozen=True)
class Access:
    """A course somebody may open, and what they may do there. `membership` is None for administrators from outside."""

    course: Course
    membership: Membership | None
    capability: Capability

    @property
    def may_see(self) -> bool:
        """May see the students and what they did."""
        return self.capability >= Capability.SEE

    @property
    def may_change(self) -> bool:
        """May change something now: an archived course is only read."""
        return self.capability >= Capability.CHANGE and not self.course.is_archived

    @property
    def may_own(self) -> bool:
        """May decide who teaches, and archive the course and bring it back."""
        return self.capability >= Capability.OWN


def courses_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Course]:
    """The courses somebody is in now, archived ones included; administrators are in none by that."""
    if not user.is_authenticated:
        return Course.objects.none()
    return Course.objects.filter(memberships__user=user, memberships__ended_at=None)


def course_for(user: AbstractBaseUser | AnonymousUser, public_id: str, capability: Capability) -> Access:
    """Fetch a course for somebody who needs `capability` there. Raises Http404."""
    if not user.is_authenticated or len(public_id) > LONGEST_ID:
        raise Http404("No such course")
    # One query for all who are in the course: every page of it begins here.
    own = Membership.objects.current().filter(user=user.pk, course__public_id=public_id)
    membership = own.select_related("course").annotate(has_owner=Exists(_owners(OuterRef("course")))).first()
    if membership is not None:
        membership.user = user  # type: ignore[assignment]
        access = _access(user, membership.course, membership, membership.has_owner)
    else:
        course = Course.objects.filter(public_id=public_id).first() if user.is_superuser else None
        if course is None:
            raise Http404("No such course")
        access = _access(user, course, None, True)
    if access.capability < capability:
        raise Http404("No such course")
    return access


def access_to(user: AbstractBaseUser, course: Course) -> Access:
    """What somebody may do in a course that is at hand already."""
    membership = Membership.objects.current().filter(course=course, user=user.pk).first()
    if membership is not None:
        membership.course, membership.user = course, user  # type: ignore[assignment]
    return _access(user, course, membership, membership is None or has_owner(course))


def _access(user: AbstractBaseUser, course: Course, membership: Membership | None, is_owned: bool) -> Access:
    if user.is_superuser:  # type: ignore[attr-defined]
        return Access(course, membership, Capability.OWN)
    if membership is None:
        return Access(course, None, Capability.NONE)
    capability = OF_ROLE[Role(membership.role)]
    if capability == Capability.CHANGE and not is_owned:
        # The owner closed their account: the instructors carry on, and one of them can become the owner.
        capability = Capability.OWN
    return Access(course, membership, capability)


def has_owner(course: Course) -> bool:
    return _owners(course).exists()


def _owners(course: Course | OuterRef) -> MembershipQuerySet:
    return Membership.objects.current().filter(course=course, role=Role.OWNER)


def members_of(course: Course) -> MembershipQuerySet:
    """Everybody who is or was in a course, with their accounts."""
    return Membership.objects.filter(course=course).select_related("user")


def member_of(access: Access, key: int) -> Membership:
    """Fetch somebody who is or was in the course, by the number in an address.

    Only those who may see the course's people get anybody but themselves. Raises Http404.
    """
    if access.membership is not None and key == access.membership.pk:
        return access.membership
    member = members_of(access.course).filter(pk=key).first() if 0 < key <= LARGEST_KEY else None
    if member is None or not (access.may_see or member == access.membership):
        raise Http404("Nobody by that number in this course")
    member.course = access.course
    return member


def student_of(access: Access, key: int) -> Membership:
    """Fetch a student, present or past, like `member_of`. Raises Http404, also for those who teach."""
    member = member_of(access, key)
    if member.role != Role.STUDENT:
        raise Http404("No such student")
    return member


def assignments_of(access: Access, keys: Iterable[str]) -> list[Assignment]:
    """The course's assignments among those that somebody chose, in the course's order; others are left out."""
    return list(
        Assignment.objects.filter(course=access.course, pk__in=numbers(keys)).select_related("mission", "course")
    )


def extension_of(access: Access, key: int) -> Extension:
    """Fetch an extension of the course. Raises Http404."""
    found = Extension.objects.filter(assignment__course=access.course, pk=min(key, LARGEST_KEY))
    extension = found.select_related("assignment__mission", "assignment__course", "membership__user").first()
    if extension is None:
        raise Http404("No such extension")
    return extension


def override_of(access: Access, key: int) -> UnlockOverride:
    """Fetch an early unlock of the course. Raises Http404."""
    found = UnlockOverride.objects.filter(membership__course=access.course, pk=min(key, LARGEST_KEY))
    override = found.select_related("membership__user", "mission").first()
    if override is None:
        raise Http404("No such unlock")
    return override


def numbers(typed: Iterable[str]) -> list[int]:
    """The numbers of ticked boxes; what is no number is nobody's."""
    keys = (int(key) for key in islice(typed, 10_000) if key.isascii() and key.isdigit() and len(key) < 20)
    return [key for key in keys if key <= LARGEST_KEY]


def people_counts(course: Course) -> dict[str, int]:
    """How many are in a course now: `students`, `staff`, and `expected` from the roster."""
    current = Q(ended_at=None)
    counts = Membership.objects.filter(course=course).aggregate(
        students=Count("pk", filter=current & Q(role=Role.STUDENT)),
        staff=Count("pk", filter=current & ~Q(role=Role.STUDENT)),
    )
    return counts | {"expected": course.invitations.count()}


CourseView = Callable[..., HttpResponse]


def course_page(
    capability: Capability, *methods: str, tab: str = "", also_archived: bool = False
) -> Callable[[CourseView], CourseView]:
    """Make a view of a course page: `view(request, access, ...)` instead of `view(request, public_id, ...)`.

    Signs in first, then answers 404 to whoever lacks `capability`. The view runs in the course's time zone, so that
    dates on pages and in forms are the course's; what is streamed later has to see to that itself. The access is
    left on the request, where the base template finds it.

    `methods` are GET and HEAD unless given; `tab` is the tab that the page is under, see classroom.navigation. In an
    archived course only reading is let through, except with `also_archived`.
    """

    def decorate(view: CourseView) -> CourseView:
        @require_http_methods(list(methods or ("GET", "HEAD")))
        @login_required
        @wraps(view)
        def page(request: HttpRequest, public_id: str, **kwargs: Any) -> HttpResponse:
            access = course_for(request.user, public_id, capability)
            if access.course.is_archived and request.method not in ("GET", "HEAD") and not also_archived:
                messages.warning(request, "This course is archived: it can be read, not changed. Nothing was changed.")
                return redirect("course", access.course.public_id)
            request.course_access, request.course_tab = access, tab  # type: ignore[attr-defined]
            with timezone.override(access.course.zone):
                return view(request, access, **kwargs)

        page.capability = capability  # type: ignore[attr-defined]
        return page

    return decorate
