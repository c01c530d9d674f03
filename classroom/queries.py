"""Reads for the course pages that are about courses as a whole."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Q

from classroom.models import Course, Membership, Role


@dataclass(frozen=True)
class CourseCard:
    """A course in somebody's list. `role` is empty for administrators who aren't in it."""

    course: Course
    role: str
    students: int


def course_cards(user: AbstractBaseUser) -> list[CourseCard]:
    """The courses somebody is in, and for administrators all others after them; newest first, archived ones last."""
    own = {
        membership.course_id: membership.get_role_display()
        for membership in Membership.objects.current().filter(user=user.pk)
    }
    students = Count("memberships", filter=Q(memberships__role=Role.STUDENT, memberships__ended_at=None))
    courses = Course.objects.annotate(students=students)
    if not user.is_superuser:  # type: ignore[attr-defined]
        courses = courses.filter(pk__in=own)
    cards = [CourseCard(course, own.get(course.pk, ""), course.students) for course in courses]
    return sorted(cards, key=lambda card: (card.course.is_archived, not card.role))
