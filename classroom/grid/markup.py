"""The rows of the grid as HTML. A class of 500 with 30 missions has 15,000 cells: a template would take seconds.

Only a name is typed by anybody, and it is escaped; all else are numbers, dates, and slugs of missions, which are
letters, digits and hyphens.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from classroom.grid.dates import ShortDates
from classroom.grid.rows import Grid
from classroom.results import Cell, Row
from classroom.scoring import points_text
from simulator.templatetags.look import icon

_STARS = ("no star", "1 star", "2 stars", "3 stars")


def grid_rows(grid: Grid, changed: Collection[int] | None = None) -> SafeString:
    """The <tr> elements of the students shown: name, missions, totals, last try, and whether somebody is stuck.

    An open page has all but those in `changed` already: these are empty. Addresses are relative to the page of the
    grid.
    """
    starts, has_points, short = grid.chapter_starts, grid.asked.points, ShortDates(grid.results.at)
    is_stuck = f"{icon('flag')} stuck"
    rows = []
    for row in grid.rows:
        key = row.member.pk
        if changed is not None and key not in changed:
            rows.append(f'<tr data-key="{key}"></tr>')
            continue
        name = f'<th scope="row"><a href="../students/{key}/">{escape(row.member.display_name)}</a></th>'
        points = f'<td class="tot pts">{points_text(row.points)}</td>' if has_points else ""
        rest = f'<td class="tot">{row.stars}</td>{points}<td class="last">{short(row.last_tried_at)}</td>'
        stuck = f'<td class="flagc">{is_stuck if row.stuck else ""}</td>'
        rows.append(f'<tr data-key="{key}">{name}{row_cells(row, starts, has_points)}{rest}{stuck}</tr>\n')
    return mark_safe("".join(rows))  # noqa: S308


def row_cells(row: Row, starts: Collection[int] = (), has_points: bool = False) -> SafeString:
    """The <td> elements of a student's missions: stars as a class, and the number of tries, or points, as text.

    Classes: s0 to s3 by stars, p for a pass without a star, k for stuck, o for open and not tried, n for not open
    yet, and c in the places of `starts`, where a chapter begins. Links stay out of the tab order, which has the
    student's name; arrow keys reach them.
    """
    return mark_safe("".join(_cells(row, starts, has_points)))  # noqa: S308


def in_words(cell: Cell) -> str:
    """What a cell says: 2 stars, 3 tries."""
    return _words(cell.stars, cell.tries, cell.is_passed, cell.is_stuck, "")


def _cells(row: Row, starts: Collection[int], has_points: bool) -> Iterator[str]:
    opened: Collection[int] | None = None
    base = f"../students/{row.member.pk}/missions/"
    for place, cell in enumerate(row.cells):
        start = " c" if place in starts else ""
        done = cell.progress
        if done is None:
            if opened is None:
                opened = row.open_missions
            yield f'<td class="s0 o{start}">0</td>' if cell.mission_id in opened else f'<td class="n{start}"></td>'
            continue
        points = points_text(cell.score.points) if has_points else ""
        before, after = _around(done.best_stars, done.tries, done.passed_at is not None, cell.is_stuck, points, start)
        yield f"{before}{base}{cell.assignment.mission.slug}{after}"


@lru_cache(4096)
def _around(stars: int, tries: int, is_passed: bool, is_stuck: bool, points: str, start: str) -> tuple[str, str]:
    """A cell before and after the part of its address that differs from cell to cell."""
    css = f"s{stars}{start}{' p' if is_passed and not stars else ''}{' k' if is_stuck else ''}"
    label = _words(stars, tries, is_passed, is_stuck, points)
    return f'<td class="{css}"><a href="', f'/" tabindex=-1 aria-label="{label}">{points or tries}</a></td>'


def _words(stars: int, tries: int, is_passed: bool, is_stuck: bool, points: str) -> str:
    reached = "passed without a star" if is_passed and not stars else _STARS[stars]
    said = [reached, f"{tries} {'try' if tries == 1 else 'tries'}"]
    said += [f"{points} {'point' if points == '1' else 'points'}"] if points else []
    return ", ".join([*said, "stuck"] if is_stuck else said)
