"""Class lists as spreadsheets and learning platforms write them all give the same roster; what is none says why."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.cells import read_cell, safe_cell
from classroom.roster.reading import MOST_BYTES, MOST_ROWS, Row, UnreadableError, read_roster
from classroom.roster.writing import written

HEAD = ["E-mail", "Name", "Student number"]
BODY = [["Maya@Uni.example", "Rossi, Maya", "0012"], ["zoe@uni.example", "Müller, Zoë", "0013"]]
ROWS = (
    Row(2, "maya@uni.example", name="Rossi, Maya", student_number="0012"),
    Row(3, "zoe@uni.example", name="Müller, Zoë", student_number="0013"),
)


def as_csv(separator: str = ",", end: str = "\n", head: list[str] = HEAD, before: str = "") -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, lineterminator=end)
    writer.writerows([head, *BODY])
    return before + out.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_every_way_to_write_it_reads_the_same(separator: str, end: str, encoding: str) -> None:
    assert read_roster(as_csv(separator, end).encode(encoding)).rows == ROWS


@pytest.mark.parametrize(
    "head",
    [
        ["EMAIL", "name", "student id"],
        [" e-mail address ", "Full_Name", "SIS User ID"],
        ["Email Address", "Student", "ID number"],
    ],
)
def test_headings_of_other_systems_mean_the_same(head: list[str]) -> None:
    assert read_roster(as_csv(head=head).encode()).rows == ROWS


def test_what_a_spreadsheet_never_shows_is_skipped_and_rows_keep_its_numbers() -> None:
    roster = read_roster(b"sep=;\r\nE-mail;Name\r\n;\r\na@uni.example;Ada\r\nnone;Bo\r\n\r\n")
    assert roster.rows == (Row(3, "a@uni.example", name="Ada"),)
    assert [(problem.number, problem.text) for problem in roster.problems] == [(4, "has an e-mail that is none: none")]


def test_two_columns_of_names_become_one_and_a_login_may_be_an_address() -> None:
    roster = read_roster(b"Username,First name,Last name\nMaya@uni.example,Maya,Rossi\nliam,Liam,\n")
    assert roster.rows == (
        Row(2, "maya@uni.example", name="Rossi, Maya", login="Maya@uni.example"),
        Row(3, username="liam", name="Liam"),
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (",Ada,1", "neither an e-mail nor a user name"),
        ("a@,Ada,1", "an e-mail that is none"),
        ("maya@UNI.example,Twin,1", "the same person as row 2"),
        ("a@uni.example,Ada,1,more", "more cells than there are headings"),
        (f"a@uni.example,{'x' * 151},1", "a name of more than 150 characters"),
    ],
)
def test_a_row_that_can_not_be_used_is_named(line: str, why: str) -> None:
    roster = read_roster(f"{as_csv()}{line}\n".encode())
    assert roster.rows == ROWS
    assert [problem.number for problem in roster.problems] == [4]
    assert why in roster.problems[0].text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf\r\n", "empty"),
        (b"maya@uni.example;Rossi\n", "no heading that a roster has"),
        (b"E-mail,Favorite color\na@uni.example,red\n", "“Favorite color”"),
        (b"E-mail,Mail\na@uni.example,b@uni.example\n", "mean the same"),
        (b"Name,Section\nAda,1\n", "needs a heading"),
        (b'E-mail,Name\na@uni.example,"Ada\nb@uni.example,Bo\n', "Row 2 can’t be read"),
        (b"PK\x03\x04 a workbook", "Save it as CSV"),
        (b"E\0-\0\0", "isn’t text"),
        (b"E-mail\n" + b"x" * MOST_BYTES, "larger than"),
        (b"E-mail\n" + b"".join(b"a%d@uni.example\n" % n for n in range(MOST_ROWS + 1)), "more than 5,000 rows"),
        (b"E-mail\n" + b'"' + b"y" * 200_000 + b'"', "can’t be read"),
    ],
)
def test_what_is_no_roster_says_why(data: bytes, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        read_roster(data)


def test_unknown_columns_can_be_left_out_but_not_taken_for_others() -> None:
    data = b"E-mail,Favorite color,Name\na@uni.example,red,Ada\n"
    with pytest.raises(UnreadableError) as caught:
        read_roster(data)
    assert caught.value.unknown == ("Favorite color",)
    assert read_roster(data, ignore_unknown=True).rows == (Row(2, "a@uni.example", name="Ada"),)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for start in (b"", b"E-mail;Name\n"):
        try:
            roster = read_roster(start + data)
        except UnreadableError:
            continue
        assert all(row.email or row.username for row in roster.rows)


# Cells as they are stored: read once, so in one line and without what can't be seen.
STORED = st.text(max_size=40).map(read_cell)


@given(STORED)
def test_a_cell_is_safe_in_a_spreadsheet_and_reads_back_the_same(text: str) -> None:
    cell = safe_cell(text)
    assert not cell or cell[0] not in "=+-@\t\r\n"
    assert read_cell(cell) == text


@given(st.lists(st.tuples(STORED, STORED), max_size=5))
def test_what_is_written_reads_back_the_same(details: list[tuple[str, str]]) -> None:
    rows = tuple(
        Row(place, f"s{place}@uni.example", f"s{place}", name, section=section)
        for place, (name, section) in enumerate(details, 2)
    )
    assert read_roster(written(rows).encode("utf-8-sig")).rows == rows
    assert not read_roster(written(rows).encode("utf-8-sig")).problems
