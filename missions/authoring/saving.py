"""Writes of own missions' texts. A text that is out of date is never written over a newer one."""

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from missions.authoring.reading import LONGEST_TEXT, read_text
from missions.models import OwnMission

MOST_PER_PERSON = 200
UNTITLED = "Untitled mission"


class NotSavedError(Exception):
    """A text that can't be kept; the message says why."""


class StaleError(Exception):
    """Somebody saved another text meanwhile; `current` is the mission as it is now."""

    def __init__(self, current: OwnMission) -> None:
        super().__init__("The text was changed meanwhile.")
        self.current = current


def begin(author: AbstractBaseUser, text: str) -> OwnMission:
    """Store a new draft. Raises NotSavedError."""
    _refuse(text)
    if OwnMission.objects.filter(author=author.pk).count() >= MOST_PER_PERSON:
        raise NotSavedError(f"You have {MOST_PER_PERSON} missions, which is the most. Delete one you don’t need.")
    title = read_text(text).title or UNTITLED
    return OwnMission.objects.create(author_id=author.pk, text=text, title=title, changed_at=timezone.now())


@transaction.atomic
def save(own: OwnMission, text: str, version: int) -> bool:
    """Write a text over the one of `version`; False, and nothing is written, if it is the same.

    Raises StaleError if that is not the latest, NotSavedError if the text can't be kept.
    """
    _refuse(text)
    if own.version == version and own.text == text:
        return False
    title = read_text(text).title or own.title
    written = OwnMission.objects.filter(pk=own.pk, version=version).update(
        text=text, title=title, version=F("version") + 1, changed_at=timezone.now()
    )
    current = OwnMission.objects.get(pk=own.pk)
    if not written:
        if current.text == text:
            # Sent twice: it is saved already.
            return False
        raise StaleError(current)
    own.text, own.title, own.version, own.changed_at = current.text, current.title, current.version, current.changed_at
    return True


def _refuse(text: str) -> None:
    if len(text.encode(errors="replace")) > LONGEST_TEXT:
        raise NotSavedError(f"The text is longer than {LONGEST_TEXT // 1024} KB, so it was not saved.")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise NotSavedError(f"The text holds the character NUL at line {line}, so it was not saved.")
