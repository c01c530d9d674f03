"""What if: an update recomputed with the engine's functions, by the settings that ran and by others."""

import re

import numpy as np
import pytest

from simulator.engine import SetupError
from simulator.engine.algorithms import ALGORITHMS
from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW
from simulator.explorer.inspector import step_panel
from simulator.explorer.inspector.sheet import Sheet
from simulator.explorer.state import ExplorerState
from simulator.explorer.whatif import assumed, recomputed, what_is_missing
from simulator.records import Update, open_canonical, write_canonical

from .inspector_cases import at, log, run

NUMBERS = ("ratio", "advantages", "clip_state", "token_kl", "weight", "token_objective", "push")

VARIANTS = [
    *({"algorithm": name} for name in ALGORITHMS),
    {"algorithm": "grpo", "kl_in": "reward", "beta": 0.1},
    {"algorithm": "ppo", "kl": "k1", "beta": 0.1, "kl_in": "reward", "gamma": 0.95},
    {"algorithm": "dapo", "overlong": "filter", "max_completion_length": 8, "minibatches": 2},
    {"algorithm": "reinforce", "kl": "k2", "beta": 0.05},
]


def sheets(before: Update, after: Update) -> tuple[Sheet, Sheet]:
    return Sheet(before), Sheet(after)


@pytest.mark.parametrize("changes", VARIANTS, ids=lambda changes: "-".join(map(str, changes.values())))
def test_the_settings_that_ran_give_the_numbers_that_ran(changes):
    found = run(**changes)
    x = at(found)
    for step in x.source.steps[[1, 5, -2, -1]]:
        update = x.record.update(int(step))
        again = recomputed(update, found.setup, found.setup)
        assert again.metrics["policy_objective"] == pytest.approx(
            update.metrics["policy_objective"], rel=1e-12, abs=1e-14
        )
        for name in NUMBERS:
            mine, theirs = (sheet.numbers(name) for sheet in sheets(update, again))
            np.testing.assert_allclose(theirs, mine, rtol=1e-12, atol=1e-12, err_msg=name)


def test_other_clip_bounds_clip_what_lies_beyond_them():
    found = run(algorithm="grpo")
    update = at(found, s=8).update
    setup = assumed(found.setup, ExplorerState(eps=0.02, epsh=0.4))
    assert (setup.clip, setup.epsilon, setup.epsilon_high) == ("higher", 0.02, 0.4)
    before, after = sheets(update, recomputed(update, found.setup, setup))
    ratios, advantages = before.numbers("ratio"), before.numbers("advantages")
    low, high = (advantages < 0) & (ratios < 0.98), (advantages > 0) & (ratios > 1.4)
    assert low.any()
    np.testing.assert_array_equal(after.numbers("clip_state") == CLIPPED_LOW, low)
    np.testing.assert_array_equal(after.numbers("clip_state") == CLIPPED_HIGH, high)
    # What is clipped is pushed by the KL alone, which pulls towards the reference.
    kl_push = (
        -found.setup.beta
        * after.numbers("weight")
        * -np.expm1(before.numbers("ref_log_probs") - before.numbers("log_probs"))
    )
    np.testing.assert_allclose(after.numbers("push")[low], kl_push[low], rtol=1e-9)


def test_other_weights_advantages_and_beta_are_their_formulas():
    found = run(algorithm="grpo")
    update = at(found, s=8).update
    state = ExplorerState(norm="per_token", std="group_mean", beta_if=0.5)
    after = recomputed(update, found.setup, assumed(found.setup, state))
    sheet = Sheet(after)
    tokens = sheet.lengths.sum()
    np.testing.assert_allclose(sheet.numbers("weight")[sheet.is_token], 1 / tokens)
    np.testing.assert_allclose(sheet.advantages, sheet.rewards - sheet.rewards.mean(axis=1, keepdims=True), atol=1e-15)
    terms = sheet.numbers("weight") * sheet.numbers("token_objective")
    assert after.metrics["policy_objective"] == pytest.approx(np.nansum(terms), rel=1e-12)
    # The derivative of J by each log-probability, by differences of the whole objective.
    response, step = update.prompts[1].responses[2], 1e-6
    for t in (0, response.length - 1):
        ends = []
        for sign in (1, -1):
            moved = response.numbers["log_probs"].copy()
            moved[t] += sign * step
            original, response.numbers["log_probs"] = response.numbers["log_probs"], moved
            ends.append(recomputed(update, found.setup, assumed(found.setup, state)).metrics["policy_objective"])
            response.numbers["log_probs"] = original
        assert sheet.numbers("push")[1, 2, t] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-5, abs=1e-10)


def test_a_beta_in_the_reward_changes_rewards_and_what_a_critic_is_surprised_by():
    for changes in ({"algorithm": "grpo"}, {"algorithm": "ppo"}):
        found = run(**changes, kl="k3", kl_in="reward", beta=0.05)
        update = at(found, s=40).update
        free = assumed(found.setup, ExplorerState(beta_if=0.0))
        after = recomputed(update, found.setup, free)
        for prompt, other in zip(update.prompts, after.prompts, strict=True):
            for one, two in zip(prompt.responses, other.responses, strict=True):
                assert two.reward == pytest.approx(one.reward + 0.05 * one.numbers["token_kl"].sum(), abs=1e-12)
        back = recomputed(after, free, found.setup)
        np.testing.assert_allclose(Sheet(back).numbers("push"), Sheet(update).numbers("push"), rtol=1e-9, atol=1e-12)


def test_what_can_not_be_assumed_is_said():
    found = run(algorithm="grpo")
    with pytest.raises(SetupError, match=r"0\.5"):
        assumed(found.setup, ExplorerState(eps=3.0))
    assert assumed(found.setup, ExplorerState(std="gae")).advantage == "group_normalized"
    # An address is put right instead, by the engine's own bounds and with one note.
    x = at(found, s=3, eps=3)
    assert "error" not in step_panel(x)["what_if"] and x.state.eps == 0.5
    assert x.notes == ("Epsilon must be from 0.01 to 0.5; it is taken as 0.5.",)
    assert what_is_missing(at(found).update, found.setup) == ""
    assert "does not say" in what_is_missing(at(found).update, None)


def test_the_panel_says_what_would_be_different():
    found = run(algorithm="grpo")
    what = step_panel(at(found, s=8))["what_if"]
    assert not what["is_on"] and [field.key for field in what["fields"]] == ["eps", "epsh", "beta_if", "norm", "std"]
    what = step_panel(at(found, s=8, eps=0.02))["what_if"]
    assert (
        what["sentence"].startswith("With epsilon 0.02, ")
        and "more tokens of the update are clipped" in what["sentence"]
    )
    assert what["pairs"] and len(what["pairs"]) + len(what["more"]) + what["unchanged"] == 4
    what = step_panel(at(found, s=8, p=1, eps=0.02, std="group_mean", beta_if=1))["what_if"]
    turned, everywhere = map(
        int, re.search(r"(\d+) tokens? of this .*?, (\d+) in the whole", what["sentence"]).groups()
    )
    rows = {name: (int(ran), int(would)) for name, ran, would in what["rows"] if name.startswith("tokens pushed")}
    ran, would = rows["tokens pushed up here"]
    assert everywhere >= turned >= abs(would - ran) > 0 and "on different scales" in what["sentence"]
    assert "nothing changes" in step_panel(at(found, s=8, eps=0.2))["what_if"]["sentence"]
    # What does not matter is not claimed to: REINFORCE has no ratio to clip.
    what = step_panel(at(run(algorithm="reinforce"), s=5, eps=0.02))["what_if"]
    assert "nothing changes" in what["sentence"] and [field.key for field in what["fields"]] == [
        "beta_if",
        "norm",
        "std",
    ]


def test_a_log_of_this_program_can_be_asked_and_another_can_not(tmp_path):
    found = run(algorithm="ppo", num_iterations=1)
    write_canonical(at(found).record, tmp_path / "run.jsonl")
    what = step_panel(log(open_canonical(tmp_path / "run.jsonl"), s=8, norm="constant"))["what_if"]
    assert what["sentence"] == step_panel(at(found, s=8, norm="constant"))["what_if"]["sentence"]
    text = (tmp_path / "run.jsonl").read_text().replace('"aggregation"', '"other"', 1)
    (tmp_path / "run.jsonl").write_text(text)
    assert "does not say" in step_panel(log(open_canonical(tmp_path / "run.jsonl"), s=8))["what_if"]["problem"]
