"""Joining with a code: who gets in, once; why not, in one message; and how it is undone and noted."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import User
from classroom import joining
from classroom.memberships import leave, remove
from classroom.models import Course, Invitation, JoinLink, Membership, MembershipEvent
from tests.accounts.helpers import later
from tests.classroom.factories import add, make_course, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def course() -> Course:
    return make_course(make_user("owner"))


@pytest.fixture
def maya() -> User:
    return make_user("maya.rossi", "maya@uni.example")


def link_of(course: Course) -> JoinLink:
    link = joining.current_link(course)
    assert link is not None
    return link


def client_for(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def members(course: Course) -> list[str]:
    return [m.user.username for m in Membership.objects.current().students().filter(course=course).by_name()]


def test_a_click_joins_and_a_second_one_changes_nothing(course: Course, maya: User) -> None:
    client, address = client_for(maya), f"/join/{link_of(course).code}/"
    assert "Language models" in client.get(address).content.decode()
    assert members(course) == []
    page = client.post(address, follow=True)
    assert page.redirect_chain[-1][0] == f"/courses/{course.public_id}/"
    assert "You are in Language models" in page.content.decode()
    client.post(address)
    assert members(course) == ["maya.rossi"]
    assert link_of(course).joined == 1
    assert MembershipEvent.objects.filter(membership__user=maya).count() == 1


@pytest.mark.parametrize("typed", ["{}", " {} ", "{}".lower(), "x-x"])
def test_a_code_is_read_as_people_type_it(course: Course, maya: User, typed: str) -> None:
    code = link_of(course).code
    typed = f"{code[:4].lower()} - {code[4:]}" if typed == "x-x" else typed.format(code)
    response = client_for(maya).post("/join/", {"code": typed})
    assert response["Location"] == f"/join/{code}/"


def shut(course: Course, how: str) -> str:
    """Make the code one that lets nobody in; return what to type."""
    link = link_of(course)
    if how == "wrong":
        return "BBBB-BBBB"
    if how == "expired":
        JoinLink.objects.update(expires_at=timezone.now())
    if how == "closed":
        JoinLink.objects.update(closed_at=timezone.now())
    if how == "full":
        JoinLink.objects.update(cap=1, joined=1)
    if how == "retired":
        joining.rotate(course)
    if how == "archived":
        Course.objects.update(archived_at=timezone.now())
    return link.code


@pytest.mark.parametrize("how", ["wrong", "expired", "closed", "full", "retired", "archived"])
def test_a_code_that_lets_nobody_in_gets_one_message_that_tells_nothing(course: Course, maya: User, how: str) -> None:
    code = shut(course, how)
    client = client_for(maya)
    for response in (
        client.get(f"/join/{code}/"),
        client.post(f"/join/{code}/"),
        client.post("/join/", {"code": code}),
    ):
        assert response.status_code == 422
        assert response.context["error"] == joining.NO_ENTRY
        assert "Language models" not in response.content.decode()
    assert members(course) == []


@pytest.mark.parametrize("how", ["expired", "closed", "full", "retired", "archived"])
def test_whoever_is_in_gets_to_the_course_by_any_of_its_codes(course: Course, maya: User, how: str) -> None:
    add(course, maya)
    assert client_for(maya).get(f"/join/{shut(course, how)}/")["Location"] == f"/courses/{course.public_id}/"


def test_signed_out_a_link_asks_for_an_account_and_comes_back(course: Course, password: str) -> None:
    client, code = Client(), link_of(course).code
    page = client.get(f"/join/{code}/").content.decode()
    assert "Language models" not in page
    assert f"/account/signup/?next=/join/{code}/" in page and f"/account/login/?next=/join/{code}/" in page
    data = {"username": "new", "password1": password, "next": f"/join/{code}/"}
    page = client.post("/account/signup/", data, follow=True).content.decode()
    assert "Join as new?" in page


def test_wrong_codes_slow_one_account_down_and_nobody_else(course: Course, maya: User) -> None:
    client = client_for(maya)
    for _ in range(joining.WRONG_CODES.most):
        client.get("/join/BBBBBBBB/")
    code = link_of(course).code
    assert "too many codes" in client.get(f"/join/{code}/").context["error"]
    assert client_for(make_user("liam")).get(f"/join/{code}/").status_code == 200
    with later(601):
        assert client.get(f"/join/{code}/").status_code == 200


def test_the_roster_knows_whoever_joins_by_e_mail_or_name(course: Course, maya: User) -> None:
    by_name = {"course": course, "username": "Maya.Rossi", "name": "by user name"}
    Invitation.objects.create(**by_name)
    Invitation.objects.create(course=course, email="MAYA@uni.example", name="Rossi, Maya", student_number="12")
    client_for(maya).post(f"/join/{link_of(course).code}/")
    member = Membership.objects.get(user=maya)
    assert (member.name, member.student_number) == ("Rossi, Maya", "12")
    assert [invitation.name for invitation in course.invitations.all()] == ["by user name"]


def test_leaving_and_coming_back_keeps_one_membership_with_its_history(course: Course, maya: User) -> None:
    client, address = client_for(maya), f"/join/{link_of(course).code}/"
    client.post(address)
    page = client.post(f"/courses/{course.public_id}/leave/", follow=True)
    assert "You have left" in page.content.decode()
    assert members(course) == []
    assert "You are back in" in client.post(address, follow=True).content.decode()
    member = Membership.objects.get(user=maya)
    assert [event.kind for event in member.events.all()] == ["joined", "left", "joined"]
    assert link_of(course).joined == 2


def test_whoever_was_removed_is_told_so_and_stays_out(course: Course, maya: User) -> None:
    remove([add(course, maya)], by=make_user("boss"))
    response = client_for(maya).post(f"/join/{link_of(course).code}/")
    assert response.context["error"] == joining.WAS_REMOVED
    assert members(course) == []


def test_a_person_may_be_in_several_courses(course: Course, maya: User) -> None:
    other = make_course(make_user("other"), "Another one")
    for each in (course, other):
        client_for(maya).post(f"/join/{link_of(each).code}/")
    page = client_for(maya).get("/courses/").content.decode()
    assert "Language models" in page and "Another one" in page
    leave(Membership.objects.get(user=maya, course=other))
    assert members(course) == ["maya.rossi"]


@pytest.mark.django_db(transaction=True)
def test_the_last_places_go_to_as_many_as_there_are(course: Course) -> None:
    link = link_of(course)
    JoinLink.objects.filter(pk=link.pk).update(cap=2)
    link = JoinLink.objects.select_related("course").get(pk=link.pk)
    users = [make_user(f"s{number}") for number in range(6)]

    def join(user: User) -> bool:
        try:
            return joining.join(link, user).is_new
        except joining.NoEntryError:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        # Everybody clicks twice.
        joined = list(pool.map(join, [*users, *users]))
    assert sum(joined) == len(members(course)) == 2
    assert link_of(course).joined == 2


def test_the_limits_close_and_rotate(course: Course, maya: User) -> None:
    owner = client_for(User.objects.get(username="owner"))
    address = f"/courses/{course.public_id}/join-link/"
    at = timezone.now().astimezone(course.zone) + timedelta(days=2)
    form = {"expires_at": at.strftime("%Y-%m-%dT%H:%M"), "cap": "30"}
    owner.post(address, form)
    link = link_of(course)
    assert link.cap == 30 and abs(link.expires_at - at) < timedelta(minutes=1)
    bad = {"expires_at": "2020-01-01T10:00", "cap": "0"}
    assert set(owner.post(address, bad).context["form"].errors) == {"expires_at", "cap"}
    owner.post(f"{address}close/")
    assert joining.why_shut(link_of(course)) == "closed"
    owner.post(f"{address}open/")
    assert joining.is_open(link_of(course))
    for _ in range(2):
        # The second click sends the old code, too, and leaves the new one alone.
        owner.post(f"{address}rotate/", {"code": link.code})
    new = link_of(course)
    assert new.code != link.code and (new.cap, new.expires_at) == (link.cap, link.expires_at)
    assert JoinLink.objects.count() == 2
    assert client_for(maya).get(f"/join/{link.code}/").status_code == 422


def test_the_wall_shows_code_and_picture_and_counts_without_reloading(course: Course, maya: User) -> None:
    owner = client_for(User.objects.get(username="owner"))
    address = f"/courses/{course.public_id}/join-link/poster/"
    page = owner.get(address).content.decode()
    link = link_of(course)
    assert (
        link.shown in page
        and "localhost:8000/join<" in page
        and re.search(r'<svg viewBox="[\d ]+" class="qr"><path stroke="#000" d="M4 4.5h7', page)
    )
    htmx = {"HX-Request": "true"}
    assert owner.get(address, {"shown": "0"}, headers=htmx).status_code == 204
    add(course, maya)
    fragment = owner.get(address, {"shown": "0"}, headers=htmx).content.decode()
    assert "<html" not in fragment and ">1</b> is in" in fragment
