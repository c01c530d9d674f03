"""Where the students of a class stand with one mission. Pure: a class's results at that mission in."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from classroom.models import Membership
from classroom.results import Cell, Row

MOST_TRIES_NAMED = 10
"""Those who took more tries to their first star share a line."""


@dataclass(frozen=True)
class Group:
    """Students alike in what they reached: what the group is called in addresses and in words, and who is in it."""

    key: str
    name: str
    contains: Callable[[Cell], bool]


REACHED = (
    Group("3", "three stars", lambda cell: cell.stars == 3),
    Group("2", "two stars", lambda cell: cell.stars == 2),
    Group("1", "one star", lambda cell: cell.stars == 1),
    Group("0", "goal met, no star", lambda cell: cell.is_passed and not cell.stars),
    Group("not-yet", "goal not met yet", lambda cell: cell.tries > 0 and not cell.is_passed),
    Group("new", "no try yet", lambda cell: cell.tries == 0),
)
"""Everybody is in exactly one of these."""
STUCK = Group("stuck", "stuck", lambda cell: cell.is_stuck)
EVERYBODY = Group("all", "everybody", lambda cell: True)
GROUPS = {group.key: group for group in (STUCK, *REACHED, EVERYBODY)}


@dataclass(frozen=True)
class Student:
    member: Membership
    cell: Cell
    first_star_at: int | None


@dataclass(frozen=True)
class MissionStanding:
    """A class at one mission: students by name, and how many are in each group."""

    students: tuple[Student, ...]
    counts: dict[str, int]

    @property
    def passed(self) -> int:
        return sum(one.cell.is_passed for one in self.students)

    @property
    def tries(self) -> int:
        return sum(one.cell.tries for one in self.students)

    @property
    def started(self) -> int:
        return len(self.students) - self.counts["new"]

    @property
    def median_to_star(self) -> float | None:
        """Tries to the first star of those who have one, median; None without any."""
        numbers = [one.first_star_at for one in self.students if one.first_star_at is not None]
        return median(numbers) if numbers else None

    @property
    def to_first_star(self) -> list[tuple[str, int]]:
        """How many students got their first star with so many tries, up to the most that anybody took."""
        found = Counter(min(one.first_star_at, MOST_TRIES_NAMED + 1) for one in self.students if one.first_star_at)
        named = [(str(number), found[number]) for number in range(1, min(max(found, default=0), MOST_TRIES_NAMED) + 1)]
        more = found[MOST_TRIES_NAMED + 1]
        return [*named, (f"more than {MOST_TRIES_NAMED}", more)] if more else named

    def within(self, key: str) -> list[Student]:
        return [one for one in self.students if GROUPS[key].contains(one.cell)]

    @property
    def worth_a_look(self) -> str:
        """The group to show first: who is stuck, else who is not there yet, else everybody."""
        return next((key for key in ("stuck", "not-yet") if self.counts[key]), "all")


def standing_of_class(rows: Sequence[Row]) -> MissionStanding:
    """What results say about the one mission that they were read for."""
    students = tuple(Student(row.member, row.cells[0], first_star_at(row.cells[0])) for row in rows)
    return MissionStanding(students, group_counts(row.cells[0] for row in rows))


def group_counts(cells: Iterable[Cell]) -> dict[str, int]:
    found = dict.fromkeys(GROUPS, 0)
    for cell in cells:
        for key, group in GROUPS.items():
            found[key] += group.contains(cell)
    return found


def first_star_at(cell: Cell) -> int | None:
    """The number of the first try with a star, None without one."""
    return min((one.number for one in cell.passes.of(cell.key) if one.stars), default=None)
