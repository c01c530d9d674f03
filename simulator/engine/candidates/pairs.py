"""Preference pairs as counts: how often answer ``a`` was labeled better than answer ``b``.

``n`` draws make up to ``n (n - 1) / 2`` pairs, but all pairs of the same two
answers with the same label get the same weight. Their number is all that an
update needs, so 2016 pairs become at most 90 entries per prompt.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import randomness as rnd
from .methods import PairLoss
from .setup import CandidateSetup
from .world import ANSWERS, PROMPTS, World

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# The 45 pairs of answers a < b, grouped by a.
FIRST, SECOND = np.triu_indices(ANSWERS, 1)


class OnlinePairs:
    """Pairs of fresh groups: every two draws with different signals, the higher one wins."""

    def __init__(self, world: World, signal: FloatArray, rule: PairLoss, beta: float, rate: float) -> None:
        self._reference_logits = world.reference_logits
        self._weight = rule.weight
        self._beta = beta
        self._rate = rate
        # +1 where the first answer wins, -1 where the second does, 0 at a tie.
        self._sign = np.sign(signal[FIRST] - signal[SECOND])
        self._differs = np.abs(self._sign)
        self._change = np.empty_like(signal)

    def push(self, logits: FloatArray, counts: FloatArray) -> FloatArray:
        distance = logits - self._reference_logits
        number = counts[FIRST] * counts[SECOND] * self._differs
        total = number.sum(axis=0)
        margin = distance[FIRST] - distance[SECOND]
        margin *= self._sign
        force = self._weight(margin, self._beta, 0.0) * number
        force *= self._sign
        change = self._change
        change[...] = 0.0
        start = 0
        for a in range(ANSWERS - 1):
            block = force[start : start + ANSWERS - 1 - a]
            change[a] += block.sum(axis=0)
            change[a + 1 :] -= block
            start += len(block)
        change *= self._rate / np.maximum(total, 1.0)
        return change


class OfflinePairs:
    """Pairs of answers drawn once from the reference, labels flipped with ``flip_rate``."""

    def __init__(
        self,
        setup: CandidateSetup,
        rule: PairLoss,
        world: World,
        signal: FloatArray,
        draws: IntArray,
    ) -> None:
        wins = _wins(world, signal, draws, setup.flip_rate)
        total = np.maximum(wins.sum(axis=(0, 1)), 1)
        # Only label counts that exist: with few samples most of the 90 do not.
        winner, loser, column = np.nonzero(wins)
        columns = world.columns
        self._winner = winner * columns + column
        self._loser = loser * columns + column
        self._share = setup.training.rate * wins[winner, loser, column] / total[column]
        self._reference_logits = world.reference_logits
        self._rule = rule
        self._setup = setup

    def change(self, logits: FloatArray) -> FloatArray:
        """The change of the logits in one visit of every prompt."""
        distance = (logits - self._reference_logits).ravel()
        margin = distance[self._winner] - distance[self._loser]
        force = self._rule.weight(margin, self._setup.beta, self._setup.label_smoothing)
        force *= self._share
        size = logits.size
        gained = np.bincount(self._winner, force, size)
        lost = np.bincount(self._loser, force, size)
        change: FloatArray = np.subtract(gained, lost, dtype=np.float64)
        return change.reshape(logits.shape)


def _wins(world: World, signal: FloatArray, draws: IntArray, flip_rate: float) -> IntArray:
    """How often each answer beats each other one: ``(K, K, columns)``, winner first."""
    counts = np.stack([(draws == k).sum(axis=0) for k in range(ANSWERS)])
    better = signal[:, None] > signal[None, :]
    wins = counts[:, None] * counts[None, :] * better
    if flip_rate > 0:
        flips = _flipped_wins(world, draws, better, flip_rate)
        wins += flips.swapaxes(0, 1) - flips
    return np.asarray(wins)


def _flipped_wins(world: World, draws: IntArray, better: npt.NDArray[np.bool_], flip_rate: float) -> IntArray:
    """How many labels "a beats b" are inverted: ``(K, K, columns)``.

    A flip is addressed by the two draw numbers, so a pair keeps its flip when
    samples are added or when other pairs tie.
    """
    columns = world.columns
    column = np.arange(columns)
    cell = ANSWERS * columns
    flips = np.zeros(ANSWERS * cell, np.int64)
    prompts = np.arange(PROMPTS)[:, None] * 4096
    # One later draw at a time: all pairs at once would be 2016 hashes per column.
    for later in range(1, len(draws)):
        earlier = np.arange(later)
        counters = prompts + later * (later - 1) // 2 + earlier
        uniform = rnd.uniforms(world.seeds, rnd.LABEL_FLIPS, counters)
        which, at = np.nonzero(flip_rate > uniform.reshape(columns, later).T)
        a, b = draws[which, at], draws[later, at]
        first_wins = better[a, b, at]
        second_wins = better[b, a, at]
        winner = np.where(first_wins, a, b)
        loser = np.where(first_wins, b, a)
        differs = first_wins | second_wins
        index = (winner * cell + loser * columns + column[at])[differs]
        flips += np.bincount(index, minlength=flips.size)
    return flips.reshape(ANSWERS, ANSWERS, columns)
