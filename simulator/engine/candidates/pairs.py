"""Preference pairs as counts: how often answer ``a`` was labeled better than answer ``b``.

``n`` draws make up to ``n (n - 1) / 2`` pairs, but all pairs of the same two
answers with the same label get the same weight. Their number is all that an
update needs, so 2016 pairs become at most 90 entries per prompt. An entry is
a winner, a loser and a number of pairs; entries without pairs are left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .. import randomness as rnd
from .methods import PairLoss
from .sampling import draw_hashes
from .setup import CandidateSetup
from .trace import PairTrace
from .world import ANSWERS, World

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
UInt8Array = npt.NDArray[np.uint8]
BoolArray = npt.NDArray[np.bool_]

# The 45 pairs of answers a < b.
_FIRST, _SECOND = np.triu_indices(ANSWERS, 1)

# Labels flipped in one go, over all columns: bounds the memory at many samples.
_BLOCK = 1 << 18


class Pairs:
    """The rule of a pair loss; entries are addressed in the flattened logits.

    With ``watch`` the pairs of every update are handed out, as copies.
    """

    def __init__(
        self,
        setup: CandidateSetup,
        rule: PairLoss,
        world: World,
        watch: Callable[[PairTrace], None] | None = None,
    ) -> None:
        self._watch = watch
        self._setup = setup
        self._weight = rule.weight
        self._rate = setup.training.rate
        self._reference_logits = world.reference_logits

    def change(self, logits: FloatArray, winner: IntArray, loser: IntArray, number: FloatArray) -> FloatArray:
        """The learning rate times the mean of ``weight * (e_winner - e_loser)`` over pairs.

        ``number`` holds the pairs of each entry, divided by all pairs of its column.
        """
        distance = (logits - self._reference_logits).ravel()
        margin = distance[winner] - distance[loser]
        force = self._weight(margin, self._setup.beta, self._setup.label_smoothing)
        if self._watch is not None:
            self._watch(PairTrace(winner.copy(), loser.copy(), number.copy(), margin, force.copy()))
        force *= number
        force *= self._rate
        gained = np.bincount(winner, force, logits.size)
        lost = np.bincount(loser, force, logits.size)
        change: FloatArray = np.subtract(gained, lost, dtype=np.float64)
        return change.reshape(logits.shape)


class OnlinePairs:
    """Pairs of fresh groups: every two draws with different signals, the higher one wins."""

    def __init__(
        self,
        setup: CandidateSetup,
        rule: PairLoss,
        world: World,
        signal: FloatArray,
        watch: Callable[[PairTrace], None] | None = None,
    ) -> None:
        self._pairs = Pairs(setup, rule, world, watch)
        columns = np.arange(world.columns)
        first = _FIRST[:, None] * world.columns + columns
        second = _SECOND[:, None] * world.columns + columns
        first_wins = signal[_FIRST] > signal[_SECOND]
        self._winner = np.where(first_wins, first, second).ravel()
        self._loser = np.where(first_wins, second, first).ravel()
        self._differs = signal[_FIRST] != signal[_SECOND]
        self._columns = world.columns

    def push(self, logits: FloatArray, counts: UInt8Array) -> FloatArray:
        """The change of the logits by one group per column."""
        drawn = counts > 0
        both = drawn[_FIRST]
        both &= drawn[_SECOND]
        both &= self._differs
        entries = np.flatnonzero(both)
        winner, loser = self._winner[entries], self._loser[entries]
        flat = counts.ravel().astype(np.float64)
        number = flat[winner] * flat[loser]
        column = entries % self._columns
        number /= np.bincount(column, number, self._columns)[column]
        return self._pairs.change(logits, winner, loser, number)


class OfflinePairs:
    """Pairs of answers drawn once from the reference, labels flipped with ``flip_rate``."""

    def __init__(
        self,
        setup: CandidateSetup,
        rule: PairLoss,
        world: World,
        signal: FloatArray,
        draws: IntArray,
        watch: Callable[[PairTrace], None] | None = None,
    ) -> None:
        self._pairs = Pairs(setup, rule, world, watch)
        wins = _wins(world, signal, draws, setup.flip_rate)
        winner, loser, column = np.nonzero(wins)
        self._number = wins[winner, loser, column] / wins.sum(axis=(0, 1))[column]
        self._winner = winner * world.columns + column
        self._loser = loser * world.columns + column

    def change(self, logits: FloatArray) -> FloatArray:
        """The change of the logits by one visit of every prompt."""
        return self._pairs.change(logits, self._winner, self._loser, self._number)


def _wins(world: World, signal: FloatArray, draws: IntArray, flip_rate: float) -> IntArray:
    """How often each answer is labeled better than each other: ``(K, K, columns)``, winner first."""
    counts = np.stack([(draws == k).sum(axis=0) for k in range(ANSWERS)])
    better = signal[:, None] > signal[None, :]
    wins: IntArray = counts[:, None] * counts[None, :] * better
    if flip_rate > 0:
        flips = _flips(world, draws, flip_rate)
        wins -= flips * better
        wins += flips * better.swapaxes(0, 1)
    return wins


def flipped_labels(world: World, pairs: IntArray, flip_rate: float) -> BoolArray:
    """Whether the label of a pair of draws is inverted: ``(pairs, columns)``. Pair ``j (j - 1) / 2 + i`` is that of the
    draws ``i < j``."""
    return draw_hashes(world.seeds, rnd.LABEL_FLIPS, 4096, pairs) < rnd.threshold(flip_rate)


def _flips(world: World, draws: IntArray, flip_rate: float) -> IntArray:
    """How many pairs of two answers have their label inverted: ``(K, K, columns)``, symmetric.

    A flip is addressed by the two draw numbers, so a pair keeps its flip when
    samples are added or when other pairs tie.
    """
    columns = world.columns
    # Row by row below the diagonal: pair (i, j) of draws i < j comes at place j (j - 1) / 2 + i,
    # which is its counter.
    later, earlier = np.tril_indices(len(draws), -1)
    row = draws * (ANSWERS * columns)
    cell = draws * columns + np.arange(columns)
    flips = np.zeros(ANSWERS * ANSWERS * columns, np.int64)
    length = max(1, _BLOCK // columns)
    for start in range(0, len(later), length):
        part = slice(start, start + length)
        numbers = np.arange(start, min(start + length, len(later)))
        where = (row[earlier[part]] + cell[later[part]])[flipped_labels(world, numbers, flip_rate)]
        flips += np.bincount(where, minlength=flips.size)
    one_way = flips.reshape(ANSWERS, ANSWERS, columns)
    return np.asarray(one_way + one_way.swapaxes(0, 1))
