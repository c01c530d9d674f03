"""Who signs in. A model of our own from the start, since Django can't swap it in later."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower


class User(AbstractUser):
    """A student, an instructor or an operator (is_staff)."""

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="user_name_unique_in_any_case",
                violation_error_message="That name is taken. Upper and lower case don’t make a difference.",
            ),
            # No address is fine; the same one twice would leave it open whose password a reset changes.
            models.UniqueConstraint(
                Lower("email"),
                condition=~models.Q(email=""),
                name="user_email_unique_in_any_case",
                violation_error_message="Another account has this e-mail.",
            ),
        ]

    def __str__(self) -> str:
        return self.get_full_name() or self.username


class Tally(models.Model):
    """How often something happened for someone since a moment; see accounts.limits."""

    what = models.CharField(max_length=20)
    who = models.CharField(max_length=64)
    since = models.DateTimeField()
    count = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "tallies"
        constraints = [models.UniqueConstraint(fields=["what", "who"], name="one_tally_each")]

    def __str__(self) -> str:
        return f"{self.what} of {self.who}: {self.count} since {self.since:%Y-%m-%d %H:%M}"
