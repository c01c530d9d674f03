"""Reads what many people did at many missions, without making a row of the database an object of its model.

A class of 500 with 30 missions has 15,000 rows of progress. Django's models and its conversion of dates would take
most of the time in which such a class is to be shown.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Min, QuerySet, TextField
from django.db.models.functions import Cast

from classroom.scoring import Pass
from missions.models import Attempt, Progress
from missions.progress import Standing

Key = tuple[int, int]
"""The ids of a user and a mission."""


def standings(
    users: QuerySet[Any, Any], missions: Collection[int]
) -> tuple[dict[Key, Standing], dict[Key, datetime | None]]:
    """Where users stand with missions they tried, and since when missions are unlocked to them; in one query."""
    rows = (
        Progress.objects.filter(user__in=users, mission__in=missions)
        .order_by()
        .values_list(
            "user_id",
            "mission_id",
            "tries",
            _as_text("passed_at"),
            "best_stars",
            "fewest_responses",
            "gained_at_try",
            _as_text("last_tried_at"),
            _as_text("unlocked_at"),
        )
    )
    found: dict[Key, Standing] = {}
    unlocked: dict[Key, datetime | None] = {}
    for user, mission, tries, passed_at, stars, fewest, gained_at, tried_at, unlocked_at in rows:
        if tries:
            found[user, mission] = Standing(tries, _moment(passed_at), stars, fewest, gained_at, _moment(tried_at))
        if unlocked_at is not None:
            unlocked[user, mission] = _moment(unlocked_at)
    return found, unlocked


class Passes:
    """The first pass of each user at each mission with each number of stars; read in one query, when one is asked for.

    A later one with as many stars is never worth more.
    """

    def __init__(self, users: QuerySet[Any, Any], missions: Collection[int]) -> None:
        self._users, self._missions = users, missions

    def of(self, key: Key) -> Sequence[Pass]:
        return self._all.get(key, ())

    @cached_property
    def _all(self) -> dict[Key, list[Pass]]:
        # All of it is in an index: setups and evaluations, which make the table large, aren't touched.
        firsts = (
            Attempt.objects.filter(user__in=self._users, mission__in=self._missions, passed=True)
            .order_by()
            .values_list("user_id", "mission_id", "stars")
            .annotate(first_at=Cast(Min("created_at"), TextField()), first_number=Min("number"))
        )
        found: dict[Key, list[Pass]] = {}
        for user, mission, stars, text, number in firsts:
            at = _moment(text)
            assert at is not None
            found.setdefault((user, mission), []).append(Pass(stars, at, number))
        return found


def _as_text(column: str) -> Cast:
    """A column of dates as text: reading it as such is left to `_moment`, which is much quicker."""
    return Cast(column, TextField())


def _moment(text: str | None) -> datetime | None:
    """A date from the database's text; SQLite stores UTC and doesn't say so."""
    if text is None:
        return None
    return datetime.fromisoformat(text if "+" in text else f"{text}+00:00")
