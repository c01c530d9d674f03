"""Sampling: prompts from the stream, responses from the policy, and what each response is paid.

Every random number has an address (seed, visit, prompt, response, position), so a draw depends on neither the batch's
nor the group's size, nor on the length limit, the step's number or the algorithm.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled import inner_kernel, small_kernel
from ..objective.divergence import estimate
from ..objective.sampling import keeps_group, overlong_reward
from .draws import NOISE, PROMPT_STREAM, ROLLOUT, hkey, mix, uniform, unit
from .policy import log_policy
from .problems import FAMILIES
from .vocabulary import CONTEXTS, TOKENS
from .workspace import (
    FORMAT,
    KL,
    LENGTH,
    ORDERED_PASS,
    OVERLONG,
    POSITION,
    SAMPLED,
    VERIFIED,
    Learner,
    Plan,
    Rollout,
)
from .world import DONE_OK, START, World

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@inner_kernel
def roll_out(seed: int, plan: Plan, world: World, learner: Learner, rollout: Rollout) -> int:
    """Sample one step's groups and pay them; the number of groups.

    Without dynamic sampling that is one round of B prompts. With it, rounds go on until B groups qualify, or the train
    prompts have been gone through once.
    """
    train_prompts = learner.order.size
    groups, qualifying = 0, 0
    for group in range(plan.rounds * plan.prompts_per_step):
        if group % plan.prompts_per_step == 0 and qualifying >= plan.prompts_per_step:
            break
        # The stream goes through all train prompts, pass after pass, each time in an order of its own.
        visit = learner.counts[POSITION] // train_prompts
        if learner.counts[ORDERED_PASS] != visit:
            order_prompts(seed, visit, world.prompt_id, learner.order)
            learner.counts[ORDERED_PASS] = visit
        rollout.prompt[group] = learner.order[learner.counts[POSITION] % train_prompts]
        rollout.visit[group] = visit
        learner.counts[POSITION] += 1
        sample_group(seed, group, plan.max_completion_length, world, learner.logits, rollout)
        verified = pay_group(seed, group, plan, world, rollout)
        rollout.qualifies[group] = keeps_group(plan.dynamic_sampling, verified, plan.group_size)
        qualifying += rollout.qualifies[group]
        learner.counts[SAMPLED] += plan.group_size
        groups = group + 1
    return groups


@inner_kernel
def order_prompts(seed: int, visit: int, prompt_id: IntArray, order: IntArray) -> None:
    """The order of the train prompts in one pass: by a random number each, by insertion."""
    keys = np.empty(order.size)
    for p in range(order.size):
        key = uniform(PROMPT_STREAM, seed, visit, prompt_id[p])
        place = p
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            order[place] = order[place - 1]
            place -= 1
        keys[place] = key
        order[place] = p


@inner_kernel
def sample_group(
    seed: int, group: int, max_completion_length: int, world: World, logits: FloatArray, rollout: Rollout
) -> None:
    """Sample G responses to the prompt of a group from the current policy."""
    prompt = rollout.prompt[group]
    distribution = rollout.scratch
    log_policy(world, logits[:FAMILIES], logits[FAMILIES:], prompt, rollout.log_policy[group], distribution)
    for c in range(CONTEXTS):
        for v in range(1, TOKENS):
            distribution[c, v] += distribution[c, v - 1]
    address = hkey(ROLLOUT, seed, rollout.visit[group], world.prompt_id[prompt])
    for i in range(rollout.length.shape[1]):
        key = mix(address, i)
        state, length = START, 0
        while length < max_completion_length and state < DONE_OK:
            context = world.context_of[prompt, state]
            token = draw(distribution[context], unit(mix(key, length)))
            rollout.cells[group, i, length] = TOKENS * context + token
            rollout.features[group, i, length] = world.critic_feature_of[prompt, state]
            state = world.next_state[prompt, state, token]
            length += 1
        rollout.length[group, i] = length
        rollout.end[group, i] = state


@small_kernel
def draw(distribution: FloatArray, uniform_number: float) -> int:
    """The first token whose distribution function, ``(12,)``, is above the number; the last if rounding leaves none."""
    token = 0
    while token < TOKENS - 1 and distribution[token] <= uniform_number:
        token += 1
    return token


@inner_kernel
def pay_group(seed: int, group: int, plan: Plan, world: World, rollout: Rollout) -> int:
    """The rewards of one group, part by part; how many responses the verifier calls right."""
    prompt = rollout.prompt[group]
    calls_right = 0
    for i in range(plan.group_size):
        length, parts = rollout.length[group, i], rollout.reward_parts[group, i]
        truncated = rollout.end[group, i] < DONE_OK
        verified = rollout.end[group, i] == DONE_OK
        error_rate = plan.false_negative_rate if verified else plan.false_positive_rate
        if error_rate > 0.0 and uniform(NOISE, seed, rollout.visit[group], world.prompt_id[prompt], i) < error_rate:
            verified = not verified
        calls_right += verified
        parts[VERIFIED] = 1.0 if verified else 0.0
        parts[FORMAT] = 0.0 if truncated else plan.format_coefficient
        parts[LENGTH] = 0.0
        if plan.length_coefficient > 0.0:
            parts[LENGTH] = -plan.length_coefficient * length / plan.max_completion_length
        parts[OVERLONG] = overlong_reward(
            plan.overlong, length, truncated, plan.max_completion_length, plan.overlong_cache
        )
        parts[KL] = 0.0
        if plan.beta_in_reward > 0.0:
            for t in range(length):
                context, token = divmod(rollout.cells[group, i, t], TOKENS)
                log_prob = rollout.log_policy[group, context, token]
                ref_log_prob = world.reference_log_probs[prompt, context, token]
                parts[KL] -= plan.beta_in_reward * estimate(plan.kl_in_reward, log_prob, ref_log_prob)[0]
        # Terms that are off are 0 and leave the sum exact.
        rollout.rewards[group, i] = parts[VERIFIED] + parts[FORMAT] + parts[LENGTH] + parts[OVERLONG] + parts[KL]
    return calls_right
