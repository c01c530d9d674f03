"""Events: what may happen to a world. They change answers or labels, never the trainer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

PADDED_FROM = 0.5  # standardized length above which an answer is padded, and worse for it
REWARD_MODEL_NOISE = 0.3
LENGTH_BIAS = 3.0
EXPLOIT_RANK = 2  # the answer with the third smallest reference logit
EXPLOIT_QUALITY_LOSS = 1.0
EXPLOIT_BONUS = 4.0


@dataclass(frozen=True, slots=True)
class Draws:
    """The random numbers a world is made of.

    ``quality``, ``reference``, ``length`` and ``error`` are normals of shape
    ``(S, P, K)``; ``passing`` is the index of one answer per prompt, ``(S, P)``.
    """

    quality: FloatArray
    reference: FloatArray
    length: FloatArray
    error: FloatArray
    passing: IntArray


@dataclass(frozen=True, slots=True)
class Answers:
    """Hidden quality and reward-model score, ``(S, P, K)``, and the exploit, ``(S, P)``."""

    quality: FloatArray
    score: FloatArray
    exploit: IntArray | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name, what it says to a student, and what it does.

    ``answers`` turns draws and reference logits into the answers of the world.
    """

    name: str
    label: str
    summary: str
    answers: Callable[[Draws, FloatArray], Answers]
    default_flip_rate: float = 0.0


def _quality(draws: Draws) -> FloatArray:
    padding = np.maximum(0.0, draws.length - PADDED_FROM)
    return draws.quality - padding


def _clean(draws: Draws, reference_logits: FloatArray) -> Answers:
    quality = _quality(draws)
    return Answers(quality, quality + REWARD_MODEL_NOISE * draws.error)


def _length_bias(draws: Draws, reference_logits: FloatArray) -> Answers:
    clean = _clean(draws, reference_logits)
    return Answers(clean.quality, clean.score + LENGTH_BIAS * draws.length)


def _sparse(draws: Draws, reference_logits: FloatArray) -> Answers:
    # No reward-model error here: noise would look like a signal, and no group would be silent.
    quality = np.zeros_like(draws.quality)
    np.put_along_axis(quality, draws.passing[..., None], 1.0, axis=-1)
    return Answers(quality, quality.copy())


def _reward_hack(draws: Draws, reference_logits: FloatArray) -> Answers:
    exploit = np.argsort(reference_logits, axis=-1, kind="stable")[..., EXPLOIT_RANK]
    at = exploit[..., None]
    quality = _quality(draws)
    np.put_along_axis(quality, at, np.take_along_axis(quality, at, axis=-1) - EXPLOIT_QUALITY_LOSS, axis=-1)
    score = quality + REWARD_MODEL_NOISE * draws.error
    np.put_along_axis(score, at, np.take_along_axis(score, at, axis=-1) + EXPLOIT_BONUS, axis=-1)
    return Answers(quality, score, exploit)


_ALL = (
    Event(
        "clean",
        "Clean",
        "The reward model is right up to a small error.",
        _clean,
    ),
    Event(
        "length_bias",
        "Length bias",
        "The reward model likes long answers, whether they are good or not.",
        _length_bias,
    ),
    Event(
        "label_flips",
        "Label flips",
        "Some preference labels name the wrong answer as the better one.",
        _clean,
        default_flip_rate=0.3,
    ),
    Event(
        "sparse",
        "Sparse reward",
        "Exactly one answer per prompt passes; all others score zero.",
        _sparse,
    ),
    Event(
        "reward_hack",
        "Reward hack",
        "One rare and poor answer per prompt fools the reward model.",
        _reward_hack,
    ),
)

EVENTS: dict[str, Event] = {event.name: event for event in _ALL}
"""Every event by its name, in the order in which they are shown."""
