"""From the responses of a step to the tokens that its updates train on: which groups, what advantage, what weight."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled import inner_kernel
from ..objective.advantage import GAE, generalized_advantages, group_advantages
from ..objective.aggregation import response_weight
from ..objective.divergence import estimate
from ..objective.sampling import is_masked
from .workspace import (
    ADVANTAGES,
    KL,
    OLD_LOG_PROBS,
    REF_LOG_PROBS,
    RETURNS,
    REWARD_KLS,
    TOKEN_REWARDS,
    VALUES,
    WEIGHTS,
    Batch,
    Plan,
    Rollout,
)
from .world import DONE_OK, World

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@inner_kernel
def fill_batch(groups: int, plan: Plan, world: World, rollout: Rollout, batch: Batch) -> None:
    """Choose the batch and lay its tokens one behind the other, with all that stays the same during the updates but
    the advantages."""
    choose_groups(groups, rollout, batch)
    place, response = 0, 0
    for b in range(plan.prompts_per_step):
        group = batch.group[b]
        prompt = rollout.prompt[group]
        old = rollout.log_policy[group].reshape(-1)
        reference = world.reference_log_probs[prompt].reshape(-1)
        for i in range(plan.group_size):
            for t in range(rollout.length[group, i]):
                cell = rollout.cells[group, i, t]
                batch.cell[place] = cell
                batch.feature[place] = world.n_features * world.family[prompt] + rollout.features[group, i, t]
                batch.tokens[OLD_LOG_PROBS, place] = old[cell]
                batch.tokens[REF_LOG_PROBS, place] = reference[cell]
                batch.tokens[REWARD_KLS, place] = estimate(plan.kl_in_reward, old[cell], reference[cell])[0]
                place += 1
            batch.truncated[response] = rollout.end[group, i] < DONE_OK
            response += 1
            batch.offsets[response] = place
    # Each minibatch has an objective, and so weights, of its own.
    responses = batch.truncated.size // plan.minibatches
    for start in range(0, batch.truncated.size, responses):
        weigh_tokens(
            plan.aggregation,
            plan.overlong,
            plan.max_completion_length,
            batch.offsets[start : start + responses + 1],
            batch.truncated[start : start + responses],
            batch.tokens[WEIGHTS],
        )


@inner_kernel
def weigh_tokens(
    aggregation: int,
    overlong: int,
    max_completion_length: int,
    offsets: IntArray,
    truncated: BoolArray,
    weights: FloatArray,
) -> None:
    """The weight of every token in the objective of one update, for ``(n + 1,)`` offsets of n responses. Masked
    responses weigh nothing."""
    unmasked = 0
    for i in range(truncated.size):
        if not is_masked(overlong, truncated[i]):
            unmasked += offsets[i + 1] - offsets[i]
    for i in range(truncated.size):
        weight = 0.0
        if not is_masked(overlong, truncated[i]):
            length = offsets[i + 1] - offsets[i]
            weight = response_weight(aggregation, truncated.size, length, unmasked, max_completion_length)
        weights[offsets[i] : offsets[i + 1]] = weight


@inner_kernel
def choose_groups(groups: int, rollout: Rollout, batch: Batch) -> None:
    """The first B groups that qualify; if there are fewer, the first others fill the batch, without advantages."""
    chosen = 0
    for wanted in (True, False):
        for group in range(groups):
            if chosen < batch.group.size and rollout.qualifies[group] == wanted:
                batch.group[chosen] = group
                batch.is_filler[chosen] = not wanted
                chosen += 1


@inner_kernel
def give_advantages(plan: Plan, critic: FloatArray, baseline: float, rollout: Rollout, batch: Batch) -> None:
    """The advantage of every token: its response's, or with the critic's values, ``(4, X)``, its own."""
    advantages = batch.tokens[ADVANTAGES]
    for b in range(plan.prompts_per_step):
        if plan.advantage != GAE:
            group_advantages(plan.advantage, rollout.rewards[batch.group[b]], baseline, batch.advantages)
        batch.is_silent[b] = True
        for i in range(plan.group_size):
            response = b * plan.group_size + i
            first, last = batch.offsets[response], batch.offsets[response + 1]
            if plan.advantage == GAE:
                give_token_advantages(plan, critic, rollout, batch, response)
            else:
                advantages[first:last] = batch.advantages[i]
            if batch.is_filler[b]:
                advantages[first:last] = 0.0
            for k in range(first, last):
                batch.is_silent[b] = batch.is_silent[b] and advantages[k] == 0.0


@inner_kernel
def give_token_advantages(plan: Plan, critic: FloatArray, rollout: Rollout, batch: Batch, response: int) -> None:
    """Generalized advantages of one response. Its reward is paid at the last token; what leaving the reference costs
    is paid at each."""
    b, i = divmod(response, plan.group_size)
    group = batch.group[b]
    first, last = batch.offsets[response], batch.offsets[response + 1]
    rewards, values, critic_values = batch.tokens[TOKEN_REWARDS], batch.tokens[VALUES], critic.reshape(-1)
    for k in range(first, last):
        rewards[k] = 0.0
        if plan.beta_in_reward > 0.0:
            rewards[k] -= plan.beta_in_reward * batch.tokens[REWARD_KLS, k]
        values[k] = critic_values[batch.feature[k]]
    rewards[last - 1] += rollout.rewards[group, i] - rollout.reward_parts[group, i, KL]
    generalized_advantages(
        values[first:last],
        rewards[first:last],
        plan.gamma,
        plan.gae_lambda,
        batch.tokens[ADVANTAGES, first:last],
        batch.tokens[RETURNS, first:last],
    )
