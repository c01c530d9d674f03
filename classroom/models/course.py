"""A course and the rules that hold for all of it."""

from decimal import Decimal
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.crypto import get_random_string

# Without what reads alike (0 o, 1 i l) and in one case: an address may be read out.
PUBLIC_ID_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
PUBLIC_ID_LENGTH = 10


def new_public_id() -> str:
    """Return a course's name in addresses: 49 random bits, so that it tells nothing and can't be counted up."""
    return get_random_string(PUBLIC_ID_LENGTH, PUBLIC_ID_ALPHABET)


def validate_time_zone(name: str) -> None:
    """Raise ValidationError unless `name` is a time zone such as Europe/Rome."""
    if name not in available_timezones():
        raise ValidationError("Choose a time zone such as Europe/Rome.", code="time_zone")


class Course(models.Model):
    """A term of one course. Who may see or change it follows from memberships; see classroom.access."""

    class MissionOrder(models.TextChoices):
        SEQUENCE = "sequence", "one after the other"
        FREE = "free", "in any order"

    class LatePolicy(models.TextChoices):
        NONE = "none", "late tries count like others"
        PERCENT = "percent", "a percentage off for each day late"
        CLOSED = "closed", "late tries earn no points"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=120)
    term = models.CharField(max_length=60, blank=True, help_text="For example: fall 2026.")
    description = models.TextField(
        max_length=2000, blank=True, help_text="Students read it on the course’s page: where and when you meet, say."
    )
    time_zone = models.CharField(
        max_length=64, validators=[validate_time_zone], help_text="Dates of the course are meant and shown in it."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True, help_text="Since when it can be read and not changed.")

    # how assigned missions are played and counted
    mission_order = models.CharField(max_length=10, choices=MissionOrder, default=MissionOrder.SEQUENCE)
    late_policy = models.CharField(max_length=10, choices=LatePolicy, default=LatePolicy.NONE)
    late_percent = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        default=Decimal(10),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(100))],
        help_text="Percent of a mission’s points, for each day begun after the due date.",
    )
    stuck_after_tries = models.PositiveSmallIntegerField(
        default=7,
        validators=[MinValueValidator(2), MaxValueValidator(100)],
        help_text="So many tries at a mission without a new star, and active lately, count as stuck.",
    )

    # what students see of each other: nothing, unless it is switched on here and agreed to by each of them
    has_leaderboard = models.BooleanField(default=False)
    leaderboard_frozen_at = models.DateTimeField(null=True, blank=True)
    asks_to_reveal = models.BooleanField(
        default=True, help_text="Ask students whether a try of theirs may be shown, without a name, in the lecture."
    )

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(mission_order__in=["sequence", "free"]), name="course_mission_order_is_known"
            ),
            models.CheckConstraint(
                condition=Q(late_policy__in=["none", "percent", "closed"]), name="course_late_policy_is_known"
            ),
            models.CheckConstraint(
                condition=Q(late_percent__gte=0, late_percent__lte=100), name="course_late_percent_is_a_percentage"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, {self.term}" if self.term else self.name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None

    def get_additional_data(self) -> dict[str, object]:
        """For the log of changes, see classroom.audit."""
        return {"course": self.public_id}
