"""The ways into a course: a link with a code, and the list of those who are expected."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.crypto import get_random_string

from classroom.models.course import Course

# Capitals and digits that can't be mistaken for each other, and no vowels, so that no code is a word.
CODE_ALPHABET = "23456789BCDFGHJKMNPQRTVWXZ"
CODE_LENGTH = 8


def new_code() -> str:
    """Return a join code: 37 random bits. Typing wrong ones is slowed down, see classroom.joining."""
    return get_random_string(CODE_LENGTH, CODE_ALPHABET)


class JoinLink(models.Model):
    """A code that lets people in as students. Rotating retires it for good; closing can be taken back."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="join_links")
    code = models.CharField(max_length=12, unique=True, default=new_code, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    cap = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(100_000)],
        help_text="So many people may join with it.",
    )
    joined = models.PositiveIntegerField(default=0, editable=False, help_text="So many have joined with it.")
    closed_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["course"], condition=Q(retired_at=None), name="join_link_one_in_use_per_course"
            ),
            models.CheckConstraint(condition=Q(cap=None) | Q(cap__gte=1), name="join_link_cap_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.shown} · {self.course}"

    @property
    def shown(self) -> str:
        """The code as it is written on a board: in two halves."""
        return f"{self.code[:4]}-{self.code[4:]}"

    def get_additional_data(self) -> dict[str, object]:
        """For the log of changes, see classroom.audit."""
        return {"course": self.course.public_id}


class Invitation(models.Model):
    """A student on the roster who has not joined yet, known by an e-mail or a user name.

    It is a note and not a key: nobody proves here that an address is theirs, so typing it at sign-up opens nothing.
    Whoever joins with the course's link and has that address or name gets what the roster says about them, and the
    note goes.
    """

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(blank=True)
    username = models.CharField(max_length=150, blank=True)
    name = models.CharField(max_length=150, blank=True)
    student_number = models.CharField(max_length=60, blank=True)
    section = models.CharField(max_length=60, blank=True)
    login = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["name", "email", "username"]
        constraints = [
            models.CheckConstraint(condition=~Q(email="", username=""), name="invitation_says_who"),
            models.UniqueConstraint(
                "course", Lower("email"), condition=~Q(email=""), name="invitation_one_per_address"
            ),
            models.UniqueConstraint(
                "course", Lower("username"), condition=~Q(username=""), name="invitation_one_per_name"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name or self.email or self.username} · {self.course}"

    @property
    def display_name(self) -> str:
        return self.name or self.email or self.username
