"""One student's pages: tries as a timeline, single tries to read, and what students see of themselves."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from classroom.models import Course, Extension, Membership, Role
from classroom.results import result_of
from classroom.timeline import PER_PAGE, timeline_of
from missions.models import Attempt, Mission
from tests.classroom.factories import add, assign, make_course, make_user
from tests.classroom.pages import attribute, element, elements, parsed, text
from tests.missions.helpers import record


@pytest.fixture
def prof(db: None) -> User:
    return make_user("prof")


@pytest.fixture
def course(prof: User, missions: list[Mission]) -> Course:
    course = make_course(prof)
    assign(course, missions[:2])
    return course


@pytest.fixture
def maya(course: Course, student: User) -> Membership:
    return add(course, student, name="Rossi, Maya", section="B")


@pytest.fixture
def open_page(course: Course, maya: Membership) -> Any:
    """Return a function that opens an address below Maya's page, as somebody."""

    def open_page(user: User, below: str = "") -> Any:
        client = Client()
        client.force_login(user)
        return client.get(f"/courses/{course.public_id}/students/{maya.pk}/{below}")

    return open_page


def entries(response: Any) -> list[str]:
    return [text(entry) for entry in elements(parsed(response), "li", css="att")]


def test_a_try_says_what_changed_what_came_of_it_and_what_was_predicted(
    open_page: Any, prof: User, maya: Membership, missions: list[Mission]
) -> None:
    record(maya.user, missions[0], passed=False)
    record(maya.user, missions[0], passed=True, sampled_responses=10**8, steps=25, prediction=0)
    record(maya.user, missions[0], passed=True, sampled_responses=1, steps=25, beta=0.3)
    third, second, first = entries(open_page(prof))
    assert "Try 1" in first and "the start, unchanged" in first and "Not yet:" in first
    start = missions[0].definition["setup"]["steps"]
    assert f"steps {start} 25" in second and "met, no star" in second and "Predicted" in second
    assert "counts" in third and "counts" not in second
    page = open_page(prof).content.decode()
    assert f"<del>{start}</del> <ins>25</ins>" in page


def test_predictions_are_right_or_wrong_by_what_was_measured(
    prof: User, maya: Membership, missions: list[Mission]
) -> None:
    # The helper's attempts all measured a win rate of 0.5.
    cuts = missions[0].definition["prediction"]["cuts"]
    actual = sum(cut <= 0.5 for cut in cuts)
    for prediction in range(len(cuts) + 1):
        record(maya.user, missions[0], passed=False, prediction=prediction)
    shown = [e for stretch in timeline_of(maya, result_of(maya).cells).stretches for e in stretch.entries]
    judged = {entry.attempt.prediction: entry.prediction.is_right for entry in shown if entry.prediction}
    assert judged == {prediction: prediction == actual for prediction in range(len(cuts) + 1)}


def test_tries_stand_in_stretches_by_mission_and_on_pages(
    open_page: Any, prof: User, maya: Membership, missions: list[Mission]
) -> None:
    for place in range(PER_PAGE + 3):
        record(maya.user, missions[0], passed=place == 0, steps=10 + place)
    record(maya.user, missions[1], passed=False)
    record(maya.user, missions[0], passed=False)
    timeline = timeline_of(maya, result_of(maya).cells)
    assert [stretch.mission for stretch in timeline.stretches] == [missions[0], missions[1], missions[0]]
    assert [len(stretch.entries) for stretch in timeline.stretches] == [1, 1, PER_PAGE - 2]
    # The oldest on the first page is compared with the newest on the second.
    oldest = timeline.stretches[-1].entries[-1].row
    (change,) = oldest.changes
    assert int(change.new) == int(change.old) + 1 and not oldest.is_first
    last = entries(open_page(prof, "?page=2"))
    assert len(last) == 5 and "Try 1 " in last[-1]
    assert [len(entries(open_page(prof, f"?page={page}"))) for page in ("0", "99", "x")] == [5, 5, PER_PAGE]
    assert len(entries(open_page(prof, f"missions/{missions[1].slug}/"))) == 1


def test_only_what_the_course_assigns_is_its_business(
    open_page: Any, prof: User, maya: Membership, missions: list[Mission]
) -> None:
    record(maya.user, missions[5], passed=True)
    assert entries(open_page(prof)) == []
    assert open_page(prof, f"missions/{missions[5].slug}/").status_code == 404


def test_a_try_opens_as_the_student_saw_it_and_can_not_be_played_on(
    open_page: Any, prof: User, maya: Membership, missions: list[Mission]
) -> None:
    for passed in (False, True):
        record(maya.user, missions[0], passed=passed, steps=30)
    below = f"missions/{missions[0].slug}/tries/1/"
    page = open_page(prof, below)
    said = text(element(parsed(page), "main"))
    assert "Not yet:" in said and "You changed steps" in said and "How it was graded" in said and "Try 2" in said
    assert (
        "Train again" not in said and 'method="post"' not in page.content.decode().split("<main")[1].split("</main>")[0]
    )
    assert text(element(parsed(open_page(maya.user, below)), "h2")) == text(element(parsed(page), "h2"))
    assert "Hint" not in said


@pytest.mark.parametrize("end", ["left", "removed"])
def test_whoever_is_gone_can_still_be_read(
    open_page: Any, prof: User, maya: Membership, missions: list[Mission], end: str
) -> None:
    record(maya.user, missions[0], passed=True)
    Membership.objects.filter(pk=maya.pk).update(ended_at=timezone.now(), end=end)
    page = open_page(prof)
    assert len(entries(page)) == 1 and f", {end} " in text(element(parsed(page), "main"))
    assert "Give more time" not in page.content.decode()
    assert open_page(prof, f"missions/{missions[0].slug}/tries/1/").status_code == 200
    assert open_page(maya.user).status_code == 404


def test_students_see_what_instructors_see_of_them(
    open_page: Any, prof: User, maya: Membership, missions: list[Mission]
) -> None:
    record(maya.user, missions[0], passed=False, steps=30, prediction=1)
    record(maya.user, missions[0], passed=True, steps=40)
    theirs, own = open_page(prof), open_page(maya.user)
    assert entries(theirs) == entries(own) and len(entries(own)) == 2
    tables = [text(next(elements(parsed(page), "table", css="missions"))) for page in (theirs, own)]
    assert tables[0] == tables[1]
    assert "Rossi, Maya can read this page, too" in theirs.content.decode()
    assert "what those who teach the course see of you" in own.content.decode()
    assert f"/missions/{missions[0].slug}/tries/2/" in own.content.decode()


def test_from_here_an_instructor_gives_time_or_opens_a_mission(
    open_page: Any, prof: User, course: Course, maya: Membership, missions: list[Mission]
) -> None:
    course.assignments.update(due_at=timezone.now() + timedelta(days=1))
    page = open_page(prof, f"missions/{missions[1].slug}/")
    links = {text(link): attribute(link, "href") for link in elements(parsed(page), "a")}
    client = Client()
    client.force_login(prof)
    for words, chosen in (("Give more time", "assignments"), ("Open it early", "mission")):
        form = client.get(links[words].replace("&amp;", "&")).context["form"]
        assert str(form["student"].value()) == str(maya.pk) and form[chosen].value()
    assistant = make_user("assistant")
    add(course, assistant, Role.ASSISTANT)
    assert "Give more time" not in open_page(assistant, f"missions/{missions[1].slug}/").content.decode()
    assert "Open it early" not in open_page(maya.user, f"missions/{missions[1].slug}/").content.decode()


def test_previous_and_next_follow_the_class_list(open_page: Any, prof: User, course: Course) -> None:
    add(course, make_user("first"), name="Abe")
    add(course, make_user("last"), name="Zoe")
    page = parsed(open_page(prof))
    assert [text(element(page, "a", rel=way)) for way in ("prev", "next")] == ["Previous: Abe", "Next: Zoe"]
    assert not list(elements(parsed(open_page(User.objects.get(username="maya.rossi"))), "a", rel="next"))


def test_ten_queries_however_many_tries_and_students(
    prof: User,
    course: Course,
    maya: Membership,
    missions: list[Mission],
    django_assert_num_queries: Any,
) -> None:
    client = Client()
    client.force_login(prof)
    address = f"/courses/{course.public_id}/students/{maya.pk}/"
    record(maya.user, missions[0], passed=True)
    with django_assert_num_queries(10):
        client.get(address)
    for place in range(12):
        record(maya.user, missions[place % 2], passed=True)
        add(course, make_user(f"s{place}"))
    with django_assert_num_queries(10):
        assert len(entries(client.get(address))) == 13


def test_dates_are_in_the_course_s_time_zone(
    open_page: Any, prof: User, course: Course, maya: Membership, missions: list[Mission]
) -> None:
    attempt = record(maya.user, missions[0], passed=False).attempt
    at = timezone.datetime(2026, 11, 30, 23, 30, tzinfo=timezone.get_default_timezone())
    Attempt.objects.filter(pk=attempt.pk).update(created_at=at)
    assert "Dec 1, 00:30" in entries(open_page(prof))[0]


def test_an_extension_is_named_to_both(
    open_page: Any, prof: User, course: Course, maya: Membership, missions: list[Mission]
) -> None:
    course.assignments.update(due_at=timezone.datetime(2026, 12, 4, 17, tzinfo=timezone.get_default_timezone()))
    Extension.objects.create(
        assignment=course.assignments.get(mission=missions[0]),
        membership=maya,
        due_at=timezone.datetime(2026, 12, 9, 17, tzinfo=timezone.get_default_timezone()),
    )
    below = f"missions/{missions[0].slug}/"
    assert "December 9, 18:00, extended from December 4, 18:00" in text(parsed(open_page(prof, below)))
    assert "December 9, 18:00, your own date" in text(parsed(open_page(maya.user, below)))
