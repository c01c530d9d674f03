"""Training: sample, give each token its advantage, and climb the objective.

One step samples a batch with the policy as it is, then makes `num_iterations x minibatches` optimiser updates on it.
The objective is ``J = sum of weight * token objective`` over all tokens of an update; its derivative by a token's
log-probability is that token's push, and the softmax carries pushes on to logits.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..compiled import inner_kernel, kernel
from ..objective.advantage import EMA_BASELINE, GAE, next_baseline
from ..objective.response import span_objective
from ..optimise import ascend, clip_factor, gradient_norm
from .batch import fill_batch, give_advantages
from .metrics import measure_step, measure_update
from .policy import log_policy
from .problems import FAMILIES
from .rollout import roll_out
from .value_model import fit_values
from .vocabulary import CONTEXTS, TOKENS
from .workspace import (
    ADVANTAGES,
    DIVERGED_AT,
    LOG_PROBS,
    OBJECTIVES,
    OLD_LOG_PROBS,
    PUSHES,
    RATIOS,
    REF_LOG_PROBS,
    RETURNS,
    TOKEN_KLS,
    UPDATES,
    VALUE_UPDATES,
    WEIGHTS,
    Batch,
    Learner,
    Plan,
    Rollout,
    Updates,
)
from .world import World

FloatArray = npt.NDArray[np.float64]


@kernel
def train_steps(
    first: int,
    last: int,
    seed: int,
    plan: Plan,
    world: World,
    learning_rates: FloatArray,
    learner: Learner,
    rollout: Rollout,
    batch: Batch,
    updates: Updates,
    measured_from: int,
    metrics: FloatArray,
    sums: FloatArray,
) -> None:
    """Train from step `first` to step `last`, both included, counted from 1.

    Args:
        learning_rates: one per optimiser update of the whole run.
        updates: with room for all updates of a step, the last step's are all kept.
        measured_from: the first step whose metrics are wanted.
        metrics: ``(steps, M)``, written for the measured steps.
        sums: scratch of :func:`measure_update`.

    An update whose objective or gradient is no finite number is not made: the seed has diverged. Its policy stays as
    it was, so that it can still be sampled and measured, and all later steps leave it alone.
    """
    for step in range(first, last + 1):
        groups = roll_out(seed, plan, world, learner, rollout)
        fill_batch(groups, plan, world, rollout, batch)
        give_advantages(plan, learner.critic[0], learner.baseline[0], rollout, batch)
        sums[:] = 0.0
        for update in range(plan.num_iterations * plan.minibatches):
            minibatch = update % plan.minibatches
            place = update % updates.objective.size
            if learner.counts[DIVERGED_AT] == 0:
                # A group without advantages, and with no KL in the loss, adds nothing to objective and gradient.
                skips_silent = step < measured_from and plan.beta_in_loss == 0.0
                improve(
                    step,
                    minibatch,
                    place,
                    skips_silent,
                    plan,
                    world,
                    learning_rates,
                    learner,
                    rollout.prompt,
                    batch,
                    updates,
                )
            if learner.counts[DIVERGED_AT] == 0:
                if step >= measured_from:
                    measure_update(update, minibatch, place, plan, batch, updates, sums)
                if plan.advantage == GAE and minibatch == plan.minibatches - 1:
                    improve_critic(plan.value_learning_rate, learner, batch, updates.critic_gradient)
        if plan.advantage == EMA_BASELINE:
            learner.baseline[0] = next_baseline(learner.baseline[0], mean_reward(rollout.rewards, batch))
        if step >= measured_from:
            row = metrics[step - 1]
            rate = learning_rates[(step - 1) * plan.num_iterations * plan.minibatches]
            measure_step(groups, rate, plan, world, learner.counts, rollout, batch, sums, row)


@inner_kernel
def improve(
    step: int,
    minibatch: int,
    place: int,
    skips_silent: bool,
    plan: Plan,
    world: World,
    learning_rates: FloatArray,
    learner: Learner,
    prompt: npt.NDArray[np.int64],
    batch: Batch,
    updates: Updates,
) -> None:
    """One optimiser update, or the note that the run has diverged. `prompt` are the rollout's."""
    objective = objective_and_gradient(
        minibatch, place, skips_silent, plan, world, learner.logits, prompt, batch, updates
    )
    norm = gradient_norm(updates.gradient.reshape(-1, CONTEXTS * TOKENS))
    updates.objective[place] = objective
    updates.grad_norm[place] = norm
    # A finite norm means gradients below 1e154, from which neither optimiser can make a parameter that isn't finite.
    if not (math.isfinite(objective) and math.isfinite(norm)):
        learner.counts[DIVERGED_AT] = step
        return
    factor = clip_factor(norm, plan.max_grad_norm)
    rate = learning_rates[learner.counts[UPDATES]]
    learner.counts[UPDATES] += 1
    gradient, shared = updates.gradient.reshape(-1), FAMILIES * CONTEXTS * TOKENS
    logits, first, second = learner.logits.reshape(-1), learner.moments[0].reshape(-1), learner.moments[1].reshape(-1)
    for start, end, its_rate in ((0, shared, rate), (shared, logits.size, rate * plan.prompt_memory)):
        ascend(
            plan.optimizer,
            logits[start:end],
            gradient[start:end],
            factor,
            its_rate,
            learner.counts[UPDATES],
            first[start:end],
            second[start:end],
        )


@kernel
def objective_and_gradient(
    minibatch: int,
    place: int,
    skips_silent: bool,
    plan: Plan,
    world: World,
    logits: FloatArray,
    prompt: npt.NDArray[np.int64],
    batch: Batch,
    updates: Updates,
) -> float:
    """J of one minibatch at the current logits; ``updates.gradient`` becomes its gradient by them."""
    prompts = plan.prompts_per_step // plan.minibatches
    old_log_probs, ref_log_probs = batch.tokens[OLD_LOG_PROBS], batch.tokens[REF_LOG_PROBS]
    advantages, weights = batch.tokens[ADVANTAGES], batch.tokens[WEIGHTS]
    log_probs, ratios = updates.tokens[place, LOG_PROBS], updates.tokens[place, RATIOS]
    objectives, pushes = updates.tokens[place, OBJECTIVES], updates.tokens[place, PUSHES]
    token_kls, clip_states = updates.tokens[place, TOKEN_KLS], updates.clip_states[place]
    updates.gradient[:] = 0.0
    objective = 0.0
    for b in range(minibatch * prompts, (minibatch + 1) * prompts):
        if skips_silent and batch.is_silent[b]:
            continue
        row = prompt[batch.group[b]]
        log_policy(world, logits[:FAMILIES], logits[FAMILIES:], row, updates.log_policy, updates.probabilities)
        log_policy_of, pushes_on = updates.log_policy.reshape(-1), updates.pushes.reshape(-1)
        pushes_on[:] = 0.0
        for response in range(b * plan.group_size, (b + 1) * plan.group_size):
            first, last = batch.offsets[response], batch.offsets[response + 1]
            for k in range(first, last):
                log_probs[k] = log_policy_of[batch.cell[k]]
            objective += span_objective(
                plan.importance_ratio,
                plan.clip,
                plan.kl_in_loss,
                plan.epsilon,
                plan.epsilon_high,
                plan.beta_in_loss,
                first,
                last,
                log_probs,
                old_log_probs,
                ref_log_probs,
                advantages,
                weights,
                ratios,
                objectives,
                pushes,
                clip_states,
                token_kls,
            )
            for k in range(first, last):
                pushes_on[batch.cell[k]] += pushes[k]
        add_logit_gradient(
            updates.probabilities,
            updates.pushes,
            updates.gradient[world.family[row]],
            updates.gradient[FAMILIES + row],
        )
    return objective


@inner_kernel
def add_logit_gradient(
    probabilities: FloatArray, pushes: FloatArray, family_gradient: FloatArray, prompt_gradient: FloatArray
) -> None:
    """Carry the pushes on one prompt's tokens, ``(6, 12)``, through the softmax to the logits:
    ``dJ/dz_v = push_v - pi_v * sum of pushes`` in each context.

    It is added: prompts share their family's logits, and one prompt may hold two groups of a batch.
    """
    for c in range(CONTEXTS):
        total = 0.0
        moved = False
        for v in range(TOKENS):
            total += pushes[c, v]
            moved = moved or pushes[c, v] != 0.0
        if moved:
            for v in range(TOKENS):
                gradient = pushes[c, v] - probabilities[c, v] * total
                family_gradient[c, v] += gradient
                prompt_gradient[c, v] += gradient


@inner_kernel
def improve_critic(learning_rate: float, learner: Learner, batch: Batch, gradient: FloatArray) -> None:
    """One step of the critic towards the returns of the whole batch."""
    tokens = batch.offsets[-1]
    learner.counts[VALUE_UPDATES] += 1
    fit_values(
        learner.critic,
        batch.feature[:tokens],
        batch.tokens[RETURNS, :tokens],
        learning_rate,
        learner.counts[VALUE_UPDATES],
        gradient,
    )


@inner_kernel
def mean_reward(rewards: FloatArray, batch: Batch) -> float:
    """The mean reward of the batch's responses; ``rewards`` are the rollout's, ``(C, G)``."""
    total = 0.0
    for group in batch.group:
        for reward in rewards[group]:
            total += reward
    return total / batch.truncated.size
