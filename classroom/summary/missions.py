"""How far a class is with each mission: everybody is in exactly one part of its bar. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from classroom.models import Assignment
from classroom.results import Cell, Row

NOT_MET, NEW = "not-yet", "new"
"""How classroom.mission.standing calls, in addresses, who has tried and not passed, and who has not tried."""


@dataclass(frozen=True)
class Part:
    """A part of a bar, from the left, in percent of all students."""

    css: str
    start: float
    width: float


@dataclass(frozen=True)
class MissionCounts:
    """One mission: students by their best stars at a pass (0 to 3), the others, and their tries."""

    assignment: Assignment
    cells: tuple[Cell, ...]
    by_stars: tuple[int, int, int, int]
    not_met: int
    new: int
    stuck: int
    tries: int
    median_tries: float | None
    median_stars: float

    @property
    def passed(self) -> int:
        return sum(self.by_stars)

    @property
    def starred(self) -> int:
        return sum(self.by_stars[1:])

    @property
    def parts(self) -> tuple[Part, ...]:
        """The bar: passed with a star, passed without, tried, and an empty rest."""
        counts = (("star", self.starred), ("met", self.by_stars[0]), ("miss", self.not_met))
        found: list[Part] = []
        done = 0
        for css, count in counts:
            if count:
                found.append(Part(css, _percent(done, len(self.cells)), _percent(count, len(self.cells))))
            done += count
        return tuple(found)


def counts_of(assignments: Sequence[Assignment], rows: Sequence[Row]) -> tuple[MissionCounts, ...]:
    """All missions of a class, in the course's order."""
    return tuple(_counts(one, tuple([row.cells[place] for row in rows])) for place, one in enumerate(assignments))


def _counts(assignment: Assignment, cells: tuple[Cell, ...]) -> MissionCounts:
    tried = [cell.progress for cell in cells if cell.progress]
    passed = Counter(one.best_stars for one in tried if one.passed_at)
    tries = [one.tries for one in tried]
    return MissionCounts(
        assignment=assignment,
        cells=cells,
        by_stars=(passed[0], passed[1], passed[2], passed[3]),
        not_met=len(tried) - passed.total(),
        new=len(cells) - len(tried),
        stuck=sum([cell.is_stuck for cell in cells]),
        tries=sum(tries),
        median_tries=median(tries) if tries else None,
        median_stars=median([cell.stars for cell in cells] or [0]),
    )


def _percent(count: int, of: int) -> float:
    return round(100 * count / of, 2) if of else 0.0
