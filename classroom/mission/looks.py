"""The answers of a class at a mission that is answered by looking, in one query."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from missions.looking import GENERATORS
from missions.models import Attempt, Mission

MOST_ANSWERS = 10_000
"""So many are read, the latest; pages say where there are more."""

PLACES = {1: "First answers", 2: "Second answers", 3: "Third and later answers"}


@dataclass(frozen=True)
class Line:
    """A line of a table: how many answers were right, and how many wrong."""

    name: str
    right: int
    wrong: int
    instead: str = ""

    @property
    def all(self) -> int:
        return self.right + self.wrong

    @property
    def share(self) -> int:
        """Of all of them, in percent."""
        return round(100 * self.right / self.all) if self.all else 0


@dataclass(frozen=True)
class ClassAnswers:
    """Answers by whether they were a student's first, second or a later one, and by what was right.

    `by_right` is empty where the answers of one question mean nothing in the next.
    """

    by_place: tuple[Line, ...]
    by_right: tuple[Line, ...]
    is_cut: bool = False

    @property
    def made(self) -> int:
        return sum(line.all for line in self.by_place)

    @property
    def most(self) -> int:
        return max((line.all for line in (*self.by_place, *self.by_right)), default=0)


def answers_at(mission: Mission, generator: str, users: QuerySet[Any, Any]) -> ClassAnswers:
    """What `users` answered at a mission as it is now."""
    asked = Attempt.objects.filter(mission=mission, mission_revision=mission.revision, user__in=users)
    columns = ("number", "passed", "evaluation__right_label", "evaluation__given_label")
    rows = list(asked.order_by("-pk").values_list(*columns)[: MOST_ANSWERS + 1])
    is_cut, rows = len(rows) > MOST_ANSWERS, rows[:MOST_ANSWERS]
    places = Counter((min(number, max(PLACES)), passed) for number, passed, *_ in rows)
    by_place = tuple(
        Line(name, places[place, True], places[place, False])
        for place, name in PLACES.items()
        if places[place, True] + places[place, False]
    )
    made_by = GENERATORS.get(generator)
    is_same = made_by is not None and made_by.is_same
    return ClassAnswers(by_place, _by_right([row[1:] for row in rows]) if is_same else (), is_cut)


def _by_right(rows: list[tuple[bool, str, str]]) -> tuple[Line, ...]:
    found = []
    for right in sorted({row[1] for row in rows}):
        given = Counter(one for _, is_right, one in rows if is_right == right)
        wrong = Counter({name: count for name, count in given.items() if name != right})
        instead = wrong.most_common(1)[0][0] if wrong else ""
        found.append(Line(right, given[right], wrong.total(), instead))
    return tuple(found)
