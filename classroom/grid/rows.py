"""Which students the grid shows, in which order, and what it says about all of them. Pure: a class's results in."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from statistics import median
from typing import Any

from classroom.grid.asked import BY_NAME, SHOWN, Asked
from classroom.models import Assignment
from classroom.results import ACTIVE_LATELY, Cell, ClassResults, Row
from missions.chapters import chapter_of

ACTIVE_NOW = timedelta(hours=1)
_NEVER = datetime(1, 1, 1, tzinfo=UTC)

_Rule = Callable[[Row, datetime], bool]
RULES: dict[str, _Rule] = {
    "": lambda row, at: True,
    "stuck": lambda row, at: bool(row.stuck),
    "new": lambda row, at: row.tries == 0,
    "inactive": lambda row, at: row.tries > 0 and not _tried_within(row, at, ACTIVE_LATELY),
    "active": lambda row, at: _tried_within(row, at, ACTIVE_NOW),
}
RULES_IN_WORDS = (
    "Not started: no try at any assigned mission. "
    f"Inactive: has tried, but not in the last {ACTIVE_LATELY.days} days. "
    "Active now: a try in the last hour."
)


@dataclass(frozen=True)
class Column:
    """An assigned mission as a column: how many of the students shown passed it, and their median stars."""

    assignment: Assignment
    place: int
    passed: int
    stuck: int
    median_stars: float
    starts_chapter: bool


@dataclass(frozen=True)
class Chapter:
    """Columns side by side whose missions are of one chapter."""

    name: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Grid:
    """The rows shown, and what is said about them (`chapters`) and about the whole class (all else)."""

    asked: Asked
    results: ClassResults
    rows: tuple[Row, ...]
    chapters: tuple[Chapter, ...]
    counts: dict[str, int]
    sections: tuple[str, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for chapter in self.chapters for column in chapter.columns)

    @property
    def chapter_starts(self) -> set[int]:
        """The places of the columns, but the first, at which a chapter begins."""
        return {column.place for column in self.columns if column.starts_chapter}

    @property
    def choices(self) -> list[tuple[str, str, int]]:
        """The filters by state: value, name, and how many of the class it lets through."""
        return [(show, name, self.counts[show]) for show, name in SHOWN.items()]

    @property
    def sorts(self) -> list[tuple[str, str]]:
        """Orders to choose from, as the address says them and in words; the present one is among them."""
        named = {"": "name", "stars": "stars", "points": "points", "active": "last try", "stuck": "stuck longest"}
        if not self.asked.points:
            del named["points"]
        named |= {one.mission.slug: one.mission.title for one in self.results.assignments}
        present = self.asked.sort_value
        if present not in named:
            named[present] = f"{named.get('' if self.asked.sort == BY_NAME else self.asked.sort, 'name')}, reversed"
        return list(named.items())

    @property
    def median_passed(self) -> float:
        return median([row.passed for row in self.results.rows] or [0])

    @property
    def median_stars(self) -> float:
        return median([row.stars for row in self.results.rows] or [0])

    @property
    def next_due(self) -> tuple[Assignment, int] | None:
        """The assignment that is due next, and how many have passed it."""
        due = [
            (one.due_at, place)
            for place, one in enumerate(self.results.assignments)
            if one.due_at is not None and one.due_at > self.results.at
        ]
        if not due:
            return None
        place = min(due)[1]
        return self.results.assignments[place], sum(row.cells[place].is_passed for row in self.results.rows)


def grid_of(results: ClassResults, asked: Asked) -> Grid:
    """Lay out a class as asked."""
    rows = tuple(ordered(filtered(results.rows, asked, results.at), asked))
    return Grid(
        asked,
        results,
        rows,
        _chapters(results.assignments, rows),
        {show: sum(RULES[show](row, results.at) for row in results.rows) for show in SHOWN},
        tuple(sorted({row.member.section for row in results.rows} - {""})),
    )


def filtered(rows: Iterable[Row], asked: Asked, at: datetime) -> list[Row]:
    """Those rows that every filter lets through."""
    words = asked.search.casefold().split()
    return [
        row
        for row in rows
        if RULES[asked.show](row, at)
        and (not asked.section or row.member.section == asked.section)
        and (not words or _says(row, words))
    ]


def ordered(rows: Sequence[Row], asked: Asked) -> list[Row]:
    """Rows in the order asked for; those that are alike stay in that of their names."""
    if asked.sort == BY_NAME:
        return list(reversed(rows)) if asked.is_reversed else list(rows)
    key = _KEYS.get(asked.sort) or _by_mission(rows, asked.sort)
    return sorted(rows, key=key, reverse=asked.is_reversed) if key else list(rows)


def _says(row: Row, words: list[str]) -> bool:
    member = row.member
    text = f"{member.name} {member.user.get_username()} {member.student_number}".casefold()
    return all(word in text for word in words)


def _tried_within(row: Row, at: datetime, span: timedelta) -> bool:
    return row.last_tried_at is not None and at - row.last_tried_at <= span


def _by_mission(rows: Sequence[Row], slug: str) -> Callable[[Row], Any] | None:
    """Most stars first; among equals those with fewer tries, and whoever hasn't tried comes last."""
    places = [place for place, cell in enumerate(rows[0].cells) if cell.assignment.mission.slug == slug] if rows else []
    if not places:
        return None

    def key(row: Row) -> tuple[int, bool, bool, int]:
        cell = row.cells[places[0]]
        return (-cell.stars, not cell.is_passed, not cell.tries, cell.tries)

    return key


def _stuck_longest(row: Row) -> int:
    return -max((cell.tries_without_gain for cell in row.stuck), default=0)


# From the end that is looked for first: most stars, latest try, longest stuck.
_KEYS: dict[str, Callable[[Row], Any]] = {
    "stars": lambda row: -row.stars,
    "points": lambda row: -row.points,
    "active": lambda row: -((row.last_tried_at or _NEVER) - _NEVER),
    "stuck": _stuck_longest,
}


def _chapters(assignments: Sequence[Assignment], rows: Sequence[Row]) -> tuple[Chapter, ...]:
    numbered = enumerate(assignments)
    found: list[Chapter] = []
    for name, group in groupby(numbered, key=lambda pair: chapter_of(pair[1].mission).name):
        columns = []
        for place, assignment in group:
            cells: list[Cell] = [row.cells[place] for row in rows]
            columns.append(
                Column(
                    assignment,
                    place,
                    sum(cell.is_passed for cell in cells),
                    sum(cell.is_stuck for cell in cells),
                    median([cell.stars for cell in cells] or [0]),
                    starts_chapter=not columns and bool(found),
                )
            )
        found.append(Chapter(name, tuple(columns)))
    return tuple(found)
