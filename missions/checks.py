"""Asking for a check of an own mission, calling it off, and where it stands in the queue."""

from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from missions.authoring.reading import read_text
from missions.checking import digest_of
from missions.models import Check, OwnMission
from missions.seeds import evaluation_seeds
from missions.tasks import enqueue, settle

KEPT = 5
"""Checks of a mission that are kept; older ones go when a new one is asked for."""
PICKED_UP_WITHIN = timedelta(seconds=15)
"""An idle worker takes up a check within a second or two."""
HEARD_WITHIN = timedelta(seconds=60)
"""A worker that runs a check is heard every second, or after a run that takes longer."""


class NotAskedError(Exception):
    """A check that can't be asked for now; the message says why."""


def ask(own: OwnMission, by: AbstractBaseUser) -> Check:
    """Put a check of the text as it is into the queue; one that is open already is returned as it is.

    Raises NotAskedError for a text that can't be played, and while a check of another mission of the author is open.
    """
    definition = read_text(own.text, own.slug).definition
    if definition is None:
        raise NotAskedError("The text can’t be played yet, so there is nothing to check.")
    with transaction.atomic():
        # One after the other: of two checks asked for at once, the second finds the first.
        get_user_model().objects.select_for_update().get(pk=own.author_id)
        now = timezone.now()
        theirs = Check.objects.filter(own_mission__author=own.author_id, state__in=Check.OPEN)
        for check in theirs.select_related("own_mission"):
            if not settle(check, now).is_open:
                continue
            if check.own_mission_id == own.pk:
                return check
            title = check.own_mission.title
            raise NotAskedError(f"The check of “{title}” has to end first: each author has one check at a time.")
        ended = own.checks.exclude(state__in=Check.OPEN).values_list("pk", flat=True)
        own.checks.filter(pk__in=list(ended[KEPT - 1 :])).delete()
        check = Check.objects.create(
            own_mission=own,
            asked_by_id=by.pk,
            source=dict(definition.source),
            digest=digest_of(definition, evaluation_seeds()),
            asked_at=now,
        )
        enqueue(check)
    return check


def call_off(check: Check) -> None:
    """End a check that waits, or ask its worker to end it; one that ended stays as it is."""
    waiting = Check.objects.filter(pk=check.pk, state=Check.State.WAITING)
    if not waiting.update(state=Check.State.CANCELLED, is_cancel_asked=True, ended_at=timezone.now()):
        Check.objects.filter(pk=check.pk, state=Check.State.RUNNING).update(is_cancel_asked=True)


def latest_check(own: OwnMission) -> Check | None:
    """The latest check of a mission, as it is after a look at whether its worker still lives."""
    check = own.checks.first()
    return check and settle(check, timezone.now())


def checks_before(check: Check) -> int:
    """How many checks a waiting one has to wait for."""
    earlier = Q(asked_at__lt=check.asked_at) | Q(asked_at=check.asked_at, pk__lt=check.pk)
    waiting = Q(state=Check.State.WAITING) & earlier
    running = Q(state=Check.State.RUNNING, heard_at__gte=timezone.now() - HEARD_WITHIN)
    return Check.objects.filter(waiting | running).count()


def is_without_worker(check: Check, now: datetime) -> bool:
    """Whether a check waits although no worker is at work: none seems to run."""
    if check.state != Check.State.WAITING or now - check.asked_at < PICKED_UP_WITHIN:
        return False
    at_work = Check.objects.filter(state=Check.State.RUNNING, heard_at__gte=now - HEARD_WITHIN)
    lately = Check.objects.filter(ended_at__gte=now - PICKED_UP_WITHIN, started_at__isnull=False)
    return not at_work.exists() and not lately.exists()
