"""What a policy is worth, exactly: probabilities of the 21 states after every token, for every prompt.

Nothing is sampled. A response is a walk through the states; the probability of each state is carried forward token by
token up to the length limit, and every metric is a sum of these probabilities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled import kernel
from .policy import log_policy
from .problems import FAMILY_NAMES
from .transitions import DONE_BAD, DONE_OK, GUESSED_RIGHT, GUESSED_WRONG, START, STATES
from .vocabulary import CONTEXTS, EOS, TOKENS
from .world import World

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

PASS_AT = (1, 4, 16, 64, 256)

EVALUATION_METRICS: dict[str, str] = {
    "train_accuracy": "probability that a response is right, mean over train prompts",
    "held_out_accuracy": "the same over held-out prompts",
    "generalization_gap": "train_accuracy less held_out_accuracy",
    "response_length": "expected tokens of a response, <eos> included, mean over train prompts",
    "right_response_length": "the same of right responses: mean over the train prompts that can be answered rightly",
    "wrong_response_length": "the same of wrong responses: mean over the train prompts that can be answered wrongly",
    "truncated": "probability of no <eos> within the length limit, mean over train prompts",
    "guess_share": "probability that a response guesses, mean over train prompts",
    **{f"train_accuracy_{name}": f"train_accuracy of the family {name}" for name in FAMILY_NAMES},
    **{f"held_out_accuracy_{name}": f"held_out_accuracy of the family {name}" for name in FAMILY_NAMES},
    **{f"pass_at_{k}": f"probability that one of {k} responses is right, mean over train prompts" for k in PASS_AT},
    **{f"held_out_pass_at_{k}": f"pass_at_{k} over held-out prompts" for k in PASS_AT},
}
"""Metrics of a policy and what they mean; lengths are in tokens. A length is not a number when no prompt has one."""

_MOST_EDGES = STATES * TOKENS

# Places in what is calculated per prompt.
_RIGHT, _WRONG, _RIGHT_TOKENS, _WRONG_TOKENS, _TRUNCATED, _GUESSED = range(6)
_OUTCOMES = 6


class PromptOutcomes(NamedTuple):
    """What responses to each prompt are like, ``(S, P)`` each, prompts as in the world's rows.

    Attributes:
        right: probability of a right response.
        wrong: probability of a wrong response, one that is cut off included.
        right_tokens: expected tokens, counting right responses only; ``right_tokens / right`` is their mean length.
        wrong_tokens: the same for wrong responses.
        truncated: probability of reaching the length limit without ``<eos>``.
        guessed: probability of a guess.
    """

    right: FloatArray
    wrong: FloatArray
    right_tokens: FloatArray
    wrong_tokens: FloatArray
    truncated: FloatArray
    guessed: FloatArray


def evaluate(
    world: World, family_logits: FloatArray, prompt_logits: FloatArray, max_completion_length: int
) -> dict[str, FloatArray]:
    """The metrics of S policies, ``(S,)`` each: `EVALUATION_METRICS`.

    ``family_logits`` is ``(S, 4, 6, 12)``, ``prompt_logits`` ``(S, train_prompts, 6, 12)``; see
    :mod:`simulator.engine.reasoning.policy`.
    """
    outcomes = outcomes_by_prompt(world, family_logits, prompt_logits, max_completion_length)
    splits = {"train": slice(None, world.train_prompts), "held_out": slice(world.train_prompts, None)}
    accuracy = {name: _mean(outcomes.right[:, rows]) for name, rows in splits.items()}
    train = PromptOutcomes(*(values[:, splits["train"]] for values in outcomes))
    metrics = {
        "train_accuracy": accuracy["train"],
        "held_out_accuracy": accuracy["held_out"],
        "generalization_gap": accuracy["train"] - accuracy["held_out"],
        "response_length": _mean(train.right_tokens + train.wrong_tokens),
        "right_response_length": _mean_length(train.right_tokens, train.right),
        "wrong_response_length": _mean_length(train.wrong_tokens, train.wrong),
        "truncated": _mean(train.truncated),
        "guess_share": _mean(train.guessed),
    }
    for split, rows in splits.items():
        right, family = outcomes.right[:, rows], world.family[rows]
        for number, name in enumerate(FAMILY_NAMES):
            metrics[f"{split}_accuracy_{name}"] = _mean(right[:, family == number])
        for k in PASS_AT:
            name = f"pass_at_{k}" if split == "train" else f"held_out_pass_at_{k}"
            metrics[name] = accuracy[split] if k == 1 else _mean(pass_at(right, k))
    return {name: metrics[name] for name in EVALUATION_METRICS}


def outcomes_by_prompt(
    world: World, family_logits: FloatArray, prompt_logits: FloatArray, max_completion_length: int
) -> PromptOutcomes:
    """What responses to each prompt are like under S policies; arguments as of :func:`evaluate`."""
    out = np.empty((_OUTCOMES, len(family_logits), world.prompt_id.size))
    calculate_outcomes(world, family_logits, prompt_logits, max_completion_length, out)
    return PromptOutcomes(*out)


def pass_at(right: FloatArray, k: int) -> FloatArray:
    """The probability that at least one of k responses is right, from that of one (Chen et al. 2021, pass@k)."""
    failing: FloatArray = np.maximum(1.0 - right, 0.0) ** k  # rounding can make a certain success a little more
    return 1.0 - failing


def _mean(values: FloatArray) -> FloatArray:
    """The mean over prompts, ``(S, P)`` to ``(S,)``, added in the same order whatever S is."""
    means: FloatArray = np.ascontiguousarray(values).sum(axis=1) / values.shape[1]
    return means


def _mean_length(tokens: FloatArray, probability: FloatArray) -> FloatArray:
    """The mean over prompts of their mean lengths, ``(S,)``; prompts without such responses have none."""
    exists = probability > 0.0
    lengths = np.divide(tokens, probability, out=np.zeros(tokens.shape), where=exists)
    counts = exists.sum(axis=1)
    means: FloatArray = np.divide(lengths.sum(axis=1), counts, out=np.full(len(tokens), np.nan), where=counts > 0)
    return means


@kernel
def calculate_outcomes(
    world: World, family_logits: FloatArray, prompt_logits: FloatArray, max_completion_length: int, out: FloatArray
) -> None:
    """Fill ``out``, ``(6, S, P)``: see :class:`PromptOutcomes`."""
    log_probabilities, probabilities = np.empty((CONTEXTS, TOKENS)), np.empty((CONTEXTS, TOKENS))
    edges = np.empty((2, _MOST_EDGES), np.int64)
    chances = np.empty(_MOST_EDGES)
    scratch = np.empty((3, STATES))
    for s in range(family_logits.shape[0]):
        for p in range(world.prompt_id.size):
            log_policy(world, family_logits[s], prompt_logits[s], p, log_probabilities, probabilities)
            count = collect_edges(world.next_state[p], world.context_of[p], probabilities, edges, chances)
            walk(count, edges, chances, max_completion_length, scratch, out[:, s, p])


@kernel
def collect_edges(
    next_state: IntArray, context_of: IntArray, probabilities: FloatArray, edges: IntArray, chances: FloatArray
) -> int:
    """List which state leads where with which probability, tokens that do the same taken together; their number."""
    total = np.zeros(STATES)
    count = 0
    for state in range(DONE_OK):
        if next_state[state, EOS] == state:  # the prompt never gets into this state
            continue
        row = probabilities[context_of[state]]
        for v in range(TOKENS):
            total[next_state[state, v]] += row[v]
        for v in range(TOKENS):
            following = next_state[state, v]
            if total[following] > 0.0:
                edges[0, count], edges[1, count], chances[count] = state, following, total[following]
                total[following] = 0.0
                count += 1
    return count


@kernel
def walk(
    count: int, edges: IntArray, chances: FloatArray, max_completion_length: int, scratch: FloatArray, out: FloatArray
) -> None:
    """Carry the probabilities of the states forward to the length limit, and add up what becomes of responses."""
    before, after, visits = scratch[0], scratch[1], scratch[2]
    out[:] = 0.0
    before[:] = 0.0
    before[START] = 1.0
    visits[:] = 0.0
    for length in range(1, max_completion_length + 1):
        after[:] = 0.0
        for e in range(count):
            after[edges[1, e]] += before[edges[0, e]] * chances[e]
        for state in range(DONE_OK):
            visits[state] += before[state]
        out[_RIGHT] += after[DONE_OK]
        out[_WRONG] += after[DONE_BAD]
        out[_RIGHT_TOKENS] += length * after[DONE_OK]
        out[_WRONG_TOKENS] += length * after[DONE_BAD]
        before, after = after, before
    for state in range(DONE_OK):
        out[_TRUNCATED] += before[state]
    out[_WRONG] += out[_TRUNCATED]
    out[_WRONG_TOKENS] += max_completion_length * out[_TRUNCATED]
    for e in range(count):
        guesses = edges[1, e] in (GUESSED_RIGHT, GUESSED_WRONG)
        if guesses and edges[0, e] < GUESSED_RIGHT:
            out[_GUESSED] += visits[edges[0, e]] * chances[e]
