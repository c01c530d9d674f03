"""The setup of a run in the ten-answers world."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ..fields import Field, SetupError, check_fields
from ..version import ENGINE_VERSION
from .events import EVENTS
from .methods import METHODS, Method
from .world import PROMPTS, PROMPTS_PER_STEP

WORLD = "candidates"


def _default_beta(values: Mapping[str, Any]) -> float:
    return 0.05 if METHODS[values["method"]].online else 0.1


def _default_flip_rate(values: Mapping[str, Any]) -> float:
    return EVENTS[values["event"]].default_flip_rate


def _smallest_group(values: Mapping[str, Any]) -> float:
    return METHODS[values["method"]].smallest_group


_TABLE = (
    Field("world", "World", "choice", WORLD, choices=(WORLD,)),
    Field("event", "Event", "choice", "clean", choices=tuple(EVENTS)),
    Field("method", "Method", "choice", "grpo", choices=tuple(METHODS)),
    Field("steps", "Steps", "integer", 200, 1, 800),
    Field("group_size", "Group size", "integer", 8, 1, 64, minimum_for=_smallest_group),
    Field("samples_per_prompt", "Samples per prompt", "integer", 8, 2, 64),
    Field("beta", "Beta", "number", 0.05, 0, 5, default_for=_default_beta),
    Field("length_penalty", "Length penalty", "number", 0.0, 0, 4),
    Field("label_smoothing", "Label smoothing", "number", 0.1, 0, 0.49),
    Field("flip_rate", "Flip rate", "number", 0.0, 0, 0.5, default_for=_default_flip_rate),
)

FIELDS: dict[str, Field] = {field.name: field for field in _TABLE}
"""Every key of a setup, in the order in which it is shown and checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSetup:
    """Everything but the seed that a run in the ten-answers world depends on.

    Every field is checked, also when the dataclass is made directly; a field
    that the method does not use is checked too, and kept. Use
    ``parse_setup`` to have missing fields filled in.

    Raises:
        SetupError: for the first field that is refused.
    """

    world: ClassVar[str] = WORLD

    event: str
    method: str
    steps: int
    group_size: int
    samples_per_prompt: int
    beta: float
    length_penalty: float
    label_smoothing: float
    flip_rate: float

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
        """The keys that influence this run, with their values."""
        used = {"world", "event", "method", "steps"} | self.training.uses
        return {name: value for name, value in self.to_dict().items() if name in used}

    def replace(self, **changes: Any) -> CandidateSetup:
        """The same setup with some fields changed; all others keep their values.

        Raises:
            SetupError: a change is refused, or names no field.
        """
        values, errors = check_fields(FIELDS, self.to_dict() | changes)
        for field, message in errors.items():
            raise SetupError(field, message)
        del values["world"]
        return CandidateSetup(**values)

    @property
    def training(self) -> Method:
        """The training method as an object: the same one that trains."""
        return METHODS[self.method]

    @property
    def sampled_responses(self) -> int:
        """Responses a run samples: the price of the run.

        Online methods sample a group per visited prompt; offline methods sample
        every prompt once, however long they train.
        """
        if self.training.online:
            return self.steps * PROMPTS_PER_STEP * self.group_size
        return PROMPTS * self.samples_per_prompt

    @property
    def run_hash(self) -> str:
        """SHA-256 (hex) of what decides the run's numbers, its seed apart.

        Two setups that differ only in fields their method does not use have
        the same hash.
        """
        content = {"engine_version": ENGINE_VERSION} | self.active_fields()
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode("ascii")).hexdigest()
