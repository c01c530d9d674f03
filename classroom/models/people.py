"""Who is in a course, as what, and how that came about.

One person has one membership per course for good. Whoever leaves keeps the row, with the date; whoever comes back
takes it up again, and with it extensions, unlocks, and the name in the grade book. So a join can't be doubled (the
database says so), and nothing has to be pieced together from several stays. What happened when is kept beside it, as
MembershipEvents, which are only ever added.
"""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from classroom.models.course import Course


class Role(models.TextChoices):
    """What someone is in a course, from the most to the least they may do."""

    OWNER = "owner", "owner"
    INSTRUCTOR = "instructor", "instructor"
    ASSISTANT = "assistant", "teaching assistant"
    STUDENT = "student", "student"


class MembershipQuerySet(models.QuerySet["Membership"]):
    def current(self) -> "MembershipQuerySet":
        """Those who are in their course now."""
        return self.filter(ended_at=None)

    def students(self) -> "MembershipQuerySet":
        return self.filter(role=Role.STUDENT)

    def by_name(self) -> "MembershipQuerySet":
        """In the order of a class list: by the roster's name, or the user name where there is none."""
        shown = models.Case(models.When(name="", then="user__username"), default="name")
        return self.select_related("user").order_by(Lower(shown), "pk")


class Membership(models.Model):
    """One person in one course. The name, numbers, section and login are the university’s, from the roster."""

    class End(models.TextChoices):
        LEFT = "left", "left"
        REMOVED = "removed", "removed"

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.STUDENT)
    joined_at = models.DateTimeField(help_text="When the present, or the last, stay began.")
    ended_at = models.DateTimeField(null=True, blank=True)
    end = models.CharField(max_length=10, choices=End, blank=True)

    name = models.CharField(max_length=150, blank=True, help_text="As in the class list: Rossi, Maya.")
    student_number = models.CharField(max_length=60, blank=True)
    section = models.CharField(max_length=60, blank=True)
    login = models.CharField(
        max_length=150, blank=True, help_text="Login in the university’s learning platform, if it isn’t the user name."
    )

    # the student's own choices
    may_reveal = models.BooleanField(default=False, help_text="A try may be shown, without a name, in the lecture.")
    leaderboard_name = models.CharField(
        max_length=30, blank=True, help_text="Chosen by the student. Empty: not on the leaderboard."
    )
    name_taken_off = models.CharField(
        max_length=30, blank=True, help_text="A name that an owner took off the leaderboard; not to be chosen again."
    )

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["course", "user"], name="membership_one_per_person"),
            models.CheckConstraint(
                condition=Q(role__in=["owner", "instructor", "assistant", "student"]), name="membership_role_is_known"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, end="") | Q(ended_at__isnull=False, end__in=["left", "removed"]),
                name="membership_ends_one_way",
            ),
            models.UniqueConstraint(
                "course",
                Lower("leaderboard_name"),
                condition=~Q(leaderboard_name=""),
                name="membership_leaderboard_names_differ",
                violation_error_message="Somebody in the course has that name on the leaderboard.",
            ),
        ]
        indexes = [models.Index(fields=["course", "role", "ended_at"], name="membership_by_role")]

    def __str__(self) -> str:
        return f"{self.display_name} · {self.course} · {self.role}"

    @property
    def display_name(self) -> str:
        """What instructors see, and what the student is shown that they see."""
        return self.name or str(self.user)

    @property
    def is_current(self) -> bool:
        return self.ended_at is None


class MembershipEvent(models.Model):
    """Something that happened to a membership. Only ever added."""

    class Kind(models.TextChoices):
        JOINED = "joined", "joined"
        ADDED = "added", "was added"
        LEFT = "left", "left"
        REMOVED = "removed", "was removed"
        ROLE = "role", "changed role"

    class Via(models.TextChoices):
        CREATED = "created", "by creating the course"
        LINK = "link", "with the join link"
        ROSTER = "roster", "from a roster"
        HAND = "hand", "by hand"
        COPY = "copy", "with the copied course"

    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=10, choices=Kind)
    at = models.DateTimeField()
    role = models.CharField(max_length=10, choices=Role, help_text="The role from then on, or the last one.")
    via = models.CharField(max_length=10, choices=Via, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="Who did it; the person themselves when they joined or left.",
    )

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.membership.user} {self.get_kind_display()} {self.at:%Y-%m-%d %H:%M}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TypeError("What happened is not rewritten.")
        super().save(*args, **kwargs)
