"""Passing by counting seeds: all goals on the same run, on enough of the hidden seeds; said in words everywhere."""

import re

import numpy as np
import pytest
from django.test import Client

from accounts.models import User
from missions import goals, outcome
from missions.definition import DefinitionError, MissionDefinition, definition_from
from missions.figures import seed_plot
from missions.grading import Verdict, grade
from missions.loading import read_catalogue
from missions.models import Attempt, Mission
from missions.seeds import evaluation_seeds
from missions.verification import verify
from simulator.engine import simulate
from tests.missions.helpers import train

SOURCE = next(e.definition.source for e in read_catalogue() if e.definition.slug == "short-leash")
SEEDS = evaluation_seeds()[:12]


def counted(needed: int = 6, **changes: object) -> MissionDefinition:
    """The mission with two goals, which the start misses by its KL on every seed, under the rule of seeds."""
    return definition_from({**SOURCE, "pass_rule": "seeds", "seeds_needed": needed, **changes})


def bounds(win_rate: float, kl: float) -> dict[str, object]:
    return {"goals": [{"metric": "win_rate", "at_least": win_rate}, {"metric": "kl", "at_most": kl}]}


def test_all_goals_must_hold_on_the_same_run() -> None:
    final = {"win_rate": np.array([0.8, 0.8, 0.7, 0.7, np.nan]), "kl": np.array([0.5, 0.9, 0.5, 0.9, 0.1])}
    mission = counted(1, **bounds(0.745, 0.8))
    assert mission.seeds_passed(final).tolist() == [True, False, False, False, False]
    assert mission.is_passed(final)
    assert not counted(2, **bounds(0.745, 0.8)).is_passed(final)


def test_a_verdict_counts_runs_jointly_and_per_goal() -> None:
    start = counted().start
    final = simulate(start, SEEDS).final
    mission = counted(6, **bounds(float(np.sort(final["win_rate"])[3]), float(np.sort(final["kl"])[7])))
    verdict = grade(mission, start, SEEDS)
    joint = (final["win_rate"] >= mission.goals[0].bound) & (final["kl"] <= mission.goals[1].bound)
    assert [result.seeds_met for result in verdict.goals] == [9, 8]
    assert verdict.seeds_passed == joint.sum() < 8
    assert [result.met for result in verdict.goals] == [True, True]
    assert verdict.passed == (verdict.seeds_passed >= 6)
    stored = verdict.to_dict()
    assert (stored["pass_rule"], stored["seeds_needed"], stored["seeds_passed"]) == ("seeds", 6, verdict.seeds_passed)
    assert Verdict.from_dict(stored, verdict.sampled_responses) == verdict


def test_the_rule_of_means_stores_what_it_always_did() -> None:
    stored = grade(definition_from(SOURCE), counted().start, SEEDS).to_dict()
    assert set(stored) == {"goals", "budgets", "metrics", "seed_count"}
    assert {key for goal in stored["goals"] for key in goal} == {
        *("metric", "at_least", "at_most", "mean", "half_width", "values", "met")
    }


def test_the_digest_follows_the_rule() -> None:
    digests = {definition_from(SOURCE).grading_digest, counted(6).grading_digest, counted(7).grading_digest}
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"pass_rule": "median"}, "pass_rule"),
        ({"pass_rule": "seeds"}, "seeds_needed"),
        ({"pass_rule": "seeds", "seeds_needed": 33}, "seeds_needed"),
        ({"pass_rule": "seeds", "seeds_needed": 0}, "seeds_needed"),
        ({"seeds_needed": 24}, "seeds_needed"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(changes: dict[str, object], where: str) -> None:
    with pytest.raises(DefinitionError) as refusal:
        definition_from({**SOURCE, **changes})
    assert refusal.value.where == where


def attempt_of(verdict: Verdict) -> Attempt:
    return Attempt(
        setup=counted().start.to_dict(),
        evaluation=verdict.to_dict(),
        sampled_responses=verdict.sampled_responses,
        passed=verdict.passed,
        stars=verdict.stars,
    )


def test_words_say_how_many_runs_passed() -> None:
    missed = attempt_of(grade(counted(), counted().start, SEEDS))
    assert outcome.headline(missed) == "Not yet: 0 of 12 runs, 6 are needed"
    rule = goals.graded_rule(goals.verdict_of(missed))
    assert rule is not None and rule.state == "unmet"
    assert rule.text == "0 of 12 hidden runs reached both goals at once; 6 are needed."
    won = attempt_of(grade(counted(), counted().verify[3], SEEDS))
    count = won.evaluation["seeds_passed"]
    assert won.passed and count >= 6
    assert outcome.against_last(won, missed) == f"{count} more runs reach the goal than at your last try."
    assert outcome.history([won], SOURCE["setup"])[0].value == f"{count} of 12"
    first = goals.graded_goal(goals.goal_results(won)[0], counted().world)
    assert first.value.endswith(" of 12 runs") and "±" in first.note
    assert outcome.against_last(won, attempt_of(grade(definition_from(SOURCE), counted().start, SEEDS)))


def test_dots_tell_which_runs_reach_the_goal() -> None:
    start = counted().start
    bound = float(np.sort(simulate(start, SEEDS).final["win_rate"])[3])
    result = grade(counted(6, **bounds(bound, 9.0)), start, SEEDS).goals[0]
    plot = seed_plot(result, 560)
    assert (len(plot.dots), len(plot.misses), plot.has_mean) == (9, 3, False)
    assert max(x for x, _ in plot.misses) <= min(x for x, _ in plot.dots)


def test_a_proof_is_thin_when_a_fresh_set_has_too_few_runs() -> None:
    fresh = [evaluation_seeds()[12:24], evaluation_seeds()[20:32]]
    mission = counted(6, **bounds(0.70, 0.95))
    sound = verify(mission, SEEDS, runs=1, fresh=fresh)
    assert not [text for text in sound.problems if "fresh set" in text]
    assert sound.stars[2].counts == tuple(
        int(mission.seeds_passed(simulate(mission.verify[3], seeds).final).sum()) for seeds in (SEEDS, *fresh)
    )
    final = simulate(counted().verify[3], fresh[0]).final["win_rate"]
    harder = counted(1, **bounds(float(np.sort(final)[3]), 0.8))
    problems = verify(harder, SEEDS, runs=1, fresh=fresh).problems
    thin = re.compile(r"three_stars passes on \d of 12 seeds of fresh set 1, and 11 are wanted")
    assert any(thin.fullmatch(problem) for problem in problems)


def test_the_page_shows_the_rule_and_the_count(client: Client, student: User, missions: list[Mission]) -> None:
    mission = missions[0]
    mission.definition = {**mission.definition, "pass_rule": "seeds", "seeds_needed": 24}
    mission.save()
    client.force_login(student)
    page = client.get(f"/missions/{mission.slug}/").content.decode()
    assert "At least 24 of 32 hidden runs have to reach the goal." in page
    page = train(client, mission, student, htmx=True).content.decode()
    assert "0 of 32 hidden runs reached the goal; 24 are needed." in page
    assert 'class="seed-miss"' in page and "<h2" in page
    assert "0 of 32" in client.get("/me/").content.decode()
