"""A step that is looked into is the step that was trained, and its parts fit together."""

import numpy as np
import pytest

from simulator.engine import SetupError, inspect_step, parse_setup, simulate
from simulator.engine.algorithms import PRESETS
from simulator.engine.reasoning.run import Run


def setup_of(algorithm, **changes):
    return parse_setup({"world": "reasoning", "algorithm": algorithm, "steps": 20} | changes)


@pytest.mark.parametrize("algorithm", PRESETS)
def test_the_parts_fit_together(algorithm):
    setup = setup_of(algorithm, minibatches=2, length_coefficient=0.1, format_coefficient=0.2)
    step = inspect_step(setup, 1, 8)
    updates = 2 * setup.num_iterations
    prompts, size, longest = step.tokens.shape
    assert (prompts, size, longest) == (8, 8, step.lengths.max())
    assert step.pushes.shape == (updates, prompts, size, longest)

    is_token = np.arange(longest) < step.lengths[..., None]
    assert ((step.tokens >= 0) == is_token).all() and ((step.contexts >= 0) == is_token).all()
    for values in (step.old_log_probs, step.ref_log_probs, step.entropies, step.advantages, step.weights):
        assert (np.isfinite(values) == is_token).all()
    in_update = np.zeros((updates, prompts), bool)
    in_update[::2, :4] = in_update[1::2, 4:] = True
    expected = is_token & in_update[:, :, None, None]
    for values in (step.log_probs, step.ratios, step.objectives, step.pushes, step.token_kls):
        assert (np.isfinite(values) == expected).all()
    assert ((step.clip_states >= 0) == expected).all()

    assert step.objective == pytest.approx(np.nansum(step.weights * step.objectives, axis=(1, 2, 3)), abs=1e-14)
    assert sum(step.reward_parts.values()) == pytest.approx(step.rewards, abs=1e-15)
    ratios = step.log_probs - step.old_log_probs
    if setup.importance_ratio == "sequence":
        ratios = np.broadcast_to(np.nanmean(np.where(expected, ratios, 0.0), axis=-1, keepdims=True), expected.shape)
        ratios = ratios * longest / step.lengths[..., None]
    assert np.log(step.ratios[expected]) == pytest.approx(ratios[expected], abs=1e-12)
    assert (step.log_probs[0, :4][is_token[:4]] == step.old_log_probs[:4][is_token[:4]]).all()
    for b, i in np.ndindex(prompts, size):
        length = step.lengths[b, i]
        assert len(step.texts[b][i]) == length
        ended = step.texts[b][i][-1] == "<eos>"
        assert ended != step.is_truncated[b, i] and (ended or length == 24)
    if setup.advantage == "gae":
        assert (step.returns - step.values)[is_token] == pytest.approx(step.advantages[is_token], abs=1e-15)
    else:
        assert step.returns is None and step.values is None and step.token_rewards is None


@pytest.mark.parametrize("algorithm", ["dapo", "ppo", "gspo"])
def test_it_is_the_step_that_was_trained(algorithm):
    setup = setup_of(algorithm)
    run = simulate(setup, [6], history=True)
    for number in (1, 7, 20):
        step = inspect_step(setup, 6, number)
        assert step.metrics == {name: values[0, number - 1] for name, values in run.history.items()}
        assert step.sampled_responses == run.history["sampled"][0, number - 1]
        tokens = step.lengths.sum()
        clipped = (step.clip_states >= 2).sum() / (len(step.objective) * tokens)
        assert step.metrics["clip_fraction"] == pytest.approx(clipped, abs=1e-15)
        assert step.metrics["entropy"] == pytest.approx(np.nansum(step.entropies) / tokens, rel=1e-12)
        assert step.metrics["importance_sampling_ratio"] == pytest.approx(np.nanmean(step.ratios), rel=1e-12)
        assert step.metrics["accuracy"] == step.is_correct.mean()
        assert step.metrics["reward"] == pytest.approx(step.rewards.mean(), rel=1e-12)
        assert step.metrics["policy_objective"] == step.objective[0]
        assert step.metrics["grad_norm"] == step.grad_norm[0]


def test_looking_changes_nothing():
    setup = setup_of("ppo")
    plain, watched = Run(setup, 3), Run(setup, 3)
    plain.train_to(20, measured_from=20)
    watched.record(9)
    watched.train_to(20, measured_from=20)
    for mine, theirs in zip(plain.learner, watched.learner, strict=True):
        assert np.array_equal(mine, theirs)


def test_masked_responses_weigh_nothing():
    setup = setup_of("custom", overlong="filter", max_completion_length=6, aggregation="per_token")
    step = inspect_step(setup, 0, 2)
    assert step.is_masked.any() and (step.is_masked == step.is_truncated).all()
    assert (step.weights[step.is_masked] == 0.0).all() and (step.pushes[:, step.is_masked] == 0.0).all()
    unmasked = step.lengths[~step.is_masked].sum()
    assert np.nanmax(step.weights) == 1 / unmasked


def test_prompts_and_texts():
    step = inspect_step(setup_of("grpo"), 0, 1)
    assert all(text.endswith("= ?") or "apples" in text for text in step.prompt_texts)
    assert (step.prompt_ids % 4 == step.families).all() and (step.visits == 0).all()
    said = [step.texts[b][i] for b, i in zip(*np.nonzero(step.is_correct), strict=True)]
    assert said, "a right response answers or guesses before it ends"
    assert all(any(text.startswith(("answer ", "it's ")) for text in texts[:-1]) for texts in said)


@pytest.mark.parametrize(
    ("seed", "step", "field"), [(0, 0, "step"), (0, 21, "step"), (-1, 1, "seed"), (2**32, 1, "seed")]
)
def test_there_is_no_such_step(seed, step, field):
    with pytest.raises(SetupError) as refused:
        inspect_step(setup_of("grpo"), seed, step)
    assert refused.value.field == field
