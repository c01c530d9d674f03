"""The list of people and what is changed there: by hand, roles, removal in two steps, and the person's own page."""

import pytest
from django.test import Client

from accounts.models import User
from classroom.models import Course, Invitation, Membership, Role
from tests.classroom.factories import add, make_course, make_students, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user("owner")


@pytest.fixture
def course(owner: User) -> Course:
    return make_course(owner)


@pytest.fixture
def teach(owner: User) -> Client:
    return client_for(owner)


def client_for(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def here(course: Course, page: str = "people/") -> str:
    return f"/courses/{course.public_id}/{page}"


def roles(course: Course) -> dict[str, str]:
    return {m.user.username: m.role for m in Membership.objects.current().filter(course=course).by_name()}


def test_many_are_added_in_one_go(teach: Client, course: Course) -> None:
    make_user("maya", "maya@uni.example"), make_user("liam")
    typed = "Maya@Uni.example, liam;\nnew@uni.example liam"
    page = teach.post(here(course, "people/add/"), {"people": typed, "role": "student"}, follow=True).content.decode()
    assert "2 added; 1 expected" in page
    assert roles(course) == {"liam": "student", "maya": "student", "owner": "owner"}
    page = teach.post(here(course, "people/add/"), {"people": "liam", "role": "assistant"}, follow=True)
    assert "0 added; 1 in the course already" in page.content.decode()
    assert roles(course)["liam"] == "student"


@pytest.mark.parametrize(
    ("typed", "role", "why"),
    [
        ("maya nobody", "student", "No account is called nobody"),
        ("maya@", "student", "valid email"),
        ("maya new@uni.example", "assistant", "new@uni.example has not joined yet"),
        ("", "student", "required"),
        ("maya", "god", "valid choice"),
    ],
)
def test_a_mistake_adds_nobody_and_keeps_what_was_typed(
    teach: Client, course: Course, typed: str, role: str, why: str
) -> None:
    make_user("maya")
    response = teach.post(here(course, "people/add/"), {"people": typed, "role": role})
    assert response.status_code == 422
    page = response.content.decode()
    assert why in page and typed in page
    assert roles(course) == {"owner": "owner"}


def test_removing_lists_first_and_only_then_removes(teach: Client, course: Course) -> None:
    chosen = [add(course, make_user(name), name=f"Name of {name}") for name in ("ada", "bo", "cy")][:2]
    data = {"chosen": [member.pk for member in chosen] + ["x", "9" * 30]}
    page = teach.post(here(course, "people/remove/"), data).content.decode()
    assert "Name of ada" in page and "Name of bo" in page and "Name of cy" not in page
    assert len(roles(course)) == 4
    teach.post(here(course, "people/remove/"), data | {"confirmed": "1"})
    assert set(roles(course)) == {"cy", "owner"}
    page = teach.get(here(course), {"show": "gone"}).content.decode()
    assert "Name of ada" in page and "removed" in page
    teach.post(here(course, f"people/{chosen[0].pk}/let-in/"))
    assert set(roles(course)) == {"ada", "cy", "owner"}
    page = teach.get(here(course, f"people/{chosen[0].pk}/")).content.decode()
    assert [kind in page for kind in ("Was added by hand", "Was removed, by owner")] == [True, True]


def test_instructors_manage_students_and_assistants_and_nobody_above(course: Course) -> None:
    instructor = client_for(add(course, make_user("instructor"), Role.INSTRUCTOR).user)
    other = add(course, make_user("other"), Role.INSTRUCTOR)
    student = add(course, make_user("maya"))
    form = {"name": "Maya", "role": "assistant"}
    assert instructor.post(here(course, f"people/{student.pk}/"), form).status_code == 302
    assert instructor.post(here(course, f"people/{student.pk}/"), {"role": "instructor"}).status_code == 422
    assert instructor.post(here(course, f"people/{other.pk}/"), {"role": "student"}).status_code == 404
    data = {"chosen": [student.pk, other.pk], "confirmed": "1"}
    instructor.post(here(course, "people/remove/"), data)
    assert roles(course) == {"instructor": "instructor", "other": "instructor", "owner": "owner"}


def test_a_course_keeps_an_owner(teach: Client, course: Course) -> None:
    owner = Membership.objects.get(user__username="owner")
    page = here(course, f"people/{owner.pk}/")
    for response in (teach.post(page, {"role": "student"}), teach.post(here(course, "leave/"))):
        assert response.status_code == 422
        assert "Make somebody else an owner first" in response.content.decode()
    teach.post(here(course, "people/remove/"), {"chosen": owner.pk, "confirmed": "1"})
    assert roles(course) == {"owner": "owner"}
    add(course, make_user("second"), Role.OWNER)
    assert teach.post(page, {"role": "instructor"}).status_code == 302
    assert roles(course)["owner"] == "instructor"


def test_somebody_who_joined_under_another_name_is_found_on_the_roster(teach: Client, course: Course) -> None:
    member = add(course, make_user("night.owl"))
    line = Invitation.objects.create(course=course, email="m@uni.example", name="Rossi, Maya", student_number="7")
    teach.post(here(course, f"people/{member.pk}/"), {"role": "student", "invitation": line.pk})
    member.refresh_from_db()
    assert (member.name, member.student_number) == ("Rossi, Maya", "7")
    assert not course.invitations.exists()


def test_those_expected_are_let_in_once_they_have_an_account_or_taken_off(teach: Client, course: Course) -> None:
    lines = [Invitation.objects.create(course=course, email=f"{n}@uni.example", name=n) for n in ("ada", "bo", "cy")]
    make_user("ada.l", "ada@uni.example")
    chosen = {"chosen": [line.pk for line in lines[:2]]}
    page = teach.post(here(course, "people/expected/"), chosen | {"let_in": ""}, follow=True).content.decode()
    assert "1 let in; 1 of those ticked" in page
    assert Membership.objects.get(user__username="ada.l").name == "ada"
    teach.post(here(course, "people/expected/"), chosen | {"drop": ""})
    assert list(course.invitations.values_list("name", flat=True)) == ["cy"]


def test_students_see_what_is_kept_of_them_and_of_nobody_else(course: Course) -> None:
    maya = add(course, make_user("maya"), name="Rossi, Maya", student_number="12")
    liam = add(course, make_user("liam"))
    client = client_for(maya.user)
    page = client.get(here(course, f"people/{maya.pk}/")).content.decode()
    assert "Rossi, Maya" in page and ">12<" in page and "<form class" not in page.split("<main")[1].split("</main")[0]
    assert client.get(here(course, f"people/{liam.pk}/")).status_code == 404


def test_search_finds_by_name_number_and_address(teach: Client, course: Course) -> None:
    add(course, make_user("maya", "maya@uni.example"), name="Rossi, Maya", student_number="12")
    add(course, make_user("liam"))
    for search in ("rossi", "12", "MAYA@uni"):
        page = teach.get(here(course), {"q": search}).content.decode()
        assert "Rossi, Maya" in page and "liam" not in page
    assert "Nobody here matches" in teach.get(here(course), {"q": "nobody\0"}).content.decode()


@pytest.mark.parametrize("shown", ["students", "staff", "expected", "gone"])
def test_queries_do_not_grow_with_the_class(
    teach: Client, course: Course, shown: str, django_assert_max_num_queries
) -> None:
    make_students(course, 60)
    Membership.objects.filter(user__username__lt="s010").exclude(role="owner").update(
        ended_at=course.created_at, end="left"
    )
    with django_assert_max_num_queries(12):
        teach.get(here(course), {"show": shown})


def test_an_account_that_is_deleted_breaks_no_page(teach: Client, course: Course) -> None:
    second = make_user("second")
    add(course, second, Role.INSTRUCTOR)
    client_for(second).post(here(course, "people/add/"), {"people": "owner", "role": "student"})
    maya = make_user("maya")
    client_for(second).post(here(course, "people/add/"), {"people": "maya", "role": "student"})
    second.delete()
    page = teach.get(here(course, f"people/{Membership.objects.get(user=maya).pk}/"))
    assert "Was added by hand as student" in page.content.decode()
    maya.delete()
    for shown in ("students", "staff", "expected", "gone"):
        assert teach.get(here(course), {"show": shown}).status_code == 200
