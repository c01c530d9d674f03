"""One optimizer update as arrays: its prompts, responses and tokens side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW
from simulator.records import Prompt, Response, Update

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

STAND_INS = {"<eos>": ("⟨end⟩", "end of answer"), "\n": ("↵", "line break"), " ": ("␠", "space"), "": ("∅", "nothing")}
"""Tokens that can't be seen: what stands for them, and what they are called."""


def kl_or_k3(known: FloatArray, log_probs: FloatArray, ref_log_probs: FloatArray) -> FloatArray:
    """The KL estimate of an update; k3, which is no part of its objective, where it has none."""
    if np.nan_to_num(known).any():
        return known
    difference = log_probs - ref_log_probs
    found: FloatArray = np.expm1(-difference) + difference
    return found


class Sheet:
    """P prompts with G responses of T tokens, the largest of each; ``numbers`` are nan where there is no token, and
    where a number isn't known."""

    def __init__(self, update: Update) -> None:
        self.update = update
        self.prompts: tuple[Prompt, ...] = update.prompts
        sizes = [len(prompt.responses) for prompt in self.prompts]
        self.lengths = np.zeros((len(sizes), max(sizes, default=0)), dtype=np.int64)
        for p, prompt in enumerate(self.prompts):
            for i, response in enumerate(prompt.responses):
                self.lengths[p, i] = response.length
        self.shape = (*self.lengths.shape, int(self.lengths.max(initial=0)))
        self.is_token: BoolArray = np.arange(self.shape[2]) < self.lengths[..., None]
        self._numbers: dict[str, FloatArray] = {}

    def numbers(self, name: str) -> FloatArray:
        """A number of every token, ``(P, G, T)``, by its name in the record."""
        return self._kept(name, lambda response: response.numbers.get(name))

    def has(self, name: str) -> bool:
        """Whether a number is known of any token."""
        return bool(np.isfinite(self.numbers(name)).any())

    @cached_property
    def entropies(self) -> FloatArray:
        return self._kept("entropies", lambda response: response.entropies)

    @cached_property
    def kl(self) -> FloatArray:
        """The KL estimate of every token; k3, which is no part of the objective, where the update calculates none."""
        return kl_or_k3(*(self.numbers(name) for name in ("token_kl", "log_probs", "ref_log_probs")))

    @cached_property
    def rewards(self) -> FloatArray:
        """``(P, G)``, nan where there is no response."""
        return self._of_responses(lambda response: response.reward)

    @cached_property
    def advantages(self) -> FloatArray:
        """Of every response, its mean over the tokens, ``(P, G)``."""
        found = self._of_responses(lambda response: response.advantage)
        given = self.numbers("advantages")
        known = np.isfinite(given)
        count = known.sum(axis=2)
        means = np.divide(
            np.where(known, given, 0.0).sum(axis=2), count, out=np.full(found.shape, np.nan), where=count > 0
        )
        return np.where(np.isfinite(found), found, means)

    @cached_property
    def is_clipped(self) -> BoolArray:
        """Tokens on which the clip acts, ``(P, G, T)``."""
        return np.asarray(self.numbers("clip_state") >= CLIPPED_HIGH)

    @cached_property
    def pushed(self) -> FloatArray:
        """The sum of the pushes on each response, ``(P, G)``; nan where none is known."""
        pushes = self.numbers("push")
        total = np.nansum(pushes, axis=2)
        total[~np.isfinite(pushes).any(axis=2)] = np.nan
        return total

    def clipped(self, prompts: slice | int = slice(None)) -> tuple[int, int]:
        """How many tokens are clipped above, and below."""
        states = self.numbers("clip_state")[prompts]
        return int((states == CLIPPED_HIGH).sum()), int((states == CLIPPED_LOW).sum())

    def has_signal(self, p: int) -> bool:
        """Whether the rewards of a group differ, where they are known."""
        known = self.rewards[p][np.isfinite(self.rewards[p])]
        return known.size == 0 or bool(np.ptp(known) > 0)

    def response(self, p: int, i: int) -> Response:
        return self.prompts[p].responses[i]

    def text(self, p: int, i: int, t: int) -> str:
        """What a token says, with something to see where it says nothing."""
        said = self._string(p, i, t)
        return STAND_INS[said][0] if said in STAND_INS else said

    def spoken(self, p: int, i: int, t: int) -> str:
        """The same for reading aloud."""
        said = self._string(p, i, t)
        return STAND_INS[said][1] if said in STAND_INS else said

    def _string(self, p: int, i: int, t: int) -> str:
        response = self.response(p, i)
        if t < len(response.strings):
            return response.strings[t]
        return f"#{response.ids[t]}" if t < len(response.ids) else "?"

    def _kept(self, name: str, find: Callable[[Response], FloatArray | None]) -> FloatArray:
        found = self._numbers.get(name)
        if found is None:
            found = np.full(self.shape, np.nan)
            for p, prompt in enumerate(self.prompts):
                for i, response in enumerate(prompt.responses):
                    values = find(response)
                    if values is not None:
                        found[p, i, : len(values)] = values
            self._numbers[name] = found
        return found

    def _of_responses(self, find: Callable[[Response], float]) -> FloatArray:
        found = np.full(self.shape[:2], np.nan)
        for p, prompt in enumerate(self.prompts):
            for i, response in enumerate(prompt.responses):
                found[p, i] = find(response)
        return found
