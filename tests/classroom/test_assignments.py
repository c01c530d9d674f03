"""What a course assigns: adding, order, dates, points, moving dates, taking away, and what one student gets on top."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import User
from classroom.models import Assignment, Course, Extension, UnlockOverride
from classroom.results import result_of
from classroom.scoring import points_by_stars
from missions.models import Attempt, Mission
from missions.queries import open_mission
from tests.classroom.factories import add, assign, make_course, make_user
from tests.classroom.pages import attribute, elements, parsed
from tests.missions.helpers import HTMX, record


@pytest.fixture
def course(missions: list[Mission]) -> Course:
    return make_course(make_user("prof"))


@pytest.fixture
def teach(course: Course) -> Client:
    client = Client()
    client.force_login(course.memberships.get().user)
    return client


def post(client: Client, course: Course, page: str, **fields: object) -> HttpResponse:
    return client.post(f"/courses/{course.public_id}/{page}", fields)


def titles(course: Course) -> list[str]:
    return [one.mission.title for one in course.assignments.select_related("mission")]


def chosen(assignments: list[Assignment]) -> str:
    return "?" + "&".join(f"chosen={one.pk}" for one in assignments)


PER_STAR = {"rule": "per_star", "per_star": "1", "save": ""}


def test_missions_are_assigned_one_by_one_and_chapters_whole(
    teach: Client, course: Course, missions: list[Mission]
) -> None:
    assert post(teach, course, "assignments/add/").status_code == 422
    response = post(teach, course, "assignments/add/", missions=[missions[4].pk])
    assert (
        response.headers["Location"]
        == f"/courses/{course.public_id}/assignments/edit/{chosen(course.assignments.all())}"
    )
    post(teach, course, "assignments/add/", chapters=["1"])
    in_order = [m.title for m in missions if m.chapter == 1]
    assert titles(course) == [missions[4].title, *(title for title in in_order if title != missions[4].title)]
    assert post(teach, course, "assignments/add/", missions=[missions[4].pk]).status_code == 422, "it is there already"


def test_the_order_is_changed_by_buttons_and_by_place(teach: Client, course: Course, missions: list[Mission]) -> None:
    first, second, third = assign(course, missions[:3])
    response = post(teach, course, "assignments/move/", down=first.pk)
    assert response.headers["Location"].endswith(f"#a{first.pk}")
    assert titles(course) == [missions[1].title, missions[0].title, missions[2].title]
    shown = teach.get(f"/courses/{course.public_id}/assignments/").context["rows"]
    assert [row.assignment.mission for row in shown] == [missions[1], missions[0], missions[2]]
    post(teach, course, "assignments/move/", up=second.pk)
    assert titles(course)[0] == missions[1].title, "what is first stays first"
    post(teach, course, f"assignments/edit/{chosen([third])}", place="1", **PER_STAR)
    assert titles(course) == [missions[2].title, missions[1].title, missions[0].title]
    assert [one.position for one in course.assignments.all()] == [1, 2, 3]


def test_dates_are_meant_on_the_course_s_clock(teach: Client, course: Course, missions: list[Mission]) -> None:
    one, *_ = assign(course, missions[:1])
    page = f"assignments/edit/{chosen([one])}"
    dates = {"opens_at": "2026-10-19T08:00", "due_at": "2026-10-25T02:30", "place": "1"}
    assert post(teach, course, page, **dates, **PER_STAR).status_code == 302
    one.refresh_from_db()
    assert one.opens_at == datetime(2026, 10, 19, 6, tzinfo=UTC)
    assert one.due_at == datetime(2026, 10, 25, 1, 30, 59, tzinfo=UTC), "the later of the two"
    shown = teach.get(f"/courses/{course.public_id}/assignments/").content.decode()
    assert "Oct 19, 2026, 08:00 CEST" in shown and "Oct 25, 2026, 02:30" in shown and "Europe/Rome" in shown
    wrong = post(teach, course, page, opens_at="2026-10-25T09:00", due_at="2026-10-25T08:00", place="1", **PER_STAR)
    assert "would be due before it opens" in wrong.content.decode()
    post(teach, course, page, opens_at="", due_at="", place="1", **PER_STAR)
    one.refresh_from_db()
    assert (one.opens_at, one.due_at) == (None, None)


def test_many_are_set_at_once_and_what_differs_stays_unless_it_is_set(
    teach: Client, course: Course, missions: list[Mission]
) -> None:
    ones = assign(course, missions[:3])
    ones[0].due_at = datetime(2026, 10, 1, tzinfo=UTC)
    ones[0].points_three_stars = Decimal(9)
    ones[0].save()
    page = f"assignments/edit/{chosen(ones)}"
    assert post(teach, course, page, rule="keep", opens_at="2026-09-01T08:00", save="").status_code == 302
    rows = list(course.assignments.all())
    assert {row.opens_at for row in rows} == {datetime(2026, 9, 1, 6, tzinfo=UTC)}
    assert [row.due_at is None for row in rows] == [False, True, True]
    assert [row.points_three_stars for row in rows] == [9, 3, 3]
    points = {"rule": "pass_and_stars", "for_pass": "4", "more_per_star": "1.5"}
    post(teach, course, page, opens_at="2026-09-01T08:00", no_due_at="on", save="", **points)
    rows = list(course.assignments.all())
    assert {points_by_stars(row) for row in rows} == {(Decimal(4), Decimal("5.5"), Decimal(7), Decimal("8.5"))}
    assert {row.due_at for row in rows} == {None}
    form = teach.get(f"/courses/{course.public_id}/{page}").context["form"]
    assert (form["rule"].value(), form["for_pass"].value(), form["more_per_star"].value()) == (
        "pass_and_stars",
        Decimal(4),
        Decimal("1.5"),
    )


def test_points_show_what_students_get_before_they_are_saved(
    teach: Client, course: Course, missions: list[Mission]
) -> None:
    Course.objects.update(late_policy="percent", late_percent=10)
    (one,) = assign(course, missions[:1])
    address = f"/courses/{course.public_id}/assignments/edit/{chosen([one])}"
    fields = {"rule": "per_star", "per_star": "2", "place": "1"}
    shown = teach.post(address, fields, **HTMX).content.decode()
    assert "2 points per star.</b> A student with 2 stars, one day late, gets 3.6 of 6 points." in shown
    assert "<html" not in shown and "<html" in teach.post(address, fields).content.decode()
    wrong = {"rule": "table", "place": "1", "save": ""} | dict(
        zip(("points_no_star", "points_one_star", "points_two_stars", "points_three_stars"), "4321", strict=True)
    )
    assert "can’t be worth fewer" in teach.post(address, wrong).content.decode()
    assert teach.post(address, {"rule": "table", "place": "1", "save": ""}).status_code == 422
    one.refresh_from_db()
    assert one.points_three_stars == 3, "nothing was saved"


def test_all_dates_move_by_days_and_extensions_with_them(
    teach: Client, course: Course, missions: list[Mission], student: User
) -> None:
    due = datetime(2026, 10, 20, 21, 59, 59, tzinfo=UTC)
    first, *_ = assign(course, missions[:2], due_at=due)
    extension = Extension.objects.create(
        assignment=first, membership=add(course, student), due_at=due + timedelta(days=1)
    )
    shown = post(teach, course, "assignments/shift/", days="7", preview="").content.decode()
    assert "<ins>Tue, Oct 27, 2026, 23:59 CET</ins>" in shown and "1 extension moves along" in shown
    assert course.assignments.first().due_at == due
    post(teach, course, "assignments/shift/", days="7", save="")
    assert {one.due_at for one in course.assignments.all()} == {due + timedelta(days=7, hours=1)}
    extension.refresh_from_db()
    assert extension.due_at == due + timedelta(days=8, hours=1)
    post(teach, course, f"assignments/shift/{chosen([first])}", days="-7", save="")
    assert [one.due_at for one in course.assignments.all()] == [due, due + timedelta(days=7, hours=1)]


def test_removing_says_what_goes_and_loses_no_try(
    teach: Client, course: Course, missions: list[Mission], student: User
) -> None:
    member = add(course, student)
    first, second = assign(course, missions[:2], due_at=timezone.now())
    record(student, missions[0], passed=True, sampled_responses=1)
    Extension.objects.create(assignment=first, membership=member, due_at=timezone.now() + timedelta(days=1))
    response = post(teach, course, "assignments/choose/", chosen=[first.pk], remove="")
    page = teach.get(response.headers["Location"]).content.decode()
    assert "<b>1 student has points there</b>" in page and "1 extension" in page
    assert len(titles(course)) == 2
    teach.post(response.headers["Location"])
    assert titles(course) == [missions[1].title] and course.assignments.get().position == 1
    assert Attempt.objects.filter(user=student).count() == 1
    assign(course, missions[:1])
    assert result_of(member).points == 3, "assigned again, it counts again"
    assert (
        "No student has points"
        in teach.get(f"/courses/{course.public_id}/assignments/remove/{chosen([second])}").content.decode()
    )


def test_rules_are_said_in_words(teach: Client, course: Course, missions: list[Mission]) -> None:
    assign(course, missions[:1])
    rules = {"mission_order": "free", "late_policy": "closed", "late_percent": "10", "stuck_after_tries": "5"}
    post(teach, course, "assignments/rules/", **rules)
    page = teach.get(f"/courses/{course.public_id}/assignments/").content.decode()
    for words in ("in any order", "Tries after the due date earn no points", "Stuck: 5 or more", "gets 0 of 3 points"):
        assert words in page
    assert post(teach, course, "assignments/rules/", **rules | {"late_percent": "101"}).status_code == 422


def test_an_extension_gives_one_student_more_time_and_never_less(
    teach: Client, course: Course, missions: list[Mission], student: User
) -> None:
    course.late_policy = "closed"
    course.save()
    member = add(course, student, name="Rossi, Maya")
    dated, undated = assign(course, missions[:2])
    Assignment.objects.filter(pk=dated.pk).update(due_at=timezone.now() - timedelta(days=3))
    record(student, missions[0], passed=True, sampled_responses=1)
    assert result_of(member).points == 0
    later = timezone.localtime(timezone.now() + timedelta(days=2), course.zone).strftime("%Y-%m-%dT%H:%M")
    fields = {"student": member.pk, "assignments": [dated.pk], "due_at": later, "reason": "was ill"}
    assert post(teach, course, "exceptions/extend/", **fields | {"due_at": "2020-01-01T00:00"}).status_code == 422
    assert post(teach, course, "exceptions/extend/", **fields | {"assignments": [undated.pk]}).status_code == 422
    for _ in range(2):
        assert post(teach, course, "exceptions/extend/", **fields).status_code == 302
    extension = Extension.objects.get()
    assert result_of(member).points == 3
    own = Client()
    own.force_login(student)
    page = own.get(f"/courses/{course.public_id}/grades/{member.pk}/").content.decode()
    assert "extension" in page and "was ill" in page and "Your grades" in page
    again = teach.get(f"/courses/{course.public_id}/exceptions/extend/?student={member.pk}&assignment={dated.pk}")
    assert "was ill" in again.content.decode() and later in again.content.decode()
    page = f"exceptions/extensions/{extension.pk}/"
    assert post(teach, course, page, due_at="2020-01-01T00:00", reason="").status_code == 422
    assert post(teach, course, page, due_at=later, reason="=new reason").status_code == 302
    assert "=new reason" in teach.get(f"/courses/{course.public_id}/exceptions/").content.decode()
    # Everybody has more time by now than the extension gives: it takes nothing away.
    Assignment.objects.filter(pk=dated.pk).update(due_at=timezone.now() + timedelta(days=9))
    assert not result_of(member).cells[0].is_extended
    post(teach, course, f"{page}delete/")
    assert not Extension.objects.exists()


def test_a_mission_is_opened_early_and_that_is_taken_back(
    teach: Client, course: Course, missions: list[Mission], student: User
) -> None:
    member = add(course, student)
    fields = {"student": member.pk, "mission": missions[6].pk}
    assert post(teach, course, "exceptions/unlock/", **fields).status_code == 302
    assert open_mission(student, missions[6].slug) == missions[6]
    assert "can play" in post(teach, course, "exceptions/unlock/", **fields).content.decode()
    override = UnlockOverride.objects.get()
    record(student, missions[6], passed=False)
    page = f"/courses/{course.public_id}/exceptions/unlocks/{override.pk}/lock/"
    assert "so it stays open" in teach.post(page, follow=True).content.decode()
    assert UnlockOverride.objects.exists()


def test_whoever_came_from_a_student_goes_back_there_and_nowhere_else(
    teach: Client, course: Course, missions: list[Mission], student: User
) -> None:
    member = add(course, student, name="Rossi, Maya")
    assign(course, missions[:3], due_at=timezone.now())
    here = f"/courses/{course.public_id}/"
    below = f"{here}students/{member.pk}/missions/{missions[2].slug}/"
    links = [attribute(link, "href") for link in elements(parsed(teach.get(below)), "a", css="btn-s")]
    extend, unlock = [link for link in links if "/exceptions/" in link]
    later = timezone.localtime(timezone.now() + timedelta(days=2), course.zone).strftime("%Y-%m-%dT%H:%M")
    task = course.assignments.get(mission=missions[2]).pk
    for link, fields in (
        (extend, {"student": member.pk, "assignments": [task], "due_at": later}),
        (unlock, {"student": member.pk, "mission": missions[2].pk}),
    ):
        assert f'href="{below}"' in teach.get(link).content.decode()
        assert teach.post(link, fields).headers["Location"] == below
    change = f"{here}exceptions/extensions/{Extension.objects.get().pk}/"
    for bad in (
        "https://evil.example/",
        f"//evil.example{here}",
        f"{here}../../account/",
        "/courses/other/",
        "\\\\x",
        here[:-1],
    ):
        answer = teach.post(f"{change}?{urlencode({'next': bad})}", {"due_at": later})
        assert answer.headers["Location"] == f"{here}exceptions/", bad
