"""The reference policy: what the policy is like before training, and what it is held against."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled import kernel, small_kernel
from .draws import WORLD, uniform
from .problems import CARRIES, CHAINS, FAMILIES, SUMS
from .vocabulary import (
    ANSWERED,
    CARRY,
    CONTEXTS,
    FIRST_GUESS,
    GUESSES,
    LOST,
    PLAIN,
    READ,
    READY,
    TOKENS,
)

FloatArray = npt.NDArray[np.float64]

SPREAD = 0.4
"""Standard deviation of a prompt's own offsets to the logits of its family."""
_FIRST_TAG = 7
_SECOND_TAG = 8

# Weights of stepA, stepB, slip, wait, hmm, check, answer, each of the guesses, <eos>.
_BASE: dict[int, tuple[float, ...]] = {
    PLAIN: (0.660, 0.050, 0.060, 0.060, 0.040, 0.010, 0.040, 0.006, 0.020),
    CARRY: (0.500, 0.180, 0.080, 0.060, 0.040, 0.010, 0.040, 0.012, 0.020),
    READ: (0.500, 0.220, 0.040, 0.060, 0.040, 0.010, 0.030, 0.012, 0.020),
    READY: (0.020, 0.010, 0.030, 0.080, 0.050, 0.015, 0.700, 0.004, 0.030),
    LOST: (0.140, 0.050, 0.070, 0.220, 0.180, 0.020, 0.200, 0.004, 0.050),
    ANSWERED: (0.010, 0.010, 0.010, 0.060, 0.040, 0.010, 0.020, 0.003, 0.800),
}
_OF_FAMILY: dict[tuple[int, int], tuple[float, ...]] = {
    (SUMS, PLAIN): (0.780, 0.020, 0.040, 0.040, 0.030, 0.010, 0.030, 0.008, 0.015),
    (CARRIES, CARRY): (0.560, 0.100, 0.080, 0.070, 0.050, 0.010, 0.040, 0.005, 0.025),
    (CHAINS, PLAIN): (0.640, 0.060, 0.080, 0.070, 0.050, 0.010, 0.030, 0.005, 0.020),
    (CHAINS, CARRY): (0.330, 0.360, 0.080, 0.070, 0.050, 0.010, 0.030, 0.005, 0.020),
}


def family_probabilities() -> FloatArray:
    """Token probabilities before a prompt's own offsets, `(4, 6, 12)`; they depend on family and context."""
    table = np.empty((FAMILIES, CONTEXTS, TOKENS))
    for family in range(FAMILIES):
        for context in range(CONTEXTS):
            weights = list(_OF_FAMILY.get((family, context), _BASE[context]))
            weights[FIRST_GUESS : FIRST_GUESS + 1] *= GUESSES
            table[family, context] = np.array(weights) / np.sum(weights)
    return table


@kernel
def offsets(world_seed: int, prompt_id: int, out: FloatArray) -> None:
    """Standard normal numbers of one prompt, `(6, 12)`, by the method of Box and Muller (1958)."""
    for context in range(CONTEXTS):
        for token in range(TOKENS):
            cell = context * TOKENS + token
            first = uniform(WORLD, world_seed, prompt_id, _FIRST_TAG, cell)
            second = uniform(WORLD, world_seed, prompt_id, _SECOND_TAG, cell)
            out[context, token] = np.sqrt(-2.0 * np.log(1.0 - first)) * np.cos(2.0 * np.pi * second)


def reference_logits(prompt_ids: tuple[int, ...], world_seed: int) -> FloatArray:
    """The reference policy's logits of some prompts, `(P, 6, 12)`."""
    log_family = np.log(family_probabilities())
    logits = np.empty((len(prompt_ids), CONTEXTS, TOKENS))
    for i, prompt_id in enumerate(prompt_ids):
        offsets(world_seed, prompt_id, logits[i])
        logits[i] = log_family[prompt_id % FAMILIES] + SPREAD * logits[i]
    return logits


@small_kernel
def log_softmax(row: FloatArray, probabilities: FloatArray) -> None:
    """Turn logits, `(12,)`, into log-probabilities (nats), in place, and write the probabilities beside them. The only
    softmax of this world, so that equal logits give equal probabilities to the bit."""
    largest = row[0]
    for v in range(1, TOKENS):
        largest = max(largest, row[v])
    total = 0.0
    for v in range(TOKENS):
        probabilities[v] = np.exp(row[v] - largest)
        total += probabilities[v]
    log_total = largest + np.log(total)
    for v in range(TOKENS):
        row[v] -= log_total
        probabilities[v] /= total


def log_probabilities(logits: FloatArray) -> FloatArray:
    """The log-probabilities (nats) that logits of shape `(..., 12)` stand for."""
    out, scratch = logits.copy(), np.empty(TOKENS)
    for row in out.reshape(-1, TOKENS):
        log_softmax(row, scratch)
    return out
