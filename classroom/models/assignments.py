"""Which missions a course assigns, for when, for how many points, and what single students get on top."""

from decimal import Decimal

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q

from classroom.models.course import Course
from classroom.models.people import Membership
from missions.models import Mission

NOT_NEGATIVE = [MinValueValidator(Decimal(0))]


def points_field(default: int) -> "models.DecimalField[Decimal, Decimal]":
    return models.DecimalField(max_digits=7, decimal_places=2, default=Decimal(default), validators=NOT_NEGATIVE)


class Assignment(models.Model):
    """A mission that a course assigns.

    Points are a table of four numbers, one for each way to pass: every rule about stars is such a table ("2 a star",
    "6 for a pass and 2 more for each star"), and every such table can be said in words.
    """

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="assignments")
    mission = models.ForeignKey(Mission, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveSmallIntegerField(help_text="Order in the course; smaller comes first.")
    opens_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    points_no_star = points_field(0)
    points_one_star = points_field(1)
    points_two_stars = points_field(2)
    points_three_stars = points_field(3)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["course", "mission"], name="assignment_one_per_mission"),
            models.CheckConstraint(
                condition=Q(opens_at=None) | Q(due_at=None) | Q(due_at__gt=F("opens_at")),
                name="assignment_opens_before_it_is_due",
            ),
            models.CheckConstraint(
                condition=Q(
                    points_no_star__gte=0,
                    points_one_star__gte=F("points_no_star"),
                    points_two_stars__gte=F("points_one_star"),
                    points_three_stars__gte=F("points_two_stars"),
                ),
                name="assignment_points_grow_with_stars",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.mission} · {self.course}"

    @property
    def most_points(self) -> Decimal:
        return self.points_three_stars

    def get_additional_data(self) -> dict[str, object]:
        """For the log of changes, see classroom.audit."""
        return {"course": self.course.public_id, "about": self.mission.title}


class Extension(models.Model):
    """A later due date for one student and one assignment."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="extensions")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="extensions")
    due_at = models.DateTimeField()
    reason = models.CharField(max_length=200, blank=True, help_text="The student reads it, too.")
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    granted_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["due_at"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "membership"], name="extension_one_per_student"),
        ]

    def __str__(self) -> str:
        return f"{self.membership.user} · {self.assignment} · {self.due_at:%Y-%m-%d %H:%M}"

    def get_additional_data(self) -> dict[str, object]:
        """For the log of changes, see classroom.audit."""
        return self.assignment.get_additional_data() | {
            "member": self.membership_id,
            "about": f"{self.membership.display_name}, {self.assignment.mission.title}",
        }


class UnlockOverride(models.Model):
    """A mission that an instructor opened for one student before its turn.

    The note of who did so and when; what opens the mission is `unlocked_at` of missions.Progress.
    """

    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="unlock_overrides")
    mission = models.ForeignKey(Mission, on_delete=models.PROTECT, related_name="+")
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    granted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-granted_at"]
        constraints = [
            models.UniqueConstraint(fields=["membership", "mission"], name="unlock_override_one_per_mission"),
        ]

    def __str__(self) -> str:
        return f"{self.membership.user} · {self.mission}"

    def get_additional_data(self) -> dict[str, object]:
        """For the log of changes, see classroom.audit."""
        return {
            "course": self.membership.course.public_id,
            "member": self.membership_id,
            "about": f"{self.membership.display_name}, {self.mission.title}",
        }
