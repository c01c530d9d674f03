"""Reads: every mission or attempt named by a student is fetched here, together with the right to see it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.contrib.auth.models import AbstractUser
from django.http import Http404

from missions.definition import MissionDefinition, definition_from
from missions.models import Attempt, Draft, Mission, Progress
from missions.progress import missions_in_order


class MissionLockedError(Exception):
    """The student can't open this mission yet; `opens_after` is the one to pass first."""

    def __init__(self, mission: Mission, opens_after: Mission) -> None:
        super().__init__(f"{mission} opens after {opens_after}")
        self.mission = mission
        self.opens_after = opens_after


@lru_cache(maxsize=256)
def _parsed(definition: str) -> MissionDefinition:
    return definition_from(json.loads(definition))


def definition_of(mission: Mission) -> MissionDefinition:
    """The checked definition of a mission row; parsed once per content."""
    return _parsed(json.dumps(mission.definition))


def is_open(user: AbstractUser, mission: Mission, missions: Sequence[Mission], rows: dict[int, Progress]) -> bool:
    """Say whether a student may play a mission: the first one, one that was unlocked, or one after a pass.

    Staff may play everything.
    """
    if user.is_staff or (missions and missions[0].pk == mission.pk):
        return True
    row = rows.get(mission.pk)
    if row is not None and row.unlocked_at is not None:
        return True
    previous = mission_before(mission, missions)
    passed = rows.get(previous.pk) if previous else None
    return passed is not None and passed.passed_at is not None


def mission_before(mission: Mission, missions: Sequence[Mission]) -> Mission | None:
    """The mission whose pass opens this one."""
    place = [m.pk for m in missions].index(mission.pk)
    return missions[place - 1] if place else None


def progress_rows(user: AbstractUser) -> dict[int, Progress]:
    return {row.mission_id: row for row in Progress.objects.filter(user=user)}


def open_mission(user: AbstractUser, slug: str) -> Mission:
    """Fetch a mission this student may play.

    Raises Http404 when there is none by that name, MissionLockedError when it is not open yet.
    """
    missions = missions_in_order()
    mission = next((m for m in missions if m.slug == slug), None)
    if mission is None:
        raise Http404("No such mission")
    if not is_open(user, mission, missions, progress_rows(user)):
        previous = mission_before(mission, missions)
        assert previous is not None
        raise MissionLockedError(mission, previous)
    return mission


def own_attempt(user: AbstractUser, mission: Mission, number: int) -> Attempt:
    """Fetch one of a student's own tries. Raises Http404."""
    attempt = Attempt.objects.filter(user=user, mission=mission, number=number).first()
    if attempt is None:
        raise Http404("No such try")
    attempt.mission = mission
    return attempt


def tries_of(user: AbstractUser, mission: Mission) -> list[Attempt]:
    """All of a student's tries at a mission, newest first."""
    return list(Attempt.objects.filter(user=user, mission=mission).order_by("-number"))


def draft_of(user: AbstractUser, mission: Mission) -> dict[str, str]:
    """What the student typed last and has not trained; empty when there is nothing."""
    draft = Draft.objects.filter(user=user, mission=mission).first()
    return dict(draft.fields) if draft else {}


@dataclass(frozen=True)
class Stop:
    """One mission on the map."""

    mission: Mission
    number: int
    state: str  # "done", "now", "open" or "shut"
    stars: int
    tries: int
    aim: str
    opens_after: int | None


@dataclass(frozen=True)
class Chapter:
    number: int
    stops: tuple[Stop, ...]

    @property
    def stars(self) -> int:
        return sum(stop.stars for stop in self.stops)

    @property
    def most_stars(self) -> int:
        return 3 * len(self.stops)


def chapters_for(user: AbstractUser) -> list[Chapter]:
    """The map of one student: every mission, locked ones too, and which one is up next."""
    missions = missions_in_order()
    rows = progress_rows(user)
    chapters: dict[int, list[Stop]] = {}
    is_now_taken = False
    for place, mission in enumerate(missions):
        row = rows.get(mission.pk)
        if row is not None and row.passed_at is not None:
            state = "done"
        elif is_open(user, mission, missions, rows):
            state = "open" if is_now_taken else "now"
            is_now_taken = True
        else:
            state = "shut"
        chapters.setdefault(mission.chapter, []).append(
            Stop(
                mission=mission,
                number=mission.position,
                state=state,
                stars=row.best_stars if row else 0,
                tries=row.tries if row else 0,
                aim=str(mission.definition["aim"]),
                opens_after=missions[place - 1].position if place else None,
            )
        )
    return [Chapter(number, tuple(stops)) for number, stops in chapters.items()]
