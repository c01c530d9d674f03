"""The words of an outcome say the distance, the cost and the change, and they are true."""

import pytest

from accounts.models import User
from missions import goals, outcome
from missions.definition import Goal
from missions.grading import GoalResult
from missions.models import Attempt, Mission
from simulator.interval import Interval
from simulator.worlds import WORLDS
from tests.missions.helpers import record


def attempt_with(passed: bool, stars: int, cost: int, *goals: dict[str, object]) -> Attempt:
    budgets = {"one_star": 9600, "two_stars": 4800, "three_stars": 2400}
    return Attempt(
        passed=passed,
        stars=stars,
        sampled_responses=cost,
        evaluation={"goals": list(goals), "budgets": budgets, "metrics": {"win_rate": {"mean": 0.65}}},
    )


def stored(metric: str, mean: float, **bound: float) -> dict[str, object]:
    return {"metric": metric, **bound, "mean": mean, "half_width": 0.01, "values": [mean]}


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (attempt_with(True, 3, 2400, stored("win_rate", 0.7, at_least=0.68)), "Three stars"),
        (attempt_with(True, 1, 9600, stored("win_rate", 0.7, at_least=0.68)), "One star"),
        (attempt_with(True, 0, 9601, stored("win_rate", 0.7, at_least=0.68)), "Goal met, no star at this cost"),
        (attempt_with(False, 0, 2400, stored("win_rate", 0.658, at_least=0.68)), "Not yet: 0.022 short"),
        (
            attempt_with(False, 0, 9, stored("win_rate", 0.8, at_least=0.7), stored("kl", 1.04, at_most=0.8)),
            "Not yet: 0.240 over on KL",
        ),
        (
            attempt_with(
                False, 0, 9, stored("win_rate", 0.6, at_least=0.7), stored("response_length", 269.0, at_most=205.0)
            ),
            "Not yet: 0.100 short on win rate, 64.0 over on mean length",
        ),
    ],
)
def test_the_headline_says_the_distance(attempt: Attempt, words: str) -> None:
    assert outcome.headline(attempt) == words


def test_the_cost_is_put_in_relation() -> None:
    goal = stored("win_rate", 0.7, at_least=0.68)
    assert "worth two stars" in outcome.cost_note(attempt_with(False, 0, 4800, goal))
    assert "9,600 or fewer" in outcome.cost_note(attempt_with(True, 0, 9601, goal))
    assert "Two stars need 4,800" in outcome.cost_note(attempt_with(True, 1, 9600, goal))
    assert "Three stars need 2,400" in outcome.cost_note(attempt_with(True, 2, 4800, goal))


def test_a_goal_is_said_with_value_interval_and_side() -> None:
    view = goals.graded_goal(
        GoalResult(Goal("win_rate", 0.68, True), Interval(0.6581, 0.0142), (0.6, 0.7)), WORLDS["candidates"]
    )
    assert (view.name, view.state, view.value) == ("Win rate at least 0.680", "unmet", "0.658 ± 0.014")
    assert view.verdict == "0.022 below the goal"
    assert "0.644 to 0.672" in view.figure_text


def test_changes_name_only_settings_that_matter(missions: list[Mission]) -> None:
    start = {"event": "clean", "method": "grpo", "steps": 100, "group_size": 8, "samples_per_prompt": 8}
    full = outcome.parse_setup(start).to_dict()
    changes = outcome.changes_between(full, full | {"steps": 200, "samples_per_prompt": 32})
    assert [(c.label, c.old, c.new) for c in changes] == [("steps", "100", "200")]
    switched = outcome.changes_between(full, full | {"method": "dpo", "samples_per_prompt": 32})
    assert {c.label for c in switched} == {"method", "samples per prompt"}


def test_the_history_compares_each_try_with_the_one_before(student: User, missions: list[Mission]) -> None:
    first = record(student, missions[0], passed=False).attempt
    second = record(student, missions[0], passed=True).attempt
    Attempt.objects.filter(pk=second.pk).update(setup=second.setup | {"steps": 300})
    second.refresh_from_db()
    rows = outcome.history([second, first], missions[0].definition["setup"])
    assert [(c.old, c.new) for c in rows[0].changes] == [("50", "300")]
    assert rows[1].is_start and rows[1].is_first and not rows[1].changes
    assert "steps=300" in rows[0].lab_link and "seed=1" in rows[0].lab_link
