"""What is measured in a step: the names of the metrics, what they mean, and how they are calculated."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..compiled import inner_kernel, kernel
from ..objective.clip import CLIPPED_HIGH
from ..objective.divergence import K3, estimate
from ..objective.sampling import is_masked
from .vocabulary import CONTEXTS, TOKENS
from .workspace import OLD_LOG_PROBS, RATIOS, REF_LOG_PROBS, SAMPLED, Batch, Plan, Rollout, Updates
from .world import DONE_OK, World

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

STEP_METRICS: dict[str, str] = {
    "reward": "mean reward of the batch's responses, every term included",
    "accuracy": "share of the batch's responses that are right",
    "reward_std": "mean over groups of the standard deviation of rewards, with G - 1; 0 for G = 1",
    "frac_zero_std": "share of groups whose rewards are all equal",
    "response_length": "mean tokens of a response, <eos> included",
    "length_wrong": "mean tokens of a wrong response; not a number when there is none",
    "truncated": "share of responses cut off at the length limit",
    "policy_objective": "J in the first epoch, before its update",
    "grad_norm": "norm of the gradient in the first epoch, before clipping",
    "entropy": "exact entropy of the sampling policy where it went, mean over tokens, nats",
    "kl": "exact KL of the sampling policy from the reference where it went, mean over tokens, nats",
    "kl_k1": "the estimate of kl from the sampled tokens alone: log-ratio",
    "kl_k3": "the estimate of kl from the sampled tokens alone, never negative",
    "clip_fraction": "share of tokens whose gradient the clip removes (CISPO: bounds), mean over updates",
    "importance_sampling_ratio": "mean ratio of a token, over all updates",
    "ratio_dev": "mean distance of the ratio from 1, over all updates",
    "dynamic_sampling_pass_rate": "share of the sampled groups that dynamic sampling keeps",
    "sampled": "responses sampled so far, those that a filter throws away included",
    "lr": "learning rate of the step's first update",
}
"""Metrics of one training step and what they mean. Those about updates are not a number once a run has diverged."""

(
    REWARD,
    ACCURACY,
    REWARD_STD,
    FRAC_ZERO_STD,
    RESPONSE_LENGTH,
    LENGTH_WRONG,
    TRUNCATED,
    POLICY_OBJECTIVE,
    GRAD_NORM,
    ENTROPY,
    KL,
    KL_K1,
    KL_K3,
    CLIP_FRACTION,
    IMPORTANCE_SAMPLING_RATIO,
    RATIO_DEV,
    PASS_RATE,
    SAMPLED_SO_FAR,
    LEARNING_RATE,
) = range(len(STEP_METRICS))

# Places in the sums that the updates of one step add to.
_OBJECTIVE, _NORM, _FIRST_UPDATES, _CLIPPED, _RATIO, _DEVIATION, _TOKENS = range(7)
SUMS = 7


@inner_kernel
def measure_update(
    update: int, minibatch: int, place: int, plan: Plan, batch: Batch, updates: Updates, sums: FloatArray
) -> None:
    """Add what one update showed; `update` counts the updates of the step from 0. Masked responses are left out."""
    if update < plan.minibatches:
        sums[_OBJECTIVE] += updates.objective[place]
        sums[_NORM] += updates.grad_norm[place]
        sums[_FIRST_UPDATES] += 1.0
    ratios, clip_states = updates.tokens[place, RATIOS], updates.clip_states[place]
    responses = batch.truncated.size // plan.minibatches
    for response in range(minibatch * responses, (minibatch + 1) * responses):
        if not is_masked(plan.overlong, batch.truncated[response]):
            for k in range(batch.offsets[response], batch.offsets[response + 1]):
                sums[_TOKENS] += 1.0
                sums[_RATIO] += ratios[k]
                sums[_DEVIATION] += abs(ratios[k] - 1.0)
                if clip_states[k] >= CLIPPED_HIGH:
                    sums[_CLIPPED] += 1.0


@inner_kernel
def measure_step(
    groups: int,
    learning_rate: float,
    plan: Plan,
    world: World,
    counts: IntArray,
    rollout: Rollout,
    batch: Batch,
    sums: FloatArray,
    row: FloatArray,
) -> None:
    """Write the metrics of one step to `row`, ``(len(STEP_METRICS),)``. `counts` are the learner's."""
    row[:] = 0.0
    size, responses, tokens = plan.group_size, batch.truncated.size, batch.offsets[-1]
    wrong, wrong_tokens = 0.0, 0.0
    entropies, divergences = np.empty(CONTEXTS), np.empty(CONTEXTS)
    for b in range(batch.group.size):
        group = batch.group[b]
        reward, deviation = total_and_deviation(rollout.rewards[group])
        row[REWARD] += reward / responses
        row[REWARD_STD] += deviation / batch.group.size
        row[FRAC_ZERO_STD] += (deviation == 0.0) / batch.group.size
        reference = world.reference_log_probs[rollout.prompt[group]]
        entropy_and_kl(rollout.log_policy[group], reference, entropies, divergences)
        for i in range(size):
            length = rollout.length[group, i]
            row[TRUNCATED] += (rollout.end[group, i] < DONE_OK) / responses
            if rollout.end[group, i] == DONE_OK:
                row[ACCURACY] += 1.0 / responses
            else:
                wrong += 1.0
                wrong_tokens += length
            for t in range(length):
                context = rollout.cells[group, i, t] // TOKENS
                row[ENTROPY] += entropies[context]
                row[KL] += divergences[context]
    row[RESPONSE_LENGTH] = tokens / responses
    row[LENGTH_WRONG] = _mean(wrong_tokens, wrong)
    for k in range(tokens):
        difference = batch.tokens[OLD_LOG_PROBS, k] - batch.tokens[REF_LOG_PROBS, k]
        row[KL_K1] += difference
        row[KL_K3] += estimate(K3, batch.tokens[OLD_LOG_PROBS, k], batch.tokens[REF_LOG_PROBS, k])[0]
    for metric in (ENTROPY, KL, KL_K1, KL_K3):
        row[metric] /= tokens
    row[POLICY_OBJECTIVE] = _mean(sums[_OBJECTIVE], sums[_FIRST_UPDATES])
    row[GRAD_NORM] = _mean(sums[_NORM], sums[_FIRST_UPDATES])
    row[CLIP_FRACTION] = _mean(sums[_CLIPPED], sums[_TOKENS])
    row[IMPORTANCE_SAMPLING_RATIO] = _mean(sums[_RATIO], sums[_TOKENS])
    row[RATIO_DEV] = _mean(sums[_DEVIATION], sums[_TOKENS])
    for group in range(groups):
        row[PASS_RATE] += rollout.qualifies[group] / groups
    row[SAMPLED_SO_FAR] = counts[SAMPLED]
    row[LEARNING_RATE] = learning_rate


@inner_kernel
def _mean(total: float, count: float) -> float:
    """Not a number when nothing was counted, or when a sum has overflown."""
    return total / count if count > 0.0 and math.isfinite(total) else math.nan


@inner_kernel
def total_and_deviation(rewards: FloatArray) -> tuple[float, float]:
    """The sum of a group's rewards and their standard deviation, with G - 1; exactly 0 when they are all equal."""
    total, smallest, largest = 0.0, math.inf, -math.inf
    for reward in rewards:
        total += reward
        smallest, largest = min(smallest, reward), max(largest, reward)
    if smallest == largest:
        return total, 0.0
    squares = 0.0
    for reward in rewards:
        squares += (reward - total / rewards.size) ** 2
    return total, math.sqrt(squares / (rewards.size - 1))


@kernel
def entropy_and_kl(
    log_policy: FloatArray, log_reference: FloatArray, entropies: FloatArray, divergences: FloatArray
) -> None:
    """Of each context of one prompt: the policy's entropy and its KL from the reference, exactly, in nats."""
    for c in range(CONTEXTS):
        entropies[c] = 0.0
        divergences[c] = 0.0
        for v in range(TOKENS):
            probability = math.exp(log_policy[c, v])
            entropies[c] -= probability * log_policy[c, v]
            divergences[c] += probability * (log_policy[c, v] - log_reference[c, v])
