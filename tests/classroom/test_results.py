"""The one read of a class: what it says, and that it stays five queries."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from accounts.models import User
from classroom.models import Course, Extension
from classroom.results import class_results, result_of
from missions.models import Attempt, Mission
from tests.classroom.factories import add, assign, make_course, make_students, make_user
from tests.missions.helpers import record


@pytest.fixture
def course(db: None) -> Course:
    return make_course(make_user("prof"))


def make_late(attempt: Attempt, **ago: int) -> None:
    Attempt.objects.filter(pk=attempt.pk).update(created_at=timezone.now() - timedelta(**ago))


def test_a_cell_says_stars_tries_points_and_the_try_that_counts(
    course: Course, student: User, missions: list[Mission]
) -> None:
    member = add(course, student)
    first, second = assign(course, missions[:2], due_at=timezone.now() - timedelta(days=1))
    record(student, missions[0], passed=False)
    on_time = record(student, missions[0], passed=True, sampled_responses=10**9).attempt
    make_late(on_time, days=2)
    record(student, missions[0], passed=True, sampled_responses=1)
    course.late_policy = "closed"
    row = class_results(course).rows[0]
    assert row.member == member
    assert (row.cells[0].stars, row.cells[0].tries, row.cells[0].is_passed) == (3, 3, True)
    assert row.cells[0].score.counted is not None
    assert (row.cells[0].score.counted.number, row.cells[0].score.points) == (2, Decimal("0.00"))
    assert (row.cells[1].tries, row.cells[1].score.counted) == (0, None)
    Extension.objects.create(assignment=first, membership=member, due_at=timezone.now() + timedelta(days=1))
    extended = result_of(member).cells[0]
    assert extended.is_extended
    assert (extended.score.points, row.cells[1].due_at) == (Decimal("3.00"), second.due_at)


def test_stuck_is_trying_on_without_a_new_star_and_lately(
    course: Course, student: User, missions: list[Mission]
) -> None:
    course.stuck_after_tries = 3
    add(course, student)
    assign(course, missions[:1])
    record(student, missions[0], passed=True, sampled_responses=10**9)
    for _ in range(2):
        record(student, missions[0], passed=False)
    assert not class_results(course).rows[0].stuck
    record(student, missions[0], passed=False)
    assert len(class_results(course).rows[0].stuck) == 1
    assert not class_results(course, at=timezone.now() + timedelta(days=8)).rows[0].stuck
    record(student, missions[0], passed=True, sampled_responses=1)
    assert not class_results(course).rows[0].stuck


def test_those_who_left_are_read_alone_and_not_with_the_class(
    course: Course, student: User, missions: list[Mission]
) -> None:
    member = add(course, student)
    assign(course, missions[:1])
    record(student, missions[0], passed=True, sampled_responses=1)
    member.ended_at, member.end = timezone.now(), "left"
    member.save()
    assert class_results(course).rows == ()
    assert result_of(member).stars == 3


def test_queries_do_not_grow_with_students(
    course: Course, missions: list[Mission], django_assert_num_queries: object
) -> None:
    assign(course, missions)
    add(course, make_user("first"))
    with django_assert_num_queries(4):  # type: ignore[operator]
        # Nobody has tried anything, so there is no pass to ask for.
        assert [row.points for row in class_results(course).rows] == [0]
    for member in make_students(course, 9):
        record(member.user, missions[0], passed=True, sampled_responses=1)
    with django_assert_num_queries(4):  # type: ignore[operator]
        # Passes are read once points are asked for.
        results = class_results(course)
    with django_assert_num_queries(1):  # type: ignore[operator]
        assert [row.points for row in results.rows] == [0, *[3] * 9]
