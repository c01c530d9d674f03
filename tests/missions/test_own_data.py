"""A student's own page, the copy of the data, and the end of the account."""

import json

from django.test import Client

from accounts.models import User
from missions.models import Attempt, Draft, Mission, Progress
from tests.missions.helpers import record


def test_the_page_lists_every_try_with_a_link_to_the_lab(
    client: Client, student: User, missions: list[Mission]
) -> None:
    client.force_login(student)
    record(student, missions[0], passed=False)
    record(student, missions[0], passed=True, sampled_responses=3000)
    page = client.get("/me/").content.decode()
    assert "3 of 72 stars, 1 mission passed in 2 tries." in page
    assert page.count("/lab/?event=clean&amp;method=grpo") == 2


def test_a_lab_link_of_a_try_opens_its_setup(client: Client, student: User, missions: list[Mission]) -> None:
    client.force_login(student)
    record(student, missions[0], passed=False)
    page = client.get("/me/").content.decode()
    link = page.split('href="/lab/?')[1].split('"')[0].replace("&amp;", "&")
    lab = client.get(f"/lab/?{link}")
    assert lab.status_code == 200
    start = missions[0].definition["setup"]
    assert f'value="{start["steps"]}"' in lab.content.decode()


def test_the_page_takes_the_same_queries_for_any_number_of_tries(
    client: Client, student: User, missions: list[Mission], django_assert_max_num_queries
) -> None:
    client.force_login(student)
    for place in range(9):
        record(student, missions[place % 3], passed=True)
    with django_assert_max_num_queries(12):
        client.get("/me/")
    with django_assert_max_num_queries(12):
        client.get("/missions/")


def test_the_export_is_everything_and_only_one_s_own(
    client: Client, student: User, other_student: User, missions: list[Mission]
) -> None:
    record(student, missions[0], passed=True)
    record(other_student, missions[0], passed=False)
    Draft.objects.create(user=student, mission=missions[1], fields={"steps": "75"})
    client.force_login(student)
    response = client.get("/me/export/")
    assert response.headers["Content-Disposition"].startswith("attachment; filename=")
    data = json.loads(response.content)
    assert data["account"]["username"] == student.username
    assert [attempt["mission"] for attempt in data["attempts"]] == [missions[0].slug]
    assert data["drafts"][0]["fields"] == {"steps": "75"}
    assert {row["mission"] for row in data["progress"]} == {missions[0].slug, missions[1].slug}
    assert "password" not in response.content.decode()


def test_deleting_needs_the_password_and_then_leaves_nothing(
    client: Client, student: User, other_student: User, missions: list[Mission], password: str
) -> None:
    record(student, missions[0], passed=True)
    record(other_student, missions[0], passed=True)
    client.force_login(student)
    refused = client.post("/me/delete/", {"password": "wrong"})
    assert refused.status_code == 422
    assert User.objects.filter(pk=student.pk).exists()
    gone = client.post("/me/delete/", {"password": password}, follow=True)
    assert "deleted" in gone.content.decode()
    assert not User.objects.filter(pk=student.pk).exists()
    assert set(Attempt.objects.values_list("user_id", flat=True)) == {other_student.pk}
    assert set(Progress.objects.values_list("user_id", flat=True)) == {other_student.pk}
    assert client.get("/me/").status_code == 302


def test_guessing_the_password_of_an_open_session_is_slowed_down(
    client: Client, student: User, missions: list[Mission], password: str
) -> None:
    client.force_login(student)
    for _ in range(10):
        client.post("/me/delete/", {"password": "wrong"})
    assert b"Too many wrong passwords" in client.post("/me/delete/", {"password": password}).content
    assert User.objects.filter(pk=student.pk).exists()
