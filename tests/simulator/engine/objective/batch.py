"""A small update on which choices are tried: responses of several lengths, some right, one of them cut off.

Log-probabilities lie on both sides of the clip's bounds, on them and at the old policy's.
"""

from dataclasses import dataclass, field

import numpy as np

from simulator.engine.algorithms import code_of
from simulator.engine.objective.advantage import generalized_advantages, group_advantages
from simulator.engine.objective.aggregation import response_weight
from simulator.engine.objective.response import response_objective
from simulator.engine.objective.sampling import is_masked, overlong_reward
from simulator.engine.objective.slots import CHOICE_NAMES

GROUP_SIZE, LIMIT, CACHE = 3, 5, 2
GAMMA, GAE_LAMBDA, BASELINE = 0.9, 0.7, 0.3
EPSILON, EPSILON_HIGH, BETA = 0.2, 0.5, 0.4
LENGTHS = (3, 1, 5, 2, 4, 5)
TRUNCATED = (False, False, True, False, False, False)
VERIFIED = (1.0, 0.0, 0.0, 1.0, 1.0, 1.0)

# Changes of log-probability: no change, inside, clearly outside, and for whole responses outside too.
_CHANGES = (
    (0.0, 0.1, 0.9),
    (-0.6,),
    (0.0, -0.1, 0.3, -0.7, 0.05),
    (0.6, 0.7),
    (-0.5, -0.3, -0.4, 0.0),
    (0.02, -0.03, 0.0, 1.2, -0.15),
)


@dataclass
class Case:
    """One combination of choices on the batch; ``advantages`` are filled in by :func:`prepare`."""

    advantage: str = "group_normalized"
    ratio: str = "token"
    clip: str = "symmetric"
    aggregation: str = "per_response"
    kl: str = "none"
    overlong: str = "none"
    epsilon: float = EPSILON
    epsilon_high: float = EPSILON_HIGH
    beta: float = BETA
    limit: int = LIMIT
    truncated: tuple[bool, ...] = TRUNCATED
    old_log_probs: list[list[float]] = field(default_factory=list)
    ref_log_probs: list[list[float]] = field(default_factory=list)
    log_probs: list[list[float]] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    advantages: list[list[float]] = field(default_factory=list)

    def __post_init__(self):
        random = np.random.default_rng(7)
        for length, changes in zip(LENGTHS, _CHANGES, strict=True):
            old = np.log(random.uniform(0.05, 0.25, length))
            self.old_log_probs.append(list(old))
            self.log_probs.append(list(old + changes))
            self.ref_log_probs.append(list(old + random.normal(0, 0.4, length)))
            self.values.append(list(random.uniform(-0.2, 0.8, length)))
        self.ref_log_probs[0][0] = self.log_probs[0][0]
        for verified, length, truncated in zip(VERIFIED, LENGTHS, self.truncated, strict=True):
            extra = overlong_reward(code_of("overlong", self.overlong), length, truncated, LIMIT, CACHE)
            self.rewards.append(verified + extra)
        self.advantages = token_advantages(self)

    @property
    def settings(self):
        """The case as a setup."""
        return {
            "algorithm": "custom",
            "advantage": self.advantage,
            "importance_ratio": self.ratio,
            "clip": self.clip,
            "aggregation": self.aggregation,
            "kl": self.kl,
            "overlong": self.overlong,
            "beta": self.beta,
        }


def cases():
    """Every combination of choices."""
    for advantage in CHOICE_NAMES["advantage"]:
        for overlong in CHOICE_NAMES["overlong"]:
            rewarded = Case(advantage=advantage, overlong=overlong)
            for ratio in CHOICE_NAMES["importance_ratio"]:
                for clip in CHOICE_NAMES["clip"]:
                    for aggregation in CHOICE_NAMES["aggregation"]:
                        for kl in CHOICE_NAMES["kl"]:
                            rewarded.ratio, rewarded.clip = ratio, clip
                            rewarded.aggregation, rewarded.kl = aggregation, kl
                            yield rewarded


def token_advantages(case):
    """The advantage of every token, by the engine."""
    code = code_of("advantage", case.advantage)
    found = []
    if case.advantage == "gae":
        for reward, values in zip(case.rewards, case.values, strict=True):
            paid, advantages, returns = np.zeros((3, len(values)))
            paid[-1] = reward
            generalized_advantages(np.array(values), paid, GAMMA, GAE_LAMBDA, advantages, returns)
            found.append(list(advantages))
        return found
    for first in range(0, len(case.rewards), GROUP_SIZE):
        advantages = np.zeros(GROUP_SIZE)
        group_advantages(code, np.array(case.rewards[first : first + GROUP_SIZE]), BASELINE, advantages)
        found += [[one] * LENGTHS[first + k] for k, one in enumerate(advantages)]
    return found


@dataclass
class Result:
    """What the engine makes of a case: J, and per response a dict of arrays."""

    objective: float
    responses: list[dict[str, np.ndarray]]


def compute(case):
    """J and all token arrays, by the engine."""
    overlong = code_of("overlong", case.overlong)
    masked = [is_masked(overlong, cut) for cut in case.truncated]
    counted = sum(length for length, out in zip(LENGTHS, masked, strict=True) if not out)
    total, responses = 0.0, []
    for i, length in enumerate(LENGTHS):
        weight = 0.0
        if not masked[i]:
            code = code_of("aggregation", case.aggregation)
            weight = response_weight(code, len(LENGTHS), length, counted, case.limit)
        arrays = {name: np.full(length, np.nan) for name in ("ratio", "objective", "push", "token_kl")}
        arrays["clip_state"] = np.full(length, -1, np.int8)
        arrays["weight"] = np.full(length, weight)
        total += response_objective(
            code_of("importance_ratio", case.ratio),
            code_of("clip", case.clip),
            code_of("kl", case.kl),
            case.epsilon,
            case.epsilon_high,
            case.beta,
            np.array(case.log_probs[i]),
            np.array(case.old_log_probs[i]),
            np.array(case.ref_log_probs[i]),
            np.array(case.advantages[i]),
            arrays["weight"],
            arrays["ratio"],
            arrays["objective"],
            arrays["push"],
            arrays["clip_state"],
            arrays["token_kl"],
        )
        responses.append(arrays)
    return Result(total, responses)
