"""Who signs in. A model of our own from the start, since Django can't swap it in later."""

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A student, an instructor or an operator (is_staff)."""

    def __str__(self) -> str:
        return self.get_full_name() or self.username
