"""Taking over a roster: what it would change is what it changes, nobody goes unasked, and twice changes nothing."""

import re

import pytest
from django.test import Client

from accounts.models import User
from classroom.memberships import remove
from classroom.models import Course, Invitation, Membership, Role
from classroom.roster.planning import Plan, plan_roster
from classroom.roster.reading import read_roster
from tests.classroom.factories import add, make_course, make_user

LIST = """E-mail,User name,Name,Student number,Section
maya@uni.example,,"Rossi, Maya",12,A
,LIAM,"Byrne, Liam",13,A
new@uni.example,,"New, Nia",14,B
"""


@pytest.fixture
def owner(db: None) -> User:
    return make_user("owner")


@pytest.fixture
def course(owner: User) -> Course:
    make_user("maya.rossi", "maya@uni.example")
    make_user("liam")
    return make_course(owner)


@pytest.fixture
def client_of(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def plan(course: Course, text: str, **options: bool) -> Plan:
    return plan_roster(course, read_roster(text.encode()), **({"may_enrol": True} | options))


def preview(client: Client, course: Course, text: str, **more: str) -> str:
    response = client.post(f"/courses/{course.public_id}/people/roster/", {"text": text, **more})
    assert response.status_code == 200, response.context["form"].errors
    return response.content.decode()


def fields_of(page: str) -> dict[str, str]:
    """What the page's button would send."""
    from html import unescape

    found = re.findall(r'<input type="hidden" name="(roster|digest|removes_missing)" value="([^"]*)"', page)
    return {name: unescape(value) for name, value in found}


def take_over(client: Client, course: Course, text: str, **more: str) -> str:
    fields = fields_of(preview(client, course, text, **more))
    response = client.post(f"/courses/{course.public_id}/people/roster/confirm/", fields, follow=True)
    return response.content.decode()


def students(course: Course) -> dict[str, str]:
    found = Membership.objects.current().students().filter(course=course)
    return {member.user.username: member.name for member in found}


def test_looking_changes_nothing_and_taking_over_does_what_was_shown(client_of: Client, course: Course) -> None:
    page = preview(client_of, course, LIST)
    assert "2 let in, 1 expected, 0 changed" in page
    assert "account maya.rossi" in page and "account liam, without e-mail" in page
    assert not students(course) and not course.invitations.exists()
    assert "2 let in, 1 expected" in take_over(client_of, course, LIST)
    assert students(course) == {"maya.rossi": "Rossi, Maya", "liam": "Byrne, Liam"}
    assert list(course.invitations.values_list("email", "student_number")) == [("new@uni.example", "14")]


def test_twice_is_once_and_an_export_changes_nothing(client_of: Client, course: Course) -> None:
    take_over(client_of, course, LIST)
    Membership.objects.filter(user__username="liam").update(name="=HYPERLINK(1)", section="'-x")
    exported = client_of.get(f"/courses/{course.public_id}/people/roster.csv")
    assert "attachment" in exported["Content-Disposition"]
    assert ",'=HYPERLINK(1)," in exported.content.decode()
    again = plan_roster(course, read_roster(exported.content), may_enrol=True, removes_missing=True)
    assert (again.does_nothing, again.unchanged, again.problems) == (True, 3, [])
    assert "Nothing to change" in preview(client_of, course, exported.content.decode("utf-8-sig"))


def test_a_changed_cell_is_a_change_and_an_empty_one_says_nothing(course: Course, client_of: Client) -> None:
    take_over(client_of, course, LIST)
    changed = "E-mail,Name,Section\nmaya@uni.example,,B\nnew@uni.example,Nia New,\n"
    page = preview(client_of, course, changed)
    assert "<del>A</del> <ins>B</ins>" in page and "<ins>Nia New</ins>" in page
    take_over(client_of, course, changed)
    maya = Membership.objects.get(user__username="maya.rossi")
    assert (maya.name, maya.section, maya.student_number) == ("Rossi, Maya", "B", "12")
    assert course.invitations.get().name == "Nia New"


def test_nobody_is_removed_unless_asked_and_then_they_are_listed(client_of: Client, course: Course) -> None:
    take_over(client_of, course, LIST)
    assistant = add(course, make_user("helper"), Role.ASSISTANT)
    short = "E-mail\nmaya@uni.example\n"
    take_over(client_of, course, short)
    assert len(students(course)) == 2 and course.invitations.count() == 1
    page = preview(client_of, course, short, removes_missing="on")
    assert "Byrne, Liam, account liam" in page and "New, Nia, expected" in page and "2 removed" in page
    take_over(client_of, course, short, removes_missing="on")
    assert students(course) == {"maya.rossi": "Rossi, Maya"}
    assert not course.invitations.exists()
    assistant.refresh_from_db()
    assert assistant.is_current


def test_whoever_comes_back_keeps_the_one_membership_with_its_history(client_of: Client, course: Course) -> None:
    take_over(client_of, course, LIST)
    liam = Membership.objects.get(user__username="liam")
    remove([liam], by=User.objects.get(username="owner"))
    assert "who was here before" in preview(client_of, course, LIST)
    take_over(client_of, course, LIST)
    liam.refresh_from_db()
    assert liam.is_current
    assert [event.kind for event in liam.events.all()] == ["added", "removed", "added"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("maya@uni.example,liam", "names two accounts"),
        ("other@uni.example,maya.rossi", "an e-mail that isn’t the one of the account"),
    ],
)
def test_a_row_that_could_be_two_people_is_left_out(course: Course, line: str, why: str) -> None:
    found = plan(course, f"E-mail,User name\n{line}\n")
    assert found.does_nothing
    assert [problem.number for problem in found.problems] == [2]
    assert why in found.problems[0].text


def test_two_rows_that_turn_out_to_be_one_person(course: Course) -> None:
    found = plan(course, "E-mail,User name\nmaya@uni.example,\n,maya.rossi\n")
    assert (len(found.additions), [problem.text for problem in found.problems]) == (1, ["is the same person as row 2"])


def test_if_the_course_changed_meanwhile_it_is_shown_anew(client_of: Client, course: Course) -> None:
    fields = fields_of(preview(client_of, course, LIST))
    add(course, User.objects.get(username="liam"))
    address = f"/courses/{course.public_id}/people/roster/confirm/"
    page = client_of.post(address, fields).content.decode()
    assert "nothing was done" in page
    assert students(course) == {"liam": ""}
    client_of.post(address, fields_of(page))
    assert len(students(course)) == 2


def test_where_anybody_creates_courses_nobody_is_put_into_one(
    client_of: Client, course: Course, settings: object
) -> None:
    settings.COURSE_CREATORS = "anyone"  # type: ignore[attr-defined]
    page = preview(client_of, course, LIST)
    # Nor does the list tell who has an account.
    assert "0 let in, 3 expected" in page and "account" not in page.split("<h1")[1].split("</main")[0]
    take_over(client_of, course, LIST)
    assert not students(course)
    assert Invitation.objects.count() == 3


def test_a_file_is_read_and_a_bad_one_explained_on_the_form(client_of: Client, course: Course, tmp_path) -> None:
    address = f"/courses/{course.public_id}/people/roster/"
    path = tmp_path / "list.csv"
    path.write_text(LIST.replace(",", ";"), encoding="utf-16")
    with path.open("rb") as file:
        assert "2 let in, 1 expected" in client_of.post(address, {"file": file}).content.decode()
    path.write_text("E-mail,Color\na@uni.example,red\n")
    with path.open("rb") as file:
        response = client_of.post(address, {"file": file})
    assert response.status_code == 422
    assert "“Color”" in response.content.decode() and "tick the box" in response.content.decode()
    response = client_of.post(f"{address}confirm/", {"roster": "nonsense", "digest": "x"}, follow=True)
    assert "Nothing was changed" in response.content.decode()


def test_queries_do_not_grow_with_the_list(course: Course, django_assert_max_num_queries) -> None:
    text = "E-mail,Name\n" + "".join(f"s{n}@uni.example,Student {n}\n" for n in range(300))
    with django_assert_max_num_queries(6):
        assert len(plan(course, text).expected) == 300
