"""What training hands to those who look into a step: copies of what its latest update calculated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
UInt8Array = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False, slots=True)
class PairTrace:
    """What an update calculated about every entry of pairs, ``(entries,)`` each.

    ``winner`` and ``loser`` address the flattened logits; ``share`` is the entry's pairs divided by all pairs of its
    column.
    """

    winner: IntArray
    loser: IntArray
    share: FloatArray
    margin: FloatArray
    weight: FloatArray


@dataclass(eq=False, slots=True)
class Trace:
    """What the latest update of a training run calculated; training fills it in.

    Attributes:
        logits: before the update, ``(K, columns)``.
        gained: the learning rate times the rule's ``g``, without the pull to the reference, ``(K, columns)``.
        probabilities: that ``g`` was calculated from, ``(K, columns)``; None where it needs none.
        counts: how often each answer was drawn, ``(K, columns)``; None where pairs are all that is left of the draws.
        baseline: the moving average that the update compared with, ``(columns,)``, or None.
        pairs: the pairs of a pair loss, or None.
    """

    logits: FloatArray | None = None
    gained: FloatArray | None = None
    probabilities: FloatArray | None = None
    counts: UInt8Array | None = None
    baseline: FloatArray | None = None
    pairs: PairTrace | None = None

    def keep(
        self,
        logits: FloatArray,
        gained: FloatArray,
        probabilities: FloatArray | None = None,
        counts: UInt8Array | None = None,
    ) -> None:
        """Copy what one update calculated."""
        self.logits, self.gained = logits.copy(), gained.copy()
        self.probabilities = None if probabilities is None else probabilities.copy()
        self.counts = None if counts is None else counts.copy()

    def keep_baseline(self, baseline: FloatArray) -> None:
        self.baseline = baseline.copy()

    def keep_pairs(self, pairs: PairTrace) -> None:
        self.pairs = pairs
