"""Grades as CSV files in the shapes that learning platforms import. Rows are made as they are sent.

What each platform asks for, as of 2026:

- Canvas finds its import's columns by their place: Student, ID, SIS User ID, SIS Login ID, Section, then one column for
  each assignment, found by its name; and a second row with the points possible. ID is Canvas's own number, which nobody
  knows here, so students are found by the next two.
- Moodle lets one choose which column says who somebody is, and gives up on the whole file at a row it doesn't know.
  So there is one such column, and who has nothing to write there is left out and named on the page.
- Blackboard needs a column Username, quotation marks around all cells, and makes a new column of each heading.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from classroom.cells import safe_cell
from classroom.models import Assignment, Membership
from classroom.results import Cell, ClassResults, Row

# What Canvas takes for columns of its own, wherever in a heading it stands.
_CANVAS_OWN = re.compile(r"(Current|Final|Override) (Score|Points|Grade|Status)")
# What Canvas takes for its number of an assignment.
_CANVAS_NUMBER = re.compile(r"\((\d+)\)$")
TOTAL = "Missions, total"


@dataclass(frozen=True)
class Options:
    """How a file is written: zeros also where something can still be earned in time; the total in place of missions."""

    zeros: bool = False
    total_only: bool = False


LINE_END = "\r\n"


class _Line:
    """A file that only knows the line that was written last."""

    line = ""

    def write(self, text: str) -> None:
        self.line = text


def lines(rows: Iterable[Sequence[str]], quoting: int = csv.QUOTE_MINIMAL) -> Iterator[str]:
    """Rows as lines of a CSV file, the first with the mark by which spreadsheets know UTF-8."""
    out = _Line()
    writer = csv.writer(out, quoting=quoting)  # type: ignore[arg-type]
    mark = "\ufeff"
    for row in rows:
        writer.writerow(row)
        yield mark + out.line
        mark = ""


def joined(cells: Iterable[str]) -> str:
    """Cells as they stand in a line of a file, to be joined with others by commas."""
    out = _Line()
    csv.writer(out, lineterminator="").writerow(list(cells))  # type: ignore[arg-type]
    return out.line


@lru_cache(1024)
def number(points: Decimal) -> str:
    """Points with two decimals and a point, as every platform reads them."""
    return f"{points:.2f}"


def headings(assignments: Sequence[Assignment]) -> list[str]:
    """A column's name for each assignment: its title, and its address's word where two are called the same."""
    found: dict[int, str] = {}
    taken: set[str] = set()
    # In the order in which missions came to be, so that one more never renames a column that was imported before.
    for one in sorted(assignments, key=lambda one: one.mission_id):
        title = one.mission.title
        found[one.pk] = title if title.casefold() not in taken else f"{title} [{one.mission.slug}]"
        taken.add(title.casefold())
    return [found[one.pk] for one in assignments]


def points_cells(row: Row, options: Options) -> list[str]:
    """The points of one student, mission by mission or in total.

    Empty is what has brought nothing yet and isn't over: platforms leave it out of the mean, and a 0 would count.
    """
    if options.total_only:
        return [number(row.points)]
    return [_points_cell(cell, options) for cell in row.cells]


def _points_cell(cell: Cell, options: Options) -> str:
    if cell.score.counted is None and not cell.is_over and not options.zeros:
        return ""
    return number(cell.score.points)


def canvas(results: ClassResults, options: Options) -> Iterator[str]:
    columns = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
    names = [TOTAL] if options.total_only else [_canvas_heading(name) for name in headings(results.assignments)]
    most = [results.most_points] if options.total_only else [one.most_points for one in results.assignments]
    numbers, logins = (dict(identified(results.rows, key).known) for key in ("number", "login"))

    def rows() -> Iterator[list[str]]:
        yield [*columns, *map(safe_cell, names)]
        yield ["    Points Possible", "", "", "", "", *map(number, most)]
        for row in results.rows:
            member = row.member
            known = (numbers.get(member.pk, ""), logins.get(member.pk, ""))
            who = (member.display_name, "", *known, member.section)
            yield [*map(safe_cell, who), *points_cells(row, options)]

    return lines(rows())


def _canvas_heading(name: str) -> str:
    name = _CANVAS_OWN.sub(lambda found: found[0].lower(), name)
    return _CANVAS_NUMBER.sub(r"[\1]", name)


# What a column is called in which Moodle finds a person, by what it holds.
MOODLE_KEYS = {"email": "Email address", "login": "Username", "number": "ID number"}


def moodle(results: ClassResults, options: Options, key: str = "email") -> Iterator[str]:
    names = [TOTAL] if options.total_only else headings(results.assignments)
    known = dict(identified(results.rows, key).known)

    def rows() -> Iterator[list[str]]:
        yield [MOODLE_KEYS[key], "Name", *map(safe_cell, names)]
        for row in results.rows:
            if row.member.pk in known:
                who = (known[row.member.pk], row.member.display_name)
                yield [*map(safe_cell, who), *points_cells(row, options)]

    return lines(rows())


def blackboard(results: ClassResults, options: Options) -> Iterator[str]:
    names = [TOTAL] if options.total_only else headings(results.assignments)
    known = dict(identified(results.rows, "login").known)

    def rows() -> Iterator[list[str]]:
        yield ["Last Name", "First Name", "Username", "Student ID", *map(safe_cell, names)]
        for row in results.rows:
            if row.member.pk in known:
                last, _, first = row.member.display_name.partition(",")
                who = (last.strip(), first.strip(), known[row.member.pk], row.member.student_number)
                yield [*map(safe_cell, who), *points_cells(row, options)]

    return lines(rows(), csv.QUOTE_ALL)


@dataclass(frozen=True)
class Identified:
    """By what a platform knows students: their membership's id with that, and those left out, with the reason."""

    known: tuple[tuple[int, str], ...]
    left_out: tuple[tuple[Membership, str], ...]


def identified(rows: Sequence[Row], key: str) -> Identified:
    """Find what tells students apart in another platform: their "email", "number" or "login" there.

    Whoever has none is left out. So is whoever's own user name is what the roster says is another one's login: a name
    that anybody may choose must not lead to somebody else's grades.
    """
    on_roster = _by_key((row.member, _from_roster(row.member, key)) for row in rows)
    found = _by_key((row.member, _from_roster(row.member, key) or _own_name(row.member, key)) for row in rows)
    known, left_out = [], []
    for row in rows:
        member = row.member
        value = _from_roster(member, key) or _own_name(member, key)
        same = [other for other in found.get(value.casefold(), ()) if other != member]
        if not value:
            left_out.append((member, {"email": "no e-mail", "number": "no student number"}.get(key, "no login")))
        elif same and on_roster.get(value.casefold(), []) != [member]:
            left_out.append((member, f"{value} is also {same[0].display_name}’s"))
        else:
            known.append((member.pk, value))
    return Identified(tuple(known), tuple(left_out))


def _by_key(pairs: Iterable[tuple[Membership, str]]) -> dict[str, list[Membership]]:
    found: dict[str, list[Membership]] = {}
    for member, value in pairs:
        if value:
            found.setdefault(value.casefold(), []).append(member)
    return found


def _from_roster(member: Membership, key: str) -> str:
    return {"email": member.user.email, "number": member.student_number, "login": member.login}[key]


def _own_name(member: Membership, key: str) -> str:
    return member.user.get_username() if key == "login" else ""
