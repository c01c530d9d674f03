"""The lossless file of grades: a row for each student and mission, with all that the points follow from.

The try that counts is in it with its setup, its seed and the engine's version, from which the run can be made again.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from django.db.models import TextField
from django.db.models.functions import Cast

from classroom.cells import safe_cell
from classroom.grade_files import lines, number
from classroom.models import Course
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
    """All results of a course as lines of a CSV file; times are ISO 8601 with the course's offset from UTC."""
    attempts = _counted_attempts(results)

    def rows() -> Iterator[Sequence[str]]:
        yield COLUMNS
        for one in results:
            writing = _writer(one.course)
            for row in one.rows:
                who = _student(row, writing)
                course = _course(one.course)
                for place, cell in enumerate(row.cells, 1):
                    yield [*course, *who, *_mission(cell, place, writing), *_result(row, cell, writing, attempts)]

    return lines(rows())


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


def _mission(cell: Cell, place: int, written: Writing) -> list[str]:
    one = cell.assignment
    points = (one.points_no_star, one.points_one_star, one.points_two_stars, one.points_three_stars)
    dates = map(written, (one.opens_at, one.due_at, cell.due_at))
    texts = (one.mission.slug, safe_cell(one.mission.title), str(place))
    return [*texts, *dates, "yes" if cell.is_extended else "no", *map(number, points)]


def _result(row: Row, cell: Cell, written: Writing, attempts: dict[Key, tuple[str, ...]]) -> list[str]:
    progress = cell.progress
    told = [
        str(cell.tries),
        str(cell.stars),
        written(progress.passed_at if progress else None),
        written(cell.last_tried_at),
        number(cell.score.points),
    ]
    counted = cell.score.counted
    if counted is None:
        return [*told, *[""] * (4 + len(FACTS) + 1)]
    key = (row.member.user_id, cell.assignment.mission_id, counted.number)
    # Somebody may have deleted their account while the file was being made.
    facts = attempts.get(key, ("",) * (len(FACTS) + 1))
    return [*told, str(counted.number), written(counted.at), str(counted.stars), str(cell.score.days_late), *facts]


def _counted_attempts(results: Sequence[ClassResults]) -> dict[Key, tuple[str, ...]]:
    """What is on record of the tries that count, as texts; in one query."""
    counted = {
        (row.member.user_id, cell.assignment.mission_id, cell.score.counted.number)
        for one in results
        for row in one.rows
        for cell in row.cells
        if cell.score.counted is not None
    }
    course = results[0].course
    found = (
        Attempt.objects.filter(
            passed=True,
            user__in=course.memberships.students().values("user"),
            mission__in=course.assignments.values("mission"),
        )
        .order_by()
        .values_list("user_id", "mission_id", "number", *FACTS, Cast("setup", TextField()))
    )
    return {
        (user, mission, place): tuple(map(str, rest))
        for user, mission, place, *rest in found.iterator(chunk_size=2000)
        if (user, mission, place) in counted
    }
