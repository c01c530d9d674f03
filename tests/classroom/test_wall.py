"""The wall of a lecture hall: nobody is told, nothing is revealed without consent, and it stays up to date."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from classroom.choices import let_reveal
from classroom.memberships import leave
from classroom.mission.page import assigned_mission
from classroom.mission.wall import Asked, agreed, wall_of
from classroom.models import Course, Membership
from classroom.results import roll_of
from classroom.views.wall import EVERY
from missions.models import Attempt, Mission
from tests.classroom.factories import add, assign, make_course, make_students, make_user
from tests.classroom.pages import attribute, element, elements, parsed, text
from tests.missions.helpers import record

POLL = {"HX-Request": "true", "HX-Trigger": "wall-poll"}


@pytest.fixture
def prof(db: None) -> User:
    return make_user("prof", "prof@uni.example", first_name="Paola", last_name="Verdi")


@pytest.fixture
def course(prof: User, missions: list[Mission]) -> Course:
    """Ann and Bea tried the same, Cem something else and again; of them Bea agreed."""
    course = make_course(prof)
    assign(course, missions[:2])
    for name in ("ann", "bea", "cem"):
        add(
            course,
            make_user(f"{name}.doe", f"{name}@uni.example"),
            name=f"Doe, {name.title()}",
            student_number=f"77{name}",
        )
    for name, steps in (("ann", 20), ("bea", 20), ("cem", 30), ("cem", 40)):
        record(_user(name), missions[0], passed=steps == 20, sampled_responses=steps, steps=steps)
    let_reveal(_member("bea"), True)
    return course


def _user(name: str) -> User:
    return User.objects.get(username=f"{name}.doe")


def _member(name: str) -> Membership:
    return Membership.objects.select_related("user", "course").get(user__username=f"{name}.doe")


@pytest.fixture
def visit(prof: User, course: Course, missions: list[Mission]) -> Any:
    client = Client()
    client.force_login(prof)
    address = f"/courses/{course.public_id}/missions/{missions[0].slug}/wall/"
    return lambda query="", **headers: client.get(f"{address}{query}", headers=headers)


def run_of(name: str) -> str:
    """The name that a wall has for somebody's latest run."""
    return Attempt.objects.filter(user=_user(name)).latest("number").run_hash[:16]


def numbers(page: Any) -> list[str]:
    return [text(one) for one in elements(element(parsed(page), "dl", css="proj-n"), "dd")]


def revealed(page: Any) -> str:
    return " ".join(text(one) for one in elements(parsed(page), "section", css="proj-one"))


def links(page: Any) -> dict[str, str]:
    found = (one for one in elements(parsed(page), "a") if attribute(one, "id"))
    return {attribute(one, "id"): attribute(one, "href") for one in found}


def told(course: Course) -> list[str]:
    """Everything that would tell a person: names, accounts, addresses, numbers, and the keys of their rows."""
    words = []
    for member in course.memberships.select_related("user"):
        user = member.user
        words += [*re.findall(r"\w+", member.name), member.student_number, user.username, user.email, user.last_name]
    return [word for word in words if word]


@pytest.mark.parametrize("query", ["", "?shown={run}", "?shown={run}&since=lecture&still=1&goal=1", "?shown={other}"])
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}, POLL])
def test_nothing_tells_a_person(
    query: str, headers: dict[str, str], visit: Any, course: Course, missions: list
) -> None:
    page = visit(query.format(run=run_of("bea"), other=run_of("cem")), **headers)
    assert page.status_code == 200
    everything = page.content.decode() + repr(page.headers.items())
    assert not [word for word in told(course) if re.search(rf"(?i)\b{re.escape(word)}\b", everything)]
    # Of the course there is its address alone, and of anything in it no key: no number of a row in an address or value.
    addresses = [attribute(one, "href") + attribute(one, "hx-get") for one in elements(parsed(page), "a")]
    assert not [address for address in addresses if re.search(r"/\d+/", address)]
    assert not re.search(r'(data-[\w-]+|value|id)="\d+"', page.content.decode())


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    people=st.lists(
        st.tuples(st.text(st.sampled_from("QXZqxz'-é"), min_size=6, max_size=9), st.booleans()), min_size=1, max_size=4
    ),
    tries=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.booleans()), max_size=5),
)
def test_in_any_class_nobody_is_told_and_only_who_agreed_is_revealed(
    people: list[tuple[str, bool]], tries: list[tuple[int, int, bool]], db: None, missions: list[Mission]
) -> None:
    from django.db import transaction

    with transaction.atomic():
        course = make_course(make_user("prof"))
        assign(course, missions[:1])
        for place, (name, may) in enumerate(people):
            add(course, make_user(f"u{place}{name}", f"q{place}@uni.example"), name=name)
            Membership.objects.filter(user__username=f"u{place}{name}").update(may_reveal=may)
        members = list(course.memberships.students().select_related("user"))
        for who, steps, passed in tries:
            user = members[who % len(members)].user
            record(user, missions[0], passed=passed, sampled_responses=10 * steps, steps=steps)
        client = Client()
        client.force_login(User.objects.get(username="prof"))
        agreeing = {member.user_id for member in members if member.may_reveal}
        for run in Attempt.objects.values_list("run_hash", flat=True).distinct():
            page = client.get(f"/courses/{course.public_id}/missions/{missions[0].slug}/wall/?shown={run[:16]}")
            may = Attempt.objects.filter(run_hash=run, user__in=agreeing).exists()
            assert ("proj-one" in page.content.decode()) == may
            for name, _ in people:
                assert name not in page.content.decode()
        assert (
            agreeing
            or "wall-reveal"
            not in client.get(f"/courses/{course.public_id}/missions/{missions[0].slug}/wall/").content.decode()
        )
        transaction.set_rollback(True)


def test_only_who_agreed_is_revealed_and_whoever_tried_the_same_with_them(visit: Any) -> None:
    # Ann's run is Bea's; Cem's aren't anybody's who agreed.
    assert run_of("ann") == run_of("bea")
    assert "steps 20" in revealed(visit(f"?shown={run_of('bea')}"))
    assert revealed(visit(f"?shown={run_of('cem')}")) == ""
    page = visit()
    assert links(page)["wall-reveal"] == f"?shown={run_of('bea')}"
    assert "wall-reveal" not in links(visit(links(page)["wall-reveal"]))  # There is no other.


def test_withdrawn_consent_hides_at_once_also_where_it_is_shown(visit: Any) -> None:
    shown = f"?shown={run_of('bea')}"
    page = visit(shown)
    assert revealed(page)
    let_reveal(_member("bea"), False)
    assert revealed(visit(shown)) == ""
    news = visit(shown, **POLL, **{"If-None-Match": page.headers["ETag"]})
    assert (news.status_code, revealed(news)) == (200, "") and "wall-reveal" not in links(news)


@pytest.mark.parametrize("gone", ["left", "erased", "unasked"])
def test_whoever_is_gone_agreed_to_nothing_any_more(gone: str, visit: Any, course: Course) -> None:
    if gone == "left":
        leave(_member("bea"))
    elif gone == "erased":
        _user("bea").delete()
    else:
        Course.objects.update(asks_to_reveal=False)
    run = Attempt.objects.filter(user=_user("ann")).get().run_hash[:16]
    assert revealed(visit(f"?shown={run}")) == "" and "wall-reveal" not in links(visit())
    assert numbers(visit()) == (["4", "2", "3"] if gone == "unasked" else ["3", "1", "2"])


def test_an_open_wall_gets_nothing_until_somebody_tries(
    visit: Any, course: Course, missions: list[Mission], django_assert_max_num_queries: Any
) -> None:
    etag = visit().headers["ETag"]
    with django_assert_max_num_queries(7):
        unchanged = visit(**POLL, **{"If-None-Match": etag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    record(_user("ann"), missions[1], passed=True)
    record(make_user("stranger"), missions[0], passed=True)
    assert visit(**POLL, **{"If-None-Match": etag}).status_code == 304
    record(_user("ann"), missions[0], passed=True, sampled_responses=5, steps=60)
    news = visit(**POLL, **{"If-None-Match": etag})
    assert numbers(news) == ["5", "3", "3"] and b"<html" not in news.content
    assert visit(**POLL, **{"If-None-Match": news.headers["ETag"]}).status_code == 304
    # One address serves both; nothing of it is kept by anybody between.
    assert "HX-Request" in news.headers["Vary"] and "no-store" in news.headers["Cache-Control"]
    assert EVERY[0] >= 15 and EVERY[1] > EVERY[0]
    seconds = re.search(r'hx-trigger="every (\d+)s, wake"', visit().content.decode())
    assert seconds and EVERY[0] <= int(seconds[1]) <= EVERY[1]


def test_a_version_tells_nothing_without_the_site_s_key(visit: Any, settings: Any) -> None:
    etag = visit().headers["ETag"]
    assert re.fullmatch(r'"[0-9a-f]{24}"', etag)
    from classroom.mission.wall import version_of

    course = Course.objects.get()
    roll, at = roll_of(course), timezone.now()
    asked = (roll, roll.assignments[0], Asked(), at)
    before = version_of(*asked)
    settings.SECRET_KEY = "another"
    assert version_of(*asked) != before


def test_a_still_wall_asks_for_nothing_and_goes_on(visit: Any) -> None:
    page = visit(links(visit())["wall-still"])
    assert b"wall-poll" not in page.content and text(element(parsed(page), "span", id="wall-state")) == "paused"
    again = visit(links(page)["wall-still"])
    assert b'id="wall-poll"' in again.content and text(element(parsed(again), "span", id="wall-state")) == "live"


def test_a_still_wall_moves_only_to_hide_what_it_reveals(
    visit: Any, missions: list[Mission], django_assert_max_num_queries: Any
) -> None:
    shown = f"?shown={run_of('bea')}&still=1"
    page = visit(shown)
    assert revealed(page) and b'id="wall-poll"' in page.content
    record(_user("ann"), missions[0], passed=True, sampled_responses=5, steps=60)
    with django_assert_max_num_queries(7):
        assert visit(shown, **POLL, **{"If-None-Match": page.headers["ETag"]}).status_code == 304
    let_reveal(_member("bea"), False)
    news = visit(shown, **POLL, **{"If-None-Match": page.headers["ETag"]})
    assert (news.status_code, revealed(news)) == (200, "") and b"wall-poll" not in news.content


def test_the_last_two_hours_alone(visit: Any) -> None:
    Attempt.objects.filter(user=_user("cem")).update(created_at=timezone.now() - timedelta(hours=3))
    page = visit(links(visit())["wall-since"])
    assert numbers(page) == ["2", "2", "2"] and "the last two hours" in page.content.decode()
    assert numbers(visit(links(page)["wall-since"])) == ["4", "2", "3"]


@given(
    st.fixed_dictionaries(
        {}, optional={name: st.text(max_size=20) for name in ("shown", "goal", "since", "still", "other")}
    )
)
def test_whatever_is_asked_an_address_says_it_again(typed: dict[str, str]) -> None:
    params = QueryDict(mutable=True)
    params.update(typed)
    asked = Asked.read(params)
    assert Asked.read(QueryDict(asked.query().removeprefix("?"))) == asked


def test_no_try_one_student_and_few_say_so(visit: Any, course: Course, missions: list[Mission]) -> None:
    assert "3 students have tried: somebody may guess" in text(parsed(visit()))
    Attempt.objects.exclude(user=_user("cem")).delete()
    page = visit()
    assert numbers(page) == ["2", "0", "1"] and "One student has tried" in text(parsed(page))
    Attempt.objects.all().delete()
    page = visit()
    assert numbers(page) == ["0", "0", "0"] and "No try yet. Each appears here by itself." in text(parsed(page))
    assert "have tried" not in text(parsed(page)) and "wall-reveal" not in links(page)


def test_an_archived_course_can_be_shown(visit: Any, course: Course) -> None:
    Course.objects.update(archived_at=timezone.now())
    assert revealed(visit(f"?shown={run_of('bea')}"))


def test_a_message_for_who_works_here_is_not_for_the_hall(course: Course, prof: User, missions: list[Mission]) -> None:
    client = Client()
    client.force_login(prof)
    here = f"/courses/{course.public_id}/"
    client.post(f"{here}people/remove/", {"chosen": _member("ann").pk, "confirmed": "1"})
    assert "removed from the course" not in client.get(f"{here}missions/{missions[0].slug}/wall/").content.decode()
    assert "removed from the course" in client.get(f"{here}people/").content.decode()


def test_a_class_of_five_hundred_takes_as_many_queries(
    visit: Any, course: Course, missions: list[Mission], django_assert_num_queries: Any
) -> None:
    shown = f"?shown={run_of('bea')}"
    # Session, account, course; people, assignments, extensions; version; mission, tries, runs, and the revealed one.
    with django_assert_num_queries(11):
        visit(shown)
    template = Attempt.objects.filter(user=_user("cem")).first()
    assert template is not None
    copies = []
    for place, member in enumerate(make_students(course, 500)):
        for number in (1, 2):
            fields = {f.attname: getattr(template, f.attname) for f in Attempt._meta.concrete_fields if f.name != "id"}
            fields |= {
                "user_id": member.user_id,
                "number": number,
                "submission_token": uuid4(),
                "run_hash": f"{place % 40:064x}",
            }
            copies.append(Attempt(**fields | {"sampled_responses": 10 + place % 40}))
    Attempt.objects.bulk_create(copies)
    with django_assert_num_queries(11):
        page = visit(shown)
    assert numbers(page) == ["1,004", "2", "503"]
    assert len(page.content) < 150_000


def test_who_agreed_is_read_from_those_on_the_roll(course: Course, missions: list[Mission]) -> None:
    roll = roll_of(course)
    assert agreed(roll) == {_user("bea").pk}
    wall = wall_of(roll, assigned_mission(roll, missions[0].slug), Asked(shown=run_of("bea")), timezone.now())
    assert wall.revealed is not None and "steps 20" in wall.revealed.in_words
