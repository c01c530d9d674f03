"""What an algorithm makes of an update: as the run logged it, or by the engine's functions on the same responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.engine.objective.advantage import EMA_BASELINE, GAE, generalized_advantages, group_advantages
from simulator.engine.objective.aggregation import CONSTANT, response_weight
from simulator.engine.objective.divergence import NO_KL
from simulator.engine.objective.ratio import NO_RATIO
from simulator.engine.objective.response import response_objective
from simulator.engine.objective.sampling import KEEP_MIXED, is_masked, keeps_group
from simulator.explorer.why.numbers import BoolArray, FloatArray, Numbers
from simulator.explorer.why.rewards import reward_kls, rewards_of, token_rewards
from simulator.explorer.why.subject import Subject

QUANTITIES = ("advantages", "weight", "ratio", "token_objective", "push", "clip_state", "token_kl")
"""What an algorithm makes of a token, under the names of a record."""


@dataclass(frozen=True, eq=False)
class Computed:
    """An update under one algorithm.

    Attributes:
        tokens: of `QUANTITIES` those that are known, ``(N, T)`` each, nan behind the last token of a response.
        rewards: what each response is paid, ``(N,)``.
        objective: J, or nan.
        is_logged: the run's own numbers; otherwise the engine's functions made them from what was logged.
        missing: what is not known, by quantity, and in words what it needs.
        baseline: the moving average that rewards are compared with, or nan.
        silenced: groups that the algorithm would not have trained on, ``(N,)``.
    """

    tokens: dict[str, FloatArray]
    rewards: FloatArray
    objective: float
    is_logged: bool
    missing: Mapping[str, str] = field(default_factory=dict)
    baseline: float = np.nan
    silenced: BoolArray | None = None

    def at(self, name: str, row: int, place: int) -> float:
        """A number of one token, nan when it isn't known."""
        return float(self.tokens[name][row, place]) if name in self.tokens else np.nan


def computed_of(numbers: Numbers, subject: Subject, baseline: float = np.nan) -> Computed:
    """What a subject makes of an update. `baseline` is the moving average before it, where that is known."""
    if subject.is_own and set(QUANTITIES) <= set(numbers.tokens):
        tokens = {name: numbers.tokens[name] for name in QUANTITIES}
        return Computed(tokens, numbers.rewards, numbers.objective, True, baseline=_own_baseline(numbers, subject))
    settings = subject.settings
    codes = {slot: choice.code for slot, choice in subject.choices.items()}
    silenced = None
    if subject.is_own and "advantages" in numbers.tokens:
        # What the run itself gave its tokens holds, whatever else it did not log.
        rewards, advantages, missing = numbers.rewards, numbers.tokens["advantages"], ""
        baseline = _own_baseline(numbers, subject)
    else:
        rewards = rewards_of(numbers, settings, codes)
        silenced = _silenced(numbers, codes)
        advantages, missing = _advantages(numbers, settings, codes, rewards, silenced, baseline)
    found: dict[str, FloatArray] = {}
    lacking: dict[str, str] = {}
    if missing:
        lacking["advantages"] = missing
    else:
        found["advantages"] = advantages
    weights = _weights(numbers, settings, codes)
    if weights is None:
        lacking["weight"] = "needs max_completion_length"
    else:
        found["weight"] = weights
    objective = _measure(numbers, settings, codes, found, lacking)
    return Computed(found, rewards, objective, False, lacking, baseline, silenced)


def _measure(
    numbers: Numbers,
    settings: dict[str, Any],
    codes: dict[str, int],
    found: dict[str, FloatArray],
    lacking: dict[str, str],
) -> float:
    """Ratio, clip, term and push of every token by the engine, as far as what they need is known. Returns J."""
    logged = numbers.tokens
    needs = {"ratio": ["log_probs", "old_log_probs"], "token_kl": ["log_probs", "ref_log_probs"]}
    absent = {name: [one for one in wanted if one not in logged] for name, wanted in needs.items()}
    in_loss = settings["kl_in"] == "loss" and settings["beta"] != 0 and codes["kl"] != NO_KL
    lacking |= {name: f"needs {' and '.join(some)}" for name, some in absent.items() if some}
    has_ratio = codes["importance_ratio"] != NO_RATIO
    for_term = [one for one in absent["ratio"] if has_ratio or one == "log_probs"]
    if in_loss:
        for_term = list(dict.fromkeys([*for_term, *absent["token_kl"]]))
    if for_term or "advantages" in lacking:
        why = f"needs {' and '.join(for_term)}" if for_term else lacking["advantages"]
        lacking |= dict.fromkeys(("token_objective", "clip_state", "push"), why)
    if "log_probs" not in logged:
        return np.nan
    shape = logged["log_probs"].shape
    blank = np.zeros(shape)
    now, old = logged["log_probs"], logged.get("old_log_probs", logged["log_probs"])
    ref = logged.get("ref_log_probs", now)
    advantages, weights = found.get("advantages", blank), found.get("weight", blank)
    out = {name: np.full(shape, np.nan) for name in ("ratio", "token_objective", "push", "token_kl", "clip_state")}
    states = np.zeros(shape, dtype=np.int8)
    beta = float(settings["beta"]) if in_loss else 0.0
    total = 0.0
    for row, length in enumerate(numbers.lengths):
        at = (row, slice(int(length)))
        if length:
            total += response_objective(
                codes["importance_ratio"],
                codes["clip"],
                codes["kl"] if in_loss else NO_KL,
                float(settings["epsilon"]),
                float(settings["epsilon_high"]),
                beta,
                now[at],
                old[at],
                ref[at],
                advantages[at],
                weights[at],
                out["ratio"][at],
                out["token_objective"][at],
                out["push"][at],
                states[at],
                out["token_kl"][at],
            )
            out["clip_state"][at] = states[at]
    if settings["kl_in"] == "reward" and not absent["token_kl"] and "old_log_probs" in logged:
        out["token_kl"] = reward_kls(numbers, codes)
    found |= {name: array for name, array in out.items() if name not in lacking}
    if "weight" in lacking and "push" in found:
        del found["push"]
        lacking["push"] = lacking["weight"]
    return total if {"token_objective", "weight"} <= set(found) else np.nan


def _silenced(numbers: Numbers, codes: dict[str, int]) -> BoolArray | None:
    """Groups that dynamic sampling would have sampled anew, ``(N,)``."""
    if codes["dynamic_sampling"] != KEEP_MIXED:
        return None
    right = numbers.parts.get("verified", numbers.correct)
    out = np.zeros(len(numbers.lengths), dtype=bool)
    for group in numbers.groups():
        if right is not None:
            out[group] = not keeps_group(KEEP_MIXED, int(right[group].sum()), group.stop - group.start)
    return out


def _advantages(
    numbers: Numbers,
    settings: dict[str, Any],
    codes: dict[str, int],
    rewards: FloatArray,
    silenced: BoolArray | None,
    baseline: float,
) -> tuple[FloatArray, str]:
    """The advantage of every token, and what is missing for it."""
    out = np.full(numbers.is_token.shape, np.nan)
    if codes["advantage"] == GAE:
        if "values" not in numbers.tokens:
            return out, "needs a critic’s values, which this run has not logged"
        values, paid = numbers.tokens["values"], token_rewards(numbers, settings, codes, rewards)
        for row, length in enumerate(numbers.lengths):
            at = (row, slice(int(length)))
            generalized_advantages(
                values[at],
                paid[at],
                float(settings["gamma"]),
                float(settings["gae_lambda"]),
                out[at],
                np.empty(int(length)),
            )
    else:
        if not np.isfinite(rewards).all():
            return out, "needs the rewards of all responses"
        if codes["advantage"] == EMA_BASELINE and not np.isfinite(baseline):
            return out, "needs a moving average of earlier rewards, which this run has not logged"
        for group in numbers.groups():
            found = np.zeros(group.stop - group.start)
            group_advantages(codes["advantage"], rewards[group], float(np.nan_to_num(baseline)), found)
            out[group] = found[:, None]
    if silenced is not None:
        out[silenced] = 0.0
    out[~numbers.is_token] = np.nan
    return out, ""


def masked_of(numbers: Numbers, codes: Mapping[str, int]) -> BoolArray:
    """Which responses weigh nothing, ``(N,)``."""
    if numbers.truncated is None:
        return np.zeros(len(numbers.lengths), dtype=bool) if numbers.masked is None else numbers.masked
    return np.array([is_masked(codes["overlong"], bool(cut)) for cut in numbers.truncated])


def _weights(numbers: Numbers, settings: dict[str, Any], codes: dict[str, int]) -> FloatArray | None:
    limit = settings["max_completion_length"]
    if codes["aggregation"] == CONSTANT and limit is None:
        return None
    masked = masked_of(numbers, codes)
    total = int(numbers.lengths[~masked].sum())
    out = np.full(numbers.is_token.shape, np.nan)
    for row, length in enumerate(numbers.lengths):
        weight = 0.0
        if not masked[row] and length:
            weight = response_weight(codes["aggregation"], len(numbers.lengths), int(length), total, int(limit or 1))
        out[row, :length] = weight
    return out


def _own_baseline(numbers: Numbers, subject: Subject) -> float:
    """The moving average that a run's advantages were taken from: reward less advantage."""
    if subject.choices["advantage"].code != EMA_BASELINE or "advantages" not in numbers.tokens:
        return np.nan
    counted = np.flatnonzero(~numbers.filler & (numbers.lengths > 0))
    if not counted.size:
        return np.nan
    row = int(counted[0])
    return float(numbers.rewards[row] - numbers.tokens["advantages"][row, 0])
