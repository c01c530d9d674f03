"""What responses and tokens are paid under some settings, from what the verifier paid."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.engine.objective.divergence import NO_KL, estimate
from simulator.engine.objective.sampling import overlong_reward
from simulator.explorer.why.numbers import FloatArray, Numbers


def rewards_of(numbers: Numbers, settings: dict[str, Any], codes: dict[str, int]) -> FloatArray:
    """What each response is paid: the run's rewards, with the overlong punishment and the KL of these settings."""
    if not {"overlong", "kl"} <= set(numbers.parts):
        return numbers.rewards
    rewards: FloatArray = numbers.rewards - numbers.parts["overlong"] - numbers.parts["kl"]
    limit = settings["max_completion_length"]
    if limit is not None and numbers.truncated is not None:
        for row, length in enumerate(numbers.lengths):
            cut = bool(numbers.truncated[row])
            rewards[row] += overlong_reward(
                codes["overlong"], int(length), cut, int(limit), int(settings["overlong_cache"])
            )
    if _pays_in_reward(settings, codes):
        rewards -= settings["beta"] * np.nansum(reward_kls(numbers, codes), axis=1)
    return rewards


def _pays_in_reward(settings: dict[str, Any], codes: dict[str, int]) -> bool:
    return bool(settings["kl_in"] == "reward" and settings["beta"] != 0 and codes["kl"] != NO_KL)


def reward_kls(numbers: Numbers, codes: dict[str, int]) -> FloatArray:
    """The KL estimate of every token by the policy that sampled it."""
    out = np.full(numbers.is_token.shape, np.nan)
    if {"old_log_probs", "ref_log_probs"} <= set(numbers.tokens):
        old, ref = numbers.tokens["old_log_probs"], numbers.tokens["ref_log_probs"]
        for row, place in np.argwhere(numbers.is_token):
            out[row, place] = estimate(codes["kl"], old[row, place], ref[row, place])[0]
    return out


def token_rewards(numbers: Numbers, settings: dict[str, Any], codes: dict[str, int], rewards: FloatArray) -> FloatArray:
    """What each token is paid: the reward at the last token, a KL in the reward at each, ``(N, T)``."""
    out = np.where(numbers.is_token, 0.0, np.nan)
    rewards = rewards.copy()
    if _pays_in_reward(settings, codes):
        costs = settings["beta"] * reward_kls(numbers, codes)
        rewards += np.nansum(costs, axis=1)
        out -= costs
    for row, length in enumerate(numbers.lengths):
        if length:
            out[row, length - 1] += rewards[row]
    return out
