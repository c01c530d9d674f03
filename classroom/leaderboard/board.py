"""The leaderboard of a course, in three queries, however many are on it: names, missions, and what they reached."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Min, QuerySet

from classroom.leaderboard.ranking import Best, Place, places, standing_of
from classroom.models import Course, Membership
from missions.models import Attempt, Progress

Key = tuple[int, int]
"""The ids of a user and a mission."""


@dataclass(frozen=True)
class Board:
    """Everything that the page of a leaderboard shows. `own` is the reader's line, if they are on it."""

    places: tuple[Place, ...]
    own: Place | None
    missions: int
    frozen_at: datetime | None

    @property
    def most_stars(self) -> int:
        return 3 * self.missions

    @property
    def names(self) -> list[str]:
        return sorted((place.standing.name for place in self.places), key=str.casefold)


def board_of(course: Course, reader: Membership | None = None) -> Board:
    """Rank the present students who chose a name; nobody else is read at all.

    While it is frozen, only tries up to that moment count. Names and missions are those of now also then: whoever
    leaves the board or the course is gone from it at once.
    """
    asked = course.memberships.current().students().exclude(leaderboard_name="")
    members = list(asked.values_list("pk", "user_id", "leaderboard_name"))
    missions = list(course.assignments.values_list("mission_id", flat=True))
    bests = best_tries(asked.values("user"), missions, course.leaderboard_frozen_at)
    own = reader.pk if reader is not None else None
    found = places(
        standing_of(name, (best for mission in missions if (best := bests.get((user, mission)))), key == own)
        for key, user, name in members
    )
    mine = next((place for place in found if place.standing.is_own), None)
    return Board(tuple(found), mine, len(missions), course.leaderboard_frozen_at)


def best_tries(users: QuerySet[Any, Any], missions: Collection[int], until: datetime | None = None) -> dict[Key, Best]:
    """The best of each user at each mission they passed, now, or by the tries up to a moment; in one query."""
    if until is None:
        rows = Progress.objects.filter(user__in=users, mission__in=missions, passed_at__isnull=False).order_by()
        columns = rows.values_list("user_id", "mission_id", "best_stars", "fewest_responses")
    else:
        tries = Attempt.objects.filter(user__in=users, mission__in=missions, passed=True, created_at__lte=until)
        grouped = tries.order_by().values_list("user_id", "mission_id", "stars")
        columns = grouped.annotate(fewest=Min("sampled_responses"))
    found: dict[Key, Best] = {}
    for user, mission, stars, fewest in columns:
        known = found.get((user, mission))
        if known is None or stars > known.stars:
            found[user, mission] = Best(stars, fewest)
    return found
