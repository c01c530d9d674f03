"""The cells of the grid as HTML. A class of 500 with 30 missions has 15,000: a template would take seconds for them.

Nothing in a cell is typed by anybody: numbers, and slugs of missions, which are letters, digits and hyphens.
"""

from collections.abc import Iterator

from django.utils.safestring import SafeString, mark_safe

from classroom.results import Cell, Row
from classroom.scoring import points_text

_STARS = ("no star", "1 star", "2 stars", "3 stars")


def row_cells(row: Row, has_points: bool = False) -> SafeString:
    """The <td> elements of a student's missions: stars as a class, and the number of tries, or points, as text.

    Classes: s0 to s3 by stars, p for a pass without a star, k for stuck, n for not open yet. Addresses are relative
    to the page of the grid. Links stay out of the tab order, which has the student's name; arrow keys reach them.
    """
    return mark_safe("".join(_cells(row, has_points)))  # noqa: S308


def in_words(cell: Cell, has_points: bool = False) -> str:
    """What a cell says: 2 stars, 3 tries."""
    reached = "passed without a star" if cell.is_passed and not cell.stars else _STARS[cell.stars]
    tries = f"{cell.tries} {'try' if cell.tries == 1 else 'tries'}"
    points = f", {points_text(cell.score.points)} points" if has_points else ""
    return f"{reached}, {tries}{points}{', stuck' if cell.is_stuck else ''}"


def _cells(row: Row, has_points: bool) -> Iterator[str]:
    opened = row.open_missions
    base = f"../students/{row.member.pk}/missions/"
    for cell in row.cells:
        if not cell.tries:
            yield "<td class=s0>0</td>" if cell.assignment.mission_id in opened else "<td class=n></td>"
            continue
        css = f"s{cell.stars}"
        if cell.is_passed and not cell.stars:
            css += " p"
        if cell.is_stuck:
            css += " k"
        text = points_text(cell.score.points) if has_points else cell.tries
        yield (
            f'<td class="{css}"><a href="{base}{cell.assignment.mission.slug}/" tabindex=-1 '
            f'aria-label="{in_words(cell, has_points)}">{text}</a></td>'
        )
