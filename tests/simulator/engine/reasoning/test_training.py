"""Training at the edges: tiny groups, equal rewards, cut-off responses, odd batches, runs that diverge."""

import numpy as np
import pytest
from numba.core import event

from simulator.engine import inspect_step, parse_setup, simulate
from simulator.engine.algorithms import PRESETS
from simulator.engine.reasoning.metrics import STEP_METRICS
from simulator.engine.reasoning.run import FINAL_METRICS, Run
from simulator.engine.reasoning.vocabulary import EOS
from simulator.engine.warm import warm

GROUP_ADVANTAGES = ("group_normalized", "group_mean", "leave_one_out")


def setup_of(**changes):
    return parse_setup({"world": "reasoning", "algorithm": "custom", "steps": 12} | changes)


def trained(seeds=(0, 1), **changes):
    return simulate(setup_of(**changes), list(seeds), history=True)


def at_the_reference(run):
    return all(np.ptp(values) == 0.0 for values in (run.evaluations["train_accuracy"], run.evaluations["truncated"]))


def test_shapes():
    run = trained(steps=13)
    assert run.steps.tolist() == list(range(1, 14)) and run.evaluated_steps.tolist() == [0, 5, 10, 13]
    assert tuple(run.final) == FINAL_METRICS and all(values.shape == (2,) for values in run.final.values())
    assert tuple(run.history) == tuple(STEP_METRICS) and all(v.shape == (2, 13) for v in run.history.values())
    assert all(values.shape == (2, 4) for values in run.evaluations.values())
    assert run.evaluations.keys() == run.final.keys() - {"entropy", "kl"}
    for name, values in run.evaluations.items():
        assert np.array_equal(values[:, -1], run.final[name]), name
    assert run.final["kl"] == pytest.approx(run.history["kl"][:, -5:].mean(axis=1), abs=1e-15)
    assert run.sampled_responses.tolist() == [13 * 64, 13 * 64] and run.diverged_at.tolist() == [0, 0]
    bare = simulate(setup_of(steps=13), [0, 1])
    assert bare.history is None and bare.evaluations is None


@pytest.mark.parametrize("algorithm", PRESETS)
def test_all_numbers_are_finite_and_in_their_range(algorithm):
    run = trained(range(3), algorithm=algorithm, steps=30)
    history = run.history
    assert all(np.isfinite(values).all() for name, values in history.items() if name != "length_wrong")
    assert all(np.isfinite(values).all() for values in run.final.values())
    for name in ("accuracy", "frac_zero_std", "truncated", "clip_fraction", "dynamic_sampling_pass_rate"):
        assert ((history[name] >= 0.0) & (history[name] <= 1.0)).all(), name
    assert (history["kl"] >= 0.0).all() and (history["kl_k3"] >= 0.0).all()
    for name in ("kl", "kl_k1", "kl_k3"):
        assert (history[name][:, 0] == 0.0).all(), "before any update the policy is the reference, to the bit"
    assert (history["sampled"][:, -1] == run.sampled_responses).all()
    assert (np.diff(history["sampled"]) >= 64).all()
    # All of these learn, whatever the seed.
    assert (run.evaluations["train_accuracy"][:, -1] > run.evaluations["train_accuracy"][:, 0] + 0.1).all()


@pytest.mark.parametrize("advantage", GROUP_ADVANTAGES)
def test_a_group_of_one_has_nothing_to_compare(advantage):
    run = trained(group_size=1, advantage=advantage)
    assert (run.history["grad_norm"] == 0.0).all() and at_the_reference(run)
    assert (run.history["frac_zero_std"] == 1.0).all() and (run.history["reward_std"] == 0.0).all()


@pytest.mark.parametrize("advantage", ["ema_baseline", "gae", "none"])
def test_a_group_of_one_is_enough_for_a_baseline(advantage):
    run = trained(group_size=1, advantage=advantage, prompts_per_step=32)
    assert not at_the_reference(run)


@pytest.mark.parametrize("advantage", GROUP_ADVANTAGES)
def test_equal_rewards_move_nothing(advantage):
    run = trained(advantage=advantage, group_size=2, prompts_per_step=2, steps=40)
    silent = run.history["frac_zero_std"] == 1.0
    assert silent.any() and (run.history["grad_norm"][silent] == 0.0).all()
    assert (run.history["grad_norm"][~silent] > 0.0).all()


def test_when_every_response_is_cut_off_masking_leaves_nothing_to_learn_from():
    for overlong in ("filter", "soft", "none"):
        run = Run(setup_of(overlong=overlong, aggregation="per_token", advantage="ema_baseline"), 0)
        run.learner.logits[:4, :, EOS] = -1e3  # no response ever ends
        before = run.learner.logits.copy()
        run.train_to(2, measured_from=1)
        metrics = dict(zip(STEP_METRICS, run.metrics[0], strict=True))
        assert metrics["truncated"] == 1.0 and metrics["accuracy"] == 0.0 and metrics["response_length"] == 24.0
        assert metrics["reward"] == (-1.0 if overlong == "soft" else 0.0)
        moved = not np.array_equal(before, run.learner.logits)
        assert moved == (overlong == "soft")
        assert run.diverged_at == 0
        if overlong == "filter":
            assert metrics["policy_objective"] == 0.0 and np.isnan(metrics["clip_fraction"])


@pytest.mark.parametrize("changes", [{"prompts_per_step": 32, "train_prompts": 8}, {"prompts_per_step": 7}], ids=str)
def test_batches_that_do_not_divide_the_train_prompts(changes):
    setup = setup_of(**changes)
    steps = [inspect_step(setup, 0, step) for step in (1, 2, 3)]
    seen = [(int(v), int(p)) for step in steps for v, p in zip(step.visits, step.prompt_ids, strict=True)]
    assert len(set(seen)) == len(seen) == 3 * setup.prompts_per_step
    # The stream goes through all prompts before any comes up again.
    for position, (visit, _) in enumerate(seen):
        assert visit == position // setup.train_prompts


def test_dynamic_sampling_fills_up_with_groups_that_teach_nothing():
    """With two responses a group hardly ever has right and wrong ones."""
    setup = setup_of(dynamic_sampling=True, overlong="soft", group_size=2, prompts_per_step=16, steps=12)
    assert setup.sampled_responses is None
    filled = False
    for step in range(1, 13):
        record = inspect_step(setup, 0, step)
        kept = ~record.is_filler
        verified = record.reward_parts["verified"].sum(axis=1)
        assert ((verified == 1) == kept).all()
        assert (np.nan_to_num(record.advantages[record.is_filler]) == 0.0).all()
        assert (np.nan_to_num(record.pushes[:, record.is_filler]) == 0.0).all()
        assert all(group.verified in (0, 2) for group in record.discarded) or not record.is_filler.any()
        rounds = (len(record.is_filler) + len(record.discarded)) / 16
        assert rounds in (1, 2) and (rounds == 2 or kept.all())
        filled = filled or record.is_filler.any()
    assert filled
    assert simulate(setup, [0]).sampled_responses[0] == record.sampled_responses <= setup.most_sampled_responses


def test_the_verifier_errs_at_its_rates():
    setup = setup_of(false_negative_rate=0.3, false_positive_rate=0.1, prompts_per_step=32, group_size=32, steps=10)
    record = inspect_step(setup, 0, 8)
    verified, correct = record.reward_parts["verified"] == 1.0, record.is_correct
    assert np.isin(record.reward_parts["verified"], (0.0, 1.0)).all()
    assert 1 - verified[correct].mean() == pytest.approx(0.3, abs=0.08)
    assert verified[~correct].mean() == pytest.approx(0.1, abs=0.05)
    assert record.metrics["accuracy"] == correct.mean(), "the verifier's errors are none of the policy's"


def test_minibatches_are_updates_of_their_own():
    whole, parts = (inspect_step(setup_of(minibatches=count, num_iterations=2), 0, 4) for count in (1, 4))
    assert whole.objective.shape == (2,) and parts.objective.shape == (8,)
    assert (parts.weights[0, 0, 0], whole.weights[0, 0, 0]) == pytest.approx(
        (1 / (16 * parts.lengths[0, 0]), 1 / (64 * whole.lengths[0, 0]))
    )


def test_kl_in_the_reward_pulls_to_the_reference():
    free, held = (trained(kl="k1", kl_in="reward", beta=beta, steps=40).final["kl"] for beta in (0.0, 0.3))
    assert (held < 0.7 * free).all()
    record = inspect_step(setup_of(kl="k1", kl_in="reward", beta=0.3, advantage="gae"), 0, 6)
    kl = np.nansum(record.token_kls[0], axis=-1)
    assert record.reward_parts["kl"] == pytest.approx(-0.3 * kl, abs=1e-12)
    assert np.nansum(record.token_rewards, axis=-1) == pytest.approx(record.rewards, abs=1e-12)


def test_a_run_that_diverges_says_when_and_keeps_its_last_policy():
    setup = setup_of(algorithm="grpo", optimizer="sgd", learning_rate=100, max_grad_norm=5)
    run = simulate(setup, range(8), history=True)
    assert (run.diverged_at > 1).any() and (run.diverged_at == 0).any()
    assert all(np.isfinite(values).all() for values in run.final.values())
    for s, step in enumerate(run.diverged_at):
        about_updates = run.history["ratio_dev"][s]
        assert np.isnan(about_updates[step:]).all() if step else np.isfinite(about_updates).all()
        assert np.isfinite(run.history["entropy"][s]).all()
    assert (run.sampled_responses == 12 * 64).all()
    s = int(np.argmax(run.diverged_at > 1))
    record = inspect_step(setup, s, int(run.diverged_at[s]))
    assert record.diverged_at == run.diverged_at[s] and len(record.objective) < 4
    assert inspect_step(setup, s, 12).pushes.shape[0] == 0


def test_one_short_run_compiles_everything():
    warm()
    with event.install_recorder("numba:compile") as compiled:
        for algorithm in PRESETS:
            for changes in ({}, {"optimizer": "sgd"}, {"kl": "k1", "kl_in": "reward", "beta": 0.1}, {"minibatches": 2}):
                setup = setup_of(algorithm=algorithm, **changes)
                simulate(setup, [0])
                inspect_step(setup, 2**32 - 1, 2)
    assert not compiled.buffer
