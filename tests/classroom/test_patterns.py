"""What a class's tries at a mission have in common: wrong turns, settings, setups that missed, and predictions."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from classroom.mission.foresight import foresight_of
from classroom.mission.patterns import repeated_misses, side_of, turns_of, usage_of_settings
from classroom.mission.tries import ClassTries, Run, tries_at
from classroom.models import Course
from missions.models import Attempt, Mission
from missions.queries import definition_of
from tests.classroom.factories import add, assign, make_course, make_user
from tests.missions.helpers import record


@pytest.fixture
def course(db: None, missions: list[Mission]) -> Course:
    course = make_course(make_user("prof"))
    assign(course, missions[:3])
    for name in ("Ann", "Bea", "Cem", "Dov"):
        add(course, make_user(name.lower()), name=name)
    return course


def _user(name: str) -> User:
    return User.objects.get(username=name.lower())


def tried(name: str, mission: Mission, passed: bool, **changes: Any) -> None:
    record(_user(name), mission, passed=passed, **changes)


def found_at(mission: Mission) -> ClassTries:
    return tries_at(mission, definition_of(mission), User.objects.values("pk"))


def test_a_change_after_which_tries_stand_further_is_a_wrong_turn(course: Course, missions: list[Mission]) -> None:
    mission = missions[0]
    for name in ("Ann", "Bea", "Cem"):
        tried(name, mission, True, steps=20)
        tried(name, mission, False, steps=30)
    tried("Dov", mission, False, steps=30)
    tried("Dov", mission, True, steps=20)
    turns = turns_of(found_at(mission))
    assert (turns.steps, turns.single) == (4, 4)
    assert [(turn.text, turn.steps, turn.further, turn.closer, len(turn.people)) for turn in turns.kinds] == [
        ("steps raised", 3, 3, 0, 3),
        ("steps lowered", 1, 0, 1, 1),
    ]
    assert [turn.text for turn in turns.wrong] == ["steps raised"]


def test_a_rare_change_and_one_that_helps_as_often_are_no_wrong_turns(course: Course, missions: list[Mission]) -> None:
    for name, first in (("Ann", True), ("Bea", True), ("Cem", False), ("Dov", False)):
        tried(name, missions[0], first, steps=20)
        tried(name, missions[0], not first, steps=30)
    for name in ("Ann", "Bea"):
        tried(name, missions[1], True, steps=20)
        tried(name, missions[1], False, steps=30)
    assert turns_of(found_at(missions[0])).wrong == [] == turns_of(found_at(missions[1])).wrong


def test_steps_with_more_than_one_change_or_a_gap_are_not_told_apart(course: Course, missions: list[Mission]) -> None:
    mission = missions[0]
    number = next(name for name, c in definition_of(mission).controls.items() if not c.locked and name != "steps")
    other = next(
        value
        for value in definition_of(mission).controls[number].choices
        if value != getattr(definition_of(mission).start, number)
    )
    tried("Ann", mission, True, steps=20)
    tried("Ann", mission, False, steps=30, **{number: other})
    tried("Bea", mission, True, steps=20)
    tried("Bea", mission, False, steps=25)
    tried("Bea", mission, False, steps=30)
    Attempt.objects.filter(user=_user("Bea"), number=2).update(mission_revision=0)
    turns = turns_of(found_at(mission))
    assert (turns.steps, turns.single, turns.kinds) == (1, 0, ())


MEANS = st.floats(-2, 2)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_further_and_closer_are_opposites(missions: list[Mission], data: st.DataObject) -> None:
    mission = data.draw(st.sampled_from(missions))
    definition = definition_of(mission)

    def run() -> Run:
        means = tuple(data.draw(MEANS) for _ in definition.goals)
        met = tuple(goal.is_met(mean) for goal, mean in zip(definition.goals, means, strict=True))
        passes = data.draw(st.integers(0, 32)) if definition.seeds_needed is not None else None
        return Run(1, {}, "", 1, all(met), 0, means, met, passes, None)

    one, other = run(), run()
    assert side_of(definition, one, other) == -side_of(definition, other, one)
    assert side_of(definition, one, one) == 0
    if definition.seeds_needed is None and all(other.met) and not all(one.met):
        # Whoever gets from a miss to all goals stands closer, however little it was.
        assert side_of(definition, one, other) == 1


def test_by_means_one_goal_nearer_and_one_farther_says_nothing(missions: list[Mission]) -> None:
    definition = next(d for m in missions if len((d := definition_of(m)).goals) > 1 and d.seeds_needed is None)

    def run(*margins: float) -> Run:
        means = tuple(
            goal.bound + margin * (1 if goal.at_least else -1)
            for goal, margin in zip(definition.goals, margins, strict=False)
        )
        means += tuple(goal.bound for goal in definition.goals[len(means) :])
        return Run(1, {}, "", 1, False, 0, means, tuple(True for _ in means), None, None)

    assert side_of(definition, run(-1, -1), run(-0.5, -2)) == 0
    assert side_of(definition, run(-1, -1), run(-0.5, -1)) == 1
    assert side_of(definition, run(0.5, -1), run(2, -1)) == 0  # More of what is met is no nearer.


def test_every_setting_counts_every_try_on_which_it_had_an_effect(course: Course, missions: list[Mission]) -> None:
    mission = missions[0]
    for name, steps, passed in (("Ann", 20, True), ("Bea", 20, False), ("Cem", 30, False), ("Cem", 20, False)):
        tried(name, mission, passed, steps=steps)
    usage = {one.label: one for one in usage_of_settings(found_at(mission))}
    steps = {value.text: (value.tries, value.passed, len(value.people)) for value in usage["Steps"].values}
    assert steps == {"20": (3, 1, 3), "30": (1, 0, 1)}
    assert all(sum(value.tries for value in one.values) <= 4 for one in usage.values())


def test_setups_that_missed_are_counted_with_who_tried_them(course: Course, missions: list[Mission]) -> None:
    for name, steps in (("Ann", 20), ("Ann", 20), ("Bea", 20), ("Cem", 25)):
        tried(name, missions[0], False, steps=steps)
    tried("Dov", missions[0], False)
    tried("Dov", missions[0], False)
    first, second = repeated_misses(found_at(missions[0]))
    assert (first.tries, first.people, [change.new for change in first.changes]) == (3, 2, ["20"])
    assert (second.tries, second.people, second.changes) == (2, 1, ())


def test_predictions_are_held_against_where_runs_ended(course: Course, missions: list[Mission]) -> None:
    mission = missions[0]
    options = len(definition_of(mission).prediction.cuts) + 1
    for place, name in enumerate(("Ann", "Bea", "Cem", "Dov")):
        tried(name, mission, False, prediction=place % options)
    tried("Ann", mission, False)
    found = found_at(mission)
    ended = found.tries[0].run.predicted
    foresight = foresight_of(found)
    assert (foresight.made, foresight.none) == (4, 1)
    assert [option.predicted for option in foresight.options] == [2, 1, 1][:options]
    # All ended in the same range: only those who named it were right.
    assert [option.right for option in foresight.options] == [
        o.predicted if i == ended else 0 for i, o in enumerate(foresight.options)
    ]
    assert [option.ended for option in foresight.options] == [4 if i == ended else 0 for i in range(options)]
    assert foresight.share == round(100 * foresight.right / 4)
