"""From a student's passes to points: which try counts, and what it is worth under the course's rules.

Pure: nothing here reads the database.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property, lru_cache
from typing import NamedTuple

from classroom.models import Assignment, Course

CENT = Decimal("0.01")
NOTHING = Decimal("0.00")
PointsTable = tuple[Decimal, Decimal, Decimal, Decimal]
"""Points of a pass with no, one, two and three stars."""
DAY = timedelta(days=1)


class Pass(NamedTuple):
    """A try that reached the goal: its stars (0 to 3), when it was made, and the number the student knows it by."""

    stars: int
    at: datetime
    number: int


class Score(NamedTuple):
    """What one mission earns a student: the try that counts, None without one, and by how many days it was late."""

    points: Decimal = NOTHING
    counted: Pass | None = None
    days_late: int = 0

    @property
    def is_late(self) -> bool:
        return self.days_late > 0


NO_SCORE = Score()


@dataclass(frozen=True)
class Rules:
    """What points depend on besides the try: points by stars, and what becomes of late ones."""

    points: PointsTable
    late_policy: str
    late_percent: Decimal

    @classmethod
    def of(cls, assignment: Assignment, course: Course) -> "Rules":
        return cls(points_by_stars(assignment), course.late_policy, course.late_percent)

    def worth(self, one: Pass, due_at: datetime | None) -> Score:
        """The score if this try were the one that counts."""
        late = days_late(one.at, due_at)
        if not late:
            return Score(self._on_time[one.stars], one)
        points = self.points[one.stars]
        if self.late_policy == Course.LatePolicy.CLOSED:
            return NO_SCORE
        if self.late_policy == Course.LatePolicy.PERCENT:
            kept = max(Decimal(0), 100 - self.late_percent * late)
            points = points * kept / 100
        return Score(points.quantize(CENT, ROUND_HALF_UP), one, late)

    @cached_property
    def _on_time(self) -> PointsTable:
        none, one, two, three = (points.quantize(CENT, ROUND_HALF_UP) for points in self.points)
        return none, one, two, three

    def example(self, stars: int, days: int) -> Decimal:
        """The points of a student whose only pass has so many stars and is so many days late."""
        due_at = datetime(2000, 1, 1, tzinfo=UTC)
        return self.worth(Pass(stars, due_at + days * DAY, 1), due_at).points


def points_by_stars(assignment: Assignment) -> PointsTable:
    """The points table of an assignment."""
    return (
        assignment.points_no_star,
        assignment.points_one_star,
        assignment.points_two_stars,
        assignment.points_three_stars,
    )


def per_star(points: Decimal) -> PointsTable:
    """The table of a rule such as "2 points per star"."""
    return pass_and_stars(Decimal(0), points)


def pass_and_stars(for_pass: Decimal, per_star: Decimal) -> PointsTable:
    """The table of a rule such as "4 points for reaching the goal and 2 more per star"."""
    return (for_pass, for_pass + per_star, for_pass + 2 * per_star, for_pass + 3 * per_star)


def days_late(at: datetime, due_at: datetime | None) -> int:
    """Days begun after the due date; 0 on time, and without one."""
    if due_at is None or at <= due_at:
        return 0
    # Ceiling division.
    return -((due_at - at) // DAY)


def best_score(passes: Iterable[Pass], rules: Rules, due_at: datetime | None) -> Score:
    """The try that is worth most counts; among equals the one on time, then the earliest.

    A try made before an assignment opened counts like any other: it met the same goal on the same seeds.
    """
    best = NO_SCORE
    for one in passes:
        score = rules.worth(one, due_at)
        if score.counted is None or (best.counted is not None and score.points < best.points):
            continue
        if best.counted is None or score.points > best.points or _rank(score) > _rank(best):
            best = score
    return best


def _rank(score: Score) -> tuple[int, int, float]:
    """What decides between two that are worth the same."""
    assert score.counted is not None
    return (-score.days_late, score.counted.stars, -score.counted.at.timestamp())


@lru_cache(1024)
def points_text(points: Decimal) -> str:
    """Points as they are read: 3, 2.5, 0."""
    text = f"{points.quantize(CENT, ROUND_HALF_UP):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def points_in_words(points: Sequence[Decimal]) -> str:
    """A points table as a sentence: "1 point per star", or what each result earns."""
    none, one, two, three = points
    if none == 0 and two == 2 * one and three == 3 * one:
        return f"{points_text(one)} {_points(one)} per star."
    if two - one == three - two == one - none:
        return f"{points_text(none)} {_points(none)} for reaching the goal and {points_text(one - none)} more per star."
    levels = ("no star", "one star", "two stars", "three stars")
    return "; ".join(f"{points_text(value)} for {level}" for value, level in zip(points, levels, strict=True)) + "."


def late_policy_in_words(course: Course) -> str:
    """What becomes of late tries, as a sentence for students."""
    if course.late_policy == Course.LatePolicy.CLOSED:
        return "Tries after the due date earn no points."
    if course.late_policy == Course.LatePolicy.PERCENT:
        return f"Each day begun after the due date takes {points_text(course.late_percent)}% off a mission’s points."
    return "Tries after the due date count like others."


def example_in_words(rules: Rules, stars: int = 2, days: int = 1) -> str:
    """What the rules give one student: "A student with 2 stars, one day late, gets 1.8 of 3 points."""
    late = "on time" if not days else "one day late" if days == 1 else f"{days} days late"
    gained, most = points_text(rules.example(stars, days)), rules.points[3]
    return (
        f"A student with {stars} {'star' if stars == 1 else 'stars'}, {late}, gets {gained} of "
        f"{points_text(most)} {_points(most)}."
    )


def _points(value: Decimal) -> str:
    return "point" if value == 1 else "points"
