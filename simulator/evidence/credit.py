"""Readings about credit: what share of the advantages a prompt has, and which token of a wrong response is blamed.

The truth is the exact chain of the world: a token's true advantage is the chance of success after it minus the chance
before it, under the policy that sampled.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from simulator.engine import ReasoningSetup, StepRecord
from simulator.engine.reasoning.run import Run
from simulator.engine.reasoning.transitions import ANSWERED_MISREAD, lost, silent
from simulator.evidence.readings import FloatArray
from simulator.evidence.tokens import IntArray, mean_where, solved, states_of, success, world_of_record

BoolArray = npt.NDArray[np.bool_]

LOST = tuple(lost(step) for step in range(5))
MISREAD = (*(silent(step) for step in range(1, 5)), ANSWERED_MISREAD)


def share_of_advantage(low: float, high: float) -> Callable[[StepRecord], float]:
    """Share of the summed sizes of advantages on prompts that the reference solves with a chance from low to high."""

    def measure(record: StepRecord) -> float:
        chances = _solved_before(record.setup)
        sizes = np.abs(record.advantages[..., 0]).sum(axis=-1)  # (B,): all tokens of a response have the same
        chosen = (chances[record.prompt_rows] >= low) & (chances[record.prompt_rows] < high)
        return float(sizes[chosen].sum() / sizes.sum())

    return measure


def finds_decisive(record: StepRecord, log_policy: FloatArray) -> float:
    """How often the token with the lowest advantage is the one with the lowest true advantage."""
    true = true_advantages(record, log_policy)
    return mean_where(_lowest(record, record.advantages) == _lowest(record, true), _plainly_wrong(record))


def chance_of_blame(record: StepRecord) -> float:
    """How often a token picked blindly would be the right one to blame."""
    return mean_where(1.0 / record.lengths, _plainly_wrong(record))


def finds_error(record: StepRecord) -> float:
    """How often the token with the lowest advantage is the first visible error, where there is one."""
    states = states_of(world_of_record(record), record)
    errs = np.isin(states[..., 1:], LOST) & ~np.isin(states[..., :-1], LOST) & (record.tokens >= 0)
    has_error = errs.any(axis=-1) & _plainly_wrong(record)
    return mean_where(_lowest(record, record.advantages) == errs.argmax(axis=-1), has_error)


def finds_misreading(record: StepRecord) -> float:
    """How often the token with the lowest advantage is the misreading, in wrong responses to a misread story."""
    states = states_of(world_of_record(record), record)
    misreads = (states[..., 1:] == silent(1)) & (states[..., :-1] != silent(1)) & (record.tokens >= 0)
    return mean_where(
        _lowest(record, record.advantages) == misreads.argmax(axis=-1), misreads.any(axis=-1) & ~record.is_correct
    )


def agreement(record: StepRecord, log_policy: FloatArray) -> float:
    """Correlation of advantages with true ones inside wrong responses: both less their mean in the response."""
    chosen = _plainly_wrong(record)
    pairs = []
    for values in (record.advantages, true_advantages(record, log_policy)):
        centered = values - np.nanmean(np.where(record.tokens >= 0, values, np.nan), axis=-1, keepdims=True)
        pairs.append(centered[chosen][record.tokens[chosen] >= 0])
    return float((pairs[0] * pairs[1]).sum() / np.sqrt((pairs[0] ** 2).sum() * (pairs[1] ** 2).sum()))


def true_advantages(record: StepRecord, log_policy: FloatArray) -> FloatArray:
    """Chance of success after each token minus before it, (B, G, T); not a number behind the last token."""
    world = world_of_record(record)
    values = success(world, log_policy, record.prompt_rows, record.setup.max_completion_length)
    states = states_of(world, record)
    batch = np.arange(len(states))[:, None, None]
    chances = values[np.arange(states.shape[-1]), batch, states]
    return np.where(record.tokens >= 0, np.diff(chances, axis=-1), np.nan)


@lru_cache(maxsize=16)
def _solved_before(setup: ReasoningSetup) -> FloatArray:
    """Chance of a right response by the reference policy to each train prompt, (N,)."""
    return solved(Run(setup, 0), setup.max_completion_length)


def _plainly_wrong(record: StepRecord) -> BoolArray:
    """Wrong responses without a misreading, (B, G)."""
    misread = np.isin(states_of(world_of_record(record), record), MISREAD).any(axis=-1)
    return ~record.is_correct & ~misread


def _lowest(record: StepRecord, values: FloatArray) -> IntArray:
    """Place of the lowest value in each response, (B, G)."""
    return np.where(record.tokens >= 0, values, np.inf).argmin(axis=-1)
