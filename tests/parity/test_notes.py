"""Where TRL does something else than the papers and the engine: what our notes say, seen by running it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import trl
from trl import GRPOConfig, RLOOConfig
from trl.trainer.utils import split_tensor_dict

from simulator.engine.algorithms import PRESETS
from simulator.engine.objective.divergence import DIVERGENCES as KL_CHOICES

from . import harness
from .batches import make
from .engine_side import advantages_of, outcome, trl_options

ON_POLICY, OFF_POLICY = make(6, case="on_policy"), make(2)


def _loss(batch, advantages, **options):
    drive = harness.grpo(batch.rows, batch.group_size, **options)
    objective, pushes = drive.loss(batch, drive.prepare(batch) | {"advantages": batch.padded(advantages)})
    return objective, pushes, drive


def _advantages(batch):
    return batch.per_token(advantages_of(batch, "group_normalized"))


def test_the_notes_name_the_version_that_runs_here():
    assert {note.version for choice in KL_CHOICES for note in choice.notes if note.library == "TRL"} == {
        trl.__version__
    }


def test_the_defaults_are_no_paper_s():
    config = GRPOConfig(**harness.OWN)
    assert (config.loss_type, config.beta, config.scale_rewards) == ("dapo", 0.0, "group")
    assert (config.epsilon, config.epsilon_high, config.delta) == (0.2, None, None)
    assert (config.importance_sampling_level, config.mask_truncated_completions) == ("token", False)
    assert config.use_bias_correction_kl
    assert not hasattr(trl, "PPOTrainer")
    assert harness.grpo(8, 4).trainer.ref_model is None  # beta 0
    config = RLOOConfig(**harness.OWN)
    assert (config.beta, config.num_generations, config.normalize_advantages) == (0.05, 2, False)


def test_kl_is_multiplied_by_the_ratio_which_makes_its_gradient_that_of_k2(agree):
    """The value stays k3's where the ratio is 1. The gradient there is the unbiased one, of k2 times 1."""
    slots = PRESETS["grpo"] | {"kl": "k3", "beta": 0.04}
    options = trl_options(slots)
    del options["use_bias_correction_kl"]
    objective, pushes, _ = _loss(ON_POLICY, _advantages(ON_POLICY), **options)
    k3 = outcome(ON_POLICY, slots, _advantages(ON_POLICY))
    k2 = outcome(ON_POLICY, slots | {"kl": "k2"}, _advantages(ON_POLICY))
    agree("TRL's default KL on policy: value is k3's", k3.objective, objective)
    agree("TRL's default KL on policy: push is k2's", k2.pushes, pushes)
    assert np.abs(k3.pushes - pushes).max() > 1e-4
    assert np.abs(k2.objective - objective) > 1e-4
    objective, _, _ = _loss(OFF_POLICY, _advantages(OFF_POLICY), **options)
    assert np.abs(outcome(OFF_POLICY, slots, _advantages(OFF_POLICY)).objective - objective) > 1e-4


def test_dr_grpo_by_its_loss_type_alone_still_divides_by_the_deviation():
    batch = OFF_POLICY
    given = harness.grpo(batch.rows, batch.group_size, loss_type="dr_grpo").prepare(batch)["advantages"].numpy()
    assert np.abs(given - advantages_of(batch, "group_normalized")).max() < 1e-2
    assert np.abs(given - advantages_of(batch, "group_mean")).max() > 0.1


def test_equal_rewards_leave_specks(agree):
    """Float32 and 1e-4: a group of 8 rewards of 0.7 gets advantages of 6e-4, and counts as one that has a spread."""
    batch = make(2, groups=2, group_size=8, case="all_equal")
    assert set(batch.rewards) == {0.7}
    drive = harness.grpo(batch.rows, batch.group_size)
    advantages = drive.prepare(batch, float64=False)["advantages"]
    assert advantages.dtype == torch.float32
    assert advantages.abs().numpy() == pytest.approx(6e-4, rel=0.02)
    assert drive.logged("frac_reward_zero_std") == 0
    assert not advantages_of(batch, "group_normalized").any()


def test_the_offset_more_than_halves_a_tiny_spread():
    batch = replace(make(1, groups=2, group_size=2), rewards=np.array([0.5, 0.5001, 0.0, 1.0]))
    given = harness.grpo(batch.rows, batch.group_size).prepare(batch)["advantages"].numpy()
    assert abs(given[1]) < 0.5 * abs(given[3])


def test_the_bound_of_cispo_is_epsilon_high_itself_and_by_default_epsilon(agree):
    slots = PRESETS["cispo"]
    for options, bound in (({}, 0.2), ({"epsilon_high": 0.28}, 0.28), ({"epsilon_high": 5.0}, 5.0)):
        _, pushes, _ = _loss(OFF_POLICY, _advantages(OFF_POLICY), loss_type="cispo", **options)
        ours = outcome(OFF_POLICY, slots | {"epsilon_high": bound - 1}, _advantages(OFF_POLICY))
        agree("CISPO by TRL's bound: push", ours.pushes, pushes)


def test_what_cispo_logs_leaves_out_negative_advantages():
    ours = outcome(OFF_POLICY, PRESETS["cispo"], _advantages(OFF_POLICY))
    _, _, drive = _loss(OFF_POLICY, _advantages(OFF_POLICY), **trl_options(PRESETS["cispo"]))
    bounded = ours.clip_states == 2
    positive = _advantages(OFF_POLICY) > 0
    assert drive.logged("cispo_clip_ratio") == pytest.approx(np.mean(bounded & positive))
    assert np.mean(bounded & positive) < np.mean(bounded)


def test_a_minibatch_of_dapo_is_divided_by_the_mean_number_of_tokens_of_the_minibatches(agree):
    """The engine, as verl, divides by the tokens of the minibatch itself; so does TRL's `bnpo`."""
    whole, size = OFF_POLICY, OFF_POLICY.rows // 2
    tokens = whole.offsets[size]
    half = replace(
        whole,
        offsets=whole.offsets[: size + 1],
        truncated=whole.truncated[:size],
        rewards=whole.rewards[:size],
        log_probs=whole.log_probs[:tokens],
        old_log_probs=whole.old_log_probs[:tokens],
        ref_log_probs=whole.ref_log_probs[:tokens],
    )
    advantages = _advantages(half)
    ours = outcome(half, PRESETS["dapo"], advantages)
    for loss_type, factor in (("dapo", 2 * tokens / whole.offsets[-1]), ("bnpo", 1.0)):
        options = trl_options(PRESETS["dapo"]) | {"loss_type": loss_type}
        drive = harness.grpo(size, whole.group_size, steps_per_generation=2, **options)
        # The old and reference log-probabilities are asked for in pieces of one minibatch.
        drive.trainer.args.per_device_train_batch_size = whole.rows
        first = split_tensor_dict(drive.prepare(whole) | {"advantages": whole.padded(_advantages(whole))}, 2)[0]
        width = int(whole.lengths.max())
        assert half.lengths.max() == width
        _, pushes = drive.loss(half, first | {"advantages": half.padded(advantages)})
        agree(f"half a batch as {loss_type}: push", ours.pushes * factor, pushes)
        assert (abs(factor - 1) > 0.01) == (loss_type == "dapo")


def test_the_ratio_of_rloo_is_the_whole_response_s_without_a_root(agree):
    """On policy its push is ours with another constant: responses instead of tokens. Off policy it is another one."""
    for batch in (ON_POLICY, OFF_POLICY):
        drive = harness.rloo(batch.rows, batch.group_size, beta=0.0, epsilon=1e9)
        _, theirs = drive.loss(batch, drive.prepare(batch))
        advantages = batch.per_token(advantages_of(batch, "leave_one_out"))
        drift = np.add.reduceat(batch.log_probs - batch.old_log_probs, batch.offsets[:-1])
        agree("RLOOTrainer by hand: push", batch.per_token(np.exp(drift)) * advantages / batch.rows, theirs)
        ours = outcome(batch, PRESETS["rloo"] | {"clip": "none"}, advantages).pushes * batch.lengths.sum() / batch.rows
        if batch is ON_POLICY:
            agree("RLOO on policy, up to a constant: push", ours, theirs)
        else:
            assert np.abs(ours - theirs).max() > 0.1


def test_rloo_pays_for_k1_in_the_reward_summed_over_the_response(agree):
    batch = OFF_POLICY
    drive = harness.rloo(batch.rows, batch.group_size, beta=0.05)
    k1 = np.add.reduceat(batch.old_log_probs - batch.ref_log_probs, batch.offsets[:-1])
    paid = replace(batch, rewards=batch.rewards - 0.05 * k1)
    theirs = drive.prepare(batch)["advantages"].numpy()
    agree("leave_one_out with k1 in the reward", advantages_of(paid, "leave_one_out"), theirs)


def test_with_one_iteration_the_ratio_is_one_whatever_the_policy_did():
    drive = harness.grpo(OFF_POLICY.rows, OFF_POLICY.group_size, loss_type="grpo", num_iterations=1)
    inputs = drive.prepare(OFF_POLICY)
    assert "old_per_token_logps" not in inputs
    drive.loss(OFF_POLICY, inputs)
    assert drive.logged("clip_ratio/region_mean") == 0


def test_delta_takes_the_gradient_of_large_ratios_at_negative_advantages():
    advantages = _advantages(OFF_POLICY)
    ratio = np.exp(OFF_POLICY.log_probs - OFF_POLICY.old_log_probs)
    _, plain, _ = _loss(OFF_POLICY, advantages, loss_type="grpo")
    _, capped, _ = _loss(OFF_POLICY, advantages, loss_type="grpo", delta=1.5)
    beyond = (ratio > 1.5) & (advantages < 0)
    assert beyond.any()
    assert not capped[beyond].any()
    assert plain[beyond].all()
    assert np.array_equal(capped[~beyond], plain[~beyond])


def _pair_loss(loss_type, lengths, margins, **options):
    """TRL's loss of one pair: completions of two lengths, each of whose tokens gained so much over the reference."""
    trainer = harness.dpo(loss_type=loss_type, **options)
    width = max(lengths)
    mask = torch.tensor([[0] + [1] * length + [0] * (width - length) for length in lengths])
    trainer.model.log_probs = mask[:, 1:] * torch.tensor(margins, dtype=torch.float64)[:, None]
    trainer.ref_model.log_probs = torch.zeros(2, width, dtype=torch.float64)
    ids = torch.ones_like(mask)
    inputs = {"input_ids": ids, "attention_mask": ids, "completion_mask": mask}
    return trainer.compute_loss(trainer.model, inputs).item()


def test_ipo_takes_means_over_tokens_where_dpo_takes_sums(agree):
    beta, lengths, margins = 0.1, (3, 7), (0.4, -0.2)
    ipo = (margins[0] - margins[1] - 1 / (2 * beta)) ** 2
    agree("IPO of TRL, by means: loss", ipo, _pair_loss("ipo", lengths, margins, beta=beta))
    total = lengths[0] * margins[0] - lengths[1] * margins[1]
    sigmoid = np.log1p(np.exp(-beta * total))
    agree("DPO of TRL, by sums: loss", sigmoid, _pair_loss("sigmoid", lengths, margins, beta=beta))


def test_the_sigmoid_loss_ignores_label_smoothing():
    """So that cDPO is gone; `robust` is what still reads it."""
    pair = (3, 7), (0.4, -0.2)
    assert _pair_loss("sigmoid", *pair, label_smoothing=0.3) == _pair_loss("sigmoid", *pair)
    assert _pair_loss("robust", *pair, label_smoothing=0.3) != _pair_loss("robust", *pair)
