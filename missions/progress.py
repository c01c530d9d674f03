"""Progress as it follows from attempts: one fold for the write after each attempt and for rebuilding everything."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from django.contrib.auth.models import AbstractUser
from django.db import transaction

from missions.chapters import next_in_chapter, required_for
from missions.models import Attempt, Mission, Progress


class Try(Protocol):
    """What progress needs to know of an attempt."""

    created_at: datetime
    passed: bool
    stars: int
    sampled_responses: int


class Standing(NamedTuple):
    """Where a student stands with one mission, apart from when it was unlocked. A tuple: a class has thousands."""

    tries: int = 0
    passed_at: datetime | None = None
    best_stars: int = 0
    fewest_responses: int | None = None
    gained_at_try: int = 0
    last_tried_at: datetime | None = None

    @property
    def tries_without_gain(self) -> int:
        """Tries since the last one that passed for the first time or brought a new star."""
        return self.tries - self.gained_at_try

    def after(self, attempt: Try) -> "Standing":
        """Fold one more attempt in: stars never fall, and fewer responses count only at the best stars."""
        standing = self._replace(tries=self.tries + 1, last_tried_at=attempt.created_at)
        if not attempt.passed:
            return standing
        is_gain = self.passed_at is None or attempt.stars > self.best_stars
        if is_gain:
            fewest = attempt.sampled_responses
        elif attempt.stars == self.best_stars:
            fewest = min(self.fewest_responses or attempt.sampled_responses, attempt.sampled_responses)
        else:
            fewest = self.fewest_responses or attempt.sampled_responses
        return standing._replace(
            passed_at=self.passed_at or attempt.created_at,
            best_stars=max(self.best_stars, attempt.stars),
            fewest_responses=fewest,
            gained_at_try=standing.tries if is_gain else self.gained_at_try,
        )

    @classmethod
    def of(cls, progress: Progress) -> "Standing":
        return cls(*(getattr(progress, name) for name in cls._fields))

    def write_to(self, progress: Progress) -> None:
        for name, value in zip(self._fields, self, strict=True):
            setattr(progress, name, value)


def standing_of(attempts: Iterable[Try]) -> Standing:
    """Fold attempts, in the order of their numbers."""
    standing = Standing()
    for attempt in attempts:
        standing = standing.after(attempt)
    return standing


def missions_in_order() -> list[Mission]:
    """The built-in missions that can be played, in the order in which they unlock."""
    # What was measured is many times the rest, and only a mission's own page shows it.
    built_in = Mission.objects.filter(source=Mission.Source.BUILT_IN, is_retired=False)
    return list(built_in.defer("evidence").order_by("chapter", "position"))


def first_unlocked_at(user: AbstractUser, mission: Mission, missions: Sequence[Mission]) -> datetime | None:
    """When `mission` is open from the start: the first one opens with the account."""
    is_playable = any(m.pk == mission.pk for m in missions)
    return user.date_joined if is_playable and not required_for(mission, missions) else None


@transaction.atomic
def rebuild_progress(user: AbstractUser) -> bool:
    """Make the progress rows of one student again from the attempts; return whether anything changed.

    An unlock that is already on record stays: reordering the catalogue takes nothing away.
    """
    missions = missions_in_order()
    attempts: dict[int, list[Attempt]] = {}
    for attempt in Attempt.objects.filter(user=user).select_related("mission").order_by("number"):
        attempts.setdefault(attempt.mission_id, []).append(attempt)
    rows = {row.mission_id: row for row in Progress.objects.select_for_update().filter(user=user)}
    standings = {mission_id: standing_of(tries) for mission_id, tries in attempts.items()}

    unlocks: dict[int, datetime] = {}
    played = {a[0].mission_id: a[0].mission for a in attempts.values()}
    for mission_id, standing in standings.items():
        opened = next_in_chapter(played[mission_id], missions)
        if standing.passed_at and opened:
            unlocks[opened.pk] = min(unlocks.get(opened.pk, standing.passed_at), standing.passed_at)
        if at := first_unlocked_at(user, played[mission_id], missions):
            unlocks[mission_id] = at
    passed = {mission_id: at for mission_id, standing in standings.items() if (at := standing.passed_at)}
    for mission in missions:
        required = {m.pk for m in required_for(mission, missions)}
        if required and required <= passed.keys() and mission.pk not in unlocks:
            unlocks[mission.pk] = max(passed[pk] for pk in required)

    changed = False
    for mission_id in {*standings, *unlocks, *rows}:
        row = rows.get(mission_id) or Progress(user=user, mission_id=mission_id)
        before = (Standing.of(row), row.unlocked_at, row.pk)
        standings.get(mission_id, Standing()).write_to(row)
        row.unlocked_at = row.unlocked_at or unlocks.get(mission_id)
        if row.tries == 0 and row.unlocked_at is None:
            if row.pk:
                row.delete()
                changed = True
            continue
        if before != (Standing.of(row), row.unlocked_at, row.pk) or row.pk is None:
            row.save()
            changed = True
    return changed
