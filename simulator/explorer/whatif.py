"""One optimizer update with other settings: its tokens' numbers calculated again, by the engine's own functions.

Nothing is trained. The policy, the responses and what the verifier paid stay as they were; what the objective makes of
them is calculated anew. With the settings that ran, the numbers that ran come out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from simulator.engine.algorithms import code_of
from simulator.engine.objective.advantage import generalized_advantages, group_advantages
from simulator.engine.objective.aggregation import response_weight
from simulator.engine.objective.response import response_objective
from simulator.engine.reasoning.setup import ReasoningSetup
from simulator.explorer.state import ExplorerState
from simulator.records import Prompt, Response, Update

FloatArray = npt.NDArray[np.float64]

GROUP_ADVANTAGES = ("group_normalized", "group_mean", "leave_one_out", "none")
"""Advantages that need nothing but the rewards of the group. Those by a critic or by a moving average also need what
only a run that had them knows."""

NEEDED = ("log_probs", "old_log_probs", "ref_log_probs", "advantages", "token_kl")


def what_is_missing(update: Update, setup: ReasoningSetup | None) -> str:
    """Why nothing can be recomputed, in words; "" where it can."""
    if setup is None:
        return "This log does not say which settings it was made with, so nothing can be recomputed from it."
    responses = [response for prompt in update.prompts for response in prompt.responses]
    for name in (*NEEDED, "values", "rewards") if setup.advantage == "gae" else NEEDED:
        known = [response.numbers.get(name, ()) for response in responses]
        are_whole = all(len(one) == response.length > 0 for one, response in zip(known, responses, strict=True))
        if not (responses and are_whole and np.isfinite(np.concatenate(known)).all()):
            return f"What if needs {name} of every token, which is not logged."
    if not np.isfinite([response.reward for response in responses]).all():
        return "What if needs every reward, and some are not logged."
    return ""


def assumed(setup: ReasoningSetup, state: ExplorerState) -> ReasoningSetup:
    """The setup with the settings that a view assumes. Two clip ranges make a symmetric clip one with two bounds, and a
    beta where there was no KL makes it k3, GRPO's.

    Raises:
        SetupError: a setting can't be that, or the update does not hold what it needs.
    """
    changes: dict[str, object] = {}
    if state.eps is not None:
        changes["epsilon"] = state.eps
    if state.epsh is not None:
        changes["epsilon_high"] = state.epsh
        if setup.clip == "symmetric":
            changes["clip"] = "higher"
    if state.beta_if is not None:
        changes["beta"] = state.beta_if
        if setup.kl == "none" and state.beta_if > 0:
            changes |= {"kl": "k3", "kl_in": "loss"}
    if state.norm:
        changes["aggregation"] = state.norm
    if state.std and state.std in (*GROUP_ADVANTAGES, setup.advantage):
        changes["advantage"] = state.std
    return setup.replace(**changes)


def recomputed(update: Update, ran: ReasoningSetup, setup: ReasoningSetup) -> Update:
    """The update as `setup` would have it; `ran` is the setup that it was made with.

    Ratio, advantage, clip state, KL, weight, term of the objective and push of every token are new, and J among the
    metrics. Of the rest of the setup nothing matters.
    """
    responses = sum(len(prompt.responses) for prompt in update.prompts)
    tokens = sum(one.length for prompt in update.prompts for one in prompt.responses if not one.masked)
    objective = 0.0
    prompts = []
    for prompt in update.prompts:
        rewards = np.array([_reward(response, ran, setup) for response in prompt.responses])
        advantages = _advantages(prompt, rewards, ran, setup)
        found = []
        for response, reward, advantage in zip(prompt.responses, rewards, advantages, strict=True):
            weight = 0.0
            if not response.masked and response.length:
                code = code_of("aggregation", setup.aggregation)
                weight = response_weight(code, responses, response.length, tokens, setup.max_completion_length)
            share, numbers = _tokens(response, advantage, weight, setup)
            objective += share
            is_same = advantage.size and (advantage == advantage[0]).all()
            found.append(
                replace(
                    response,
                    reward=float(reward),
                    advantage=float(advantage[0]) if is_same else np.nan,
                    numbers=response.numbers | numbers,
                )
            )
        prompts.append(replace(prompt, responses=tuple(found)))
    metrics = update.metrics | {"policy_objective": objective, "policy_loss": -objective}
    return replace(update, prompts=tuple(prompts), metrics=metrics)


def warm() -> None:
    """Compile what recomputing needs, so that nobody waits for it."""
    one = np.zeros(1)
    group_advantages(code_of("advantage", "group_normalized"), one, 0.0, np.empty(1))
    generalized_advantages(one, one, 1.0, 0.95, np.empty(1), np.empty(1))
    response_weight(code_of("aggregation", "per_token"), 1, 1, 1, 1)
    response_objective(0, 0, 0, 0.2, 0.2, 0.0, one, one, one, one, one, *np.empty((3, 1)), np.empty(1, np.int8), one)


def _beta_in_reward(setup: ReasoningSetup) -> float:
    return setup.beta if setup.kl != "none" and setup.kl_in == "reward" else 0.0


def _reward(response: Response, ran: ReasoningSetup, setup: ReasoningSetup) -> float:
    """The reward with what leaving the reference costs at another beta."""
    before, after = _beta_in_reward(ran), _beta_in_reward(setup)
    if before == after:
        return response.reward
    return response.reward + (before - after) * float(response.numbers["token_kl"].sum())


def _advantages(prompt: Prompt, rewards: FloatArray, ran: ReasoningSetup, setup: ReasoningSetup) -> list[FloatArray]:
    """The advantage of every token of every response."""
    lengths = [response.length for response in prompt.responses]
    if _fills(prompt):
        return [np.zeros(length) for length in lengths]
    if setup.advantage == "gae":
        return [_by_critic(one, float(reward), setup) for one, reward in zip(prompt.responses, rewards, strict=True)]
    # Of a moving average the update holds only what it made: reward less advantage.
    first = prompt.responses[0]
    baseline = float(first.reward - first.numbers["advantages"][0]) if setup.advantage == "ema_baseline" else 0.0
    advantages = np.empty(len(lengths))
    group_advantages(code_of("advantage", setup.advantage), rewards, baseline, advantages)
    return [np.full(length, advantage) for length, advantage in zip(lengths, advantages, strict=True)]


def _fills(prompt: Prompt) -> bool:
    """Whether the group only fills the batch. A log does not say it, but all advantages are 0 then."""
    if prompt.filler is not None:
        return prompt.filler
    return not any(response.numbers["advantages"].any() for response in prompt.responses)


def _by_critic(response: Response, reward: float, setup: ReasoningSetup) -> FloatArray:
    beta, kl = _beta_in_reward(setup), response.numbers["token_kl"]
    rewards = -beta * kl if beta > 0 else np.zeros(response.length)
    rewards[-1] += reward + (beta * float(kl.sum()) if beta > 0 else 0.0)
    advantages, returns = np.empty((2, response.length))
    values = np.ascontiguousarray(response.numbers["values"])
    generalized_advantages(values, rewards, setup.gamma, setup.gae_lambda, advantages, returns)
    return advantages


def _tokens(
    response: Response, advantages: FloatArray, weight: float, setup: ReasoningSetup
) -> tuple[float, dict[str, FloatArray]]:
    """What a response adds to J, and the new numbers of its tokens."""
    in_loss = setup.kl != "none" and setup.kl_in == "loss"
    log_probs, old_log_probs, ref_log_probs = (
        np.ascontiguousarray(response.numbers[name]) for name in ("log_probs", "old_log_probs", "ref_log_probs")
    )
    weights = np.full(response.length, weight)
    ratios, objectives, pushes, kls = np.empty((4, response.length))
    states = np.empty(response.length, np.int8)
    share = response_objective(
        code_of("importance_ratio", setup.importance_ratio),
        code_of("clip", setup.clip),
        code_of("kl", setup.kl if in_loss else "none"),
        setup.epsilon,
        setup.epsilon_high,
        setup.beta if in_loss else 0.0,
        log_probs,
        old_log_probs,
        ref_log_probs,
        advantages,
        weights,
        ratios,
        objectives,
        pushes,
        states,
        kls,
    )
    found = {
        "ratio": ratios,
        "advantages": advantages,
        "weight": weights,
        "token_objective": objectives,
        "push": pushes,
        "clip_state": states.astype(np.float64),
    }
    # A KL in the reward was estimated when the response was sampled, and stays what it was.
    return float(share), found if setup.kl_in == "reward" and setup.kl != "none" else found | {"token_kl": kls}
