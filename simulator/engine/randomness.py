"""Random numbers that are addressed, not consumed.

Every draw is a hash of (seed, stream, counter), so a draw never depends on how
many other draws were made. Changing one control of a run therefore leaves all
other draws as they were ("common random numbers"): fewer steps is an exact
prefix, and a group of four is the first half of a group of eight.

The hash uses only 32-bit integer arithmetic and gives the same numbers in
every language. The mixing constants are those of the ``lowbias32`` finalizer
(Wellons, "Prospecting for hash functions", 2018).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

UInt32Array = npt.NDArray[np.uint32]
FloatArray = npt.NDArray[np.float64]

# Streams: what a number is used for.
QUALITY = 1
REFERENCE = 2
LENGTH = 3
REWARD_MODEL_ERROR = 4
PASSING_ANSWER = 5
VISIT_ORDER = 6
GROUP_DRAWS = 7
REFERENCE_DRAWS = 8
LABEL_FLIPS = 9

MAX_SEED = 2**32 - 1

_MASK = 0xFFFFFFFF
_UNIT = 2.0**-32
_UNIFORMS_PER_NORMAL = 12


def mix(values: UInt32Array, scratch: UInt32Array) -> None:
    """Scramble ``values`` in place (a bijection on 32-bit integers).

    ``scratch`` has the shape of ``values``; its content is lost.
    """
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        np.right_shift(values, np.uint32(shift), out=scratch)
        np.bitwise_xor(values, scratch, out=values)
        np.multiply(values, np.uint32(factor), out=values)
    np.right_shift(values, np.uint32(16), out=scratch)
    np.bitwise_xor(values, scratch, out=values)


def stream_keys(seeds: npt.ArrayLike, stream: int) -> tuple[UInt32Array, UInt32Array]:
    """Two keys per seed, each of shape ``(S,)``, that select one stream."""
    first = np.array(seeds, dtype=np.uint32, ndmin=1)
    scratch = np.empty_like(first)
    first += np.uint32(0x9E3779B9)
    mix(first, scratch)
    first += np.uint32(stream * 0x85EBCA6B & _MASK)
    mix(first, scratch)
    second = first ^ np.uint32(0xC2B2AE35)
    mix(second, scratch)
    return first, second


def hash_in_place(counters: UInt32Array, second: UInt32Array, scratch: UInt32Array) -> None:
    """Turn ``counter + first key`` into the hash, in place.

    ``second`` is the second key and must broadcast against ``counters``.
    """
    mix(counters, scratch)
    np.bitwise_xor(counters, second, out=counters)
    mix(counters, scratch)


def hashes(seeds: npt.ArrayLike, stream: int, counters: npt.ArrayLike) -> UInt32Array:
    """32-bit hashes of shape ``(S,) + counters.shape``."""
    first, second = stream_keys(seeds, stream)
    grid = np.asarray(counters, dtype=np.uint32)
    column = (first.size,) + (1,) * grid.ndim
    values = grid + first.reshape(column)
    hash_in_place(values, second.reshape(column), np.empty_like(values))
    return values


def uniforms(seeds: npt.ArrayLike, stream: int, counters: npt.ArrayLike) -> FloatArray:
    """Uniform numbers strictly between 0 and 1, shape ``(S,) + counters.shape``."""
    return (hashes(seeds, stream, counters).astype(np.float64) + 0.5) * _UNIT


def normals(seeds: npt.ArrayLike, stream: int, counters: npt.ArrayLike) -> FloatArray:
    """Nearly normal numbers (mean 0, variance 1), shape ``(S,) + counters.shape``.

    Each is the sum of the twelve uniforms ``16 * counter + 0 ... 11`` minus
    six. The sum is exact in double precision, so worlds are identical bit for
    bit everywhere; the price is that the tails end at plus and minus six.
    """
    grid = np.asarray(counters, dtype=np.uint32)[..., None] * np.uint32(16)
    parts = hashes(seeds, stream, grid + np.arange(_UNIFORMS_PER_NORMAL, dtype=np.uint32))
    total: FloatArray = parts.astype(np.float64).sum(axis=-1)
    # Twelve half-offsets of the uniforms add up to six units.
    return (total + 6.0) * _UNIT - 6.0


def thresholds(cumulative: FloatArray, out: UInt32Array, scratch: FloatArray) -> None:
    """Cumulative probabilities as integers to compare hashes with.

    ``hash < threshold`` is exactly ``(hash + 0.5) / 2**32 < cumulative``;
    comparing integers halves the memory traffic. ``scratch`` has the shape of
    ``cumulative``. A certain event would need ``2**32``, one more than fits;
    it gets ``2**32 - 1``, for which callers cap hashes at :data:`LARGEST_HASH`.
    """
    np.multiply(cumulative, 2.0**32, out=scratch)
    np.subtract(scratch, 0.5, out=scratch)
    np.ceil(scratch, out=scratch)
    np.minimum(scratch, float(_MASK), out=scratch)
    out[...] = scratch


def threshold(probability: float) -> np.uint32:
    """One probability as :func:`thresholds` gives it."""
    out = np.empty(1, np.uint32)
    thresholds(np.array([probability]), out, np.empty(1))
    return np.uint32(out[0])


LARGEST_HASH = np.uint32(_MASK - 1)
