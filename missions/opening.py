"""What opens a mission besides the trail: rules that other parts of the site add, and an unlock for one student.

Such a rule only ever adds: what the trail of missions.chapters opens, no rule closes.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from django.contrib.auth.models import AbstractUser
from django.db import transaction

from missions.models import Mission, Progress
from missions.progress import rebuild_progress

# Of a student, the missions that can be played, and the ids of those passed: the ids that are open to the student.
Rule = Callable[[AbstractUser, Sequence[Mission], Collection[int]], set[int]]
_rules: list[Rule] = []


def add_rule(rule: Rule) -> None:
    """Let `rule` open missions from now on. It is asked once for each page, so it should need one query."""
    if rule not in _rules:
        _rules.append(rule)


def opened_by_rules(user: AbstractUser, missions: Sequence[Mission], passed: Collection[int]) -> set[int]:
    """The ids of the missions that the rules open for a student."""
    return {pk for rule in _rules for pk in rule(user, missions, passed)}


@transaction.atomic
def unlock(user: AbstractUser, mission: Mission, at: datetime) -> bool:
    """Open a mission for one student; False if it was on record as open before."""
    row, _ = Progress.objects.get_or_create(user=user, mission=mission)
    return bool(Progress.objects.filter(pk=row.pk, unlocked_at=None).update(unlocked_at=at))


@transaction.atomic
def lock_again(user: AbstractUser, mission: Mission) -> bool:
    """Take back the unlock of a mission; False, and nothing is changed, if the student has tried it.

    What the passes so far open stays open, with the date that follows from them.
    """
    row = Progress.objects.select_for_update().filter(user=user, mission=mission).first()
    if row is not None and row.tries:
        return False
    if row is not None:
        row.unlocked_at = None
        row.save(update_fields=["unlocked_at"])
        rebuild_progress(user)
    return True
