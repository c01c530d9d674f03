"""What a course opens to its students, before the trail does: by date, by order, and for one of them by hand."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from classroom.memberships import NotPossibleError, leave
from classroom.models import Assignment, Course, Role, UnlockOverride
from classroom.opening import open_early, opened, opened_in_courses, take_back
from missions.models import Mission
from missions.progress import missions_in_order
from missions.queries import open_missions, progress_rows
from tests.classroom.factories import add, assign, make_course, make_user
from tests.missions.helpers import record

NOW = timezone.now()
SOON = NOW + timedelta(days=1)


@pytest.fixture
def course(missions: list[Mission]) -> Course:
    return make_course(make_user("prof"))


def open_to(user: User, missions: list[Mission]) -> list[int]:
    """The places in the catalogue of the missions that are open to somebody."""
    found = open_missions(user, missions_in_order(), progress_rows(user))
    return [place for place, mission in enumerate(missions, 1) if mission.pk in found]


def test_order_and_dates_decide_together() -> None:
    assigned = [(7, None), (3, NOW), (5, SOON), (9, None)]
    assert opened("free", assigned, set(), NOW) == {7, 3, 9}
    assert opened("sequence", assigned, set(), NOW) == {7}
    assert opened("sequence", assigned, {7}, NOW) == {7, 3}
    assert opened("sequence", assigned, {7, 3}, NOW) == {7, 3}, "its turn, and not its day"
    assert opened("sequence", assigned, {7, 3, 5}, NOW) == {7, 3, 9}
    assert opened("sequence", assigned, {7, 3, 5}, SOON) == {7, 3, 5, 9}


def test_a_course_in_any_order_opens_what_has_opened(course: Course, student: User, missions: list[Mission]) -> None:
    Course.objects.update(mission_order="free")
    add(course, student)
    assign(course, [missions[7], missions[4]])
    Assignment.objects.filter(mission=missions[4]).update(opens_at=SOON)
    assert open_to(student, missions) == [1, 8]
    Assignment.objects.update(opens_at=NOW)
    assert open_to(student, missions) == [1, 5, 8]


def test_one_after_the_other_goes_in_the_course_s_order(course: Course, student: User, missions: list[Mission]) -> None:
    member = add(course, student)
    assign(course, [missions[7], missions[5], missions[4], missions[2]])
    assert open_to(student, missions) == [1, 8]
    record(student, missions[7], passed=True)
    assert open_to(student, missions) == [1, 6, 8, 9], "and mission 9 by the trail"
    Mission.objects.filter(pk=missions[5].pk).update(is_retired=True)
    assert open_to(student, missions) == [1, 5, 8, 9], "a mission nobody can play any more holds nobody up"
    leave(member)
    assert open_to(student, missions) == [1, 8, 9], "what was tried or opened by the trail stays"


def test_those_who_teach_may_look_at_every_mission(
    course: Course, student: User, missions: list[Mission], settings: object
) -> None:
    add(course, student, Role.ASSISTANT)
    assert open_to(student, missions) == list(range(1, len(missions) + 1))
    settings.COURSE_CREATORS = "anyone"  # type: ignore[attr-defined]
    student = User.objects.get(pk=student.pk)
    assert open_to(student, missions) == [1], "else creating a course would open everything to everybody"


def test_all_courses_are_asked_in_one_query(
    course: Course, student: User, missions: list[Mission], django_assert_num_queries: object
) -> None:
    for place in range(3):
        other = make_course(course.memberships.get().user, f"Course {place}")
        add(other, student)
        assign(other, missions[place * 2 : place * 2 + 2])
    playable = missions_in_order()
    with django_assert_num_queries(1):  # type: ignore[operator]
        assert opened_in_courses(student, playable, set()) == {missions[0].pk, missions[2].pk, missions[4].pk}


def test_one_student_gets_a_mission_before_its_turn(course: Course, student: User, missions: list[Mission]) -> None:
    prof = course.memberships.get().user
    member = add(course, student)
    override = open_early(member, missions[3], prof)
    assert open_to(student, missions) == [1, 4]
    with pytest.raises(NotPossibleError, match="already"):
        open_early(member, missions[3], prof)
    take_back(override)
    assert open_to(student, missions) == [1]
    assert not UnlockOverride.objects.exists()
    override = open_early(member, missions[3], prof)
    record(student, missions[3], passed=False)
    with pytest.raises(NotPossibleError, match="has tried"):
        take_back(override)
    assert UnlockOverride.objects.get().granted_by == prof
