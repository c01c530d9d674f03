"""Grades: the book, one student's page, and files that other platforms and a CSV reader understand."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import User
from classroom.cells import read_cell, safe_cell
from classroom.grade_files import headings, identified, lines
from classroom.memberships import remove
from classroom.models import Assignment, Course, Invitation, Membership
from classroom.results import ClassResults, class_results
from missions.models import Attempt, Mission
from simulator.engine import ENGINE_VERSION
from tests.classroom.factories import add, assign, make_course, make_students, make_user
from tests.missions.helpers import record

SHAPES = ("canvas", "moodle", "blackboard", "lossless")


@pytest.fixture
def course(missions: list[Mission]) -> Course:
    """Three missions, of which one is over; Maya passed that late and one on time, Liam tried nothing, Ada is gone."""
    course = make_course(make_user("prof"), late_policy="percent")
    first, *_ = assign(course, missions[:3])
    Assignment.objects.filter(pk=first.pk).update(due_at=timezone.now() - timedelta(hours=30))
    maya, liam, ada = (make_user(name, f"{name}@uni.example") for name in ("maya", "liam", "ada"))
    add(course, maya, name="Rossi, Maya", student_number="007", section="A", login="mrossi")
    add(course, liam, name="=Byrne, Liam")
    record(maya, missions[0], passed=False)
    record(maya, missions[0], passed=True, sampled_responses=1)
    record(maya, missions[1], passed=True, sampled_responses=1)
    record(ada, missions[0], passed=True, sampled_responses=1)
    remove([add(course, ada, name="Gone, Ada")], course.memberships.get(role="owner").user)
    return course


@pytest.fixture
def teach(course: Course) -> Client:
    client = Client()
    client.force_login(course.memberships.get(role="owner").user)
    return client


def text_of(response: HttpResponse) -> str:
    assert response.status_code == 200 and response.streaming
    return b"".join(response.streaming_content).decode()


def rows_of(client: Client, course: Course, shape: str, **options: str) -> list[list[str]]:
    text = text_of(client.get(f"/courses/{course.public_id}/grades/{shape}.csv", options))
    assert text.startswith("\ufeff") and text.endswith("\r\n")
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_canvas_finds_its_columns_by_place_and_points_possible_in_the_second_row(
    teach: Client, course: Course, missions: list[Mission]
) -> None:
    names = [mission.title for mission in missions[:3]]
    assert rows_of(teach, course, "canvas") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *names],
        ["    Points Possible", "", "", "", "", "3.00", "3.00", "3.00"],
        ["'=Byrne, Liam", "", "", "liam", "", "0.00", "", ""],
        ["Rossi, Maya", "", "007", "mrossi", "A", "2.40", "3.00", ""],
    ]
    total = rows_of(teach, course, "canvas", total="on")
    assert [row[5:] for row in total[1:]] == [["9.00"], ["0.00"], ["5.40"]]
    assert [row[5:] for row in rows_of(teach, course, "canvas", zeros="on")[2:]] == [
        ["0.00", "0.00", "0.00"],
        ["2.40", "3.00", "0.00"],
    ]


def test_moodle_knows_everybody_in_its_file_and_the_rest_are_named(teach: Client, course: Course) -> None:
    assert [row[0] for row in rows_of(teach, course, "moodle")] == [
        "Email address",
        "liam@uni.example",
        "maya@uni.example",
    ]
    assert [row[:2] for row in rows_of(teach, course, "moodle", key="number")] == [
        ["ID number", "Name"],
        ["007", "Rossi, Maya"],
    ]
    page = teach.get(f"/courses/{course.public_id}/grades/export/").content.decode()
    assert "ID number: 1 of 2" in page and "no student number" in page


def test_blackboard_finds_students_by_user_name_with_quotation_marks_around_all(teach: Client, course: Course) -> None:
    text = text_of(teach.get(f"/courses/{course.public_id}/grades/blackboard.csv"))
    assert '"Last Name","First Name","Username","Student ID",' in text
    assert '"Rossi","Maya","mrossi","007","2.40","3.00",""\r\n' in text


def test_nothing_is_lost_in_the_lossless_file(teach: Client, course: Course, missions: list[Mission]) -> None:
    Assignment.objects.filter(mission=missions[0]).update(due_at=datetime(2026, 7, 1, 21, 59, 59, tzinfo=UTC))
    head, *rows = rows_of(teach, course, "lossless")
    found = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(row["name"], row["place"], row["status"]) for row in found] == [
        *(("'=Byrne, Liam", str(place), "current") for place in (1, 2, 3)),
        *(("Rossi, Maya", str(place), "current") for place in (1, 2, 3)),
        *(("Gone, Ada", str(place), "removed") for place in (1, 2, 3)),
    ]
    late = found[3]
    attempt = Attempt.objects.get(user__username="maya", mission=missions[0], number=2)
    assert late["due_at"] == "2026-07-01T23:59:59+02:00"
    assert datetime.fromisoformat(late["counted_at"]) == attempt.created_at
    assert json.loads(late["setup"]) == attempt.setup
    assert (late["counted_try"], late["engine_version"], late["display_seed"]) == ("2", ENGINE_VERSION, "1")
    # The points follow from the row alone.
    table = [Decimal(late[f"points_{name}"]) for name in ("no_star", "one_star", "two_stars", "three_stars")]
    kept = max(Decimal(0), 100 - Decimal(late["late_percent"]) * int(late["days_late"])) / 100
    assert Decimal(late["points"]) == table[int(late["counted_stars"])] * kept


def test_a_file_says_its_zone_itself_and_is_written_after_the_page_s_is_gone(teach: Client, course: Course) -> None:
    response = teach.get(f"/courses/{course.public_id}/grades/lossless.csv")
    with timezone.override("Asia/Tokyo"):
        head, first, *_ = csv.reader(io.StringIO(text_of(response).removeprefix("\ufeff"), newline=""))
    assert first[head.index("joined_at")][-6:] in ("+01:00", "+02:00")


def test_columns_keep_their_names_and_none_has_one_twice(course: Course, missions: list[Mission]) -> None:
    Mission.objects.filter(pk=missions[2].pk).update(title=missions[0].title.upper())
    Mission.objects.filter(pk=missions[1].pk).update(title="Final Score (12)")
    assignments = list(course.assignments.select_related("mission"))
    before = headings(assignments)
    assert len({name.casefold() for name in before}) == 3
    assert headings(assignments[::-1]) == before[::-1]
    client = Client()
    client.force_login(course.memberships.get(role="owner").user)
    # Canvas would take one part for a column of its own, and the other for an assignment's number.
    assert rows_of(client, course, "canvas")[0][6] == "final score [12]"


def test_a_name_that_anybody_may_choose_leads_to_nobody_else_s_grades(course: Course) -> None:
    add(course, make_user("MROSSI"), name="Twin")
    found = identified(class_results(course).rows, "login")
    assert [value for _, value in found.known] == ["liam", "mrossi"]
    assert [(member.name, why) for member, why in found.left_out] == [("Twin", "MROSSI is also Rossi, Maya’s")]
    Membership.objects.filter(name="=Byrne, Liam").update(login="mrossi")
    left_out = identified(class_results(course).rows, "login").left_out
    assert len(left_out) == 3, "if the roster has it twice, it is nobody's"


printed = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20).map(read_cell)


@settings(deadline=None)
@given(st.lists(st.lists(printed, min_size=2, max_size=4), min_size=1, max_size=5))
def test_whatever_a_cell_says_a_csv_reader_reads_and_no_spreadsheet_runs(rows: list[list[str]]) -> None:
    text = "".join(lines([safe_cell(cell) for cell in row] for row in rows))
    read = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    assert [[read_cell(cell) for cell in row] for row in read] == rows
    assert not [cell for row in read for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]


def expected(results: ClassResults) -> dict[tuple[int, str], Decimal]:
    return {(row.member.pk, c.assignment.mission.slug): c.score.points for row in results.rows for c in row.cells}


def test_book_pages_and_files_agree_with_the_one_read(teach: Client, course: Course, missions: list[Mission]) -> None:
    for place, member in enumerate(make_students(course, 5)):
        for try_number in range(place):
            responses = (1, 9_000, 10**9)[(place + try_number) % 3]
            record(member.user, missions[place % 3], passed=try_number % 2 == 0, sampled_responses=responses)
        Membership.objects.filter(pk=member.pk).update(login=f"login-{place}", student_number=str(place))
    results = class_results(course)
    by_name = {row.member.display_name: row for row in results.rows}
    assert len(by_name) == 7 and any(row.points for row in results.rows)
    for shape, name_at, first in (("canvas", 0, 5), ("moodle", 1, 2), ("blackboard", 0, 4)):
        key = {"key": "login"} if shape == "moodle" else {}
        table = {read_cell(row[name_at]): row[first:] for row in rows_of(teach, course, shape, zeros="on", **key)[1:]}
        for name, row in by_name.items():
            shown = table[name.partition(",")[0] if shape == "blackboard" else name]
            assert [Decimal(cell) for cell in shown] == [cell.score.points for cell in row.cells]
    head, *rows = rows_of(teach, course, "lossless")
    facts = [dict(zip(head, row, strict=True)) for row in rows]
    points = {(int(row["student_id"]), row["mission"]): Decimal(row["points"]) for row in facts}
    assert expected(results).items() <= points.items()
    book = teach.get(f"/courses/{course.public_id}/grades/").context
    assert {row.member.pk: row.points for row, _ in book["rows"]} == {row.member.pk: row.points for row in results.rows}
    for row in results.rows:
        own = teach.get(f"/courses/{course.public_id}/grades/{row.member.pk}/").context["row"]
        assert [cell.score for cell in own.cells] == [cell.score for cell in row.cells]


def test_no_import_writes_grades(teach: Client, course: Course) -> None:
    before = expected(class_results(course))
    text = text_of(teach.get(f"/courses/{course.public_id}/grades/moodle.csv")).replace("0.00", "3.00")
    page = f"/courses/{course.public_id}/people/roster/"
    assert "mean nothing here" in teach.post(page, {"text": text}).content.decode()
    preview = teach.post(page, {"text": text, "ignore_unknown": "on"})
    fields = {"roster": preview.context["roster"], "digest": preview.context["digest"]}
    assert teach.post(f"{page}confirm/", fields).status_code == 302
    assert expected(class_results(course)) == before
    assert Attempt.objects.count() == 4


def test_the_book_has_totals_orders_and_those_who_are_gone_or_not_here_yet(teach: Client, course: Course) -> None:
    Invitation.objects.create(course=course, email="new@uni.example")
    page = f"/courses/{course.public_id}/grades/"
    shown = teach.get(page).content.decode()
    for words in ("5.4", "60.0%", "try 2, 2 days late", "1 expected, not here yet", "1 gone"):
        assert words in shown, words
    assert shown.index("Byrne") < shown.index("Rossi")
    assert "Gone, Ada" not in shown
    by_total = teach.get(page, {"sort": "total", "way": "down"}).content.decode()
    assert by_total.index("Rossi") < by_total.index("Byrne") and 'aria-sort="descending"' in by_total
    one = course.assignments.all()[1]
    assert 'aria-sort="ascending"' in teach.get(page, {"sort": one.pk}).content.decode()
    gone = teach.get(page, {"show": "gone"}).content.decode()
    assert "Gone, Ada" in gone and "Rossi, Maya" not in gone
    statistics = teach.get(page).context["statistics"]
    assert [(one.mean, one.median, one.counted, one.late) for _, one in statistics][:2] == [
        (Decimal("1.20"), Decimal("1.20"), 1, 1),
        (Decimal("1.50"), Decimal("1.50"), 1, 0),
    ]


def test_students_see_their_own_grades_and_why(course: Course) -> None:
    maya = course.memberships.get(name="Rossi, Maya")
    client = Client()
    client.force_login(maya.user)
    page = client.get(f"/courses/{course.public_id}/grades/{maya.pk}/").content.decode()
    for words in ("5.4 of 9 points, 60.0%", "Try 2 of", "2 days late", "1 point per star.", "10% off"):
        assert words in page
    Course.objects.update(late_policy="closed")
    assert "Too late, 2 tries" in client.get(f"/courses/{course.public_id}/grades/{maya.pk}/").content.decode()


@pytest.mark.parametrize("shape", SHAPES)
def test_an_empty_course_has_files_and_pages_too(shape: str, operator: User) -> None:
    course = make_course(operator)
    client = Client()
    client.force_login(operator)
    assert text_of(client.get(f"/courses/{course.public_id}/grades/{shape}.csv"))
    assert client.get(f"/courses/{course.public_id}/grades/").status_code == 200
    add(course, make_user("maya"))
    assert text_of(client.get(f"/courses/{course.public_id}/grades/{shape}.csv"))


def test_queries_do_not_grow_with_students(
    teach: Client, course: Course, missions: list[Mission], django_assert_max_num_queries: object
) -> None:
    for member in make_students(course, 6):
        record(member.user, missions[0], passed=True, sampled_responses=1)
    for page, most in (("", 16), ("export/", 12), ("canvas.csv", 9), ("lossless.csv", 15)):
        with django_assert_max_num_queries(most):  # type: ignore[operator]
            response = teach.get(f"/courses/{course.public_id}/grades/{page}")
            if response.streaming:
                assert "s005" in text_of(response)
