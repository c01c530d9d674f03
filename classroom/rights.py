"""What an account may do apart from any course it is in; an administrator decides."""

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser


def may_create_courses(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether somebody may create courses: anyone signed in, or those an administrator let (COURSE_CREATORS)."""
    if not user.is_authenticated:
        return False
    return settings.COURSE_CREATORS == "anyone" or user.has_perm("classroom.add_course")  # type: ignore[union-attr]


def may_enrol(user: AbstractBaseUser) -> bool:
    """Whether somebody who may change a course may put people in who did not join by themselves.

    Those who teach see what their students did. Where anybody may create a course, being put into one must not be
    a way to look at somebody, so people there join with the link.
    """
    return settings.COURSE_CREATORS == "granted" or user.has_perm("classroom.add_course")  # type: ignore[attr-defined]
