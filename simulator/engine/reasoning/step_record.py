"""One step of a run as plain arrays: what its responses said and what each update did with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .setup import ReasoningSetup

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Int8Array = npt.NDArray[np.int8]
BoolArray = npt.NDArray[np.bool_]

NO_TOKEN = -1
"""In arrays of whole numbers: there is no token at this place."""


@dataclass(frozen=True, eq=False, slots=True)
class StepRecord:
    """One step of one run: B prompts, G responses of each, T tokens of the longest one, K optimiser updates.

    Arrays ``(B, G, T)`` and ``(K, B, G, T)`` hold nan, those of whole numbers -1, behind the last token of a response,
    and in updates that a minibatch did not take part in.

    Attributes:
        setup, seed, step: which step this is; steps count from 1.
        diverged_at: the step in which the run diverged, or 0. K counts the updates that were made, so it is smaller
            in that step, and 0 in later ones.
        sampled_responses: by the run so far, this step included.
        metrics: the metrics of `STEP_METRICS` in this step.
        prompt_rows: the prompts' rows in the world, ``(B,)``.
        prompt_ids: their numbers, the same in every setup, ``(B,)``.
        families: 0 sums, 1 carries, 2 chains, 3 words, ``(B,)``.
        visits: how many times each prompt had come up before, ``(B,)``.
        prompt_texts: B texts.
        is_filler: dynamic sampling found too few groups and this one fills the batch, with no advantage, ``(B,)``.
        discarded: the groups that were sampled and not trained on.
        lengths: tokens, ``(B, G)``.
        tokens: roles in vocabulary order, ``(B, G, T)``.
        contexts: what the policy saw before each token, in the order of `CONTEXT_NAMES`, ``(B, G, T)``.
        texts: ``texts[b][i][t]`` is what a token says.
        is_correct, is_truncated, is_masked: ``(B, G)``; a masked response weighs nothing.
        rewards: their sum, ``(B, G)``.
        reward_parts: what the rewards consist of, ``(B, G)`` each: verified, format, length, overlong, kl.
        old_log_probs: by the policy that sampled, nats, ``(B, G, T)``.
        ref_log_probs: by the reference policy, nats, ``(B, G, T)``.
        entropies: of the policy that sampled, nats, ``(B, G, T)``.
        advantages: ``(B, G, T)``.
        weights: of the token in its update's objective, ``(B, G, T)``.
        token_rewards, values, returns: what the critic's advantages were made from, ``(B, G, T)``; None without one.
        learning_rates: ``(K,)``.
        objective: J before each update, ``(K,)``: the sum of ``weights * objectives``.
        grad_norm: before clipping, ``(K,)``.
        log_probs: by the policy before the update, nats, ``(K, B, G, T)``.
        ratios: ``(K, B, G, T)``.
        clip_states: 0 tie, 1 unclipped, 2 clipped high, 3 clipped low, ``(K, B, G, T)``.
        token_kls: the KL estimate that the objective, or the reward, contains, without beta, nats, ``(K, B, G, T)``.
        objectives: the token's term of J, ``(K, B, G, T)``.
        pushes: derivative of J by the token's log-probability, ``(K, B, G, T)``.
    """

    setup: ReasoningSetup
    seed: int
    step: int
    diverged_at: int
    sampled_responses: int
    metrics: dict[str, float]
    prompt_rows: IntArray
    prompt_ids: IntArray
    families: IntArray
    visits: IntArray
    prompt_texts: tuple[str, ...]
    is_filler: BoolArray
    discarded: tuple[DiscardedGroup, ...]
    lengths: IntArray
    tokens: IntArray
    contexts: IntArray
    texts: tuple[tuple[tuple[str, ...], ...], ...]
    is_correct: BoolArray
    is_truncated: BoolArray
    is_masked: BoolArray
    rewards: FloatArray
    reward_parts: dict[str, FloatArray]
    old_log_probs: FloatArray
    ref_log_probs: FloatArray
    entropies: FloatArray
    advantages: FloatArray
    weights: FloatArray
    token_rewards: FloatArray | None
    values: FloatArray | None
    returns: FloatArray | None
    learning_rates: FloatArray
    objective: FloatArray
    grad_norm: FloatArray
    log_probs: FloatArray
    ratios: FloatArray
    clip_states: Int8Array
    token_kls: FloatArray
    objectives: FloatArray
    pushes: FloatArray


@dataclass(frozen=True, slots=True)
class DiscardedGroup:
    """A group that was sampled and not trained on: its prompt, and how many of its responses the verifier called
    right."""

    prompt_row: int
    prompt_id: int
    prompt_text: str
    visit: int
    verified: int
