"""The progress grid: what it shows, in which order, as a page, as news for an open page, and as a file."""

import csv
import io
from datetime import timedelta
from typing import Any
from urllib.parse import urljoin

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from accounts.models import User
from classroom.grid.asked import Asked
from classroom.grid.rows import grid_of
from classroom.models import Course, Membership, Role, UnlockOverride
from classroom.opening import open_early
from classroom.results import class_results
from missions.models import Mission, Progress
from tests.classroom.factories import add, assign, make_course, make_students, make_user
from tests.classroom.pages import attribute, classes, element, elements, parsed, text
from tests.missions.helpers import record

POLL = {"HX-Request": "true", "HX-Trigger": "grid-poll"}


@pytest.fixture
def prof(db: None) -> User:
    return make_user("prof")


@pytest.fixture
def course(prof: User, missions: list[Mission]) -> Course:
    """Ann has three stars and one, Bea is stuck at the first mission, Cem passed without a star, Dov did nothing."""
    course = make_course(prof, stuck_after_tries=3)
    assign(course, missions[:3])
    for name, section in (("Ann", "A"), ("Bea", "A"), ("Cem", "B"), ("Dov", "B")):
        add(course, make_user(name.lower()), name=name, section=section)
    ann, bea, cem = (User.objects.get(username=name) for name in ("ann", "bea", "cem"))
    record(ann, missions[0], passed=True, sampled_responses=1)
    record(ann, missions[1], passed=True, sampled_responses=missions[1].definition["budgets"]["one_star"])
    for _ in range(3):
        record(bea, missions[0], passed=False)
    record(cem, missions[0], passed=True, sampled_responses=10**8)
    Progress.objects.filter(user=cem).update(last_tried_at=timezone.now() - timedelta(days=9))
    return course


@pytest.fixture
def visit(prof: User, course: Course) -> Any:
    client = Client()
    client.force_login(prof)
    address = f"/courses/{course.public_id}/progress"
    return lambda query="", **headers: client.get(f"{address}/{query}", headers=headers)


def rows_of(response: Any) -> list[Any]:
    bodies = [part for table in elements(parsed(response), "table", css="class") for part in elements(table, "tbody")]
    return [row for body in bodies for row in elements(body, "tr")]


def names(response: Any) -> list[str]:
    return [text(element(row, "th")) for row in rows_of(response) if row.children]


def row_of(response: Any, name: str) -> Any:
    return next(row for row in rows_of(response) if row.children and text(element(row, "th")) == name)


def cells(row: Any) -> list[Any]:
    return list(elements(row, "td"))


def states(response: Any, name: str) -> list[str]:
    """The classes of somebody's first three cells, by the alphabet."""
    return [" ".join(classes(cell)) for cell in cells(row_of(response, name))[:3]]


def test_a_cell_says_stars_and_tries_and_leads_to_them(visit: Any, course: Course, missions: list[Mission]) -> None:
    page = visit()
    links = [element(cell, "a") for cell in cells(row_of(page, "Ann"))[:2]]
    assert states(page, "Ann") == ["s3", "s1", "o s0"]
    assert [attribute(link, "aria-label") for link in links] == ["3 stars, 1 try", "1 star, 1 try"]
    assert states(page, "Cem") == ["p s0", "o s0", "n"]
    assert attribute(element(row_of(page, "Cem"), "a", tabindex="-1"), "aria-label") == "passed without a star, 1 try"
    assert text(cells(row_of(page, "Ann"))[3]) == "4"
    found = resolve(urljoin(f"/courses/{course.public_id}/progress/", attribute(links[1], "href")))
    assert (found.url_name, found.kwargs["slug"]) == ("course_student_mission", missions[1].slug)
    assert Membership.objects.get(pk=found.kwargs["member"]).name == "Ann"


def test_who_is_stuck_is_outlined_flagged_and_told_by_a_rule(visit: Any) -> None:
    page = visit()
    bea = row_of(page, "Bea")
    assert states(page, "Bea")[0] == "k s0"
    assert attribute(element(bea, "a", tabindex="-1"), "aria-label") == "no star, 3 tries, stuck"
    assert text(element(bea, "td", css="flagc")) == "stuck"
    assert "3 or more tries at a mission since the last new star" in page.content.decode()
    assert not text(element(row_of(page, "Ann"), "td", css="flagc"))


def test_what_is_not_open_yet_is_empty_until_it_is_opened(visit: Any, prof: User, missions: list[Mission]) -> None:
    assert states(visit(), "Dov") == ["o s0", "n", "n"]
    open_early(Membership.objects.get(name="Dov"), missions[2], prof)
    assert states(visit(), "Dov") == ["o s0", "n", "o s0"]


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", "Ann Bea Cem Dov"),
        ("?sort=-name", "Dov Cem Bea Ann"),
        ("?sort=stars", "Ann Bea Cem Dov"),
        ("?sort=-stars", "Bea Cem Dov Ann"),
        ("?sort=active", "Bea Ann Cem Dov"),
        ("?sort=-active", "Dov Cem Ann Bea"),
        ("?sort=stuck", "Bea Ann Cem Dov"),
        ("?sort=first-signal", "Ann Cem Bea Dov"),
        ("?sort=points&points=1", "Ann Bea Cem Dov"),
        ("?sort=nonsense", "Ann Bea Cem Dov"),
        ("?show=stuck", "Bea"),
        ("?show=new", "Dov"),
        ("?show=inactive", "Cem"),
        ("?show=active", "Ann Bea"),
        ("?section=B", "Cem Dov"),
        ("?section=B&show=new", "Dov"),
        ("?q=BE", "Bea"),
        ("?q=b+e", "Bea"),
        ("?q=nobody%00", ""),
    ],
)
def test_sorted_and_filtered_by_links_and_in_the_file_alike(
    visit: Any, course: Course, prof: User, query: str, shown: str
) -> None:
    assert names(visit(query)) == shown.split()
    client = Client()
    client.force_login(prof)
    answer = client.get(f"/courses/{course.public_id}/progress.csv{query}")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["Name"] for row in rows] == shown.split()


def test_every_link_of_the_page_says_the_rest_of_what_is_asked() -> None:
    asked = Asked.read(QueryDict("sort=-stars&show=stuck&q=a+b&section=C%26D&points=1"))
    again = Asked.read(QueryDict(asked.query().removeprefix("?")))
    assert again == asked
    assert Asked.read(QueryDict(asked.sorted_by("stars")[1:])).is_reversed is False
    assert Asked.read(QueryDict(asked.query(show="")[1:])).search == "a b"
    assert Asked().query() == "?"


def test_totals_count_those_shown_and_numbers_above_the_class(visit: Any) -> None:
    page = parsed(visit("?section=A"))
    passed, median = elements(element(page, "tfoot"), "tr")
    assert [text(element(passed, "th")), *map(text, cells(passed)[:3])] == ["Passed, of 2", "1", "1", "0"]
    assert [*map(text, cells(median)[:3])] == ["1.5", "0.5", "0"]
    tiles = {text(element(tile, "dt")): text(element(tile, "dd")) for tile in elements(page, "div", css="tile")}
    assert (tiles["Active in the last hour"], tiles["Stuck"], tiles["Stars, median"]) == ("2 of 4", "1", "0 of 9")


def test_heads_say_what_the_rows_are_sorted_by(visit: Any) -> None:
    def sorted_heads(query: str) -> list[tuple[str, str]]:
        heads = [head for head in elements(parsed(visit(query)), "th") if attribute(head, "aria-sort")]
        return [(attribute(head, "aria-sort"), attribute(element(head, "a"), "href")) for head in heads]

    assert sorted_heads("") == [("ascending", "?sort=-name")]
    assert sorted_heads("?sort=stars") == [("descending", "?sort=-stars")]
    assert sorted_heads("?sort=-stars") == [("ascending", "?sort=stars")]


def test_page_and_fragment_come_from_one_address(visit: Any) -> None:
    whole, part = visit(), visit(**{"HX-Request": "true"})
    assert b"<html" in whole.content and b"<html" not in part.content
    assert names(whole) == names(part)
    assert all("HX-Request" in response.headers["Vary"] for response in (whole, part))
    back = visit(**{"HX-Request": "true", "HX-History-Restore-Request": "true"})
    assert b"<html" in back.content


def test_an_open_page_gets_nothing_until_there_is_something(
    visit: Any, missions: list[Mission], django_assert_max_num_queries: Any
) -> None:
    etag = visit().headers["ETag"]
    with django_assert_max_num_queries(7):
        unchanged = visit(**POLL, **{"If-None-Match": etag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    dov = User.objects.get(username="dov")
    for name, hours in (("ann", 3), ("bea", 5), ("cem", 5)):
        ago = timezone.now() - timedelta(hours=hours)
        Progress.objects.filter(user__username=name).update(last_tried_at=ago, unlocked_at=ago)
    etag = visit().headers["ETag"]
    record(dov, missions[0], passed=True, sampled_responses=1)
    news = visit(**POLL, **{"If-None-Match": etag})
    assert news.status_code == 200 and len(rows_of(news)) == 4
    # Ann's row was the last to change; within the same minute another try may have been on its way.
    assert names(news) == ["Ann", "Dov"] and states(news, "Dov")[0] == "s3"
    assert visit(**POLL, **{"If-None-Match": news.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("known", ["", '"old-20200101000000.000000-1-1"', 'W/"nonsense"', '"a-b-c-d"', "*, x"])
def test_a_version_that_is_none_gets_all_rows(visit: Any, known: str) -> None:
    answer = visit(**POLL, **{"If-None-Match": known})
    assert answer.status_code == 200 and names(answer) == ["Ann", "Bea", "Cem", "Dov"]


def _leave(course: Course) -> None:
    Membership.objects.filter(name="Ann").update(ended_at=timezone.now(), end="left")


def _rename(course: Course) -> None:
    Membership.objects.filter(name="Ann").update(name="Anna")


def _assign_more(course: Course) -> None:
    assign(course, Mission.objects.filter(slug="silent-groups"))


def _due(course: Course) -> None:
    course.assignments.update(due_at=timezone.now())


def _other_rule(course: Course) -> None:
    Course.objects.filter(pk=course.pk).update(stuck_after_tries=9)


@pytest.mark.parametrize("change", [_leave, _rename, _assign_more, _due, _other_rule])
def test_whatever_else_changes_sends_everything_anew(visit: Any, course: Course, change: Any) -> None:
    etag = visit().headers["ETag"]
    change(course)
    news = visit(**POLL, **{"If-None-Match": etag})
    assert news.status_code == 200
    assert len(names(news)) == (3 if change is _leave else 4)


def test_an_early_unlock_and_taking_it_back_are_news(visit: Any, prof: User, missions: list[Mission]) -> None:
    from classroom.opening import take_back

    dov = Membership.objects.get(name="Dov")
    etag = visit().headers["ETag"]
    open_early(dov, missions[2], prof)
    news = visit(**POLL, **{"If-None-Match": etag})
    assert states(news, "Dov")[2] == "o s0"
    take_back(UnlockOverride.objects.get())
    news = visit(**POLL, **{"If-None-Match": news.headers["ETag"]})
    assert states(news, "Dov")[2] == "n"


def test_another_course_s_tries_are_no_news(visit: Any, missions: list[Mission]) -> None:
    etag = visit().headers["ETag"]
    record(make_user("stranger"), missions[0], passed=True)
    record(User.objects.get(username="dov"), missions[7], passed=True)
    assert visit(**POLL, **{"If-None-Match": etag}).status_code == 304


def test_the_file_is_safe_to_open_in_a_spreadsheet(course: Course, prof: User) -> None:
    add(course, make_user("eve"), name='=HYPERLINK("http://evil.example")', section="+1", student_number="@x")
    client = Client()
    client.force_login(prof)
    answer = client.get(f"/courses/{course.public_id}/progress.csv?q=eve")
    assert answer.streaming and "attachment" in answer.headers["Content-Disposition"]
    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    row = next(csv.reader(io.StringIO(text.split("\r\n", 1)[1])))
    assert row[:4] == ['\'=HYPERLINK("http://evil.example")', "eve", "'@x", "'+1"]
    assert row[4:10] == ["0", "0.00", "0", "0", "", ""]


def test_queries_do_not_grow_with_students(
    visit: Any, course: Course, missions: list[Mission], django_assert_num_queries: Any
) -> None:
    # Session, account, course, people, assignments, extensions, progress; and passes, once there are points.
    with django_assert_num_queries(7):
        visit()
    for member in make_students(course, 12):
        record(member.user, missions[0], passed=True, sampled_responses=1)
    with django_assert_num_queries(7):
        assert len(names(visit())) == 16
    with django_assert_num_queries(8):
        assert len(names(visit("?points=1"))) == 16


def test_a_name_can_not_break_the_page(visit: Any, course: Course) -> None:
    add(course, make_user("mallory"), name="<script>alert(1)</script>", section='"><b>')
    page = visit().content.decode()
    assert "<script>alert" not in page and '"><b>' not in page


def test_without_students_or_missions_the_page_says_what_to_do(client: Client, prof: User, missions: list) -> None:
    empty = make_course(prof, "Empty")
    client.force_login(prof)
    address = f"/courses/{empty.public_id}/progress/"
    assert "Nothing is assigned yet" in client.get(address).content.decode()
    assign(empty, missions[:1])
    assert "No students yet" in client.get(address).content.decode()
    add(empty, make_user("assistant"), Role.ASSISTANT)
    assert "No students yet" in client.get(address).content.decode()


def test_two_chapters_stand_side_by_side(course: Course, missions: list[Mission]) -> None:
    other = Mission.objects.exclude(chapter=1).order_by("chapter", "position")[0]
    course.assignments.create(mission=other, position=9)
    grid = grid_of(class_results(course), Asked())
    assert [(chapter.name, len(chapter.columns)) for chapter in grid.chapters] == [
        ("Chapter one", 3),
        ("Chapter two", 1),
    ]
    assert grid.chapter_starts == {3}
    assert [text for value, text in grid.sorts if value in ("", "stuck", other.slug)] == [
        "name",
        "stuck longest",
        other.title,
    ]
