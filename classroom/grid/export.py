"""The grid as CSV: exactly the students it shows, in its order, with stars, tries and points of each mission."""

import csv
from collections.abc import Iterator
from typing import Any

from classroom.cells import safe_cell
from classroom.grid.rows import Grid
from classroom.results import Row

PEOPLE = ("Name", "User name", "Student number", "Section")
TOTALS = ("Stars", "Points", "Tries", "Passed", "Last try", "Stuck at")
PER_MISSION = ("stars", "tries", "points")


class _Line:
    """What csv writes into: gives each line back instead of keeping it."""

    def write(self, line: str) -> str:
        return line


def csv_lines(grid: Grid) -> Iterator[str]:
    """The file line by line, from the mark by which Excel knows UTF-8 on. Dates are in the course's time zone."""
    writer = csv.writer(_Line())
    yield "\ufeff" + writer.writerow(_heading(grid))
    for row in grid.rows:
        yield writer.writerow(_cells(grid, row))


def _heading(grid: Grid) -> list[str]:
    missions = [
        f"{assignment.mission.title}: {what}" for assignment in grid.results.assignments for what in PER_MISSION
    ]
    return [safe_cell(text) for text in (*PEOPLE, *TOTALS, *missions)]


def _cells(grid: Grid, row: Row) -> list[Any]:
    member = row.member
    people = (member.display_name, member.user.get_username(), member.student_number, member.section)
    last = row.last_tried_at
    totals = (
        row.stars,
        row.points,
        row.tries,
        row.passed,
        last.astimezone(grid.results.course.zone).isoformat(timespec="seconds") if last else "",
        safe_cell("; ".join(cell.assignment.mission.title for cell in row.stuck)),
    )
    missions = (value for cell in row.cells for value in (cell.stars, cell.tries, cell.score.points))
    return [*map(safe_cell, people), *totals, *missions]
