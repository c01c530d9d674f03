"""Work that takes longer than a page may: it waits in the database until a worker takes it; see `manage.py worker`."""

import logging
import time
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django_tasks import task

from missions.checking import FRESH_SETS, Cancelled, check_mission, limits_for
from missions.definition import definition_from
from missions.models import Check
from missions.seeds import evaluation_seeds, fresh_seeds

SAID_EVERY = 1.0
"""Seconds between two notes of how far a check is."""

logger = logging.getLogger(__name__)


class NotOurs(Exception):
    """A check was taken for lost, or ended otherwise, while it ran: what it would find is nobody's."""


@task()
def run_check(check_id: int) -> None:
    """Run a check that is waiting, and keep what it finds. One that is gone, cancelled, or taken is left alone.

    What is checked is `source`, as it was when the check was asked for. A worker that is told to stop puts the check
    back into the queue; one that is killed leaves it running, until whoever looks finds it silent (Check.is_silent).
    """
    if not _take(check_id):
        return
    check = Check.objects.get(pk=check_id)
    note = _Note(check)
    try:
        definition = definition_from(check.source)
        world = definition.world
        fresh = [fresh_seeds(number) for number in range(FRESH_SETS[world.name])]
        limits = limits_for(world, settings.CHECK_SECONDS)
        result = check_mission(definition, evaluation_seeds(), fresh, limits, note)
    except Cancelled:
        _end(check, Check.State.CANCELLED)
    except NotOurs:
        logger.warning("Check %s went on without being heard, and was given up.", check.pk)
    except Exception:
        # What was asked for is in the log, and nothing of it on the page: it may have come from anywhere.
        logger.exception("Check %s stopped with an error.", check.pk)
        _end(check, Check.State.FAILED)
    except SystemExit:
        # The worker is told to stop, for an update as a rule. It will once this has returned.
        put_back(check)
    else:
        _end(check, Check.State.FINISHED, share_done=1.0, doing="", result=result)


def enqueue(check: Check) -> None:
    """Put a check that is waiting into the queue: a row of the same database, so it belongs to the same transaction."""
    run_check.enqueue(check.pk)


def put_back(check: Check) -> None:
    """Let a check that was interrupted begin again, as soon as a worker is there."""
    now = Check.objects.filter(pk=check.pk, state=Check.State.RUNNING)
    with transaction.atomic():
        if now.update(state=Check.State.WAITING, started_at=None, heard_at=None, share_done=0, doing=""):
            enqueue(check)


def _take(check_id: int) -> bool:
    """Make a waiting check this worker's own; of several workers that try, one update finds it waiting."""
    now = timezone.now()
    waiting = Check.objects.filter(pk=check_id, state=Check.State.WAITING, is_cancel_asked=False)
    return bool(waiting.update(state=Check.State.RUNNING, started_at=now, heard_at=now))


def _end(check: Check, state: str, **found: object) -> None:
    running = Check.objects.filter(pk=check.pk, state=Check.State.RUNNING)
    if not running.update(state=state, ended_at=timezone.now(), **found):
        logger.warning("Check %s was taken for lost before it ended.", check.pk)


class _Note:
    """Writes down how far a check is, once a second at most, and reads whether somebody wants it to end."""

    def __init__(self, check: Check) -> None:
        self._rows = Check.objects.filter(pk=check.pk, state=Check.State.RUNNING)
        self._said_at = -SAID_EVERY

    def __call__(self, share: float, doing: str) -> None:
        if time.monotonic() - self._said_at < SAID_EVERY:
            return
        self._said_at = time.monotonic()
        longest = Check._meta.get_field("doing").max_length
        if not self._rows.update(heard_at=timezone.now(), share_done=share, doing=doing[:longest]):
            raise NotOurs
        if self._rows.filter(is_cancel_asked=True).exists():
            raise Cancelled


def settle(check: Check, now: datetime) -> Check:
    """Call a check lost whose worker has been silent for too long; return it as it is then."""
    if check.is_silent(now):
        silent = Check.objects.filter(pk=check.pk, state=Check.State.RUNNING, heard_at=check.heard_at)
        silent.update(state=Check.State.LOST, ended_at=now)
        check.refresh_from_db()
    return check
