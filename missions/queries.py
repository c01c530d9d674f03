"""Reads: every mission or attempt named by a student is fetched here, together with the right to see it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.http import Http404

from missions.chapters import (
    Chapter,
    chapter_condition,
    chapter_of,
    in_words,
    is_unlocked,
    opening_words,
    required_for,
)
from missions.definition import MissionDefinition, definition_from
from missions.models import Attempt, Draft, Mission, Progress
from missions.opening import missions_for, opened_by_rules, own_missions_for
from missions.progress import missions_in_order


class MissionLockedError(Exception):
    """The student can't open this mission yet; `opens_after` says in words what has to be passed first."""

    def __init__(self, mission: Mission, opens_after: str) -> None:
        super().__init__(f"{mission} opens after {opens_after}")
        self.mission = mission
        self.opens_after = opens_after


@lru_cache(maxsize=256)
def _parsed(definition: str) -> MissionDefinition:
    return definition_from(json.loads(definition))


def definition_of(mission: Mission) -> MissionDefinition:
    """The checked definition of a mission row; parsed once per content."""
    return _parsed(json.dumps(mission.definition))


def open_missions(
    user: AbstractUser | AnonymousUser, missions: Sequence[Mission], rows: dict[int, Progress]
) -> set[int]:
    """The ids of the missions a student may play.

    These are the missions that were unlocked, those whose trail is passed, what a rule of missions.opening adds, and
    whatever the student has tried: nobody is shut out from their own tries. Staff may play everything built-in.
    """
    passed = passed_ids(rows)
    opened = {pk for pk, row in rows.items() if row.unlocked_at is not None or row.tries}
    if user.is_authenticated:
        opened |= opened_by_rules(user, missions, passed)  # type: ignore[arg-type]
    return {
        mission.pk
        for mission in missions
        if mission.pk in opened or (user.is_staff and not mission.is_own) or is_unlocked(mission, missions, passed)
    }


def passed_ids(rows: dict[int, Progress]) -> set[int]:
    """The ids of the missions a student has passed."""
    return {mission_id for mission_id, row in rows.items() if row.passed_at is not None}


def progress_rows(user: AbstractUser | AnonymousUser) -> dict[int, Progress]:
    if not user.is_authenticated:
        return {}
    return {row.mission_id: row for row in Progress.objects.filter(user=user)}


def open_mission(user: AbstractUser, slug: str) -> Mission:
    """Fetch a mission this student may play.

    Raises Http404 when there is none by that name for them, MissionLockedError when it is not open yet.
    """
    missions = missions_for(user)
    mission = next((m for m in missions if m.slug == slug), None)
    if mission is None:
        raise Http404("No such mission")
    if mission.pk not in open_missions(user, missions, progress_rows(user)):
        raise MissionLockedError(mission, opening_words(mission, missions))
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
    """One mission on the map; `opens_after` says in few words what opens it."""

    mission: Mission
    number: int
    state: str  # "done", "now", "open" or "shut"
    stars: int
    tries: int
    aim: str
    opens_after: str


@dataclass(frozen=True)
class ChapterProgress:
    """A chapter with where one student stands in it; `condition` says what opens it, "" once it is open."""

    chapter: Chapter
    stops: tuple[Stop, ...]
    condition: str
    to_go: int

    @property
    def number(self) -> int:
        return self.chapter.number

    @property
    def to_go_in_words(self) -> str:
        return in_words(self.to_go)

    @property
    def stars(self) -> int:
        return sum(stop.stars for stop in self.stops)

    @property
    def most_stars(self) -> int:
        return 3 * len(self.stops)

    @property
    def passed(self) -> int:
        return sum(stop.state == "done" for stop in self.stops)


def chapters_for(user: AbstractUser | AnonymousUser) -> list[ChapterProgress]:
    """The map of one student, or of a visitor: every mission, locked ones too, and which one is up next."""
    missions = missions_in_order()
    rows = progress_rows(user)
    opened = open_missions(user, missions, rows)
    chapters: dict[int, list[Stop]] = {}
    is_now_taken = False
    for mission in missions:
        row = rows.get(mission.pk)
        if row is not None and row.passed_at is not None:
            state = "done"
        elif mission.pk in opened:
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
                opens_after=_opens_after(mission, missions),
            )
        )
    return [_progress_of(stops, missions, rows) for stops in chapters.values()]


def own_stops(user: AbstractUser) -> list[Stop]:
    """The own missions that are shown to a student, as the map lists them: below the trail, in no order of their own.

    Those that are not open yet are left out.
    """
    missions = own_missions_for(user)
    if not missions:
        return []
    rows = progress_rows(user)
    opened = open_missions(user, missions, rows)
    passed = passed_ids(rows)
    return [
        Stop(
            mission=mission,
            number=0,
            state="done" if mission.pk in passed else "open",
            stars=rows[mission.pk].best_stars if mission.pk in rows else 0,
            tries=rows[mission.pk].tries if mission.pk in rows else 0,
            aim=str(mission.definition["aim"]),
            opens_after="",
        )
        for mission in missions
        if mission.pk in opened
    ]


def _progress_of(stops: Sequence[Stop], missions: Sequence[Mission], rows: dict[int, Progress]) -> ChapterProgress:
    first = stops[0]
    is_shut = first.state == "shut"
    missing = [m for m in required_for(first.mission, missions) if m.pk not in passed_ids(rows)]
    return ChapterProgress(
        chapter=chapter_of(first.mission),
        stops=tuple(stops),
        condition=chapter_condition(first.mission, missions) if is_shut else "",
        to_go=len(missing) if is_shut else 0,
    )


def _opens_after(mission: Mission, missions: Sequence[Mission]) -> str:
    required = required_for(mission, missions)
    if required and required[-1].chapter == mission.chapter:
        return str(required[-1].position)
    return chapter_condition(mission, missions)
