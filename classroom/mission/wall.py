"""The tries of a class for the wall of a lecture hall: live, and without anything that tells whose they are.

A try is revealed as its setup and what that reached, and only if somebody who made it agreed. It is known by the hash
of its run, which says nothing about persons; so addresses, pages and news for open pages hold no names and no keys.
"""

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Max, Sum
from django.http import QueryDict
from django.utils.crypto import salted_hmac

from classroom.figures.parts import Outcome
from classroom.figures.scatter import WALL, WALL_REVEALED
from classroom.mission.page import mission_of, place_of
from classroom.mission.picture import TriesPicture, count_outcomes, levels_of, picture_of
from classroom.mission.tries import ClassTries, Run, tries_at
from classroom.models import Assignment
from classroom.results import Roll
from missions.definition import MissionDefinition
from missions.models import Attempt, Progress
from missions.outcome import headline, try_after
from missions.queries import definition_of

LECTURE = timedelta(hours=2)
STEP = timedelta(minutes=5)
"""So often a wall of the last hours is drawn anew although nothing happened: tries go out of that time."""
FEW = 5
"""Up to so many students, somebody in the hall may know whose a mark is."""
NAME_LENGTH = 16
"""Of a run's hash, so much is enough to tell it from a class's others."""
# Of an attempt, what the words for it are made of.
_SAID = ("setup", "display_seed", "evaluation", "passed", "stars", "sampled_responses")


@dataclass(frozen=True)
class Asked:
    """What an address asks of the wall: a revealed run, which goal is up the side, since when, and no news."""

    shown: str = ""
    goal: str = ""
    is_lecture: bool = False
    is_still: bool = False

    @classmethod
    def read(cls, params: QueryDict) -> "Asked":
        shown = params.get("shown", "")
        return cls(
            shown=shown if len(shown) == NAME_LENGTH and shown.isalnum() and shown.isascii() else "",
            goal=params.get("goal", "") if params.get("goal", "") in list("123456789") else "",
            is_lecture=params.get("since") == "lecture",
            is_still="still" in params,
        )

    def query(self, **changes: object) -> str:
        """The query of the address that asks for this with some changes."""
        asked = replace(self, **changes)  # type: ignore[arg-type]
        parts = {"shown": asked.shown, "goal": asked.goal, "since": "lecture" if asked.is_lecture else ""}
        said = {name: value for name, value in parts.items() if value} | ({"still": "1"} if asked.is_still else {})
        return f"?{urlencode(said)}"


@dataclass(frozen=True)
class Setting:
    """One setting of a revealed try; `start` is what the mission starts with if that is different, else ""."""

    label: str
    value: str
    start: str


@dataclass(frozen=True)
class Revealed:
    """One try in words, without whose it is."""

    settings: tuple[Setting, ...]
    headline: str
    metric: str
    value: str
    sampled_responses: int

    @property
    def in_words(self) -> str:
        settings = ", ".join(f"{one.label} {one.value}" for one in self.settings)
        return f"{settings}. {self.headline}. {self.metric} {self.value}, {self.sampled_responses:,} responses."


@dataclass(frozen=True)
class Wall:
    """Everything on the wall. `another` is the run that the button reveals next, "" where there is none."""

    assignment: Assignment
    asked: Asked
    definition: MissionDefinition
    picture: TriesPicture
    tries: int
    with_stars: int
    people: int
    place: int
    levels: tuple[str, ...]
    revealed: Revealed | None
    another: str

    @property
    def is_of_few(self) -> bool:
        return 0 < self.people <= FEW

    def ask(self, **changes: object) -> str:
        return self.asked.query(**changes)

    @property
    def for_another(self) -> str:
        return self.asked.query(shown=self.another)

    @property
    def without(self) -> str:
        return self.asked.query(shown="")

    @property
    def stopped_or_live(self) -> str:
        return self.asked.query(is_still=not self.asked.is_still)

    @property
    def other_time(self) -> str:
        return self.asked.query(is_lecture=not self.asked.is_lecture)

    @property
    def other_level(self) -> tuple[str, str] | None:
        """The next goal to draw against, with its address."""
        if len(self.levels) < 2:
            return None
        following = (self.place + 1) % len(self.levels)
        return self.levels[following], self.asked.query(goal=str(following + 1))


def agreed(roll: Roll) -> set[int]:
    """The ids of the users who let a try of theirs be shown; nobody's where the course does not ask for it."""
    return {one.user_id for one in roll.members if one.may_reveal} if roll.course.asks_to_reveal else set()


def version_of(roll: Roll, assignment: Assignment, asked: Asked, at: datetime) -> str:
    """Changes whenever the wall would look different; one query.

    That of a paused wall changes only when what is revealed on it must not be shown any more.
    """
    if asked.is_still:
        return _digest((asked, is_agreed_to(roll, assignment, asked.shown)))
    found = Progress.objects.filter(user__in=roll.users, mission=assignment.mission_id)
    said = (
        found.aggregate(tries=Sum("tries"), last=Max("last_tried_at")),
        sorted(agreed(roll)),
        [one.user_id for one in roll.members],
        (assignment.mission.revision, assignment.mission.title, str(roll.course)),
        asked,
        int(at.timestamp() // STEP.total_seconds()) if asked.is_lecture else 0,
    )
    return _digest(said)


def _digest(said: object) -> str:
    # With the site's key: who agreed is in it, and from a plain hash that could be found out by trying.
    return salted_hmac("classroom.wall", repr(said), algorithm="sha256").hexdigest()[:24]


def is_agreed_to(roll: Roll, assignment: Assignment, shown: str) -> bool:
    """Whether anybody who agreed made the run of that name; in one query."""
    made = Attempt.objects.filter(mission=assignment.mission_id, user__in=agreed(roll), run_hash__startswith=shown)
    return bool(shown) and made.exists()


def wall_of(roll: Roll, assignment: Assignment, asked: Asked, at: datetime) -> Wall | None:
    """Draw the wall; in four queries at most, however many students there are.

    None for a mission that is answered by looking: answers have no place in a picture of costs and goals, and each is
    about another run.
    """
    mission = mission_of(assignment)
    definition = definition_of(mission)
    if definition.is_look:
        return None
    found = tries_at(mission, definition, roll.users, at - LECTURE if asked.is_lecture else None)
    levels = levels_of(definition)
    place = place_of(asked.goal, len(levels))
    runs = revealable(found, agreed(roll))
    shown = runs.get(asked.shown)
    others = [name for name in runs if name != asked.shown]
    return Wall(
        assignment=assignment,
        asked=asked,
        definition=definition,
        picture=picture_of(found, WALL_REVEALED if shown else WALL, place, shown),
        tries=len(found.tries),
        with_stars=count_outcomes(found.tries)[Outcome.STAR],
        people=found.people,
        place=place,
        levels=tuple(level.label for level in levels),
        revealed=_reveal(definition, shown) if shown else None,
        another=random.choice(others) if others else "",  # noqa: S311
    )


def revealable(found: ClassTries, users: set[int]) -> dict[str, Run]:
    """The runs that at least one of `users` made, by the names that addresses have for them."""
    return {
        run.run_hash[:NAME_LENGTH]: run
        for run, tries in found.runs.items()
        if run.run_hash and any(one.user in users for one in tries)
    }


def _reveal(definition: MissionDefinition, run: Run) -> Revealed:
    # Any attempt of the run says the same, whoever made it.
    attempt = Attempt.objects.only(*_SAID).get(pk=run.key)
    world, start = definition.world, definition.start.to_dict()
    row = try_after(attempt, None, start)
    settings = tuple(
        Setting(
            world.settings[name].in_sentence,
            world.setting_value(name, run.settings[name]),
            world.setting_value(name, start[name]) if run.settings[name] != start[name] else "",
        )
        for name, control in definition.controls.items()
        if not control.locked and name in run.settings
    )
    return Revealed(settings, headline(attempt), row.metric_label, row.value, run.sampled_responses)
