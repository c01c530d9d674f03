"""What opens a mission besides the trail: rules that other parts of the site add, and an unlock for one student.

Such a rule only ever adds: what the trail of missions.chapters opens, no rule closes. To whom own missions are shown
is for other parts of the site, too; to everybody else they aren't there.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import transaction
from django.db.models import Q

from missions.models import Mission, Progress
from missions.progress import missions_in_order, rebuild_progress

# Of a student, the missions that can be played, and the ids of those passed: the ids that are open to the student.
Rule = Callable[[AbstractUser, Sequence[Mission], Collection[int]], set[int]]
_rules: list[Rule] = []
# Of a user: the condition by which missions are among the own missions that are shown to them.
Shown = Callable[[AbstractUser], Q]
_shown: list[Shown] = []


def add_rule(rule: Rule) -> None:
    """Let `rule` open missions from now on. It is asked once for each page, so it should need one query."""
    if rule not in _rules:
        _rules.append(rule)


def opened_by_rules(user: AbstractUser, missions: Sequence[Mission], passed: Collection[int]) -> set[int]:
    """The ids of the missions that the rules open for a student."""
    return {pk for rule in _rules for pk in rule(user, missions, passed)}


def show_own_missions(shown: Shown) -> None:
    """Let people see the own missions that `shown` says, from now on."""
    if shown not in _shown:
        _shown.append(shown)


def own_missions_for(user: AbstractUser | AnonymousUser) -> list[Mission]:
    """The own missions that are shown to somebody, by title; those they have tried stay with them."""
    if not user.is_authenticated:
        return []
    tried = Progress.objects.filter(user=user, tries__gt=0).values("mission")
    condition = Q(pk__in=tried)
    for shown in _shown:
        condition |= shown(user)  # type: ignore[arg-type]
    own = Mission.objects.filter(condition, source=Mission.Source.OWN, is_retired=False)
    return list(own.defer("evidence").order_by("title", "pk"))


def missions_for(user: AbstractUser | AnonymousUser) -> list[Mission]:
    """All missions that are there for somebody, open to them or not: the built-in ones in order, then own ones."""
    return missions_in_order() + own_missions_for(user)


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
