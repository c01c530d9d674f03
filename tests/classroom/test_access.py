"""Who may open what: every address of the classroom against everybody, and no address without a row.

To add an address, add its row to TABLE. The names in braces are filled in by `world`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from accounts.models import User
from classroom.access import Capability
from classroom.models import Course, Extension, JoinLink, Membership, Role, UnlockOverride
from missions.authoring.saving import begin
from missions.authoring.starting import empty
from missions.models import Attempt
from tests.classroom.factories import add, assign, make_course, make_user
from tests.missions.helpers import record

SIGN_IN = "sign in"  # a redirect to the sign-in page
HERE = "/courses/{course}/"
OWN = "/own-missions/{own}/"
PEOPLE = (
    "anonymous",
    "student",  # of the course
    "other_student",  # of another course
    "assistant",
    "instructor",
    "other_instructor",  # of another course
    "owner",
    "administrator",
)
# Rows that read alike for most addresses. A status, SIGN_IN, or the address of a redirect.
Row = tuple[object, ...]


def everyone(answer: object) -> Row:
    """For all who are signed in."""
    return (SIGN_IN, *[answer] * 7)


def members(answer: object, staff: object = None) -> Row:
    """For students of the course and, with another answer, for those who teach."""
    staff = answer if staff is None else staff
    return (SIGN_IN, answer, 404, staff, staff, 404, staff, staff)


def staff(answer: object) -> Row:
    """For assistants and all above them."""
    return (SIGN_IN, 404, 404, answer, answer, 404, answer, answer)


def instructors(answer: object) -> Row:
    return (SIGN_IN, 404, 404, 404, answer, 404, answer, answer)


def owners(answer: object) -> Row:
    return (SIGN_IN, 404, 404, 404, 404, 404, answer, answer)


def creators(answer: object) -> Row:
    """For those whom an administrator let create courses: here `owner`, and administrators."""
    return (SIGN_IN, 403, 403, 403, 403, 403, answer, answer)


def writers(answer: object) -> Row:
    """For those who may write missions: instructors and owners, as long as not anybody may create a course."""
    return (SIGN_IN, 404, 404, 404, answer, answer, answer, answer)


def authors(answer: object) -> Row:
    """For the author of the mission, here `owner`, and administrators."""
    return (SIGN_IN, *[404] * 5, answer, answer)


TABLE: dict[tuple[str, str], Row] = {
    ("/courses/", "GET"): everyone(200),
    ("/courses/new/", "GET"): creators(200),
    ("/courses/new/", "POST"): creators(422),
    (HERE, "GET"): members(200, staff=f"{HERE}progress/"),
    (f"{HERE}progress/", "GET"): staff(200),
    (f"{HERE}progress.csv", "GET"): staff(200),
    (f"{HERE}summary/", "GET"): staff(200),
    (f"{HERE}students/{{member}}/", "GET"): members(200),
    (f"{HERE}students/{{classmate}}/", "GET"): staff(200),
    (f"{HERE}students/{{other_member}}/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}students/{{assistant_member}}/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}students/{{member}}/missions/{{mission}}/", "GET"): members(200),
    (f"{HERE}students/{{member}}/missions/{{unassigned}}/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}students/{{other_member}}/missions/{{mission}}/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}students/{{member}}/missions/{{mission}}/tries/1/", "GET"): members(200),
    (f"{HERE}students/{{member}}/missions/{{mission}}/tries/2/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}students/{{member}}/missions/{{unassigned}}/tries/1/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}students/{{other_member}}/missions/{{mission}}/tries/1/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}missions/{{mission}}/", "GET"): staff(200),
    (f"{HERE}missions/{{unassigned}}/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}missions/{{mission}}/wall/", "GET"): staff(200),
    (f"{HERE}missions/{{unassigned}}/wall/", "GET"): (SIGN_IN, *[404] * 7),
    # Those who are students of the course alone choose; for anybody else there is nothing.
    (f"{HERE}choices/", "GET"): (SIGN_IN, 200, *[404] * 6),
    (f"{HERE}choices/", "POST"): (SIGN_IN, f"{HERE}choices/", *[404] * 6),
    (f"{HERE}leaderboard/", "GET"): members(200),
    (f"{HERE}leaderboard/freeze/", "POST"): instructors(f"{HERE}leaderboard/"),
    (f"{HERE}leaderboard/take-off/", "POST"): owners(f"{HERE}leaderboard/"),
    ("/attempts/{attempt}/run/", "GET"): members(200),
    ("/attempts/{unassigned_attempt}/run/", "GET"): (SIGN_IN, 200, *[404] * 6),
    (f"{HERE}settings/", "GET"): instructors(200),
    (f"{HERE}settings/", "POST"): instructors(422),
    (f"{HERE}copy/", "GET"): (SIGN_IN, 404, 404, 404, 403, 404, 200, 200),
    (f"{HERE}copy/", "POST"): (SIGN_IN, 404, 404, 404, 403, 404, 422, 422),
    (f"{HERE}archive/", "POST"): owners("/courses/"),
    (f"{HERE}unarchive/", "POST"): owners(f"{HERE}settings/"),
    (f"{HERE}changes/", "GET"): instructors(200),
    (f"{HERE}export/", "GET"): owners(200),
    (f"{HERE}erase/", "GET"): owners(200),
    (f"{HERE}erase/", "POST"): owners(422),
    (f"{HERE}people/", "GET"): staff(200),
    (f"{HERE}people/add/", "GET"): instructors(200),
    (f"{HERE}people/add/", "POST"): instructors(422),
    (f"{HERE}people/remove/", "POST"): instructors(f"{HERE}people/"),
    (f"{HERE}people/expected/", "POST"): instructors(f"{HERE}people/?show=expected"),
    (f"{HERE}people/roster/", "GET"): instructors(200),
    (f"{HERE}people/roster/", "POST"): instructors(422),
    (f"{HERE}people/roster/confirm/", "POST"): instructors(f"{HERE}people/roster/"),
    (f"{HERE}people/roster.csv", "GET"): staff(200),
    (f"{HERE}people/{{member}}/", "GET"): members(200),
    (f"{HERE}people/{{member}}/", "POST"): instructors(f"{HERE}people/{{member}}/"),
    (f"{HERE}people/{{other_member}}/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}people/{{other_member}}/", "POST"): (SIGN_IN, *[404] * 7),
    (f"{HERE}people/{{member}}/let-in/", "POST"): instructors(f"{HERE}people/{{member}}/"),
    (f"{HERE}people/{{other_member}}/let-in/", "POST"): (SIGN_IN, *[404] * 7),
    (f"{HERE}join-link/", "GET"): instructors(200),
    (f"{HERE}join-link/", "POST"): instructors(f"{HERE}join-link/"),
    (f"{HERE}join-link/{{action}}/", "POST"): instructors(f"{HERE}join-link/"),
    (f"{HERE}join-link/poster/", "GET"): staff(200),
    (f"{HERE}leave/", "GET"): (SIGN_IN, 200, 404, 200, 200, 404, 200, 404),
    (f"{HERE}leave/", "POST"): (SIGN_IN, "/courses/", 404, "/courses/", "/courses/", 404, 422, 404),
    (f"{HERE}assignments/", "GET"): staff(200),
    (f"{HERE}assignments/add/", "GET"): instructors(200),
    (f"{HERE}assignments/add/", "POST"): instructors(422),
    (f"{HERE}assignments/rules/", "GET"): instructors(200),
    (f"{HERE}assignments/rules/", "POST"): instructors(422),
    (f"{HERE}assignments/move/", "POST"): instructors(f"{HERE}assignments/"),
    (f"{HERE}assignments/choose/", "POST"): instructors(f"{HERE}assignments/"),
    (f"{HERE}assignments/edit/", "GET"): instructors(f"{HERE}assignments/"),
    (f"{HERE}assignments/edit/?chosen={{assignment}}", "GET"): instructors(200),
    (f"{HERE}assignments/edit/?chosen={{assignment}}", "POST"): instructors(422),
    (f"{HERE}assignments/edit/?chosen={{other_assignment}}", "GET"): instructors(f"{HERE}assignments/"),
    (f"{HERE}assignments/shift/", "GET"): instructors(200),
    (f"{HERE}assignments/shift/", "POST"): instructors(422),
    (f"{HERE}assignments/remove/?chosen={{assignment}}", "GET"): instructors(200),
    (f"{HERE}assignments/remove/?chosen={{other_assignment}}", "POST"): instructors(f"{HERE}assignments/"),
    (f"{HERE}exceptions/", "GET"): staff(200),
    (f"{HERE}exceptions/extend/", "GET"): instructors(200),
    (f"{HERE}exceptions/extend/", "POST"): instructors(422),
    (f"{HERE}exceptions/extensions/{{extension}}/", "GET"): instructors(200),
    (f"{HERE}exceptions/extensions/{{extension}}/", "POST"): instructors(422),
    (f"{HERE}exceptions/extensions/{{other_extension}}/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}exceptions/extensions/{{other_extension}}/delete/", "POST"): (SIGN_IN, *[404] * 7),
    (f"{HERE}exceptions/unlock/", "GET"): instructors(200),
    (f"{HERE}exceptions/unlock/", "POST"): instructors(422),
    # Both are gone when the owner's turn comes.
    (f"{HERE}exceptions/extensions/{{extension}}/delete/", "POST"): (
        *(SIGN_IN, 404, 404, 404, f"{HERE}exceptions/", 404, 404, 404),
    ),
    (f"{HERE}exceptions/unlocks/{{override}}/lock/", "POST"): (
        *(SIGN_IN, 404, 404, 404, f"{HERE}exceptions/", 404, 404, 404),
    ),
    (f"{HERE}exceptions/unlocks/{{other_override}}/lock/", "POST"): (SIGN_IN, *[404] * 7),
    (f"{HERE}grades/", "GET"): staff(200),
    (f"{HERE}grades/export/", "GET"): staff(200),
    (f"{HERE}grades/{{shape}}.csv", "GET"): staff(200),
    (f"{HERE}grades/{{member}}/", "GET"): members(200),
    (f"{HERE}grades/{{classmate}}/", "GET"): staff(200),
    (f"{HERE}grades/{{other_member}}/", "GET"): (SIGN_IN, *[404] * 7),
    (f"{HERE}own-missions/remove/", "POST"): instructors(404),
    ("/own-missions/", "GET"): writers(200),
    ("/own-missions/new/", "GET"): writers(200),
    ("/own-missions/new/", "POST"): writers(422),
    ("/own-missions/import/", "GET"): writers(200),
    ("/own-missions/import/", "POST"): writers(422),
    ("/own-missions/format/", "GET"): writers(200),
    (OWN, "GET"): authors(200),
    (f"{OWN}edit/", "GET"): authors(200),
    (f"{OWN}edit/", "POST"): authors(409),
    (f"{OWN}text/", "GET"): authors(200),
    (f"{OWN}text/", "POST"): authors(409),
    (f"{OWN}export/", "GET"): authors(200),
    (f"{OWN}preview/", "GET"): authors(OWN),
    (f"{OWN}preview/draft/", "POST"): authors(OWN),
    (f"{OWN}preview/train/", "POST"): authors(OWN),
    (f"{OWN}publish/", "GET"): authors(200),
    (f"{OWN}publish/", "POST"): authors(422),
    (f"{OWN}unpublish/", "POST"): authors(f"{OWN}publish/"),
    (f"{OWN}retire/", "POST"): authors(OWN),
    (f"{OWN}delete/", "GET"): authors(200),
    (f"{OWN}check/", "GET"): authors(200),
    (f"{OWN}check/start/", "POST"): authors(f"{OWN}check/"),
    (f"{OWN}check/cancel/", "POST"): authors(f"{OWN}check/"),
    (f"{OWN}check/take-budgets/", "POST"): authors(f"{OWN}check/"),
    # It is gone when the administrator's turn comes.
    (f"{OWN}delete/", "POST"): (SIGN_IN, *[404] * 5, "/own-missions/", 404),
    ("/join/", "GET"): everyone(200),
    ("/join/", "POST"): everyone(422),
    ("/join/{code}/", "GET"): (200, HERE, 200, HERE, HERE, 200, HERE, 200),
    ("/join/{code}/", "POST"): (200, *[HERE] * 7),
    ("/join/NOSUCHCODE/", "GET"): (200, *[422] * 7),
}


@dataclass(frozen=True)
class World:
    """A course with one person of each kind, and another course beside it."""

    course: Course
    other: Course
    clients: dict[str, Client]
    users: dict[str, User]
    names: dict[str, str]


@pytest.fixture
def world(db: None, missions: list) -> World:
    users = {name: make_user(name) for name in PEOPLE if name != "anonymous"}
    User.objects.filter(username="administrator").update(is_superuser=True, is_staff=True)
    course, other = (
        make_course(users["owner"], has_leaderboard=True),
        make_course(users["other_instructor"], "Another course"),
    )
    let_create_courses(users["owner"])
    member = add(course, users["student"], name="Rossi, Maya")
    assistant = add(course, users["assistant"], Role.ASSISTANT)
    add(course, users["instructor"], Role.INSTRUCTOR)
    other_member = add(other, users["other_student"])
    assigned, elsewhere = assign(course, missions[:3]), assign(other, missions[:1])
    extensions = [
        Extension.objects.create(membership=one, assignment=task, due_at=timezone.now())
        for one, task in ((member, assigned[0]), (other_member, elsewhere[0]))
    ]
    overrides = [UnlockOverride.objects.create(membership=one, mission=missions[5]) for one in (member, other_member)]
    classmate = add(course, make_user("classmate"))
    for person, mission in (("student", missions[0]), ("student", missions[3]), ("other_student", missions[0])):
        record(users[person], mission, passed=True)
    clients = {name: Client() for name in PEOPLE}
    for client in clients.values():
        # One chain of middleware for all of them; building it takes longer than most requests.
        client.handler = clients["anonymous"].handler
    for name, user in users.items():
        clients[name].force_login(user)
    names = {
        "course": course.public_id,
        "other": other.public_id,
        "code": JoinLink.objects.get(course=course).code,
        "attempt": str(Attempt.objects.get(user=users["student"], mission=missions[0]).pk),
        "unassigned_attempt": str(Attempt.objects.get(user=users["student"], mission=missions[3]).pk),
        "member": str(member.pk),
        "other_member": str(other_member.pk),
        "assistant_member": str(assistant.pk),
        "classmate": str(classmate.pk),
        "shape": "lossless",
        "mission": missions[0].slug,
        "unassigned": missions[3].slug,
        "assignment": str(assigned[0].pk),
        "other_assignment": str(elsewhere[0].pk),
        "extension": str(extensions[0].pk),
        "other_extension": str(extensions[1].pk),
        "override": str(overrides[0].pk),
        "other_override": str(overrides[1].pk),
        "action": "close",
        "own": begin(users["owner"], empty("candidates", "An own mission")).public_id,
    }
    return World(course, other, clients, users, names)


def let_create_courses(user: User) -> None:
    from classroom.admin import _right_to_create

    user.user_permissions.add(_right_to_create())


@pytest.mark.parametrize(("address", "method"), TABLE, ids=lambda part: part)
def test_everybody_gets_what_the_table_says(address: str, method: str, world: World) -> None:
    url = address.format(**world.names)
    for person, expected in zip(PEOPLE, TABLE[address, method], strict=True):
        response = world.clients[person].generic(method, url)
        if expected == SIGN_IN:
            assert response.status_code == 302, person
            assert response.headers["Location"].startswith("/account/login/?next="), person
        elif isinstance(expected, str):
            assert (response.status_code, response.headers.get("Location")) == (
                302,
                expected.format(**world.names),
            ), person
        else:
            assert response.status_code == expected, person


def test_the_address_that_a_form_is_sent_to_leads_back_to_a_page(world: World) -> None:
    """Somebody reloads it after their form was refused, or comes back to it after signing in."""
    with_page = {address.partition("?")[0] for address, method in TABLE if method == "GET"}
    sent_to = {address for address, method in TABLE if method == "POST"} - with_page
    own = {address for address in sent_to if "other" not in address and "?" not in address}
    assert len(own) > 10
    for address in own:
        url = address.format(**world.names)
        response = world.clients["owner"].get(url, follow=True)
        assert response.redirect_chain and response.status_code == 200, url
        assert url.startswith(response.redirect_chain[0][0]), url


def classroom_patterns(patterns: list | None = None, prefix: str = "/") -> Iterator[tuple[str, URLPattern]]:
    """Every address that a view of the classroom answers, with its pattern."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            if pattern.callback.__module__.startswith("classroom."):
                yield route, pattern
        else:
            yield from classroom_patterns(pattern.url_patterns, route)


def shape(address: str) -> str:
    """An address with its parts that vary made alike, and without what is asked."""
    address = address.partition("?")[0]
    return "/".join("*" if part[:1] in ("<", "{") or part.isdigit() else part for part in address.split("/"))


def test_no_address_of_the_classroom_is_missing_from_the_table() -> None:
    listed = {shape(address) for address, _ in TABLE}
    assert not sorted({route for route, _ in classroom_patterns() if shape(route) not in listed})


def test_every_page_of_a_course_fetches_it_through_the_access_check() -> None:
    patterns = classroom_patterns()
    pages = [(route, pattern.callback) for route, pattern in patterns if route.startswith("/courses/<")]
    assert pages
    assert not [route for route, view in pages if not isinstance(getattr(view, "capability", None), Capability)]


@pytest.mark.parametrize("bad", ["nowhere", "a" * 300, "1", "zzzzzzzzzz", "0" * 16])
def test_a_course_that_is_none_is_not_there_for_anybody(bad: str, world: World) -> None:
    for person in PEOPLE[1:]:
        assert world.clients[person].get(f"/courses/{bad}/").status_code == 404


@pytest.mark.parametrize("end", ["left", "removed"])
@pytest.mark.parametrize("person", ["student", "assistant", "instructor"])
def test_whoever_is_out_sees_nothing_any_more(person: str, end: str, world: World) -> None:
    Membership.objects.filter(course=world.course, user=world.users[person]).update(
        ended_at=world.course.created_at, end=end
    )
    for page in ("", "people/", "settings/"):
        assert world.clients[person].get(f"/courses/{world.course.public_id}/{page}").status_code == 404


def test_without_an_owner_the_instructors_decide(world: World) -> None:
    world.users["owner"].delete()
    address = f"/courses/{world.course.public_id}/archive/"
    assert world.clients["assistant"].post(address).status_code == 404
    assert world.clients["instructor"].post(address).status_code == 302


def test_an_archived_course_is_read_and_not_changed(world: World) -> None:
    address = f"/courses/{world.course.public_id}/"
    world.clients["owner"].post(f"{address}archive/")
    assert world.clients["student"].get(address).status_code == 200
    page = world.clients["owner"].post(f"{address}settings/", {"name": "Other", "time_zone": "UTC"}, follow=True)
    assert "Nothing was changed" in page.content.decode()
    assert Course.objects.get(pk=world.course.pk).name == "Language models"
    world.clients["owner"].post(f"{address}unarchive/")
    world.clients["owner"].post(f"{address}settings/", {"name": "Other", "time_zone": "UTC"})
    assert Course.objects.get(pk=world.course.pk).name == "Other"


def test_every_post_needs_its_own_page_s_token(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.users["administrator"])
    posts = [address for address, method in TABLE if method == "POST"]
    assert {client.post(address.format(**world.names)).status_code for address in posts} == {403}
