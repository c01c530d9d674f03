"""What the pages about assignments show: rows, rules in words, what can be assigned, and points in examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from classroom.forms.assignments import AssignmentForm
from classroom.models import Assignment, Course
from classroom.results import stuck_rule_in_words
from classroom.scoring import (
    NOTHING,
    Rules,
    example_in_words,
    late_policy_in_words,
    points_by_stars,
    points_in_words,
    points_text,
)
from missions.chapters import Chapter, chapter_of
from missions.models import Mission

LATE_DAYS = (0, 1, 3)


@dataclass(frozen=True)
class AssignedRow:
    """One assignment in the list. `state` is "later", "open" or "over"."""

    assignment: Assignment
    number: int
    points: str
    state: str
    extended: int


def listed(course: Course, assignments: Sequence[Assignment], at: datetime) -> dict[str, Any]:
    """The list of what is assigned, with the course's rules in words and an example of them."""
    rows = [
        AssignedRow(one, place, points_in_words(points_by_stars(one)), _state(one, at), getattr(one, "extended", 0))
        for place, one in enumerate(assignments, 1)
    ]
    total = sum((one.most_points for one in assignments), NOTHING)
    return {
        "rows": rows,
        "total": points_text(total),
        "has_dates": any(one.opens_at or one.due_at for one in assignments),
        "rules": rules_in_words(course),
        "example": example_in_words(Rules.of(assignments[0], course)) if assignments else "",
        "example_of": assignments[0].mission.title if assignments else "",
    }


def _state(assignment: Assignment, at: datetime) -> str:
    if assignment.opens_at is not None and assignment.opens_at > at:
        return "later"
    return "over" if assignment.due_at is not None and assignment.due_at < at else "open"


def rules_in_words(course: Course) -> list[str]:
    """The rules that hold for all assignments, as sentences for students and those who teach."""
    return [order_in_words(course), late_policy_in_words(course), stuck_rule_in_words(course)]


def order_in_words(course: Course) -> str:
    """In which order students can play what is assigned."""
    if course.mission_order == Course.MissionOrder.FREE:
        rule = "Assigned missions can be played in any order, each from its opening date on."
    else:
        rule = (
            "Assigned missions open one after the other, in this order: each once the one before is passed, and not "
            "before its opening date."
        )
    return f"{rule} What a student’s own trail has opened stays open."


@dataclass(frozen=True)
class Offer:
    """A mission that can be assigned, unless it is already."""

    mission: Mission
    is_free: bool


@dataclass(frozen=True)
class OfferedChapter:
    chapter: Chapter
    missions: tuple[Offer, ...]

    @property
    def free(self) -> int:
        return sum(offer.is_free for offer in self.missions)


def offered(course: Course, missions: Sequence[Mission]) -> list[OfferedChapter]:
    """Every mission by chapter, and which of them the course assigns already."""
    assigned = set(course.assignments.values_list("mission_id", flat=True))
    return [
        OfferedChapter(chapter, tuple(Offer(mission, mission.pk not in assigned) for mission in group))
        for chapter, group in groupby(missions, key=chapter_of)
    ]


@dataclass(frozen=True)
class Examples:
    """What points come to: a sentence about the table, one about a student, and points by stars and days late."""

    words: str
    sentence: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def examples(course: Course, chosen: Sequence[Assignment], form: AssignmentForm) -> Examples | None:
    """Examples of what is typed, or stored as long as nothing is; None where it can't be read or the chosen differ."""
    tables = {points_by_stars(one) for one in chosen}
    typed = form.points() if form.is_bound else None
    if typed is None and (len(tables) > 1 or (form.is_bound and form.cleaned_data.get("rule") != "keep")):
        return None
    rules = Rules(typed or tables.pop(), course.late_policy, course.late_percent)
    names = ("goal, no star", "one star", "two stars", "three stars")
    return Examples(
        points_in_words(rules.points),
        example_in_words(rules),
        ("", *("on time" if not days else f"{days} {'day' if days == 1 else 'days'} late" for days in LATE_DAYS)),
        tuple(
            (name, tuple(points_text(rules.example(stars, days)) for days in LATE_DAYS))
            for stars, name in enumerate(names)
        ),
    )
