"""Sampling answers: which answers a group holds, as counts, and in which order prompts are visited.

Only how often each answer was drawn matters to a group, so a group is the row
of counts ``N_k``; it is found by comparing hashes with the cumulative
probabilities, without ever listing the draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from .. import randomness as rnd
from .world import ANSWERS, PROMPTS, PROMPTS_PER_STEP, World

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
UInt32Array = npt.NDArray[np.uint32]
UInt8Array = npt.NDArray[np.uint8]

# Hashes made in one go. Enough to make the cost of a call small for a single
# seed, few enough to stay in the processor's cache.
_BLOCK = 1 << 16


def draw_hashes(seeds: Sequence[int], stream: int, per_prompt: int, draws: IntArray) -> UInt32Array:
    """Hashes with the counters ``prompt * per_prompt + draw``: ``(draws, columns)``."""
    columns, second = _column_keys(seeds, stream, per_prompt)
    values: UInt32Array = draws.astype(np.uint32)[:, None] + columns
    rnd.hash_in_place(values, second, np.empty_like(values))
    np.minimum(values, rnd.LARGEST_HASH, out=values)
    return values


def _column_keys(seeds: Sequence[int], stream: int, per_prompt: int) -> tuple[UInt32Array, UInt32Array]:
    """First key plus the prompt's part of the counter, and second key, per column."""
    first, second = rnd.stream_keys(seeds, stream)
    prompts = np.arange(PROMPTS, dtype=np.uint32) * np.uint32(per_prompt)
    return (first[:, None] + prompts).reshape(-1), np.repeat(second, PROMPTS)


class GroupHashes:
    """Hashes of the online draws, epoch by epoch: ``(G, columns)`` each.

    An epoch's array is overwritten by a later one.
    """

    def __init__(self, seeds: Sequence[int], size: int, epochs: int) -> None:
        self._columns, self._second = _column_keys(seeds, rnd.GROUP_DRAWS, 64)
        self._size = size
        self._epochs = epochs

    def __iter__(self) -> Iterator[UInt32Array]:
        columns = self._columns.size
        length = max(1, min(self._epochs, _BLOCK // (self._size * columns)))
        values = np.empty((length, self._size, columns), np.uint32)
        scratch = np.empty_like(values)
        draws = np.arange(self._size, dtype=np.uint32)
        for start in range(0, self._epochs, length):
            count = min(length, self._epochs - start)
            # The counter (epoch * 64 + prompt) * 64 + draw, split into its parts.
            epochs = np.arange(start, start + count, dtype=np.uint32) * np.uint32(4096)
            offsets = (epochs[:, None] + draws)[..., None]
            block = values[:count]
            np.add(offsets, self._columns, out=block)
            rnd.hash_in_place(block, self._second, scratch[:count])
            np.minimum(block, rnd.LARGEST_HASH, out=block)
            yield from block


class Counter:
    """Turns probabilities and hashes into counts of answers; owns its buffers."""

    def __init__(self, columns: int, draws: int) -> None:
        inner = ANSWERS - 1
        self._cumulative = np.empty((inner, columns))
        self._scratch = np.empty((inner, columns))
        self._edges = np.empty((inner, columns), np.uint32)
        # Draws are compared a few at a time, so that a large group needs little memory.
        self._part = max(1, min(draws, _BLOCK * 8 // (inner * columns)))
        self._below = np.empty((self._part, inner, columns), np.bool_)
        self._totals = np.empty((inner, columns), np.uint8)
        self._partial = np.empty((inner, columns), np.uint8)
        self._counts = np.empty((ANSWERS, columns), np.uint8)

    def edges(self, probabilities: FloatArray) -> UInt32Array:
        """Where each answer but the last ends, in hashes: ``(K - 1, columns)``."""
        cumulative = self._cumulative
        cumulative[0] = probabilities[0]
        # Row by row: faster than accumulate, and the order of a plain loop.
        for k in range(1, ANSWERS - 1):
            np.add(cumulative[k - 1], probabilities[k], out=cumulative[k])
        rnd.thresholds(cumulative, self._edges, self._scratch)
        return self._edges

    def count(self, probabilities: FloatArray, hashes: UInt32Array) -> UInt8Array:
        """How often each answer is drawn: ``(K, columns)``, overwritten by the next call."""
        edges = self.edges(probabilities)
        draws = len(hashes)
        totals = self._totals
        for start in range(0, draws, self._part):
            part = hashes[start : start + self._part]
            below = self._below[: len(part)]
            np.less(part[:, None, :], edges, out=below)
            if start == 0:
                np.add.reduce(below.view(np.uint8), axis=0, out=totals)
            else:
                np.add.reduce(below.view(np.uint8), axis=0, out=self._partial)
                np.add(totals, self._partial, out=totals)
        counts = self._counts
        counts[0] = totals[0]
        np.subtract(totals[1:], totals[:-1], out=counts[1:-1])
        np.subtract(np.uint8(draws), totals[-1], out=counts[-1])
        return counts


def reference_draws(world: World, samples: int) -> IntArray:
    """The answers that offline methods draw once from the reference: ``(n, columns)``."""
    return _drawn(world.reference, draw_hashes(world.seeds, rnd.REFERENCE_DRAWS, 64, np.arange(samples)))


def group_draws(world: World, probabilities: FloatArray, epoch: int, size: int) -> IntArray:
    """The answers that make up the groups of an epoch, one by one: ``(G, columns)``.

    Training needs no more than their counts, see :class:`Counter`; the draws are the same.
    """
    draws = epoch * 4096 + np.arange(size)
    return _drawn(probabilities, draw_hashes(world.seeds, rnd.GROUP_DRAWS, 64, draws))


def _drawn(probabilities: FloatArray, hashes: UInt32Array) -> IntArray:
    answers = np.zeros(hashes.shape, np.int64)
    for edge in Counter(probabilities.shape[1], 1).edges(probabilities):
        answers += hashes >= edge
    return answers


def visit_order(seeds: Sequence[int], epoch: int) -> IntArray:
    """The prompts of an epoch in the order in which it visits them: ``(S, P)``."""
    hashes = rnd.hashes(seeds, rnd.VISIT_ORDER, epoch * 64 + np.arange(PROMPTS))
    return np.argsort(hashes, axis=-1, kind="stable")


def visited_in_rest(seeds: Sequence[int], epoch: int, steps: int) -> BoolArray:
    """Which prompts the first steps of an epoch visit: ``(columns,)``.

    An epoch visits every prompt once, in the order of the prompts' hashes.
    """
    order = visit_order(seeds, epoch)
    visited = np.zeros(order.shape, np.bool_)
    np.put_along_axis(visited, order[:, : PROMPTS_PER_STEP * steps], True, axis=-1)
    return visited.reshape(-1)
