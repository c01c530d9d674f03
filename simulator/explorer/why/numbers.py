"""The numbers of one update in rectangles: N responses of at most T tokens, prompt after prompt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulator.records import Response, Update

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Spot:
    """A token: its row among all responses of the update and its place, both from 0."""

    row: int
    place: int


@dataclass(frozen=True, eq=False)
class Numbers:
    """All responses of one update.

    Attributes:
        starts: the first row of every prompt, and N, ``(prompts + 1,)``.
        lengths: tokens, ``(N,)``.
        rewards: ``(N,)``, nan when unknown.
        truncated, masked, correct: ``(N,)``; None when some are unknown.
        filler: whether the group only fills the batch, ``(N,)``.
        parts: what the rewards consist of, by name, ``(N,)`` each.
        tokens: what was logged of every token, by name, ``(N, T)``, nan behind the last token of a response.
        objective: J as it was logged, or nan.
    """

    responses: tuple[Response, ...]
    starts: IntArray
    lengths: IntArray
    rewards: FloatArray
    truncated: BoolArray | None
    masked: BoolArray | None
    correct: BoolArray | None
    filler: BoolArray
    parts: dict[str, FloatArray]
    tokens: dict[str, FloatArray]
    objective: float

    @property
    def is_token(self) -> BoolArray:
        """Where there are tokens, ``(N, T)``."""
        places = np.arange(int(self.lengths.max(initial=0)))
        there: BoolArray = places < self.lengths[:, None]
        return there

    def group(self, row: int) -> slice:
        """The rows of the group that a response belongs to."""
        k = int(np.searchsorted(self.starts, row, side="right")) - 1
        return slice(int(self.starts[k]), int(self.starts[k + 1]))

    def groups(self) -> list[slice]:
        """The rows of every group."""
        return [slice(int(a), int(b)) for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]


def numbers_of(update: Update) -> Numbers:
    """The rectangles of an update. A number that some token of the update lacks altogether counts as not logged."""
    responses = tuple(response for prompt in update.prompts for response in prompt.responses)
    sizes = [len(prompt.responses) for prompt in update.prompts]
    lengths = np.array([response.length for response in responses], dtype=np.int64)
    names = set.intersection(*(set(one.numbers) for one in responses if one.length)) if lengths.any() else set()
    names = {name for name in names if all(len(one.numbers[name]) == one.length for one in responses if one.length)}
    parts = set.intersection(*(set(one.reward_parts) for one in responses)) if responses else set()
    return Numbers(
        responses=responses,
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        lengths=lengths,
        rewards=np.array([response.reward for response in responses], dtype=np.float64),
        truncated=_flags([response.truncated for response in responses]),
        masked=_flags([response.masked for response in responses]),
        correct=_flags([response.correct for response in responses]),
        filler=np.repeat([prompt.filler is True for prompt in update.prompts], sizes),
        parts={name: np.array([response.reward_parts[name] for response in responses]) for name in sorted(parts)},
        tokens={name: _rectangle(responses, lengths, name) for name in sorted(names)},
        objective=update.metrics.get("policy_objective", np.nan),
    )


def _flags(found: list[bool | None]) -> BoolArray | None:
    return None if None in found else np.array(found, dtype=bool)


def _rectangle(responses: tuple[Response, ...], lengths: IntArray, name: str) -> FloatArray:
    out = np.full((len(responses), int(lengths.max(initial=0))), np.nan)
    for row, response in enumerate(responses):
        if response.length:
            out[row, : response.length] = response.numbers[name]
    return out
