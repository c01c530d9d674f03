"""Reads what many people did at many missions, without making a row of the database an object of its model.

A class of 500 with 30 missions has 15,000 rows of progress. Django's models and its conversion of dates would take
most of the time in which such a class is to be shown.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Field, Min, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.functional import cached_property

from classroom.scoring import Pass
from missions.models import Attempt, Progress
from missions.progress import Standing

Key = tuple[int, int]
"""The ids of a user and a mission."""


def standings(users: QuerySet[Any, Any], missions: Collection[int]) -> tuple[dict[Key, Standing], dict[Key, datetime]]:
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
    unlocked: dict[Key, datetime] = {}
    for user, mission, tries, passed, stars, fewest, gained_at, tried, unlock in rows:
        key = user, mission
        if tries:
            passed_at, tried_at = passed and _moment(passed), tried and _moment(tried)
            found[key] = Standing(tries, passed_at, stars, fewest, gained_at, tried_at)
        if unlock is not None:
            unlocked[key] = _moment(unlock)
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
            # A field that converts nothing: making integers integers again would take half of the time.
            .annotate(first_at=Cast(Min("created_at"), TextField()), first_number=Min("number", output_field=Field()))
        )
        found: dict[Key, list[Pass]] = {}
        for user, mission, stars, text, number in firsts:
            key = user, mission
            if key not in found:
                found[key] = []
            found[key].append(Pass(stars, _moment(text), number))
        return found


def _as_text(column: str) -> Cast:
    """A column of dates as text: reading it as such is left to `_moment`, which is much quicker."""
    return Cast(column, TextField())


def _moment(text: str) -> datetime:
    """A date from the database's text; SQLite stores UTC and doesn't say so."""
    return datetime.fromisoformat(text if "+" in text else f"{text}+00:00")
