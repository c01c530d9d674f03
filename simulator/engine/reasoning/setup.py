"""The setup of a run in the token world."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from ..algorithms import CHOICE_NAMES, PRESETS
from ..fields import Field, SetupError, Value, check_fields
from ..randomness import MAX_SEED
from ..version import ENGINE_VERSION

WORLD = "reasoning"

_FIRST = next(iter(PRESETS))

_SGD_LEARNING_RATE = 10.0
_MINIBATCHES = (1, 2, 4)


def _decided(
    name: str,
    label: str,
    kind: Literal["choice", "boolean", "integer", "number"],
    minimum: float = 0,
    maximum: float = 0,
    choices: tuple[str, ...] = (),
    refuse: Callable[[Any, Mapping[str, Any]], str | None] | None = None,
) -> Field:
    """A field whose default is what the algorithm says."""

    def default_for(values: Mapping[str, Any]) -> Value:
        value: Value = PRESETS[values.get("algorithm", _FIRST)][name]
        return value

    choices = choices or CHOICE_NAMES.get(name, ())
    return Field(
        name, label, kind, default_for({}), minimum, maximum, choices=choices, default_for=default_for, refuse=refuse
    )


def _default_learning_rate(values: Mapping[str, Any]) -> float:
    return _SGD_LEARNING_RATE if values.get("optimizer") == "sgd" else 0.03


def _largest_learning_rate(values: Mapping[str, Any]) -> float:
    # Adam divides by the gradient's size. Plain gradients are small here, so SGD needs rates of 10 and more.
    return 100 if values.get("optimizer") == "sgd" else 1


def _refuse_minibatches(value: int, values: Mapping[str, Any]) -> str | None:
    if value not in _MINIBATCHES:
        return "Minibatches must be 1, 2 or 4."
    prompts = values["prompts_per_step"]
    if prompts % value:
        return f"Minibatches must divide the {prompts} prompts per step evenly, and {value} doesn't."
    return None


def _refuse_cache(value: int, values: Mapping[str, Any]) -> str | None:
    limit = values["max_completion_length"]
    if values["overlong"] == "soft" and value > limit:
        return f"Penalty zone must not be longer than the longest response, {limit} tokens."
    return None


_TABLE = (
    Field("world", "World", "choice", WORLD, choices=(WORLD,)),
    Field("algorithm", "Algorithm", "choice", _FIRST, choices=tuple(PRESETS)),
    Field("steps", "Steps", "integer", 60, 10, 200),
    Field("prompts_per_step", "Prompts per step", "integer", 8, 2, 32),
    Field("group_size", "Group size", "integer", 8, 1, 32),
    Field("max_completion_length", "Longest response", "integer", 24, 6, 32),
    _decided("num_iterations", "Epochs per step", "integer", 1, 16),
    Field("minibatches", "Minibatches", "integer", 1, 1, 4, refuse=_refuse_minibatches),
    Field("optimizer", "Optimizer", "choice", "adam", choices=("adam", "sgd")),
    Field(
        "learning_rate",
        "Learning rate",
        "number",
        0.03,
        0.003,
        1,
        default_for=_default_learning_rate,
        maximum_for=_largest_learning_rate,
    ),
    Field("lr_schedule", "Schedule", "choice", "constant", choices=("constant", "linear", "cosine")),
    Field("warmup_ratio", "Warm-up", "number", 0.0, 0, 0.3),
    Field("max_grad_norm", "Gradient limit", "number", 1.0, 0, 5),
    Field("prompt_memory", "Prompt memory", "number", 0.5, 0, 2),
    _decided("dynamic_sampling", "Dynamic sampling", "boolean"),
    _decided("overlong", "Truncated responses", "choice"),
    _decided("overlong_cache", "Penalty zone", "integer", 1, 32, refuse=_refuse_cache),
    _decided("advantage", "Advantage", "choice"),
    _decided("gamma", "Gamma", "number", 0.9, 1),
    _decided("gae_lambda", "Lambda", "number", 0, 1),
    _decided("value_learning_rate", "Critic’s learning rate", "number", 0.003, 0.3),
    _decided("importance_ratio", "Importance ratio", "choice"),
    _decided("clip", "Clip", "choice"),
    _decided("epsilon", "Epsilon", "number", 0.01, 0.5),
    _decided("epsilon_high", "Upper epsilon", "number", 0.01, 1),
    _decided("aggregation", "Aggregation", "choice"),
    _decided("kl", "KL penalty", "choice"),
    _decided("kl_in", "KL goes into", "choice", choices=("loss", "reward")),
    _decided("beta", "Beta", "number", 0, 1),
    Field("false_negative_rate", "Right marked wrong", "number", 0.0, 0, 0.3),
    Field("false_positive_rate", "Wrong marked right", "number", 0.0, 0, 0.3),
    Field("length_coefficient", "Length charge", "number", 0.0, 0, 0.5),
    Field("format_coefficient", "Reward for ending", "number", 0.0, 0, 0.5),
    Field("train_prompts", "Train prompts", "integer", 32, 8, 64, multiple=4),
    Field("world_seed", "World seed", "integer", 0, 0, MAX_SEED),
)

FIELDS: dict[str, Field] = {field.name: field for field in _TABLE}
"""Every key of a setup, in the order in which it is shown and checked."""

# Settings that only matter beside others; all other settings always do.
_MATTERS: dict[str, Callable[[ReasoningSetup], bool]] = {
    "overlong_cache": lambda setup: setup.overlong == "soft",
    "gamma": lambda setup: setup.advantage == "gae",
    "gae_lambda": lambda setup: setup.advantage == "gae",
    "value_learning_rate": lambda setup: setup.advantage == "gae",
    "clip": lambda setup: setup.importance_ratio != "none",
    "epsilon": lambda setup: setup.importance_ratio != "none" and setup.clip in ("symmetric", "higher"),
    "epsilon_high": lambda setup: setup.importance_ratio != "none" and setup.clip in ("higher", "cispo"),
    "kl_in": lambda setup: setup.kl != "none",
    "beta": lambda setup: setup.kl != "none",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningSetup:
    """Everything but the seed that a run in the token world depends on.

    An algorithm is a name for a choice in every slot and the settings that
    come with it; each may be changed, and the run is decided by the choices,
    not by the name. Every field is checked, also when the dataclass is made
    directly; a field that has no effect beside the others is checked too, and
    kept. Use ``parse_setup`` to have missing fields filled in.

    Raises:
        SetupError: for the first field that is refused.
    """

    world: ClassVar[str] = WORLD

    algorithm: str
    steps: int
    prompts_per_step: int
    group_size: int
    max_completion_length: int
    num_iterations: int
    minibatches: int
    optimizer: str
    learning_rate: float
    lr_schedule: str
    warmup_ratio: float
    max_grad_norm: float
    prompt_memory: float
    dynamic_sampling: bool
    overlong: str
    overlong_cache: int
    advantage: str
    gamma: float
    gae_lambda: float
    value_learning_rate: float
    importance_ratio: str
    clip: str
    epsilon: float
    epsilon_high: float
    aggregation: str
    kl: str
    kl_in: str
    beta: float
    false_negative_rate: float
    false_positive_rate: float
    length_coefficient: float
    format_coefficient: float
    train_prompts: int
    world_seed: int

    def __post_init__(self) -> None:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        values, errors = check_fields(FIELDS, given)
        for field, message in errors.items():
            raise SetupError(field, message)
        for name in given:
            # Two equal setups must be equal to the bit: 1 becomes 1.0, -0.0 becomes 0.0.
            object.__setattr__(self, name, values[name])

    def to_dict(self) -> dict[str, Any]:
        """Every key with its value, ready for JSON and for ``parse_setup``."""
        return {name: getattr(self, name) for name in FIELDS}

    def active_fields(self) -> dict[str, Any]:
        """The keys that influence this run, with their values, and the algorithm's name."""
        return {name: value for name, value in self.to_dict().items() if name not in _MATTERS or _MATTERS[name](self)}

    def replace(self, **changes: Any) -> ReasoningSetup:
        """The same setup with some fields changed; all others keep their values,
        also when the algorithm's name changes.

        Raises:
            SetupError: a change is refused, or names no field.
        """
        values, errors = check_fields(FIELDS, self.to_dict() | changes)
        for field, message in errors.items():
            raise SetupError(field, message)
        del values["world"]
        return ReasoningSetup(**values)

    @property
    def sampled_responses(self) -> int | None:
        """Responses a run samples: the price of the run. None when dynamic
        sampling decides it while the run goes on."""
        return None if self.dynamic_sampling else self.most_sampled_responses

    @property
    def most_sampled_responses(self) -> int:
        """The most responses a run may sample."""
        return self.steps * self.most_rounds * self.prompts_per_step * self.group_size

    @property
    def most_rounds(self) -> int:
        """The most rounds of ``prompts_per_step`` prompts that one step may
        sample: dynamic sampling goes through the train prompts at most once."""
        return max(1, self.train_prompts // self.prompts_per_step) if self.dynamic_sampling else 1

    @property
    def run_hash(self) -> str:
        """SHA-256 (hex) of what decides the run's numbers, its seed apart.

        Two setups that differ only in fields without effect, or in the name by
        which the same choices are called, have the same hash.
        """
        content = {"engine_version": ENGINE_VERSION} | self.active_fields()
        del content["algorithm"]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode("ascii")).hexdigest()
