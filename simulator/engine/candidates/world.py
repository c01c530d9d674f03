"""Worlds: the answers of forty prompts, their qualities and the reference policy.

A world is decided by its seed and its event. Worlds are cached, because the
same evaluation seeds are graded over and over.

Arrays of a :class:`World` have the layout ``(K, S * P)``: answers down, one
column per prompt and seed. Sums over the ten answers are then additions of
whole rows, which is fast and adds in the same order as a plain loop would.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import randomness as rnd
from .events import EVENTS, Draws

PROMPTS = 40
ANSWERS = 10
PROMPTS_PER_STEP = 8
STEPS_PER_EPOCH = PROMPTS // PROMPTS_PER_STEP

MEAN_LENGTH = 200.0  # tokens
LENGTH_SPREAD = 60.0  # tokens

CACHED_WORLDS = 512  # about 23 kB each

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class World:
    """The worlds of ``S`` seeds side by side; arrays are ``(K, S * P)`` and read-only.

    ``length`` is standardized (mean 0, spread 1); ``win_value`` is the
    probability that an answer beats one drawn from the reference policy.
    """

    seeds: tuple[int, ...]
    quality: FloatArray
    reference_logits: FloatArray
    length: FloatArray
    score: FloatArray
    log_reference: FloatArray
    reference: FloatArray
    win_value: FloatArray
    exploit: IntArray | None  # (S, P)

    @property
    def columns(self) -> int:
        """Prompts times seeds."""
        return int(self.quality.shape[1])


_FIELDS = (
    "quality",
    "reference_logits",
    "length",
    "score",
    "log_reference",
    "reference",
    "win_value",
)


@dataclass(frozen=True, eq=False, slots=True)
class _Block:
    """One seed's world: ``arrays`` is ``(len(_FIELDS), K, P)``."""

    arrays: FloatArray
    exploit: IntArray | None


_cache: OrderedDict[tuple[int, str], _Block] = OrderedDict()
_cache_lock = threading.Lock()


def load_world(seeds: Sequence[int], event: str) -> World:
    """The worlds of some seeds, from the cache or made now."""
    blocks = _load_blocks(seeds, event)
    stacked = np.stack([block.arrays for block in blocks], axis=2)
    stacked = stacked.reshape(len(_FIELDS), ANSWERS, len(blocks) * PROMPTS)
    stacked.setflags(write=False)
    exploits = [block.exploit for block in blocks if block.exploit is not None]
    exploit = np.stack(exploits) if exploits else None
    if exploit is not None:
        exploit.setflags(write=False)
    return World(
        seeds=tuple(seeds),
        exploit=exploit,
        **dict(zip(_FIELDS, stacked, strict=True)),
    )


def clear_cache() -> None:
    """Forget all worlds (to measure how long making them takes)."""
    with _cache_lock:
        _cache.clear()


def _load_blocks(seeds: Sequence[int], event: str) -> list[_Block]:
    found: dict[int, _Block] = {}
    with _cache_lock:
        for seed in seeds:
            block = _cache.get((seed, event))
            if block is not None:
                _cache.move_to_end((seed, event))
                found[seed] = block
    missing = [seed for seed in dict.fromkeys(seeds) if seed not in found]
    if missing:
        # Outside the lock: two threads may make the same world, which is the same world.
        made = dict(zip(missing, _make_blocks(missing, event), strict=True))
        found |= made
        with _cache_lock:
            for seed, block in made.items():
                _cache[seed, event] = block
            while len(_cache) > CACHED_WORLDS:
                _cache.popitem(last=False)
    return [found[seed] for seed in seeds]


def _make_blocks(seeds: Sequence[int], event: str) -> list[_Block]:
    draws = _draw(seeds)
    logits = 0.3 * draws.quality + 0.7 * draws.reference
    answers = EVENTS[event].answers(draws, logits)
    log_reference = _log_softmax(logits)
    reference = np.exp(log_reference)
    arrays = np.stack(
        [
            answers.quality,
            logits,
            draws.length,
            answers.score,
            log_reference,
            reference,
            _win_values(answers.quality, reference),
        ],
        axis=1,
    )  # (S, fields, P, K)
    arrays = np.ascontiguousarray(arrays.swapaxes(2, 3))
    arrays.setflags(write=False)
    return [
        # A copy per seed: a view would keep the whole batch alive in the cache.
        _Block(_frozen(block), None if answers.exploit is None else answers.exploit[i].copy())
        for i, block in enumerate(arrays)
    ]


def _frozen(array: FloatArray) -> FloatArray:
    copy = array.copy()
    copy.setflags(write=False)
    return copy


def _draw(seeds: Sequence[int]) -> Draws:
    prompts = np.arange(PROMPTS)
    grid = prompts[:, None] * 16 + np.arange(ANSWERS)
    passing = rnd.uniforms(seeds, rnd.PASSING_ANSWER, prompts) * ANSWERS
    return Draws(
        quality=rnd.normals(seeds, rnd.QUALITY, grid),
        reference=rnd.normals(seeds, rnd.REFERENCE, grid),
        length=rnd.normals(seeds, rnd.LENGTH, grid),
        error=rnd.normals(seeds, rnd.REWARD_MODEL_ERROR, grid),
        passing=passing.astype(np.int64),
    )


def _log_softmax(logits: FloatArray) -> FloatArray:
    shifted: FloatArray = logits - logits.max(axis=-1, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return shifted


def _win_values(quality: FloatArray, reference: FloatArray) -> FloatArray:
    """P(an answer beats a reference answer); a tie counts one half. All ``(S, P, K)``."""
    own, other = quality[..., :, None], quality[..., None, :]
    beats = (own > other) + 0.5 * (own == other)
    values: FloatArray = np.einsum("spkj,spj->spk", beats, reference)
    return values
