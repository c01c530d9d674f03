"""All that the page of one mission shows to those who teach."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.http import Http404, QueryDict

from classroom.figures.scatter import PAGE
from classroom.mission.foresight import Foresight, foresight_of
from classroom.mission.looks import ClassAnswers, answers_at
from classroom.mission.patterns import Repeated, SettingUsage, Turns, repeated_misses, turns_of, usage_of_settings
from classroom.mission.picture import TriesPicture, costs_of, levels_of, picture_of
from classroom.mission.standing import GROUPS, REACHED, MissionStanding, Student, standing_of_class
from classroom.mission.tries import MOST_TRIES, ClassTries, tries_at
from classroom.models import Assignment, Course
from classroom.results import Roll, results_for, roll_of
from missions.definition import MissionDefinition
from missions.goals import goal_name
from missions.looking import GENERATORS
from missions.models import Mission
from missions.queries import definition_of


@dataclass(frozen=True)
class Bar:
    """A line of a table with a bar: `share` is its length in percent of the longest that there can be."""

    name: str
    count: int
    share: float
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class ClassPage:
    """What the page of every mission shows below its title. `goals` says in words what is asked for."""

    assignment: Assignment
    definition: MissionDefinition
    goals: tuple[str, ...]
    standing: MissionStanding
    reached: tuple[Bar, ...]
    to_first_star: tuple[Bar, ...]
    group: str
    students: list[Student]
    before: Assignment | None
    after: Assignment | None

    @property
    def groups(self) -> list[tuple[str, str, int]]:
        """What can be asked for below: key, name, and how many students that are."""
        return [(key, group.name, self.standing.counts[key]) for key, group in GROUPS.items()]


@dataclass(frozen=True, kw_only=True)
class LookPage(ClassPage):
    """The page of a mission that is answered by looking."""

    answers: ClassAnswers


@dataclass(frozen=True, kw_only=True)
class MissionPage(ClassPage):
    """The page of a mission that is answered by training."""

    found: ClassTries
    place: int
    picture: TriesPicture
    levels: tuple[str, ...]
    left_out: int
    foresight: Foresight
    settings: list[SettingUsage]
    turns: Turns
    repeated: list[Repeated]
    most_tries: int = MOST_TRIES


def assigned_mission(roll: Roll, slug: str) -> Assignment:
    """A mission that the course assigns, by its name in addresses. Raises Http404."""
    for one in roll.assignments:
        if one.mission.slug == slug:
            return one
    raise Http404("Not assigned in this course")


def mission_page(course: Course, slug: str, asked: QueryDict, at: datetime | None = None) -> ClassPage:
    """Gather the page, in as many queries for a class of ten as for one of five hundred. Raises Http404."""
    everything = roll_of(course)
    assignment = assigned_mission(everything, slug)
    results = results_for(replace(everything, assignments=(assignment,)), at)
    mission = mission_of(assignment)
    definition = definition_of(mission)
    standing = standing_of_class(results.rows)
    group = asked.get("who", "")
    group = group if group in GROUPS else standing.worth_a_look
    neighbors = everything.assignments.index(assignment)
    common: dict[str, Any] = {
        "assignment": assignment,
        "definition": definition,
        "standing": standing,
        "reached": _bars([(one.name, standing.counts[one.key], one.key) for one in REACHED], len(standing.students)),
        "to_first_star": _bars([(name, count, "") for name, count in standing.to_first_star], standing.started),
        "group": group,
        "students": standing.within(group),
        "before": everything.assignments[neighbors - 1] if neighbors else None,
        "after": everything.assignments[neighbors + 1] if neighbors + 1 < len(everything.assignments) else None,
    }
    if definition.is_look:
        asks = GENERATORS[definition.generator].asks
        answers = answers_at(mission, definition.generator, everything.users)
        return LookPage(**common, goals=(asks,), answers=answers)
    found = tries_at(mission, definition, everything.users)
    levels = levels_of(definition)
    place = place_of(asked.get("goal", ""), len(levels))
    picture = picture_of(found, PAGE, place)
    return MissionPage(
        **common,
        goals=tuple(goal_name(goal, definition.world) for goal in definition.goals),
        found=found,
        place=place,
        picture=replace(picture, costs=costs_of(found)),
        levels=tuple(level.label for level in levels),
        left_out=max(0, standing.tries - len(found.tries)),
        foresight=foresight_of(found),
        settings=usage_of_settings(found),
        turns=turns_of(found),
        repeated=repeated_misses(found),
    )


def mission_of(assignment: Assignment) -> Mission:
    """An assigned mission with its definition, which the class's read leaves out."""
    return Mission.objects.defer("evidence").get(pk=assignment.mission_id)


def place_of(asked: str, count: int) -> int:
    """Which of `count` levels an address asks for, counted from 1 there; the first unless it is one of them."""
    return int(asked) - 1 if asked in [str(number) for number in range(1, count + 1)] else 0


def _bars(lines: list[tuple[str, int, str]], most: int) -> tuple[Bar, ...]:
    return tuple(Bar(name, count, round(100 * count / most, 1) if most else 0.0, key) for name, count, key in lines)
