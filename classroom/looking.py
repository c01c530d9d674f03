"""Those who see a course may look at the runs of its students' tries, as far as the course assigns the mission."""

from django.contrib.auth.models import AbstractUser

from classroom.access import OF_ROLE, Capability
from classroom.models import Membership, Role
from missions.models import Attempt


def sees_in_a_course(user: AbstractUser, attempt: Attempt) -> bool:
    """Whether some course shows this try to `user`; the same tries as the pages of a course's students show."""
    students = Membership.objects.filter(
        user=attempt.user_id, role=Role.STUDENT, course__assignments__mission=attempt.mission_id
    )
    if user.is_superuser:
        return students.exists()
    who_see = [role for role, capability in OF_ROLE.items() if capability >= Capability.SEE]
    courses = Membership.objects.current().filter(user=user.pk, role__in=who_see).values("course")
    return students.filter(course__in=courses).exists()
