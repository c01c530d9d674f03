"""What is kept about courses: who teaches and plays in them, and what is assigned under which rules."""

from classroom.models.assignments import Assignment, Extension, UnlockOverride
from classroom.models.course import Course
from classroom.models.joining import Invitation, JoinLink
from classroom.models.own import Publication
from classroom.models.people import Membership, MembershipEvent, Role

__all__ = [
    "Assignment",
    "Course",
    "Extension",
    "Invitation",
    "JoinLink",
    "Membership",
    "MembershipEvent",
    "Publication",
    "Role",
    "UnlockOverride",
]
