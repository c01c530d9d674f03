"""The same batch through the engine, and the options with which TRL should do the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numba
import numpy as np

from simulator.engine.algorithms import code_of
from simulator.engine.objective.advantage import group_advantages
from simulator.engine.objective.response import response_objective
from simulator.engine.reasoning.batch import weigh_tokens

from .batches import MAX_COMPLETION_LENGTH, Batch


@numba.njit
def _weigh_tokens(aggregation, overlong, longest, offsets, truncated, weights):
    # Compiled, because some of the engine's kernels can be called by kernels only.
    weigh_tokens(aggregation, overlong, longest, offsets, truncated, weights)


@dataclass(frozen=True, eq=False)
class Outcome:
    """J, and per token its derivative by the log-probability and what else the objective tells."""

    objective: float
    pushes: np.ndarray
    clip_states: np.ndarray
    token_kls: np.ndarray
    weights: np.ndarray


def outcome(batch: Batch, slots: Mapping[str, Any], advantages: np.ndarray) -> Outcome:
    """One update of the engine; ``slots`` has the keys of a setup, ``advantages`` is (tokens,)."""
    tokens = len(batch.log_probs)
    weights, ratios, objectives, pushes, token_kls = (np.empty(tokens) for _ in range(5))
    clip_states = np.empty(tokens, np.int8)
    _weigh_tokens(
        code_of("aggregation", slots["aggregation"]),
        code_of("overlong", slots["overlong"]),
        MAX_COMPLETION_LENGTH,
        batch.offsets,
        batch.truncated,
        weights,
    )
    objective = 0.0
    for first, last in pairwise(batch.offsets):
        response = slice(first, last)
        objective += response_objective(
            code_of("importance_ratio", slots["importance_ratio"]),
            code_of("clip", slots["clip"]),
            code_of("kl", slots["kl"]),
            slots["epsilon"],
            slots["epsilon_high"],
            slots["beta"],
            batch.log_probs[response],
            batch.old_log_probs[response],
            batch.ref_log_probs[response],
            advantages[response],
            weights[response],
            ratios[response],
            objectives[response],
            pushes[response],
            clip_states[response],
            token_kls[response],
        )
    return Outcome(objective, pushes, clip_states, token_kls, weights)


def advantages_of(batch: Batch, choice: str, function: Any = group_advantages) -> np.ndarray:
    """The engine's advantage of every response, (rows,)."""
    advantages = np.empty(batch.rows)
    for first in range(0, batch.rows, batch.group_size):
        group = slice(first, first + batch.group_size)
        function(code_of("advantage", choice), batch.rewards[group], 0.0, advantages[group])
    return advantages


def trl_options(slots: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `GRPOConfig` that ask for the objective of these slots.

    Mind `epsilon_high`: for CISPO it is TRL's bound itself, while our setups name its distance from 1. And mind the KL:
    by default TRL multiplies it by the ratio, which no paper of these algorithms does.
    """
    loss_types = {"per_response": "grpo", "per_token": "dapo", "constant": "dr_grpo"}
    cispo = slots["clip"] == "cispo"
    high = {"symmetric": None, "higher": slots["epsilon_high"], "cispo": 1 + slots["epsilon_high"]}
    return {
        "loss_type": "cispo" if cispo else loss_types[slots["aggregation"]],
        "importance_sampling_level": slots["importance_ratio"],
        "epsilon": slots["epsilon"],
        "epsilon_high": high[slots["clip"]],
        "beta": slots["beta"] if slots["kl"] == "k3" else 0.0,
        "use_bias_correction_kl": False,
        "scale_rewards": "group" if slots["advantage"] == "group_normalized" else "none",
        "mask_truncated_completions": slots["overlong"] == "filter",
    }
