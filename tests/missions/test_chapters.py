"""What opens what: inside a chapter one after the other, chapter two after six missions of chapter one."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from missions import chapters
from missions.chapters import CHAPTERS, is_unlocked, next_in_chapter, opened_by, opening_words, required_for
from missions.models import Mission, Progress
from missions.progress import rebuild_progress
from tests.missions.helpers import record


def row(chapter: int, position: int) -> Mission:
    place = 100 * chapter + position
    return Mission(pk=place, chapter=chapter, position=position, slug=f"m-{place}", title=f"Mission {place}")


ROWS = [row(1, n) for n in range(1, 13)] + [row(2, n) for n in range(1, 9)]


def test_only_the_first_mission_is_open_to_a_newcomer() -> None:
    assert [m.pk for m in ROWS if is_unlocked(m, ROWS, set())] == [101]


def test_a_chapter_opens_whole_conditions_at_a_time_and_the_other_goes_on() -> None:
    five = {101, 102, 103, 104, 105}
    assert not is_unlocked(row(2, 1), ROWS, five)
    assert is_unlocked(row(2, 1), ROWS, five | {106})
    assert not is_unlocked(row(2, 1), ROWS, five | {107}), "any six are not the first six"
    assert [m.pk for m in opened_by(row(1, 6), ROWS, five | {106})] == [107, 201]
    assert [m.pk for m in opened_by(row(1, 3), ROWS, five | {106})] == [104, 201]
    assert [m.pk for m in opened_by(row(1, 5), ROWS, five)] == [106]
    assert [m.pk for m in opened_by(row(2, 8), ROWS, {208})] == []
    assert next_in_chapter(row(1, 12), ROWS) is None


def test_a_chapter_that_is_not_described_opens_after_the_one_before() -> None:
    rows = [*ROWS, row(3, 1)]
    assert [m.pk for m in required_for(rows[-1], rows)] == [m.pk for m in ROWS if m.chapter == 2]
    assert required_for(row(2, 1), [row(2, 1)]) == [], "with nothing to pass before, it is open"


def test_conditions_are_said_in_words() -> None:
    assert opening_words(row(1, 4), ROWS) == "mission 3, “Mission 103”"
    assert opening_words(row(2, 1), ROWS) == "the first six missions of chapter one"
    assert CHAPTERS[2].heading.startswith("Chapter two: ")
    assert (chapters.in_words(0), chapters.in_words(20), chapters.in_words(21)) == ("no", "twenty", "21")


@pytest.fixture
def two_chapters(missions: list[Mission]) -> list[Mission]:
    """The catalogue with the missions from the ninth on of chapter one as all there is of chapter two."""
    Mission.objects.filter(chapter=2).delete()
    for place, mission in enumerate([m for m in missions if m.chapter == 1][8:], 1):
        mission.chapter, mission.position = 2, place
        mission.save()
    return list(Mission.objects.all())


def test_the_sixth_pass_opens_the_chapter_and_says_so(
    client: Client, student: User, two_chapters: list[Mission]
) -> None:
    client.force_login(student)
    second = next(m for m in two_chapters if m.chapter == 2)
    for place, mission in enumerate(two_chapters[:6], 1):
        page = client.get("/missions/").content.decode()
        assert "Opens after the first six missions of chapter one" in page
        assert f"{chapters.in_words(7 - place)} to go." in page
        assert client.get(f"/missions/{second.slug}/").status_code == 302
        opened = record(student, mission, passed=True).opened
        assert (second in opened) == (place == 6)
    page = client.get("/missions/").content.decode()
    assert "Opens after the first six" not in page
    assert page.count('class="stop now"') == 1 and page.count('class="stop open"') == 1
    assert re.search(rf'Also open: <a href="/missions/{second.slug}/">[^<]+</a>, in chapter two', page)
    assert client.get(f"/missions/{second.slug}/").status_code == 200
    assert "6 of 8 passed" in page and "0 of 6 passed" in page
    home = client.get("/").content.decode()
    assert "6 of 8 missions passed" in home


def test_rebuilding_finds_the_moment_the_chapter_opened(student: User, two_chapters: list[Mission]) -> None:
    second = next(m for m in two_chapters if m.chapter == 2)
    order = [0, 5, 4, 3, 2, 1]
    for place in order:
        record(student, two_chapters[place], passed=True)
    opened = Progress.objects.get(user=student, mission=second).unlocked_at
    assert opened == Progress.objects.get(user=student, mission=two_chapters[1]).passed_at
    assert rebuild_progress(student) is False
    Progress.objects.filter(user=student).delete()
    rebuild_progress(student)
    assert Progress.objects.get(user=student, mission=second).unlocked_at == opened
    assert opened <= timezone.now() + timedelta(seconds=1)


def test_a_visitor_sees_what_there_is_to_play(client: Client, two_chapters: list[Mission]) -> None:
    page = client.get("/").content.decode()
    assert CHAPTERS[1].heading in page and CHAPTERS[2].heading in page
    assert "8 missions." in page and "6 missions." in page
