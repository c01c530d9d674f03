"""Courses and people for the tests, made with the product's own functions."""

from collections.abc import Iterable
from typing import Any

from accounts.models import User
from classroom.creating import create_course
from classroom.memberships import enrol
from classroom.models import Assignment, Course, Membership, MembershipEvent, Role
from missions.models import Mission


def make_user(username: str, email: str = "", **fields: Any) -> User:
    # No password: tests sign in with Client.force_login, and hashing takes time.
    return User.objects.create_user(username, email, **fields)


def make_course(owner: User, name: str = "Language models", **fields: Any) -> Course:
    fields = {"term": "Fall 2026", "time_zone": "Europe/Rome"} | fields
    return create_course(Course(name=name, **fields), owner)


def add(course: Course, user: User, role: Role = Role.STUDENT, **details: str) -> Membership:
    """Put somebody into a course; `details` are what a roster says: name, student_number, section, login."""
    return enrol(course, user, role, MembershipEvent.Via.HAND, details=details).membership


def make_students(course: Course, count: int) -> list[Membership]:
    """So many students, s000 and on, written in bulk."""
    users = User.objects.bulk_create([User(username=f"s{place:03}") for place in range(count)])
    joined = course.created_at
    return Membership.objects.bulk_create(
        [Membership(course=course, user=user, joined_at=joined, name=f"Student {user.username}") for user in users]
    )


def assign(course: Course, missions: Iterable[Mission], **fields: Any) -> list[Assignment]:
    """Assign missions in this order."""
    return Assignment.objects.bulk_create(
        [Assignment(course=course, mission=m, position=place, **fields) for place, m in enumerate(missions, 1)]
    )
