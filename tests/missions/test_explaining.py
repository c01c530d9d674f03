"""From an outcome to the step that explains it: the rule, on real runs and on runs made to show one thing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.test import Client

from accounts.models import User
from missions.definition import Goal
from missions.explaining import Explained, explaining_step
from missions.grading import GoalResult
from missions.models import Attempt, Mission
from simulator.engine import parse_setup
from simulator.interval import Interval
from simulator.runs import AnySimulation, trace, visible_run
from tests.missions.helpers import train


def result(metric: str, bound: float, mean: float, at_least: bool = True) -> GoalResult:
    return GoalResult(Goal(metric, bound, at_least), Interval(mean, 0.0), (mean,))


def explained(setup: dict[str, Any], *results: GoalResult) -> tuple[Explained, AnySimulation]:
    run = visible_run(parse_setup(setup), 1)
    return explaining_step(run, results, all(one.met for one in results)), run


def test_a_pass_is_explained_by_the_largest_rise() -> None:
    found, run = explained({"event": "clean", "steps": 200}, result("win_rate", 0.6, 0.8))
    known = trace(run, "win_rate")
    assert found.step == known.steps[1 + np.diff(known.values[0]).argmax()] and "rose most" in found.why
    assert found.update == found.step, "in the ten-answers world a step is one update"


def test_a_quality_that_was_lost_is_explained_by_its_largest_fall() -> None:
    found, run = explained({"event": "reward_hack", "steps": 400}, result("win_rate", 0.7, 0.5))
    known = trace(run, "win_rate")
    best = known.steps[known.values[0].argmax()]
    assert "win rate fell most" in found.why and best < found.step <= 400


def test_a_bound_that_was_passed_is_explained_by_where() -> None:
    found, run = explained({"event": "clean", "steps": 400, "beta": 0}, result("kl", 0.5, 2.0, at_least=False))
    known = trace(run, "kl")
    assert found.step == known.steps[(known.values[0] > 0.5).argmax()] and "passed 0.50" in found.why


def test_a_run_that_hardly_moved_is_explained_by_silence() -> None:
    setup = {"event": "sparse", "steps": 100, "group_size": 2}
    found, _ = explained(setup, result("win_rate", 0.745, 0.6))
    assert (found.step, found.why) == (1, "the first groups without a signal; at least half of all groups were such")


REUSED = {"world": "reasoning", "algorithm": "custom", "steps": 10, "num_iterations": 4, "learning_rate": 0.3}


def test_updates_are_counted_as_the_explorer_counts_them() -> None:
    found, run = explained(REUSED, result("train_accuracy", 0.1, 0.9))
    assert found.update == 4 * (found.step - 1) + 1 and found.step in trace(run, "train_accuracy").steps


def test_clipping_and_divergence_explain_a_miss() -> None:
    run = visible_run(parse_setup(REUSED), 1)
    assert run.history is not None
    flat = {name: np.full_like(values, 0.2) for name, values in run.evaluations.items()}
    quiet = run.history | {"frac_zero_std": np.zeros_like(run.history["frac_zero_std"])}
    still = replace(run, evaluations=flat, history=quiet)
    found = explaining_step(still, [result("train_accuracy", 0.9, 0.2)], False)
    most = int(run.steps[run.history["clip_fraction"][0].argmax()])
    assert (found.step, found.update) == (most, 4 * most) and "clip" in found.why
    broken = replace(run, diverged_at=np.array([3]))
    assert explaining_step(broken, [result("train_accuracy", 0.9, 0.2)], False).step == 3
    nothing = replace(still, history=quiet | {"clip_fraction": np.zeros_like(quiet["clip_fraction"])})
    assert explaining_step(nothing, [result("train_accuracy", 0.9, 0.2)], False).step == 1


@pytest.mark.parametrize("steps", ["25", "400"])
def test_the_outcome_leads_there_in_one_click(
    client: Client, student: User, missions: list[Mission], steps: str
) -> None:
    client.force_login(student)
    page = train(client, missions[0], student, steps=steps, htmx=True).content.decode()
    attempt = Attempt.objects.get()
    address = page.split(f'href="/attempts/{attempt.pk}/run/?s=')[1].split('"')[0]
    assert 1 <= int(address) <= int(steps)
    assert client.get(f"/attempts/{attempt.pk}/run/?s={address}").status_code == 200
    assert f'href="/attempts/{attempt.pk}/run/"' in client.get("/me/").content.decode()
