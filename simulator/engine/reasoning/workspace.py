"""The arrays that a run works in.

Compiled functions take them as named tuples; they are allocated once a run and written over in every step. Names of
sizes: `B` prompts of a batch, `C` groups that one step may sample at most (more than B only under dynamic sampling),
`G` group size, `T` tokens at most, `N` train prompts, `X` features of the critic, `K` recorded updates (1, or all of
a step that is inspected).

The tokens of a batch lie one behind the other in flat arrays, response by response, for `F = B G T` tokens at most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..algorithms import code_of
from ..optimise import OPTIMIZERS
from .problems import FAMILIES
from .setup import ReasoningSetup
from .vocabulary import CONTEXTS, TOKENS
from .world import World

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Int8Array = npt.NDArray[np.int8]
BoolArray = npt.NDArray[np.bool_]

REWARD_PARTS = ("verified", "format", "length", "overlong", "kl")
"""What a response's reward is the sum of, in the order of the last axis of `Rollout.reward_parts`."""
VERIFIED, FORMAT, LENGTH, OVERLONG, KL = range(len(REWARD_PARTS))

# Places in `Learner.counts`.
POSITION = 0
"""How many prompts of the prompt stream have been taken."""
ORDERED_PASS = 1
"""The pass through the train prompts whose order is in `Learner.order`, or -1."""
SAMPLED = 2
"""How many responses have been sampled."""
UPDATES = 3
"""How many optimiser updates have been made."""
VALUE_UPDATES = 4
DIVERGED_AT = 5
"""The step at which training was given up, or 0."""
COUNTS = 6

# Rows of `Batch.tokens`.
OLD_LOG_PROBS, REF_LOG_PROBS, ADVANTAGES, WEIGHTS, REWARD_KLS, TOKEN_REWARDS, VALUES, RETURNS = range(8)
TOKEN_ROWS = 8

# Rows of `Updates.tokens`.
LOG_PROBS, RATIOS, OBJECTIVES, PUSHES, TOKEN_KLS = range(5)
UPDATE_ROWS = 5


class Plan(NamedTuple):
    """A setup as the compiled functions read it: choices as codes, switches as 0 and 1."""

    prompts_per_step: int
    group_size: int
    max_completion_length: int
    rounds: int
    num_iterations: int
    minibatches: int
    dynamic_sampling: int
    overlong: int
    overlong_cache: int
    advantage: int
    importance_ratio: int
    clip: int
    aggregation: int
    kl_in_loss: int
    kl_in_reward: int
    optimizer: int
    epsilon: float
    epsilon_high: float
    beta_in_loss: float
    beta_in_reward: float
    gamma: float
    gae_lambda: float
    value_learning_rate: float
    prompt_memory: float
    max_grad_norm: float
    false_negative_rate: float
    false_positive_rate: float
    length_coefficient: float
    format_coefficient: float


class Learner(NamedTuple):
    """What training changes."""

    logits: FloatArray  # (4 + N, 6, 12): of the families, then of the prompts
    moments: FloatArray  # (2, 4 + N, 6, 12): the optimiser's
    critic: FloatArray  # (3, 4, X): values by family and feature, and the moments of their optimiser
    baseline: FloatArray  # (1,): the running mean of rewards
    order: IntArray  # (N,): the train prompts in the order of the pass that the stream is in
    counts: IntArray  # (COUNTS,)


class Rollout(NamedTuple):
    """The responses that one step samples, and what they are paid."""

    prompt: IntArray  # (C,): row of the world
    visit: IntArray  # (C,): how many times the prompt had come up before
    log_policy: FloatArray  # (C, 6, 12): the policy that sampled
    scratch: FloatArray  # (6, 12)
    cells: IntArray  # (C, G, T): 12 * context + token
    features: IntArray  # (C, G, T): what the critic sees
    length: IntArray  # (C, G)
    end: IntArray  # (C, G): the state in which the response ended or was cut off
    reward_parts: FloatArray  # (C, G, 5)
    rewards: FloatArray  # (C, G)
    qualifies: BoolArray  # (C,): whether dynamic sampling would keep the group


class Batch(NamedTuple):
    """The groups that one step trains on, and what stays the same during all of its updates."""

    group: IntArray  # (B,): which group of the rollout
    is_filler: BoolArray  # (B,): there were too few qualifying groups; this one has no advantage
    is_silent: BoolArray  # (B,): no token of the group has an advantage
    truncated: BoolArray  # (B G,)
    offsets: IntArray  # (B G + 1,): response i has the tokens offsets[i] to offsets[i + 1]
    cell: IntArray  # (F,): 12 * context + token
    feature: IntArray  # (F,): X * family + feature
    tokens: FloatArray  # (8, F)
    advantages: FloatArray  # (G,): scratch


class Updates(NamedTuple):
    """What an optimiser update calculates. With K = 1 every update writes over the one before."""

    log_policy: FloatArray  # (6, 12): scratch
    probabilities: FloatArray  # (6, 12): scratch
    pushes: FloatArray  # (6, 12): scratch
    gradient: FloatArray  # (4 + N, 6, 12): scratch
    critic_gradient: FloatArray  # (4, X): scratch
    tokens: FloatArray  # (K, 5, F)
    clip_states: Int8Array  # (K, F)
    objective: FloatArray  # (K,): J
    grad_norm: FloatArray  # (K,): before clipping


def plan_of(setup: ReasoningSetup) -> Plan:
    """The setup in the form that the compiled functions read."""
    in_reward = setup.kl_in == "reward"
    kl = code_of("kl", setup.kl)
    none = code_of("kl", "none")
    beta = setup.beta if kl != none else 0.0
    return Plan(
        prompts_per_step=setup.prompts_per_step,
        group_size=setup.group_size,
        max_completion_length=setup.max_completion_length,
        rounds=setup.most_rounds,
        num_iterations=setup.num_iterations,
        minibatches=setup.minibatches,
        dynamic_sampling=int(setup.dynamic_sampling),
        overlong=code_of("overlong", setup.overlong),
        overlong_cache=setup.overlong_cache,
        advantage=code_of("advantage", setup.advantage),
        importance_ratio=code_of("importance_ratio", setup.importance_ratio),
        clip=code_of("clip", setup.clip),
        aggregation=code_of("aggregation", setup.aggregation),
        kl_in_loss=none if in_reward else kl,
        kl_in_reward=kl if in_reward else none,
        optimizer=OPTIMIZERS.index(setup.optimizer),
        epsilon=setup.epsilon,
        epsilon_high=setup.epsilon_high,
        beta_in_loss=0.0 if in_reward else beta,
        beta_in_reward=beta if in_reward else 0.0,
        gamma=setup.gamma,
        gae_lambda=setup.gae_lambda,
        value_learning_rate=setup.value_learning_rate,
        prompt_memory=setup.prompt_memory,
        max_grad_norm=setup.max_grad_norm,
        false_negative_rate=setup.false_negative_rate,
        false_positive_rate=setup.false_positive_rate,
        length_coefficient=setup.length_coefficient,
        format_coefficient=setup.format_coefficient,
    )


def new_learner(world: World) -> Learner:
    """Before the first step: the policy is the reference policy, the critic says 0 everywhere."""
    rows = FAMILIES + world.train_prompts
    counts = np.zeros(COUNTS, np.int64)
    counts[ORDERED_PASS] = -1
    return Learner(
        logits=np.zeros((rows, CONTEXTS, TOKENS)),
        moments=np.zeros((2, rows, CONTEXTS, TOKENS)),
        critic=np.zeros((3, FAMILIES, world.n_features)),
        baseline=np.zeros(1),
        order=np.zeros(world.train_prompts, np.int64),
        counts=counts,
    )


def new_rollout(plan: Plan) -> Rollout:
    """Room for all groups that a step may sample."""
    groups, size, length = plan.prompts_per_step * plan.rounds, plan.group_size, plan.max_completion_length
    return Rollout(
        prompt=np.zeros(groups, np.int64),
        visit=np.zeros(groups, np.int64),
        log_policy=np.zeros((groups, CONTEXTS, TOKENS)),
        scratch=np.zeros((CONTEXTS, TOKENS)),
        cells=np.zeros((groups, size, length), np.int64),
        features=np.zeros((groups, size, length), np.int64),
        length=np.zeros((groups, size), np.int64),
        end=np.zeros((groups, size), np.int64),
        reward_parts=np.zeros((groups, size, len(REWARD_PARTS))),
        rewards=np.zeros((groups, size)),
        qualifies=np.zeros(groups, np.bool_),
    )


def new_batch(plan: Plan) -> Batch:
    """Room for the longest batch."""
    responses = plan.prompts_per_step * plan.group_size
    longest = responses * plan.max_completion_length
    return Batch(
        group=np.zeros(plan.prompts_per_step, np.int64),
        is_filler=np.zeros(plan.prompts_per_step, np.bool_),
        is_silent=np.zeros(plan.prompts_per_step, np.bool_),
        truncated=np.zeros(responses, np.bool_),
        offsets=np.zeros(responses + 1, np.int64),
        cell=np.zeros(longest, np.int64),
        feature=np.zeros(longest, np.int64),
        tokens=np.zeros((TOKEN_ROWS, longest)),
        advantages=np.zeros(plan.group_size),
    )


def new_updates(plan: Plan, world: World, recorded: int = 1) -> Updates:
    """Room for that many updates of one step."""
    longest = plan.prompts_per_step * plan.group_size * plan.max_completion_length
    return Updates(
        log_policy=np.zeros((CONTEXTS, TOKENS)),
        probabilities=np.zeros((CONTEXTS, TOKENS)),
        pushes=np.zeros((CONTEXTS, TOKENS)),
        gradient=np.zeros((FAMILIES + world.train_prompts, CONTEXTS, TOKENS)),
        critic_gradient=np.zeros((FAMILIES, world.n_features)),
        tokens=np.zeros((recorded, UPDATE_ROWS, longest)),
        clip_states=np.zeros((recorded, longest), np.int8),
        objective=np.zeros(recorded),
        grad_norm=np.zeros(recorded),
    )
