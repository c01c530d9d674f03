"""What those who teach see of answers about runs: on every page that shows tries."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from classroom.mission.looks import answers_at
from classroom.models import Course
from classroom.results import is_stuck
from missions.answering import question_for, submit_answer
from missions.attempts import next_token
from missions.looking import GENERATORS
from missions.models import Attempt, Mission, Progress
from missions.progress import Standing
from missions.queries import definition_of
from tests.classroom.factories import add, assign, make_course, make_user


@pytest.fixture
def played(missions: list[Mission]) -> tuple[Course, list[Mission]]:
    """Two students at two missions: Ann is right at once, Ben after two wrong answers."""
    course = make_course(make_user("owner", first_name="Olga"))
    looks = [mission for mission in missions if mission.slug in ("one-group-spoke", "whose-update")]
    assign(course, looks)
    for name, wrong in (("ann", 0), ("ben", 2)):
        user = make_user(name)
        add(course, user, name=name.title())
        for mission in looks:
            Progress.objects.create(user=user, mission=mission, unlocked_at=user.date_joined)
            for tries in range(wrong + 1):
                answer(user, mission, tries, is_right=tries == wrong)
    return course, looks


def answer(user: User, mission: Mission, tries: int, *, is_right: bool) -> None:
    question = question_for(user, mission, definition_of(mission), tries)
    choices = [choice.value for choice in GENERATORS[question.generator].choices(question)]
    given = question.answer if is_right else next(value for value in choices if value != question.answer)
    submit_answer(user, mission, next_token(user, mission, tries), given)


def test_every_page_of_a_class_shows_answers(client: Client, played: tuple[Course, list[Mission]]) -> None:
    course, looks = played
    client.force_login(course.memberships.get(role="owner").user)
    ben = course.memberships.get(name="Ben").pk

    def page_of(name: str, *names: object) -> str:
        response = client.get(reverse(name, args=[course.public_id, *names]))
        assert response.status_code == 200, name
        return response.content.decode()

    for name in ("course_progress", "course_grades"):
        page_of(name)
    for name in ("student_grades", "course_student"):
        page_of(name, ben)
    page = page_of("course_mission", looks[1].slug)
    assert "First answers that were right" in page and "50% <small>of 2</small>" in page
    assert "Show it on the wall" not in page and "By what was right" in page
    wall = client.get(reverse("course_projector", args=[course.public_id, looks[0].slug]))
    assert wall.headers["Location"] == reverse("course_mission", args=[course.public_id, looks[0].slug])
    assert page_of("course_student_mission", ben, looks[0].slug).count("right was") == 2
    page = page_of("course_student_try", ben, looks[0].slug, 1)
    assert "Not this one" in page and "What was asked" in page and "Look at another run" not in page
    explorer = page.split('href="/attempts/')[1].split('"')[0].replace("&amp;", "&")
    assert client.get(f"/attempts/{explorer}").status_code == 200


def test_answers_are_counted_by_their_place(played: tuple[Course, list[Mission]]) -> None:
    course, looks = played
    users = course.memberships.students().values("user")
    spoke, whose = (answers_at(mission, definition_of(mission).generator, users) for mission in looks)
    assert [(line.right, line.wrong) for line in spoke.by_place] == [(1, 1), (0, 1), (1, 0)]
    assert not spoke.by_right, "group A of one question has nothing to do with group A of the next"
    assert sum(line.all for line in whose.by_right) == whose.made == Attempt.objects.count() / 2 == 4
    assert all(line.instead for line in whose.by_right if line.wrong)


@pytest.mark.parametrize("of", ["stars", "tries", "responses"])
def test_a_summary_counts_them(client: Client, played: tuple[Course, list[Mission]], of: str) -> None:
    course, _ = played
    client.force_login(course.memberships.get(role="owner").user)
    page = client.get(reverse("course_summary", args=[course.public_id]), {"of": of})
    assert page.status_code == 200 and "One group spoke" in page.content.decode()


def test_who_goes_on_looking_after_a_right_answer_is_not_stuck(played: tuple[Course, list[Mission]]) -> None:
    course, looks = played
    course.stuck_after_tries = 2
    ben = course.memberships.get(name="Ben")
    for tries in range(3, 6):
        answer(ben.user, looks[0], tries, is_right=False)
    standing = Standing.of(Progress.objects.get(user=ben.user, mission=looks[0]))
    assert standing.tries_without_gain == 3
    assert not is_stuck(standing, course, timezone.now())
    assert is_stuck(Standing(tries=3, last_tried_at=standing.last_tried_at), course, timezone.now())
