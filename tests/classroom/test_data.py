"""What is kept about people and courses: in the log, in exports, and after the end."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from auditlog.models import LogEntry
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import User
from classroom.audit import changes_in
from classroom.models import Course, Extension, Membership
from missions.models import Attempt, Mission
from tests.classroom.factories import add, assign, make_course, make_user
from tests.missions.helpers import record


@pytest.fixture
def prof(db: None) -> User:
    return make_user("prof")


@pytest.fixture
def course(prof: User) -> Course:
    return make_course(prof)


@pytest.fixture
def played(course: Course, student: User, missions: list[Mission]) -> Membership:
    member = add(course, student, name="Rossi, Maya", student_number="4100123")
    (first, *_) = assign(course, missions[:2])
    Extension.objects.create(assignment=first, membership=member, due_at=timezone.now() + timedelta(days=2))
    record(student, missions[0], passed=True, sampled_responses=1)
    return member


def test_the_log_says_who_changed_what_from_what_to_what(course: Course, prof: User, client: Client) -> None:
    client.force_login(prof)
    page = client.get(f"/courses/{course.public_id}/settings/")
    data = page.context["form"].initial | {"name": "A better name", "description": ""}
    assert client.post(f"/courses/{course.public_id}/settings/", data).status_code == 302
    change = next(change for change in changes_in(course, 10) if change.details)
    assert (change.by, change.what) == ("prof", "course changed")
    assert ("name", "Language models", "A better name") in change.details
    assert b"A better name" in client.get(f"/courses/{course.public_id}/changes/").content


def test_the_log_is_read_page_by_page_and_misses_nothing(course: Course, prof: User, client: Client) -> None:
    for place in range(130):
        course.description = f"version {place}"
        course.save()
    client.force_login(prof)
    address, seen = f"/courses/{course.public_id}/changes/", []
    while address:
        page = client.get(address)
        seen += [new for change in page.context["changes"] for name, _, new in change.details if name == "description"]
        before = page.context["before"]
        address = f"/courses/{course.public_id}/changes/?" + f"before={before}".replace("+", "%2B") if before else ""
    assert seen == [f"version {place}" for place in reversed(range(130))]


@pytest.mark.parametrize("before", ["x", "2026-01-01", "2026-99-99T00:00", "2026-01-01T00:00"])
def test_a_place_in_the_log_that_is_none_shows_the_latest(
    course: Course, prof: User, client: Client, before: str
) -> None:
    client.force_login(prof)
    page = client.get(f"/courses/{course.public_id}/changes/", {"before": before})
    assert page.status_code == 200
    assert page.context["changes"]


def test_with_a_person_goes_everything_that_names_them(course: Course, played: Membership, student: User) -> None:
    assert LogEntry.objects.filter(additional_data__member=played.pk).exists()
    name = student.username
    student.delete()
    kept = json.dumps([[e.object_repr, e.changes, e.additional_data, e.actor_email] for e in LogEntry.objects.all()])
    assert "Rossi" not in kept
    assert name not in kept
    assert not any("Rossi" in change.what for change in changes_in(course, 100))


def test_a_student_s_export_holds_what_courses_keep(played: Membership, student: User, client: Client) -> None:
    client.force_login(student)
    (entry,) = client.get("/me/export/").json()["courses"]
    assert (entry["name"], entry["student_number"], entry["role"]) == ("Rossi, Maya", "4100123", "student")
    assert len(entry["extensions"]) == len(entry["history"]) == 1


def test_a_course_is_exported_whole_and_erased_by_its_name(
    course: Course, prof: User, played: Membership, client: Client
) -> None:
    client.force_login(prof)
    here = f"/courses/{course.public_id}"
    data = client.get(f"{here}/export/").json()
    (standing,) = data["standing"]
    assert [cell["stars"] for cell in standing["missions"]] == [3, 0]
    assert len(data["people"]) == 2
    assert client.post(f"{here}/erase/", {"name": "another"}).status_code == 422
    assert Course.objects.filter(pk=course.pk).exists()
    assert client.post(f"{here}/erase/", {"name": course.name}).status_code == 302
    assert not Course.objects.exists()
    assert Attempt.objects.count() == 1
    (line,) = LogEntry.objects.filter(additional_data__course=course.public_id)
    assert (line.action, line.actor) == (LogEntry.Action.DELETE, prof)


def test_the_command_exports_first_and_erases_only_when_told(
    course: Course, played: Membership, student: User, tmp_path: Path
) -> None:
    out, file = StringIO(), tmp_path / "kept.json"
    call_command("erase", user=student.username, export=file, stdout=out)
    assert json.loads(file.read_text())["account"]["username"] == student.username
    assert User.objects.filter(pk=student.pk).exists()
    with pytest.raises(CommandError, match="nothing was erased"):
        call_command("erase", user=student.username, export=file, yes=True, stdout=out)
    call_command("erase", course=course.public_id, yes=True, stdout=out)
    assert not Course.objects.exists()
    call_command("erase", user=student.username, yes=True, stdout=out)
    assert not User.objects.filter(pk=student.pk).exists()
    with pytest.raises(CommandError, match="no course"):
        call_command("erase", course="none", stdout=out)
