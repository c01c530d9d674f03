"""What an update makes larger: the objectives whose gradients the rules of `methods` are.

Training never needs the value of an objective, only its gradient; this is for those who look into a step. Arrays have
the layout ``(K, columns)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .methods import cdpo_weight, dpo_weight, ipo_weight, rdpo_weight
from .metrics import log_policy

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

Value = Callable[[FloatArray, float, float], FloatArray]


def _log_sigmoid(values: FloatArray) -> FloatArray:
    return np.asarray(-np.logaddexp(0.0, -values))


def _dpo(margin: FloatArray, beta: float, label_smoothing: float) -> FloatArray:
    return _log_sigmoid(beta * margin) / beta


def _cdpo(margin: FloatArray, beta: float, label_smoothing: float) -> FloatArray:
    right, wrong = _log_sigmoid(beta * margin), _log_sigmoid(-beta * margin)
    return np.asarray(((1.0 - label_smoothing) * right + label_smoothing * wrong) / beta)


def _rdpo(margin: FloatArray, beta: float, label_smoothing: float) -> FloatArray:
    right, wrong = _log_sigmoid(beta * margin), _log_sigmoid(-beta * margin)
    clarity = 1.0 - 2.0 * label_smoothing
    return np.asarray(((1.0 - label_smoothing) * right - label_smoothing * wrong) / (clarity * beta))


def _ipo(margin: FloatArray, beta: float, label_smoothing: float) -> FloatArray:
    return np.asarray(-0.5 * beta * (margin - 0.5 / beta) ** 2)


_VALUES: dict[Callable[[FloatArray, float, float], FloatArray], Value] = {
    dpo_weight: _dpo,
    cdpo_weight: _cdpo,
    rdpo_weight: _rdpo,
    ipo_weight: _ipo,
}


def pair_value(
    weight: Callable[[FloatArray, float, float], FloatArray],
    margin: FloatArray,
    beta: float,
    label_smoothing: float,
) -> FloatArray:
    """What pairs put into the objective: minus their loss, divided by beta; its derivative by the margin is ``weight``.

    IPO's loss is also divided by 2, as its weight is. Without beta nothing bends the line, up to a constant that no
    logit changes: every margin counts in proportion.
    """
    if beta == 0.0:
        return weight(np.zeros_like(margin), 0.0, label_smoothing) * margin
    return _VALUES[weight](margin, beta, label_smoothing)


@dataclass(frozen=True, eq=False, slots=True)
class HeldPairs:
    """Entries of pairs: places of the winner's and the loser's logits in the flattened logits, the share of the pairs
    of the column, and the derivative of what they put in, by the margin."""

    winner: IntArray
    loser: IntArray
    share: FloatArray
    weight: Callable[[FloatArray, float, float], FloatArray]


@dataclass(frozen=True, eq=False, slots=True)
class Objective:
    """J of every column as a function of the logits; all that an update takes as given is held.

    Attributes:
        reference_logits: ``(K, columns)``.
        credit: what the log-probability of each answer counts, ``(K, columns)``, or None for a pair loss.
        pairs: of a pair loss, or None.
        beta, label_smoothing: of the setup.
    """

    reference_logits: FloatArray
    credit: FloatArray | None
    pairs: HeldPairs | None
    beta: float
    label_smoothing: float

    def __call__(self, logits: FloatArray) -> FloatArray:
        """J, ``(columns,)``."""
        if self.pairs is not None:
            values = self.pair_values(logits) * self.pairs.share
            column = self.pairs.winner % logits.shape[1]
            return np.asarray(np.bincount(column, values, logits.shape[1]), np.float64)
        assert self.credit is not None
        log_probs = log_policy(logits)
        value: FloatArray = (self.credit * log_probs).sum(axis=0)
        return value - self.beta * self.kl(log_probs) if self.beta else value

    def pair_values(self, logits: FloatArray) -> FloatArray:
        """What each entry of pairs puts in, before the mean, ``(entries,)``."""
        assert self.pairs is not None
        gain = (logits - self.reference_logits).ravel()
        margin = gain[self.pairs.winner] - gain[self.pairs.loser]
        return pair_value(self.pairs.weight, margin, self.beta, self.label_smoothing)

    def kl(self, log_probs: FloatArray) -> FloatArray:
        """Exact KL from the reference, ``(columns,)``."""
        distance = log_probs - log_policy(self.reference_logits)
        return np.asarray((np.exp(log_probs) * distance).sum(axis=0))
