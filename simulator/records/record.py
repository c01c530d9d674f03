"""A run that can be looked at, wherever its numbers come from: its header, and what each optimizer update did."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

TOKEN_NUMBERS = (
    "log_probs",
    "old_log_probs",
    "ref_log_probs",
    "advantages",
    "token_kl",
    "token_objective",
    "values",
    "returns",
    "rewards",
    "ratio",
    "clip_state",
    "weight",
    "push",
)
"""Numbers that a record may have of every token. The last four are not in other programs' logs."""


@dataclass(frozen=True, slots=True)
class Header:
    """What was trained. Only the algorithm's name is certain to be there; None and ``""`` say that it isn't known."""

    algorithm: str
    task: str = ""
    dataset: str = ""
    reward_strategy: str = ""
    total_steps: int | None = None
    model_name: str = ""
    reference_model_name: str = ""
    hparams: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, slots=True)
class Response:
    """One response of T tokens.

    Attributes:
        reward, advantage: nan when it isn't known; the advantage also when it differs between the tokens.
        ids: whole numbers of the tokens, ``(T,)``, or empty.
        strings: what the tokens say, T texts, or empty.
        numbers: ``(T,)`` each, by the names of `TOKEN_NUMBERS`, as far as they are known; nan for a single unknown one.
        correct, truncated, masked: None when it isn't known.
        contexts: what the policy saw before each token, T names, or empty.
        entropies: of the policy that sampled, before each token, nats, ``(T,)``, or None.
        reward_parts: what the reward consists of, by name, or empty.
    """

    id: str
    reward: float
    advantage: float
    text: str
    length: int
    ids: tuple[int, ...]
    strings: tuple[str, ...]
    numbers: dict[str, FloatArray]
    correct: bool | None = None
    truncated: bool | None = None
    masked: bool | None = None
    contexts: tuple[str, ...] = ()
    entropies: FloatArray | None = None
    reward_parts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, slots=True)
class Prompt:
    """A prompt and its group of responses. `filler`: dynamic sampling found too few groups, and this one only fills the
    batch, with no advantage; None when it isn't known. `answers`: the names of all answers that there are to it, where
    they are fixed, drawn or not; else empty."""

    text: str
    responses: tuple[Response, ...]
    filler: bool | None = None
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Update:
    """One optimizer update.

    Attributes:
        step: its number. Those of a simulated run count from 0.
        is_first: it is the first after new responses were sampled.
        metrics: under the names and in the units of the canonical format; nan when one isn't a number.
        prompts: all that took part.
        sampled_at: the ``step`` of the first update with these responses, or None.
        epoch, epochs: how often these responses have been trained on, this time included, and will have been at last.
    """

    step: int
    is_first: bool
    metrics: dict[str, float]
    prompts: tuple[Prompt, ...]
    sampled_at: int | None = None
    epoch: int | None = None
    epochs: int | None = None


class RunRecord(ABC):
    """A run that can be looked at."""

    header: Header

    @abstractmethod
    def updates(self) -> Iterator[Update]:
        """All updates in order, one at a time in memory."""

    def steps(self) -> list[tuple[int, bool]]:
        """The number of every update, and whether it is the first after new responses were sampled."""
        return [(update.step, update.is_first) for update in self.updates()]

    def update(self, step: int) -> Update:
        """The update with this number. Raises LookupError when there is none."""
        for update in self.updates():
            if update.step == step:
                return update
        raise LookupError(f"This run has no update {step}.")

    def metrics(self) -> dict[str, tuple[list[int], list[float]]]:
        """Every metric over training: the numbers of the updates that have it, and its values."""
        found: dict[str, tuple[list[int], list[float]]] = {}
        for update in self.updates():
            for name, value in update.metrics.items():
                steps, values = found.setdefault(name, ([], []))
                steps.append(update.step)
                values.append(value)
        return found
