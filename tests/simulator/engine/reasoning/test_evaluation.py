"""The exact evaluation: against the specification, matrix powers, and sampling."""

import math

import numpy as np
import pytest

from simulator.engine.reasoning.evaluation import EVALUATION_METRICS, evaluate, outcomes_by_prompt, pass_at
from simulator.engine.reasoning.transitions import GUESSED_RIGHT, GUESSED_WRONG
from simulator.engine.reasoning.world import DONE_BAD, DONE_OK, STATES, TOKENS, load_world

WORLD = load_world(32, 0)
NO_FAMILY, NO_PROMPT = np.zeros((1, 4, 6, 12)), np.zeros((1, 32, 6, 12))


def moved(policies, spread=1.0):
    """Policies away from the reference."""
    generator = np.random.default_rng(8)
    return generator.normal(0, spread, (policies, 4, 6, 12)), generator.normal(0, spread, (policies, 32, 6, 12))


def probabilities(family_logits, prompt_logits):
    """The policy by its definition, `(P, 6, 12)`."""
    logits = WORLD.reference_logits + family_logits[WORLD.family]
    logits[:32] += prompt_logits
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def test_golden():
    metrics = {name: float(values[0]) for name, values in evaluate(WORLD, NO_FAMILY, NO_PROMPT, 24).items()}
    assert metrics["train_accuracy"] == pytest.approx(0.30654836, abs=5e-9)
    assert metrics["held_out_accuracy"] == pytest.approx(0.31651182, abs=5e-9)
    assert metrics["response_length"] == pytest.approx(5.46997160, abs=5e-9)
    assert metrics["wrong_response_length"] == pytest.approx(5.47, abs=0.005)
    families = [metrics[f"train_accuracy_{name}"] for name in ("sums", "carries", "chains", "words")]
    assert families == pytest.approx([0.69, 0.035, 0.16, 0.34], abs=0.005)
    held_out = [metrics[f"held_out_pass_at_{k}"] for k in (1, 4, 16, 64, 256)]
    assert held_out == pytest.approx([0.317, 0.606, 0.825, 0.961, 1.000], abs=0.0005)
    assert metrics["pass_at_1"] == metrics["train_accuracy"]
    assert metrics["generalization_gap"] == metrics["train_accuracy"] - metrics["held_out_accuracy"]
    right = outcomes_by_prompt(WORLD, NO_FAMILY, NO_PROMPT, 24).right[0, 35::4]
    words = [pass_at(right, k).mean() for k in (1, 4, 16, 64, 256)]
    assert words == pytest.approx([0.346, 0.779, 0.983, 1, 1], abs=0.0005)
    assert evaluate(WORLD, NO_FAMILY, NO_PROMPT, 8)["truncated"] == pytest.approx(0.131, abs=0.0005)


@pytest.mark.parametrize("limit", [6, 24])
def test_against_matrix_powers(limit):
    family_logits, prompt_logits = moved(2)
    outcomes = outcomes_by_prompt(WORLD, family_logits, prompt_logits, limit)
    for s in range(2):
        policy = probabilities(family_logits[s], prompt_logits[s])
        for p in range(64):
            chain = np.zeros((STATES, STATES))
            guesses = np.zeros(STATES)
            for state in range(DONE_OK):
                for token in range(TOKENS):
                    chance = policy[p, WORLD.context_of[p, state], token]
                    following = WORLD.next_state[p, state, token]
                    chain[state, following] += chance
                    if following in (GUESSED_RIGHT, GUESSED_WRONG) and state not in (GUESSED_RIGHT, GUESSED_WRONG):
                        guesses[state] += chance
            chain[DONE_OK, DONE_OK] = chain[DONE_BAD, DONE_BAD] = 1
            walks = np.array([np.linalg.matrix_power(chain, t)[0] for t in range(limit + 1)])  # (T + 1, 21)
            ended = np.diff(walks[:, [DONE_OK, DONE_BAD]], axis=0)
            tokens = np.arange(1, limit + 1)
            left = walks[-1, :DONE_OK].sum()
            expected = {
                "right": walks[-1, DONE_OK],
                "wrong": walks[-1, DONE_BAD] + left,
                "right_tokens": tokens @ ended[:, 0],
                "wrong_tokens": tokens @ ended[:, 1] + limit * left,
                "truncated": left,
                "guessed": (walks[:-1] @ guesses).sum(),
            }
            found = {name: values[s, p] for name, values in outcomes._asdict().items()}
            assert found == pytest.approx(expected, rel=1e-10, abs=1e-13)


def test_against_sampling():
    limit, responses = 8, 131072
    generator = np.random.default_rng(0)
    family_logits, prompt_logits = moved(1, spread=0.5)
    outcomes = outcomes_by_prompt(WORLD, family_logits, prompt_logits, limit)
    cumulative = probabilities(family_logits[0], prompt_logits[0]).cumsum(axis=-1)
    prompts = np.repeat(np.arange(64), responses // 64)
    state, length = np.zeros(responses, np.int64), np.zeros(responses, np.int64)
    for _ in range(limit):
        rows = cumulative[prompts, WORLD.context_of[prompts, state]]
        tokens = np.minimum((generator.random(responses)[:, None] >= rows).sum(axis=1), TOKENS - 1)
        going = state < DONE_OK
        length += going
        state = np.where(going, WORLD.next_state[prompts, state, tokens], state)

    right, truncated = state == DONE_OK, state < DONE_OK
    for exact, sampled in (
        (outcomes.right, right),
        (outcomes.wrong, ~right),
        (outcomes.truncated, truncated),
        (outcomes.right_tokens, length * right),
        (outcomes.right_tokens + outcomes.wrong_tokens, length),
    ):
        # Prompts are strata, so the error is that of the mean within them.
        within = sampled.reshape(64, -1)
        error = math.sqrt(within.var(axis=1).mean() / responses)
        assert abs(exact.mean() - sampled.mean()) < 4 * error
        assert error < 0.01


def test_every_policy_by_itself():
    family_logits, prompt_logits = moved(3)
    together = evaluate(WORLD, family_logits, prompt_logits, 12)
    assert list(together) == list(EVALUATION_METRICS)
    for s in range(3):
        alone = evaluate(WORLD, family_logits[s : s + 1], prompt_logits[s : s + 1], 12)
        assert {name: values[s] for name, values in together.items()} == {name: v[0] for name, v in alone.items()}


def test_held_out_prompts_have_no_logits_of_their_own():
    family_logits, prompt_logits = moved(1)
    before = outcomes_by_prompt(WORLD, family_logits, NO_PROMPT, 24)
    after = outcomes_by_prompt(WORLD, family_logits, prompt_logits, 24)
    assert (before.right[:, 32:] == after.right[:, 32:]).all()
    assert (before.right[:, :32] != after.right[:, :32]).all()


@pytest.mark.parametrize("size", [8, 64])
def test_other_numbers_of_train_prompts(size):
    metrics = evaluate(load_world(size, 0), NO_FAMILY, np.zeros((1, size, 6, 12)), 24)
    expected = evaluate(WORLD, NO_FAMILY, NO_PROMPT, 24)
    assert metrics["held_out_accuracy"] == expected["held_out_accuracy"]
    assert 0.2 < metrics["train_accuracy"][0] < 0.4


def test_a_policy_that_is_never_right_has_no_length_when_right():
    family_logits = NO_FAMILY.copy()
    family_logits[..., 11] = 2000.0  # ends at once
    metrics = evaluate(WORLD, family_logits, NO_PROMPT, 24)
    assert metrics["train_accuracy"] == [0]
    assert metrics["response_length"] == metrics["wrong_response_length"] == [1]
    assert np.isnan(metrics["right_response_length"]).all()
    assert metrics["pass_at_256"] == [0]
