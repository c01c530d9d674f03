"""What the symbols of an algorithm's formulas stand for in one update, and why some stand for nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from simulator.engine.algorithms import definitions
from simulator.engine.formula import Expression, Symbol
from simulator.engine.objective.advantage import GAE
from simulator.engine.objective.ratio import SEQUENCE_RATIO
from simulator.engine.objective.sampling import keeps_group, overlong_reward
from simulator.explorer.why.arrays import evaluate
from simulator.explorer.why.computed import Computed, masked_of
from simulator.explorer.why.numbers import FloatArray, Numbers, Spot
from simulator.explorer.why.rewards import token_rewards
from simulator.explorer.why.subject import Subject

# What each term is taken from, where that is not a number of the same name in the log.
_NEEDS = {
    "ratio": "log_probs and old_log_probs",
    "sequence_ratio": "log_probs and old_log_probs",
    "log_ratio_to_reference": "log_probs and ref_log_probs",
    "token_kl": "log_probs and ref_log_probs",
    "probability": "log_probs",
    "old_probability": "old_log_probs",
    "value": "values",
    "return": "values",
    "td_error": "values",
    "token_reward": "rewards",
    "baseline": "a moving average of earlier rewards",
    "next_baseline": "a moving average of earlier rewards",
    "mean_reward": "the rewards of the whole batch",
    "verified": "the parts of the reward",
    "correct_count": "which responses are right",
    "truncated": "which responses were cut off",
}

_CONSTANTS = (
    "epsilon",
    "epsilon_high",
    "beta",
    "gamma",
    "gae_lambda",
    "overlong_cache",
    "max_completion_length",
    "format_coefficient",
    "length_coefficient",
)


@dataclass(frozen=True, eq=False)
class Bindings:
    """Values for formulas. `of_update` has one axis for each index of a term, responses counted through the update."""

    numbers: Numbers
    subject: Subject
    computed: Computed

    @cached_property
    def settings(self) -> dict[str, Any]:
        return self.subject.settings

    @cached_property
    def codes(self) -> dict[str, int]:
        return {slot: choice.code for slot, choice in self.subject.choices.items()}

    @cached_property
    def by_token(self) -> bool:
        """Whether every token has an advantage of its own."""
        return self.codes["advantage"] == GAE

    @cached_property
    def constants(self) -> dict[str, float]:
        """What is the same for all tokens."""
        found = {name: self.settings[name] for name in _CONSTANTS} | {"responses": len(self.numbers.lengths)}
        return {name: float(value) for name, value in found.items() if value is not None}

    @cached_property
    def of_update(self) -> dict[str, Any]:
        """Bindings for the objective of the whole update, the term, the weight and the push of its tokens."""
        tokens, computed = self.numbers.tokens, self.computed.tokens
        found: dict[str, Any] = {**self.constants, "length": self.numbers.lengths}
        found |= {name: tokens[name] for name in ("log_probs", "old_log_probs", "ref_log_probs") if name in tokens}
        found["mask"] = (~masked_of(self.numbers, self.codes)).astype(np.float64)
        if "ratio" in computed:
            is_shared = self.codes["importance_ratio"] == SEQUENCE_RATIO
            found |= {"sequence_ratio": _first(computed["ratio"])} if is_shared else {"ratio": computed["ratio"]}
        if "advantages" in computed:
            found["advantage"] = computed["advantages"] if self.by_token else _first(computed["advantages"])
        if {"log_probs", "ref_log_probs"} <= set(tokens):
            found["log_ratio_to_reference"] = tokens["log_probs"] - tokens["ref_log_probs"]
        for name, other in (("token_kl", "token_kl"), ("weight", "weight"), ("objective", "token_objective")):
            if other in computed:
                found[name] = computed[other]
        return found

    def of_group(self, spot: Spot) -> dict[str, Any]:
        """Bindings for what is defined within the group of one response: advantage, reward, surprise."""
        row, group = spot.row, self.numbers.group(spot.row)
        found: dict[str, Any] = {**self.constants, "group_size": group.stop - group.start, "t": spot.place + 1}
        if np.isfinite(self.computed.baseline):
            found["baseline"] = self.computed.baseline
        if self.by_token:
            # A critic judges every response by itself, so there is no index for it.
            length = int(self.numbers.lengths[row])
            found["length"] = length
            return found | (self._of_critic(row, length) if "values" in self.numbers.tokens else {})
        found |= {"i": row - group.start + 1, "length": self.numbers.lengths[group]}
        if np.isfinite(self.computed.rewards[group]).all():
            found["reward"] = self.computed.rewards[group]
        return found

    def _of_critic(self, row: int, length: int) -> dict[str, Any]:
        values = np.append(self.numbers.tokens["values"][row, :length], 0.0)
        paid = self.paid[row, :length]
        gamma = float(self.settings["gamma"])
        surprises = paid + gamma * values[1:] - values[:-1]
        return {"value": values, "token_reward": paid, "td_error": surprises}

    @cached_property
    def paid(self) -> FloatArray:
        """What each token is paid, ``(N, T)``."""
        if self.computed.is_logged and "rewards" in self.numbers.tokens:
            return self.numbers.tokens["rewards"]
        return token_rewards(self.numbers, self.settings, self.codes, self.computed.rewards)

    def at(self, spot: Spot) -> dict[str, float]:
        """The number that each term stands for at one token, by the id of the term; what isn't known is left out."""
        row, place = spot.row, spot.place
        found: dict[str, float] = dict(self.constants)
        for name, value in self.of_update.items():
            array = np.asarray(value, dtype=np.float64)
            found[name] = float(array[(row, place)[: array.ndim]])
        for name, value in self.of_group(spot).items():
            if name in ("value", "token_reward", "td_error"):
                found[name] = float(value[place])
            elif name not in ("i", "t", "length", "reward"):
                found[name] = float(value)
        found["reward"] = float(self.computed.rewards[row])
        for name, other in (("probability", "log_probs"), ("old_probability", "old_log_probs")):
            if other in found:
                found[name] = float(np.exp(found[other]))
        if "push" in self.computed.tokens:
            found["push"] = self.computed.at("push", row, place)
        if "value" in found and "advantage" in found:
            found["return"] = found["value"] + found["advantage"]
        found |= self._of_response(row)
        if np.isfinite(self.computed.objective):
            found["policy_objective"] = self.computed.objective
        return {name: value for name, value in found.items() if np.isfinite(value)}

    def _of_response(self, row: int) -> dict[str, float]:
        numbers, found = self.numbers, {}
        group = numbers.group(row)
        if "verified" in numbers.parts:
            found["verified"] = float(numbers.parts["verified"][row])
            found["correct_count"] = float(numbers.parts["verified"][group].sum())
        if numbers.truncated is not None:
            cut, limit = bool(numbers.truncated[row]), self.settings["max_completion_length"]
            found["truncated"] = float(cut)
            if limit is not None:
                cache = int(self.settings["overlong_cache"])
                found["overlong_reward"] = overlong_reward(
                    self.codes["overlong"], int(numbers.lengths[row]), cut, int(limit), cache
                )
        if "correct_count" in found:
            size = group.stop - group.start
            right = int(found["correct_count"])
            found["kept"] = float(keeps_group(self.codes["dynamic_sampling"], right, size))
        return found

    def missing(self, name: str) -> str:
        """Why a term has no number, in words."""
        for quantity in (name, f"{name}s"):
            if quantity in self.computed.missing:
                return self.computed.missing[quantity]
        return f"needs {_NEEDS.get(name, name)}"

    def value(self, tree: Expression, spot: Spot) -> float:
        """The value of a formula of a token, by the formula itself. Raises MissingValue."""
        return tree.evaluate({**self.of_update, "i": spot.row + 1, "t": spot.place + 1})

    def whole(self, tree: Expression) -> float:
        """The value of the objective of the update, by the formula itself. Raises MissingValue."""
        return evaluate(tree, self.of_update)

    def definition(self, symbol: Symbol) -> Expression | None:
        """What a symbol stands for in this algorithm."""
        for equation in definitions(self.settings):
            if equation.symbol == symbol:
                return equation.formula
        return None


def _first(array: FloatArray) -> FloatArray:
    """What all tokens of a response share, ``(N,)``."""
    first: FloatArray = array[:, 0] if array.shape[1] else np.full(len(array), np.nan)
    return first
