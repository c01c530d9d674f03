"""All that the page of one mission shows to those who teach."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.http import Http404, QueryDict

from classroom.figures.scatter import PAGE
from classroom.mission.foresight import Foresight, foresight_of
from classroom.mission.patterns import Repeated, SettingUsage, Turns, repeated_misses, turns_of, usage_of_settings
from classroom.mission.picture import TriesPicture, costs_of, levels_of, picture_of
from classroom.mission.standing import GROUPS, REACHED, MissionStanding, Student, standing_of_class
from classroom.mission.tries import MOST_TRIES, ClassTries, tries_at
from classroom.models import Assignment, Course
from classroom.results import Roll, results_for, roll_of
from missions.definition import MissionDefinition
from missions.goals import goal_name
from missions.models import Mission
from missions.queries import definition_of


@dataclass(frozen=True)
class Bar:
    """A line of a table with a bar: `share` is its length in percent of the longest that there can be."""

    name: str
    count: int
    share: float
    key: str = ""


@dataclass(frozen=True)
class MissionPage:
    """Everything on the page below its title."""

    assignment: Assignment
    definition: MissionDefinition
    goals: tuple[str, ...]
    standing: MissionStanding
    reached: tuple[Bar, ...]
    to_first_star: tuple[Bar, ...]
    found: ClassTries
    place: int
    picture: TriesPicture
    levels: tuple[str, ...]
    left_out: int
    foresight: Foresight
    settings: list[SettingUsage]
    turns: Turns
    repeated: list[Repeated]
    group: str
    students: list[Student]
    before: Assignment | None
    after: Assignment | None
    most_tries: int = MOST_TRIES

    @property
    def groups(self) -> list[tuple[str, str, int]]:
        """What can be asked for below: key, name, and how many students that are."""
        return [(key, group.name, self.standing.counts[key]) for key, group in GROUPS.items()]


def assigned_mission(roll: Roll, slug: str) -> Assignment:
    """A mission that the course assigns, by its name in addresses. Raises Http404."""
    for one in roll.assignments:
        if one.mission.slug == slug:
            return one
    raise Http404("Not assigned in this course")


def mission_page(course: Course, slug: str, asked: QueryDict, at: datetime | None = None) -> MissionPage:
    """Gather the page, in as many queries for a class of ten as for one of five hundred. Raises Http404."""
    everything = roll_of(course)
    assignment = assigned_mission(everything, slug)
    results = results_for(replace(everything, assignments=(assignment,)), at)
    mission = mission_of(assignment)
    definition = definition_of(mission)
    standing = standing_of_class(results.rows)
    found = tries_at(mission, definition, everything.users)
    levels = levels_of(definition)
    place = place_of(asked.get("goal", ""), len(levels))
    group = asked.get("who", "")
    group = group if group in GROUPS else standing.worth_a_look
    picture = picture_of(found, PAGE, place)
    neighbors = everything.assignments.index(assignment)
    return MissionPage(
        assignment=assignment,
        definition=definition,
        goals=tuple(goal_name(goal, definition.world) for goal in definition.goals),
        standing=standing,
        reached=_bars([(one.name, standing.counts[one.key], one.key) for one in REACHED], len(standing.students)),
        to_first_star=_bars([(name, count, "") for name, count in standing.to_first_star], standing.started),
        found=found,
        place=place,
        picture=replace(picture, costs=costs_of(found)),
        levels=tuple(level.label for level in levels),
        left_out=max(0, standing.tries - len(found.tries)),
        foresight=foresight_of(found),
        settings=usage_of_settings(found),
        turns=turns_of(found),
        repeated=repeated_misses(found),
        group=group,
        students=standing.within(group),
        before=everything.assignments[neighbors - 1] if neighbors else None,
        after=everything.assignments[neighbors + 1] if neighbors + 1 < len(everything.assignments) else None,
    )


def mission_of(assignment: Assignment) -> Mission:
    """An assigned mission with its definition, which the class's read leaves out."""
    return Mission.objects.defer("evidence").get(pk=assignment.mission_id)


def place_of(asked: str, count: int) -> int:
    """Which of `count` levels an address asks for, counted from 1 there; the first unless it is one of them."""
    return int(asked) - 1 if asked in [str(number) for number in range(1, count + 1)] else 0


def _bars(lines: list[tuple[str, int, str]], most: int) -> tuple[Bar, ...]:
    return tuple(Bar(name, count, round(100 * count / most, 1) if most else 0.0, key) for name, count, key in lines)
