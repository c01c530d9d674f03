"""Read a class list from whatever a spreadsheet or a learning platform wrote. Pure: no course, no database."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from classroom.cells import read_cell

MOST_BYTES = 1_000_000
MOST_ROWS = 5_000
SEPARATORS = (",", ";", "\t")

# Headings as they are compared: in lower case, with single spaces for everything else.
HEADINGS = {
    "email": ("email", "e mail", "mail", "email address", "e mail address"),
    "username": ("username", "user name", "user"),
    "name": ("name", "full name", "display name", "student", "student name"),
    "first_name": ("first name", "firstname", "given name", "forename"),
    "last_name": ("last name", "lastname", "family name", "surname"),
    "student_number": ("student number", "student id", "id number", "number", "matriculation number", "sis user id"),
    "section": ("section", "sections", "group", "groups"),
    "login": ("login", "login id", "sis login id"),
}
FIELD_OF = {heading: field for field, headings in HEADINGS.items() for heading in headings}
LONGEST = {"email": 254, "username": 150, "name": 150, "student_number": 60, "section": 60, "login": 150}


@dataclass(frozen=True)
class Row:
    """One person of a roster, by the row that a spreadsheet shows; `email` in lower case. What isn't known is ""."""

    number: int
    email: str = ""
    username: str = ""
    name: str = ""
    student_number: str = ""
    section: str = ""
    login: str = ""

    def __str__(self) -> str:
        return self.name or self.email or self.username


@dataclass(frozen=True)
class Problem:
    """A row that is left out, and why."""

    number: int
    text: str


@dataclass(frozen=True)
class Roster:
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()


class UnreadableError(Exception):
    """A file that is no roster; the message is for whoever sent it. `unknown` are headings that could be ignored."""

    def __init__(self, message: str, unknown: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.unknown = unknown


class TooLargeError(UnreadableError):
    def __init__(self) -> None:
        super().__init__(f"This file is larger than {MOST_BYTES // 1000} kB. A roster has one short line a person.")


def decode(data: bytes) -> str:
    """Guess the encoding: by its mark, else by UTF-16's zeros, else UTF-8, else what Windows writes.

    Raises UnreadableError for what is no text.
    """
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise UnreadableError("This is a spreadsheet’s own file. Save it as CSV first, and choose that file.")
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return _decoded(data, encoding)
    if b"\0" in data:
        # Without a mark: headings are plain letters, so every second byte is a zero.
        return _decoded(data, "utf-16-le" if data[1:2] == b"\0" else "utf-16-be")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return data.decode("cp1252")
        except UnicodeDecodeError:
            return data.decode("latin-1")


def _decoded(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UnreadableError("This file isn’t text. A roster is a CSV file, as a spreadsheet saves it.")
    return text


def read_roster(data: bytes, ignore_unknown: bool = False) -> Roster:
    """Read a roster. Rows that can't be used are listed as problems, by the number a spreadsheet shows.

    Raises UnreadableError for a file that is too large, no CSV, or has headings that aren't known (unless they are to
    be ignored), so that no column is taken for another.
    """
    if len(data) > MOST_BYTES:
        raise UnreadableError(
            f"This file is larger than {MOST_BYTES // 1000} kB. A roster has one short line a person."
        )
    text = decode(data)
    # Excel's own hint, which it never shows as a row.
    hint = re.match(r'"?sep=(.)"?\r?\n?', text, re.IGNORECASE)
    text = text[hint.end() :] if hint else text
    separator = _separator(text)
    records = _records(text, separator)
    head = next(records, None)
    if head is None:
        raise UnreadableError("This file is empty.")
    columns = _columns(*head, ignore_unknown)
    rows: list[Row] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, str], int] = {}
    for count, (number, cells) in enumerate(records, 1):
        if count > MOST_ROWS:
            raise UnreadableError(f"This file has more than {MOST_ROWS:,} rows.")
        row, why = _row(number, cells, columns)
        twin = next((seen[key] for key in _keys(row) if key in seen), None)
        if not why and twin is not None:
            why = f"is the same person as row {twin}"
        if why:
            problems.append(Problem(number, why))
            continue
        seen |= dict.fromkeys(_keys(row), number)
        rows.append(row)
    return Roster(tuple(rows), tuple(problems))


def _records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the records that hold anything, with the numbers a spreadsheet gives them. Raises UnreadableError."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    number = 0
    while True:
        number += 1
        try:
            cells = [read_cell(cell) for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise UnreadableError(f"Row {number} can’t be read: {error}. Look for a stray quotation mark.") from error
        if any(cells):
            yield number, cells


def _normalized(heading: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", heading.casefold()))


def _separator(text: str) -> str:
    """The separator under which the first row has most of the headings we know."""

    def known(separator: str) -> int:
        try:
            _, cells = next(_records(text, separator), (0, []))
        except UnreadableError:
            return -1
        return sum(_normalized(cell) in FIELD_OF for cell in cells)

    return max(SEPARATORS, key=known)


def _columns(number: int, cells: list[str], ignore_unknown: bool) -> list[str]:
    """The field of each column; "" for one that is ignored. Raises UnreadableError."""
    columns = [FIELD_OF.get(_normalized(cell), "") for cell in cells]
    if not any(columns):
        raise UnreadableError(
            f"Row {number} has no heading that a roster has. The first row must name the columns: E-mail or User name, "
            "and if you like Name (or First name and Last name), Student number, Section, Login."
        )
    unknown = tuple(cell for cell, field in zip(cells, columns, strict=True) if cell and not field)
    if unknown and not ignore_unknown:
        listed = ", ".join(f"“{cell[:40]}”" for cell in unknown[:8])
        raise UnreadableError(f"Row {number} has headings that mean nothing here: {listed}.", unknown)
    twice = {field for field in columns if field and columns.count(field) > 1}
    if twice:
        listed = ", ".join(f"“{cell}”" for cell, field in zip(cells, columns, strict=True) if field in twice)
        raise UnreadableError(f"Row {number} has headings that mean the same: {listed}. Keep one of them.")
    if not {"email", "username"} & set(columns):
        raise UnreadableError(f"Row {number} needs a heading “E-mail” or “User name”: people are told apart by them.")
    return columns


def _row(number: int, cells: list[str], columns: list[str]) -> tuple[Row, str]:
    """The person in a record, and what is wrong with it."""
    found = {field: cell for field, cell in zip(columns, cells, strict=False) if field}
    first, last = found.pop("first_name", ""), found.pop("last_name", "")
    if not found.get("name") and (first or last):
        # As class lists sort.
        found["name"] = ", ".join(filter(None, (last, first)))
    if "@" in found.get("username", ""):
        # Platforms that sign in by e-mail call it a user name; here no user name has an @.
        found.setdefault("login", found["username"])
        found["email"] = found.get("email") or found["username"]
        found["username"] = ""
    found["email"] = found.get("email", "").lower()
    row = Row(number, **found)
    if any(cells[len(columns) :]):
        return row, "has more cells than there are headings"
    for field in fields(Row)[1:]:
        if len(getattr(row, field.name)) > LONGEST[field.name]:
            return row, f"has a {field.name.replace('_', ' ')} of more than {LONGEST[field.name]} characters"
    if not row.email and not row.username:
        return row, "has neither an e-mail nor a user name"
    if row.email:
        try:
            validate_email(row.email)
        except ValidationError:
            return row, f"has an e-mail that is none: {row.email[:60]}"
    return row, ""


def _keys(row: Row) -> list[tuple[str, str]]:
    """What tells a person apart."""
    keys = [("email", row.email), ("username", row.username.casefold())]
    return [key for key in keys if key[1]]
