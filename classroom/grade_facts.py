"""The lossless file of grades: a row for each student and mission, with all that the points follow from.

The try that counts is in it with its setup, its seed and the engine's version, from which the run can be made again.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from django.db.models import Exists, OuterRef, TextField
from django.db.models.functions import Cast

from classroom.cells import safe_cell
from classroom.grade_files import LINE_END, joined, lines, number
from classroom.models import Assignment, Course
from classroom.results import Cell, ClassResults, Row
from missions.models import Attempt

COLUMNS = (
    *("course", "course_id", "late_policy", "late_percent", "time_zone"),
    *("student_id", "user_name", "email", "name", "student_number", "section", "login", "status", "joined_at"),
    *("ended_at", "mission", "mission_title", "place", "opens_at", "due_at", "own_due_at", "is_extended"),
    *("points_no_star", "points_one_star", "points_two_stars", "points_three_stars"),
    *("tries", "best_stars", "passed_at", "last_tried_at", "points", "counted_try", "counted_at", "counted_stars"),
    *("days_late", "mission_revision", "engine_version", "sampled_responses", "display_seed", "run_hash", "setup"),
)
FACTS = ("mission_revision", "engine_version", "sampled_responses", "display_seed", "run_hash")
Key = tuple[int, int, int]
"""A user, a mission, and the number of a try."""


def facts(results: Sequence[ClassResults]) -> Iterator[str]:
    """All results of a course as lines of a CSV file; times are ISO 8601 with the course's offset from UTC.

    A line is joined from parts that are written once: most of what it says stands in many lines.
    """
    attempts = _counted_attempts(results)
    yield from lines([COLUMNS])
    for one in results:
        written = _writer(one.course)
        mission = _mission_writer(written)
        course = joined(_course(one.course))
        for row in one.rows:
            begin = f"{course},{joined(_student(row, written))}"
            for place, cell in enumerate(row.cells, 1):
                end = _result(row, cell, written, attempts)
                yield f"{begin},{mission(cell.assignment, place, cell.due_at, cell.is_extended)},{end}{LINE_END}"


Writing = Callable[[datetime | None], str]


def _writer(course: Course) -> Writing:
    zone = course.zone

    # Most dates are everybody's, or stand in all rows of a student.
    @lru_cache(4096)
    def written(at: datetime | None) -> str:
        return "" if at is None else at.astimezone(zone).isoformat()

    return written


def _course(course: Course) -> list[str]:
    texts = [safe_cell(str(course)), course.public_id, course.late_policy]
    return [*texts, number(course.late_percent), course.time_zone]


def _student(row: Row, written: Writing) -> list[str]:
    member = row.member
    texts = (member.user.get_username(), member.user.email, member.name, member.student_number, member.section)
    return [
        str(member.pk),
        *map(safe_cell, (*texts, member.login)),
        member.end or "current",
        written(member.joined_at),
        written(member.ended_at),
    ]


def _mission_writer(written: Writing) -> Callable[[Assignment, int, datetime | None, bool], str]:
    """What writes an assignment with the due date that somebody has."""

    @lru_cache(4096)
    def mission(one: Assignment, place: int, own_due_at: datetime | None, is_extended: bool) -> str:
        points = (one.points_no_star, one.points_one_star, one.points_two_stars, one.points_three_stars)
        dates = map(written, (one.opens_at, one.due_at, own_due_at))
        texts = (one.mission.slug, safe_cell(one.mission.title), str(place))
        return joined([*texts, *dates, "yes" if is_extended else "no", *map(number, points)])

    return mission


def _result(row: Row, cell: Cell, written: Writing, attempts: dict[Key, str]) -> str:
    """Numbers and dates, in which nothing needs quotation marks, and what is on record of the try that counts."""
    progress, score = cell.progress, cell.score
    passed_at, last_tried_at = (progress.passed_at, progress.last_tried_at) if progress else (None, None)
    told = f"{cell.tries},{cell.stars},{written(passed_at)},{written(last_tried_at)},{number(score.points)}"
    counted = score.counted
    if counted is None:
        return told + "," * (4 + len(FACTS) + 1)
    user, mission = cell.key
    # Somebody may have deleted their account while the file was being made.
    on_record = attempts.get((user, mission, counted.number), "," * len(FACTS))
    return f"{told},{counted.number},{written(counted.at)},{counted.stars},{score.days_late},{on_record}"


def _counted_attempts(results: Sequence[ClassResults]) -> dict[Key, str]:
    """What is on record of the tries that count, as cells joined to a text; in one query.

    Only the first pass with each number of stars can count, so setups of others are left in the database.
    """
    counted = {
        (*cell.key, cell.score.counted.number)
        for one in results
        for row in one.rows
        for cell in row.cells
        if cell.score.counted is not None
    }
    course = results[0].course
    alike = Attempt.objects.filter(
        user=OuterRef("user"), mission=OuterRef("mission"), stars=OuterRef("stars"), passed=True
    )
    found = (
        Attempt.objects.filter(
            ~Exists(alike.filter(number__lt=OuterRef("number"))),
            passed=True,
            user__in=course.memberships.students().values("user"),
            mission__in=course.assignments.values("mission"),
        )
        .order_by()
        .values_list("user_id", "mission_id", "number", *FACTS, Cast("setup", TextField()))
    )
    return {row[:3]: joined(map(str, row[3:])) for row in found.iterator(chunk_size=2000) if row[:3] in counted}
