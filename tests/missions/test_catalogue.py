"""The missions: complete, in the product's voice, and true where they do arithmetic in words."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from missions.choosing import blind_choices
from missions.definition import CHOICES, MissionDefinition
from missions.evidence import EVIDENCE_SEEDS, Measurements, paragraphs
from missions.loading import read_catalogue
from simulator.engine import parse_setup, simulate
from simulator.interval import Interval
from simulator.runs import at_reference
from simulator.worlds import Setup

CATALOGUE = [entry.definition for entry in read_catalogue()]
TRAINED = [mission for mission in CATALOGUE if not mission.is_look]
every_mission = pytest.mark.parametrize("mission", CATALOGUE, ids=[mission.slug for mission in CATALOGUE])
every_trained = pytest.mark.parametrize("mission", TRAINED, ids=[mission.slug for mission in TRAINED])


def all_texts(mission: MissionDefinition) -> dict[str, str]:
    names = ("title", "aim", "lesson", "story", "debrief", *(() if mission.is_look else ("symptom",)))
    texts = {name: getattr(mission, name) for name in names}
    texts |= {f"hint {i}": hint for i, hint in enumerate(mission.hints, 1)}
    texts |= {f"locked {name}": control.locked for name, control in mission.controls.items() if control.locked}
    texts |= {f"table {table.name}": table.title for table in mission.evidence}
    texts |= {f"view {i}": view.text for i, view in enumerate(mission.views, 1)}
    return texts


# What every mission of a world shows, open or locked, and the settings that a run's cost is made of.
SHOWN = {
    "candidates": ({"event", "method", "steps", "beta"}, {"group_size", "samples_per_prompt"}),
    "reasoning": ({"steps", "learning_rate"}, {"prompts_per_step", "group_size"}),
}


def test_two_chapters_of_fourteen_and_ten_missions_in_order() -> None:
    places = [(mission.chapter, mission.position) for mission in CATALOGUE]
    assert places == [(1, n) for n in range(1, 15)] + [(2, n) for n in range(1, 11)]
    assert {(mission.chapter, mission.world.name) for mission in CATALOGUE} == {(1, "candidates"), (2, "reasoning")}
    assert {(mission.chapter, mission.seeds_needed) for mission in TRAINED} == {(1, None), (2, 24)}
    assert [mission.chapter for mission in CATALOGUE if mission.is_look] == [1, 1, 2, 2]


@every_mission
def test_texts_keep_their_length(mission: MissionDefinition) -> None:
    assert len(mission.title) <= 26
    assert len(mission.aim.split()) <= 5
    assert 2 <= len(paragraphs(mission.debrief)) <= 4
    assert len(re.findall(r"[.?](?: |$)", mission.lesson)) == 1
    assert 1 <= len(re.findall(r"[.?](?: |$)", mission.story)) <= 4


@every_mission
def test_texts_are_in_the_products_voice(mission: MissionDefinition) -> None:
    for name, text in all_texts(mission).items():
        assert not re.search(r"\b(simply|just|oops|easy|easily|obviously)\b", text, re.I), name
        # The fonts are Latin subsets; apostrophes are typographic, minus signs are true ones.
        assert not set(re.sub(r"\{.*?\}", "", text)) - set(map(chr, range(32, 127))) - set("’“”–×±−\n"), name
        assert "!" not in text and "'" not in text and '"' not in text, name
        assert name in ("title", "aim") or name.startswith("table") or text[-1] in ".?", name


@every_mission
def test_measured_numbers_are_never_typed(mission: MissionDefinition) -> None:
    """Win rates are written with three decimals; 0.500 and 0.950 follow from definitions, all others are filled in."""
    for text in all_texts(mission).values():
        assert set(re.findall(r"\b\d\.\d{3}\b", text)) <= {"0.500", "0.950"}


@every_mission
def test_the_debrief_rests_on_measurements_and_says_what_it_cannot_tell(mission: MissionDefinition) -> None:
    assert mission.debrief.count("{") >= 4 or mission.is_look
    assert paragraphs(mission.debrief)[-1].startswith("Careful: ")


@every_trained
def test_hints_do_not_give_the_answer(mission: MissionDefinition) -> None:
    """No hint names every value of the setting that is proven to earn three stars."""
    best, start = mission.verify[3].active_fields(), mission.start.to_dict()
    numbers = {name: value for name, value in best.items() if not isinstance(value, str | bool)}
    changed = {f"{value:g}" for name, value in numbers.items() if value != start[name]}
    for hint in mission.hints:
        assert not changed <= set(re.findall(r"\d+(?:\.\d+)?", hint)), hint


@every_trained
def test_what_a_mission_shows_is_what_it_is_about(mission: MissionDefinition) -> None:
    shown, costs = SHOWN[mission.world.name]
    assert shown <= set(mission.controls)
    used = set().union(*(setup.active_fields() for _, setup in blind_choices(mission)[0]))
    assert set(mission.controls) <= used, "a control that nothing here makes use of"
    assert (costs & used) <= set(mission.controls)
    goal = next(goal for goal in mission.goals if goal.metric == mission.prediction.metric)
    assert goal.bound in mission.prediction.cuts, "a prediction should be about reaching the goal"


@every_mission
def test_offered_values_rise(mission: MissionDefinition) -> None:
    for name, control in mission.controls.items():
        if mission.world.fields[name].kind != "choice":
            assert list(control.values()) == sorted(control.values())
        if mission.world.name == "candidates" and name not in ("method", "beta") and control.choices:
            assert set(control.choices) <= set(CHOICES["candidates"][name])


# --- numbers in prose that follow from the world and from nothing that is trained -----------------------------------


def test_the_exploit_is_as_rare_as_missions_9_and_10_say() -> None:
    world = simulate(parse_setup({"event": "reward_hack", "steps": 1}), EVIDENCE_SEEDS).world
    assert world.exploit is not None
    rare = np.take_along_axis(world.reference_probability, world.exploit[..., None], -1)
    assert rare.mean() == pytest.approx(0.05, abs=0.005)
    assert (1 - (1 - rare) ** 8).mean() == pytest.approx(1 / 3, abs=0.02)


def test_the_best_policy_of_the_sparse_world_is_as_good_as_mission_8_says() -> None:
    world = simulate(parse_setup({"event": "sparse", "steps": 1}), EVIDENCE_SEEDS).world
    passing = (world.reference_probability * world.quality).sum(-1)
    assert (1 - passing / 2).mean() == pytest.approx(0.950, abs=0.002)


def test_silence_and_pushes_are_as_missions_4_to_7_calculate() -> None:
    def silent(size: int) -> float:
        return 0.9**size + 0.1**size

    assert silent(2) == pytest.approx(0.82)
    assert 0.4 < silent(8) < 0.5
    assert pytest.approx(0.43, abs=0.005) == 0.9**8
    for size, push in ((2, 0.50), (32, 0.17)):
        rewards = np.eye(size)[0]
        advantage = (rewards - rewards.mean()) / rewards.std()
        assert advantage[0] / size == pytest.approx(push, abs=0.005)


def test_the_longer_answer_wins_most_pairs_as_mission_13_says() -> None:
    world = simulate(parse_setup({"event": "length_bias", "steps": 1}), EVIDENCE_SEEDS).world
    longer = world.length[..., :, None] > world.length[..., None, :]
    better = world.reward_model_score[..., :, None] > world.reward_model_score[..., None, :]
    assert better[longer].mean() > 0.8
    assert (world.length * world.reference_probability).sum(-1).mean() == pytest.approx(200, abs=3)


def test_the_reference_policy_is_as_the_second_chapter_says() -> None:
    start = next(mission.start for mission in CATALOGUE if mission.slug == "silence-is-not-a-gradient")
    before = at_reference(simulate(start, [0], history=True))
    right = before["train_accuracy_carries"]
    assert 1 / right == pytest.approx(30, abs=3)
    assert right**2 + (1 - right) ** 2 == pytest.approx(14 / 15, abs=0.01)
    assert before["wrong_response_length"] == pytest.approx(5.5, abs=0.15)


def test_a_clip_touches_one_token_in_a_thousand_at_the_defaults() -> None:
    clipped = simulate(parse_setup({"world": "reasoning", "algorithm": "custom"}), range(4), history=True)
    assert clipped.history is not None
    assert clipped.history["clip_fraction"].mean() == pytest.approx(0.001, abs=0.0007)


# --- what the debriefs say about measurements: each row clearly above the next --------------------------------------


RUNS = Measurements()


def final_of(setup: Setup) -> Mapping[str, Any]:
    """Final metrics on the evidence seeds of the setup's world; a row that is asked for again is not run again."""
    return RUNS.of(setup)


@pytest.mark.parametrize(
    ("slug", "table", "metric", "falling"),
    [
        ("first-signal", "steps", "win_rate", ("800", "200", "50")),
        ("first-signal", "beta", "win_rate", ("0.2", "0.8")),
        ("first-signal", "split", "win_rate", ("400 steps, groups of 2", "50 steps, groups of 16")),
        ("short-leash", "ways", "win_rate", ("held, beta 0.8", "stopped after 80 steps")),
        ("sample-once", "price", "win_rate", ("DPO, 8 samples", "GRPO, 200 steps, groups of 2", "DPO, 3 samples")),
        ("sample-once", "price", "win_rate", ("GRPO, 400 steps, groups of 8", "DPO, 64 samples")),
        ("silent-groups", "groups", "win_rate", ("32", "8", "4", "2")),
        ("silent-groups", "leash", "win_rate", ("0", "0.4")),
        (
            "many-small-groups",
            "split",
            "win_rate",
            ("400 steps, groups of 4", "200 steps, groups of 8", "100 steps, groups of 16", "50 steps, groups of 32"),
        ),
        ("never-seen", "samples", "win_rate", ("64", "32", "16", "8")),
        ("beyond-the-reference", "reach", "win_rate", ("GRPO, 800 steps, groups of 2", "DPO, 32 samples")),
        ("stop-while-you-are-ahead", "steps", "win_rate", ("100", "400", "800")),
        ("stop-while-you-are-ahead", "steps", "reward_model_score", ("800", "400", "100")),
        ("stop-while-you-are-ahead", "beta", "win_rate", ("0.8", "0", "0.4")),
        ("stop-while-you-are-ahead", "groups", "win_rate", ("2", "8", "32")),
        ("offline-shield", "shield", "win_rate", ("DPO, 32 samples", "DPO, 8 samples", "DPO, 8 samples, 800 steps")),
        (
            "offline-shield",
            "shield",
            "win_rate",
            ("best-of-n, 4 samples", "best-of-n, 16 samples", "best-of-n, 64 samples"),
        ),
        (
            "noisy-annotators",
            "losses",
            "win_rate",
            ("DPO, no flips", "rDPO, smoothing 0.3", "DPO", "cDPO, smoothing 0.3", "DPO, beta 0.8"),
        ),
        ("noisy-annotators", "samples", "win_rate", ("32", "16", "8")),
        ("longer-is-not-better", "penalty", "win_rate", ("3", "4", "2", "0")),
        ("longer-is-not-better", "penalty", "response_length", ("0", "3", "4")),
        ("same-bias-in-pairs", "penalty", "win_rate", ("3", "4", "2", "0")),
        ("same-bias-in-pairs", "data", "response_length", ("64 samples, 800 steps", "64 samples")),
        ("silence-is-not-a-gradient", "groups", "train_accuracy_carries", ("12", "4", "2")),
        ("silence-is-not-a-gradient", "ways", "train_accuracy_carries", ("groups of 2, filtered", "groups of 2")),
        ("the-rambling-failure", "weights", "wrong_response_length", ("per_response", "per_token")),
        ("the-rambling-failure", "weights", "wrong_response_length", ("per_response", "constant")),
        ("the-rambling-failure", "later", "wrong_response_length", ("per_response", "constant")),
        ("rare-but-right", "upper", "entropy", ("0.8", "0.5", "0.2")),
        ("rare-but-right", "bounds", "entropy", ("no bound", "both at 0.2")),
        ("stale-data", "fences", "train_accuracy", ("both sides, 0.2", "CISPO", "no fence")),
        ("stale-data", "fences", "train_accuracy", ("no ratio", "no fence")),
        ("stale-data", "uses", "train_accuracy", ("4", "1")),
        ("stale-data", "loose", "train_accuracy", ("4", "1", "16")),
        ("three-kinds-of-leash", "kinds", "kl", ("k1", "none", "k3", "k1, off the reward")),
        ("three-kinds-of-leash", "kinds", "train_accuracy", ("none", "k1")),
        ("three-kinds-of-leash", "leash", "held_out_accuracy", ("0.03", "0.1", "0.3")),
        ("three-kinds-of-leash", "stop", "train_accuracy", ("k3, beta 0.15, 45 steps", "no leash, 25 steps")),
        ("learned-by-heart", "memory", "generalization_gap", ("2", "1", "0.5", "0")),
        ("learned-by-heart", "memory", "train_accuracy", ("2", "1", "0.5", "0")),
        ("cut-off-in-mid-sentence", "rules", "truncated", ("filter", "none", "soft")),
        ("cut-off-in-mid-sentence", "rules", "response_length", ("filter", "none", "soft")),
        ("cut-off-in-mid-sentence", "rules", "train_accuracy", ("none", "filter", "soft")),
        ("cut-off-in-mid-sentence", "zones", "train_accuracy", ("limit 9, zone 3", "limit 7, zone 3")),
        ("one-answer-per-question", "baselines", "train_accuracy", ("ema_baseline", "none", "group_mean")),
        ("one-answer-per-question", "small", "train_accuracy", ("running mean", "critic")),
        ("one-answer-per-question", "lambda", "train_accuracy", ("0.95", "0.5", "0")),
        (
            "one-answer-per-question",
            "shape",
            "train_accuracy",
            ("32 questions, running mean", "4 questions, group mean"),
        ),
    ],
)
def test_the_debrief_tells_the_order_that_was_measured(
    slug: str, table: str, metric: str, falling: tuple[str, ...]
) -> None:
    mission = next(mission for mission in CATALOGUE if mission.slug == slug)
    rows = {row.label: row.setup for row in next(t for t in mission.evidence if t.name == table).rows}
    measured = [final_of(rows[label])[metric] for label in falling]
    for higher, lower in pairwise(measured):
        # Seed by seed: both rows see the same worlds and draws.
        difference = Interval.of(higher - lower)
        assert difference.mean > difference.half_width


def test_a_plateau_and_a_tie_are_as_flat_as_missions_7_and_11_say() -> None:
    def final(changes: dict[str, object], metric: str) -> float:
        return float(simulate(parse_setup(changes), EVIDENCE_SEEDS).final[metric].mean())

    sparse = {"event": "sparse", "method": "dpo"}
    assert final({**sparse, "steps": 200}, "win_rate") == pytest.approx(
        final({**sparse, "steps": 800}, "win_rate"), abs=0.001
    )
    plain = {"event": "label_flips", "method": "dpo", "steps": 200}
    robust = {"event": "label_flips", "method": "rdpo", "label_smoothing": 0.3, "steps": 65}
    assert final(plain, "kl") == pytest.approx(final(robust, "kl"), abs=0.05)
    assert final(plain, "win_rate") == pytest.approx(final(robust, "win_rate"), abs=0.01)
