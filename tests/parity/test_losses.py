"""The engine's objective and push against the loss of TRL's `GRPOTrainer` and its gradient."""

from itertools import product

import numpy as np
import pytest

from simulator.engine.algorithms import PRESETS
from simulator.engine.objective import clip

from . import harness
from .batches import Batch, make
from .engine_side import advantages_of, outcome, trl_options

KL = {"kl": "k3", "beta": 0.04}

# What is compared by name: a preset and what is changed about it.
NAMED = {
    "GRPO": ("grpo", {"kl": "none", "beta": 0.0}),
    "GRPO with k3": ("grpo", {}),
    "GRPO with k3, clip-higher": ("grpo", {"clip": "higher", **KL}),
    "Dr. GRPO": ("dr_grpo", {}),
    "DAPO": ("dapo", {}),
    "DAPO, truncated responses filtered": ("dapo", {"overlong": "filter"}),
    "token mean, symmetric clip": ("rloo", {}),
    "PPO, an advantage for each token": ("ppo", {}),
    "GSPO": ("gspo", {}),
    "GSPO with k3": ("gspo", KL),
    "CISPO": ("cispo", {}),
    "CISPO with k3": ("cispo", KL),
}
BATCHES = {
    "mixed": [make(seed) for seed in range(4)],
    "large groups": [make(9, groups=3, group_size=16)],
    "far from the old policy": [make(5, drift=2.0)],
    "on policy": [make(6, case="on_policy")],
    "equal rewards": [make(7, case="all_equal")],
    "all truncated": [make(8, case="all_truncated")],
    "groups of one": [make(10, groups=12, group_size=1)],
}


def _advantages(batch: Batch, choice: str) -> np.ndarray:
    if choice == "gae":
        return np.random.default_rng(3).normal(size=len(batch.log_probs))
    return batch.per_token(advantages_of(batch, choice))


def _compare(agree, name: str, batch: Batch, slots: dict, options: dict) -> None:
    drive = harness.grpo(batch.rows, batch.group_size, **options)
    inputs = drive.prepare(batch)
    advantages = _advantages(batch, slots["advantage"])
    inputs["advantages"] = batch.padded(advantages)
    theirs, their_pushes = drive.loss(batch, inputs)
    ours = outcome(batch, slots, advantages)
    agree(f"{name}: objective", ours.objective, theirs)
    agree(f"{name}: push", ours.pushes, their_pushes)


@pytest.mark.parametrize("case", BATCHES)
@pytest.mark.parametrize("name", NAMED)
def test_objective_and_push(agree, name, case):
    preset, changes = NAMED[name]
    slots = PRESETS[preset] | changes
    for batch in BATCHES[case]:
        _compare(agree, name, batch, slots, trl_options(slots))


@pytest.mark.parametrize("loss_type", ["dapo", "bnpo"])
def test_both_names_of_the_token_mean(agree, loss_type):
    slots = PRESETS["dapo"] | {"overlong": "filter"}
    for batch in BATCHES["mixed"]:
        _compare(agree, f"token mean as {loss_type}", batch, slots, trl_options(slots) | {"loss_type": loss_type})


def test_every_combination_that_trl_has(agree):
    averages = ("per_response", "per_token", "constant")
    clips = [*product(("symmetric", "higher"), averages), ("cispo", "per_token")]
    combinations = product(("token", "sequence"), clips, ({}, KL), ("none", "filter"))
    for ratio, (clipping, aggregation), kl, overlong in combinations:
        slots = PRESETS["custom"] | kl
        slots |= {"importance_ratio": ratio, "clip": clipping, "aggregation": aggregation, "overlong": overlong}
        _compare(agree, "every combination of slots that TRL has", BATCHES["mixed"][0], slots, trl_options(slots))


def test_dr_grpo_from_rewards_to_push_on_its_own(agree):
    """Nothing handed over but rewards and log-probabilities: TRL's own advantages, which have no epsilon here."""
    slots = PRESETS["dr_grpo"] | {"overlong": "filter"}
    for batch in BATCHES["mixed"]:
        drive = harness.grpo(batch.rows, batch.group_size, **trl_options(slots))
        theirs, their_pushes = drive.loss(batch, drive.prepare(batch))
        ours = outcome(batch, slots, _advantages(batch, "group_mean"))
        agree("Dr. GRPO from rewards on: objective", ours.objective, theirs)
        agree("Dr. GRPO from rewards on: push", ours.pushes, their_pushes)


def test_the_plain_policy_gradient_on_policy(agree):
    """TRL has no objective without a ratio. Where the ratio is 1 the push is the same, the objective is not."""
    batch = BATCHES["on policy"][0]
    drive = harness.grpo(batch.rows, batch.group_size, **trl_options(PRESETS["rloo"]))
    advantages = _advantages(batch, "leave_one_out")
    theirs, their_pushes = drive.loss(batch, drive.prepare(batch) | {"advantages": batch.padded(advantages)})
    ours = outcome(batch, PRESETS["reinforce"], advantages)
    agree("REINFORCE on policy: push", ours.pushes, their_pushes)
    assert abs(ours.objective - theirs) > 0.01


@pytest.mark.parametrize("preset", ["grpo", "dapo", "gspo"])
def test_the_batches_clip_on_both_sides_and_past_the_bounds_unclipped(preset):
    slots = PRESETS[preset]
    for batch in BATCHES["mixed"]:
        states = set(outcome(batch, slots, _advantages(batch, "group_normalized")).clip_states.tolist())
        assert states == {clip.TIE, clip.UNCLIPPED, clip.CLIPPED_HIGH, clip.CLIPPED_LOW}


@pytest.mark.parametrize("preset", ["grpo", "dapo"])
def test_what_trl_logs_about_clip_and_kl(agree, preset):
    slots = PRESETS[preset] | KL
    for batch in BATCHES["mixed"]:
        drive = harness.grpo(batch.rows, batch.group_size, **trl_options(slots))
        advantages = _advantages(batch, slots["advantage"])
        drive.loss(batch, drive.prepare(batch) | {"advantages": batch.padded(advantages)})
        ours = outcome(batch, slots, advantages)
        agree("logged kl", ours.token_kls.mean(), drive.logged("kl"))
        for side, state in (("high", clip.CLIPPED_HIGH), ("low", clip.CLIPPED_LOW)):
            # Counted in float32.
            assert drive.logged(f"clip_ratio/{side}_mean") == pytest.approx(np.mean(ours.clip_states == state))
