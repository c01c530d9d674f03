"""Readings about ratios of whole responses: how far they spread, and how that depends on length."""

from collections.abc import Callable

import numpy as np

from simulator.engine import StepRecord
from simulator.evidence.readings import FloatArray


def ratio_spread(least: int, most: int, is_divided: bool) -> Callable[[StepRecord], float]:
    """Standard deviation of the log-ratio of whole responses with so many tokens, before the step's last update.

    The log-ratio is the sum over tokens; with `is_divided` it is their mean, as GSPO takes it.
    """

    def measure(record: StepRecord) -> float:
        chosen = (record.lengths >= least) & (record.lengths <= most)
        if np.count_nonzero(chosen) < 2:
            return float("nan")
        return float(_log_ratios(record, is_divided)[chosen].std(ddof=1))

    return measure


def _log_ratios(record: StepRecord, is_divided: bool) -> FloatArray:
    """(B, G)"""
    by_token = np.where(record.tokens >= 0, record.log_probs[-1] - record.old_log_probs, 0.0)
    total = by_token.sum(axis=-1)
    return total / record.lengths if is_divided else total
