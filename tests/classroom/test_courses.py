"""Courses themselves: who may create one, what a copy takes along, and what everybody finds on the list."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import User
from classroom.models import Assignment, Course, Extension, Membership, MembershipEvent, Role
from missions.models import Attempt
from tests.classroom.factories import add, assign, make_course, make_user
from tests.missions.helpers import record

pytestmark = pytest.mark.django_db
FORM = {"name": "  Language   models ", "term": "Fall 2026", "time_zone": "Europe/Rome", "description": ""}


def client_for(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def owner(operator: User) -> User:
    """Somebody whom an administrator let create courses, on the operators' pages."""
    owner = make_user("owner")
    data = {"action": "let_create_courses", "_selected_action": [owner.pk]}
    client_for(operator).post("/admin/accounts/user/", data)
    return User.objects.get(pk=owner.pk)


def test_whoever_was_let_creates_a_course_and_comes_to_the_way_in(owner: User) -> None:
    response = client_for(owner).post("/courses/new/", FORM, follow=True)
    course = Course.objects.get()
    assert (str(course), course.time_zone) == ("Language models, Fall 2026", "Europe/Rome")
    assert response.redirect_chain[-1][0] == f"/courses/{course.public_id}/people/"
    assert course.join_links.get().shown in response.content.decode()
    assert Membership.objects.get().role == Role.OWNER


def test_the_right_can_be_taken_back_and_the_courses_stay(owner: User, operator: User) -> None:
    course = make_course(owner)
    data = {"action": "no_longer_let_create_courses", "_selected_action": [owner.pk]}
    client_for(operator).post("/admin/accounts/user/", data)
    client = client_for(User.objects.get(pk=owner.pk))
    assert client.get("/courses/new/").status_code == 403
    assert "New course" not in client.get("/courses/").content.decode()
    assert client.get(f"/courses/{course.public_id}/settings/").status_code == 200


def test_where_anybody_may_everybody_does(settings: object) -> None:
    settings.COURSE_CREATORS = "anyone"  # type: ignore[attr-defined]
    client = client_for(make_user("maya"))
    assert "New course" in client.get("/courses/").content.decode()
    assert client.post("/courses/new/", FORM).status_code == 302


@pytest.mark.parametrize(
    ("field", "value"), [("name", "   "), ("name", "x" * 121), ("time_zone", "Mars/Olympus"), ("time_zone", "../etc")]
)
def test_a_mistake_creates_nothing(owner: User, field: str, value: str) -> None:
    response = client_for(owner).post("/courses/new/", FORM | {field: value})
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert not Course.objects.exists()


def test_a_copy_takes_along_what_is_asked_and_says_how_much(owner: User, missions: list) -> None:
    course = make_course(owner, late_policy="percent", description="Mondays")
    at = datetime(2026, 10, 20, 16, tzinfo=UTC)  # 18:00 in Rome, in summer time
    assignments = assign(course, missions[:2], due_at=at, points_three_stars=10)
    maya = add(course, make_user("maya"), name="Rossi, Maya", section="A")
    add(course, make_user("helper"), Role.ASSISTANT)
    add(course, make_user("boss"), Role.INSTRUCTOR)
    gone = add(course, make_user("gone"))
    Membership.objects.filter(pk=gone.pk).update(ended_at=at, end="left")
    Extension.objects.create(assignment=assignments[0], membership=maya, due_at=at)
    record(maya.user, missions[0], passed=True)
    client = client_for(owner)
    page = client.get(f"/courses/{course.public_id}/copy/").content.decode()
    assert all(text in page for text in ("2 assigned missions", "3 with you", "1 student<"))

    everything = {"name": "Again", "term": "2027", "assignments": "on", "weeks": "2", "staff": "on", "students": "on"}
    page = client.post(f"/courses/{course.public_id}/copy/", everything, follow=True).content.decode()
    assert "with 2 assigned missions, 2 more who teach and 1 student" in page
    copy = Course.objects.get(name="Again")
    assert (copy.late_policy, copy.description, copy.time_zone) == ("percent", "Mondays", "Europe/Rome")
    row = copy.assignments.first()
    # Still 18:00 in Rome, though winter time has begun.
    assert (row.due_at, row.points_three_stars) == (datetime(2026, 11, 3, 17, tzinfo=UTC), 10)
    assert Membership.objects.get(course=copy, user=maya.user).name == "Rossi, Maya"
    assert set(copy.memberships.values_list("user__username", flat=True)) == {"owner", "maya", "helper", "boss"}
    assert Extension.objects.count() == 1 and Attempt.objects.count() == 1
    assert copy.join_links.get().code != course.join_links.get().code

    client.post(f"/courses/{course.public_id}/copy/", {"name": "Bare", "assignments": "on"})
    bare = Course.objects.get(name="Bare")
    assert list(bare.memberships.values_list("user__username", flat=True)) == ["owner"]
    assert set(bare.assignments.values_list("due_at", flat=True)) == {None}


def test_the_list_shows_ones_own_courses_and_archived_ones_apart(owner: User, student: User, operator: User) -> None:
    first, second = make_course(owner, "First"), make_course(owner, "Second")
    add(second, student)
    client = client_for(student)
    page = client.get("/courses/").content.decode()
    assert "Second" in page and "First" not in page
    client_for(owner).post(f"/courses/{first.public_id}/archive/")
    archived = client_for(owner).get("/courses/").content.decode().split("Archived</h2>")[1]
    assert "First" in archived and "Second" not in archived
    assert "Seen as administrator" in client_for(operator).get("/courses/").content.decode()


def test_the_site_s_head_leads_to_courses_those_who_have_some(owner: User, student: User, client: Client) -> None:
    def leads(visitor: Client) -> bool:
        return 'href="/courses/"' in visitor.get("/lab/").content.decode().split("</header>")[0]

    assert not leads(client) and not leads(client_for(student))
    add(make_course(owner), student)
    assert leads(client_for(student))


def test_a_student_finds_what_is_assigned_when_and_how_far_they_are(owner: User, student: User, missions: list) -> None:
    course = make_course(owner)
    assignments = assign(course, missions[:2], due_at=datetime(2026, 12, 11, 17, tzinfo=UTC))
    member = add(course, student)
    Extension.objects.create(
        assignment=assignments[1], membership=member, due_at=datetime(2026, 12, 18, 17, tzinfo=UTC)
    )
    record(student, missions[0], passed=True)
    page = client_for(student).get(f"/courses/{course.public_id}/").content.decode()
    assert "1 of 2 missions passed" in page
    assert "December 11, 18:00" in page and "December 18, 18:00, your own date" in page
    assert "3 of 3, for try 1" in page and "0 of 3" in page


@pytest.mark.parametrize(
    "change",
    [
        {"points_one_star": 5, "points_two_stars": 4, "points_three_stars": 6},
        {"points_no_star": -1},
        {"opens_at": datetime(2026, 12, 2, tzinfo=UTC), "due_at": datetime(2026, 12, 1, tzinfo=UTC)},
    ],
)
def test_the_database_keeps_assignments_sound(owner: User, missions: list, change: dict) -> None:
    row = Assignment(course=make_course(owner), mission=missions[0], position=1, **change)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()


@pytest.mark.parametrize("change", [{"end": "left"}, {"ended_at": datetime(2026, 1, 1, tzinfo=UTC)}, {"role": "god"}])
def test_the_database_keeps_memberships_sound(owner: User, change: dict) -> None:
    course = make_course(owner)
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.filter(course=course).update(**change)


def test_what_happened_is_not_rewritten(owner: User) -> None:
    make_course(owner)
    with pytest.raises(TypeError):
        MembershipEvent.objects.get().save()
