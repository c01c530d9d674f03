"""Missions of the reasoning world: what their pages show, what a run costs that decides it itself, and algorithms."""

import math
import re

import pytest
from django.test import Client

from accounts.models import User
from missions.definition import MissionDefinition, definition_from
from missions.grading import charged, grade
from missions.loading import read_catalogue
from missions.models import Attempt, Mission, Progress
from missions.outcome import changes_between, lab_link
from missions.queries import definition_of
from missions.seeds import evaluation_seeds
from missions.submission import filled_in, read_fields
from missions.verification import verify
from simulator.engine import simulate
from simulator.worlds import sampled_bounds
from tests.missions.helpers import HTMX, form_of, train

SOURCES = {
    e.definition.slug: e.definition.source
    for e in read_catalogue()
    if e.definition.chapter == 2 and not e.definition.is_look
}
SILENCE, LEASH, CUT = "silence-is-not-a-gradient", "three-kinds-of-leash", "cut-off-in-mid-sentence"


@pytest.fixture
def browser(client: Client, student: User, missions: list[Mission]) -> Client:
    for mission in missions:
        Progress.objects.create(user=student, mission=mission, unlocked_at=student.date_joined)
    client.force_login(student)
    return client


def by_slug(missions: list[Mission], slug: str) -> Mission:
    return next(mission for mission in missions if mission.slug == slug)


def text_of(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


@pytest.mark.parametrize("slug", SOURCES)
def test_the_page_before_a_try(slug: str, browser: Client, missions: list[Mission]) -> None:
    response = browser.get(f"/missions/{slug}/")
    page, words = response.content.decode(), text_of(response)
    definition = definition_of(by_slug(missions, slug))
    which = {1: "the goal.", 2: "both goals at once.", 3: "all 3 goals at once."}[len(definition.goals)]
    assert f"At least 24 of 32 hidden runs have to reach {which}" in words
    assert "Chapter two" in words and "of 10" in words
    assert page.count("data-curves") == len(definition.charts)
    assert 'class="resps"' in page and "Push in thousandths" in words
    assert "The reference policy has 0." in words
    assert not re.search(r"\{[a-z0-9_]+@", words), "every number is filled in"
    assert "nan" not in words.lower()


def test_a_try_is_told_in_runs(browser: Client, student: User, missions: list[Mission]) -> None:
    mission = by_slug(missions, CUT)
    words = text_of(train(browser, mission, student, htmx=True))
    assert "0 of 32 hidden runs reached all 3 goals at once; 24 are needed." in words
    assert "Not yet: 0 of 32 runs, 24 are needed" in words
    words = text_of(train(browser, mission, student, definition_of(mission).verify[3], htmx=True))
    evaluation = Attempt.objects.get(number=2).evaluation
    assert f"{evaluation['seeds_passed']} of 32 hidden runs reached all 3 goals" in words
    assert "Three stars" in words and "What happened here" in words
    world = definition_of(mission).world
    was, now = (world.setting_value("overlong", name) for name in ("filter", "soft"))
    assert f"You changed longest response 7 9 , learning rate 0.03 0.08 , truncated responses {was} {now} ," in words
    assert "means over 32 seeds" in words.lower()
    assert f"{evaluation['seeds_passed']} of 32" in text_of(browser.get("/me/"))


def test_a_cost_that_the_runs_decide_is_said_as_a_bound_and_charged_as_a_mean(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    mission = by_slug(missions, SILENCE)
    form = form_of(mission, student, dynamic_sampling="true")
    words = text_of(browser.post(f"/missions/{SILENCE}/draft/", form, **HTMX))
    assert "at most 1,920" in words and "480 to 1,920 responses" in words
    assert "30 steps × 8 to 32 prompts × 2 responses" in words
    setup = definition_of(mission).start.replace(dynamic_sampling=True)
    assert sampled_bounds(setup) == (480, 1920)
    train(browser, mission, student, dynamic_sampling="true")
    cost = Attempt.objects.get().sampled_responses
    sampled = simulate(setup, evaluation_seeds()).sampled_responses
    assert cost == math.ceil(sampled.mean()) and len(set(sampled.tolist())) > 1
    assert 480 < cost < 1920


def test_a_mean_cost_is_rounded_up() -> None:
    import numpy as np

    assert charged(np.array([10, 10, 11])) == 11
    assert charged(np.array([10, 10])) == 10
    assert charged(12_800) == 12_800


def test_a_choice_shows_the_controls_that_it_makes_matter(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    mission = by_slug(missions, CUT)
    assert 'name="overlong_cache"' not in browser.get(f"/missions/{CUT}/").content.decode()
    answer = browser.post(
        f"/missions/{CUT}/draft/", form_of(mission, student, overlong="soft"), **HTMX, HTTP_HX_TRIGGER_NAME="overlong"
    ).content.decode()
    assert 'name="overlong_cache"' in answer


def test_a_combination_the_engine_refuses_is_explained_at_its_field(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    mission = by_slug(missions, CUT)
    mission.definition = {**mission.definition, "controls": {**mission.definition["controls"]}}
    mission.definition["controls"]["overlong_cache"] = {"choices": [1, 2, 3, 4, 6, 8]}
    mission.save()
    answer = train(browser, mission, student, overlong="soft", overlong_cache="8", max_completion_length="7")
    assert answer.status_code == 422
    assert 'id="overlong_cache-error"' in answer.content.decode()
    assert not Attempt.objects.exists()


def test_changes_are_named_in_the_world_s_own_words() -> None:
    start = definition_from(SOURCES[CUT]).start
    changes = changes_between(start.to_dict(), start.replace(overlong="soft", learning_rate=0.08).to_dict())
    assert {change.label for change in changes} == {"learning rate", "truncated responses", "penalty zone"} - (
        {"penalty zone"} if start.overlong_cache == 6 else set()
    )
    assert lab_link(start.to_dict(), 7).startswith("/lab/reasoning/?") and "seed=7" in lab_link(start.to_dict(), 7)


def test_a_lab_link_opens_the_setup(browser: Client) -> None:
    for source in SOURCES.values():
        start = definition_from(source).start
        assert browser.get(lab_link(start.to_dict(), 1)).status_code == 200


@pytest.fixture
def open_algorithm() -> MissionDefinition:
    """A mission in which the algorithm can be chosen, and two of the choices that it makes can be changed."""
    controls = {
        **SOURCES[LEASH]["controls"],
        "algorithm": {"choices": ["grpo", "dapo", "rloo"]},
        "advantage": {"choices": ["group_normalized", "leave_one_out", "group_mean"]},
        "aggregation": {"locked": "It stays per response, whatever the algorithm says."},
        "dynamic_sampling": {},
    }
    del controls["kl"], controls["beta"]
    verify = {"one_star": {}, "two_stars": {"algorithm": "rloo"}, "three_stars": {"algorithm": "dapo"}}
    return definition_from({**SOURCES[LEASH], "controls": controls, "verify": verify})


def test_an_algorithm_fills_in_its_choices(open_algorithm: MissionDefinition) -> None:
    start = open_algorithm.start
    reading = read_fields(open_algorithm, {"algorithm": "rloo"})
    assert reading.errors == {} and reading.setup is not None
    assert (reading.setup.advantage, reading.setup.kl, reading.setup.beta) == ("leave_one_out", "none", 0.0)
    assert reading.setup.aggregation == start.aggregation == "per_response", "a locked choice stays"
    assert open_algorithm.verify[3].clip == "higher" and open_algorithm.verify[3].dynamic_sampling
    changed = read_fields(open_algorithm, {"algorithm": "rloo", "advantage": "group_mean"})
    assert changed.setup is not None and changed.setup.advantage == "group_mean"
    assert read_fields(open_algorithm, {"algorithm": "grpo"}).setup == start
    assert set(read_fields(open_algorithm, {"algorithm": "alchemy"}).errors) == {"algorithm"}
    assert filled_in(open_algorithm, {"algorithm": "rloo"}) == {
        "advantage": "leave_one_out",
        "dynamic_sampling": "false",
        "num_iterations": "4",
    }


def test_what_an_algorithm_fills_in_cannot_be_changed_behind_its_back(open_algorithm: MissionDefinition) -> None:
    setup = open_algorithm.base_for({"algorithm": "rloo"})
    assert open_algorithm.check(setup) == {}
    assert set(open_algorithm.check(setup.replace(kl="k3"))) == {"kl"}
    assert set(open_algorithm.check(setup.replace(aggregation="constant"))) == {"aggregation"}


def test_choosing_an_algorithm_redraws_the_form_with_its_choices(
    browser: Client, student: User, missions: list[Mission], open_algorithm: MissionDefinition
) -> None:
    mission = by_slug(missions, LEASH)
    mission.definition = dict(open_algorithm.source)
    mission.save()
    answer = browser.post(
        f"/missions/{LEASH}/draft/",
        form_of(mission, student, algorithm="rloo"),
        **HTMX,
        HTTP_HX_TRIGGER_NAME="algorithm",
    ).content.decode()
    assert '<option value="leave_one_out" selected>' in answer
    assert '<option value="leave_one_out" selected>' in browser.get(f"/missions/{LEASH}/").content.decode()


def test_the_run_that_is_shown_says_where_it_went_wrong(
    browser: Client, student: User, missions: list[Mission]
) -> None:
    mission = by_slug(missions, LEASH)
    words = text_of(train(browser, mission, student, beta="0", htmx=True))
    assert re.search(r"On your seed KL passed 0\.40 at step \d+\.", words)


def test_a_run_that_diverges_is_graded_and_said() -> None:
    definition = definition_from(SOURCES[LEASH])
    wild = definition.start.replace(optimizer="sgd", learning_rate=10.0, beta=0.3)
    verdict = grade(definition, wild, range(4))
    assert all(math.isfinite(i.mean) for i in verdict.metrics.values())
    assert verdict.to_dict().get("diverged", 0) == verdict.diverged
    assert verdict.diverged == int((simulate(wild, range(4)).diverged_at > 0).sum())


def test_luck_counts_what_a_run_really_cost() -> None:
    """Filtering costs more than its least; a budget between the two is not met by it."""
    source = SOURCES[SILENCE]
    controls = {name: {"locked": "It stays."} for name in source["controls"]}
    controls["dynamic_sampling"] = {}
    kept = {"one_star": {}, "two_stars": {}, "three_stars": {}}
    goals = [{"metric": "train_accuracy_carries", "at_least": 0.0}]
    budgets = {"one_star": 9000, "two_stars": 1000, "three_stars": 500}
    changes = {"controls": controls, "goals": goals, "budgets": budgets, "verify": kept, "seeds_needed": 4}
    mission = definition_from({**source, **changes})
    luck = verify(mission, evaluation_seeds()[:4], runs=9, star_levels=(1, 3)).luck
    assert [(found.tried, found.passed, found.share) for found in luck] == [(2, 2, 1.0), (2, 1, 0.5)]
