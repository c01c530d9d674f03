"""What one response adds to the objective, and what the objective does to each of its tokens."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled import kernel, small_kernel
from .clip import CISPO, surrogate
from .divergence import estimate
from .ratio import SEQUENCE_RATIO, importance_ratios

FloatArray = npt.NDArray[np.float64]
ByteArray = npt.NDArray[np.int8]


@kernel
def response_objective(
    ratio_code: int,
    clip_code: int,
    kl_code: int,
    epsilon: float,
    epsilon_high: float,
    beta: float,
    log_probs: FloatArray,
    old_log_probs: FloatArray,
    ref_log_probs: FloatArray,
    advantages: FloatArray,
    weights: FloatArray,
    ratios: FloatArray,
    objectives: FloatArray,
    pushes: FloatArray,
    clip_states: ByteArray,
    token_kls: FloatArray,
) -> float:
    """Write the last five arrays for one response; all arrays are (tokens,). Returns its share of J.

    J is the sum of ``weights * objectives`` over all tokens of all responses; ``pushes`` is the derivative of J by
    each ``log_probs``, weight, KL and the coupling of a sequence ratio included: above 0 means that an update makes
    the token more likely. ``token_kls`` is the estimate in nats, without ``beta``, which must be 0 when the KL is
    part of the reward. A weight of 0 gives a push of exactly 0.
    """
    return span_objective(
        ratio_code,
        clip_code,
        kl_code,
        epsilon,
        epsilon_high,
        beta,
        0,
        log_probs.shape[0],
        log_probs,
        old_log_probs,
        ref_log_probs,
        advantages,
        weights,
        ratios,
        objectives,
        pushes,
        clip_states,
        token_kls,
    )


@small_kernel
def span_objective(
    ratio_code: int,
    clip_code: int,
    kl_code: int,
    epsilon: float,
    epsilon_high: float,
    beta: float,
    first: int,
    last: int,
    log_probs: FloatArray,
    old_log_probs: FloatArray,
    ref_log_probs: FloatArray,
    advantages: FloatArray,
    weights: FloatArray,
    ratios: FloatArray,
    objectives: FloatArray,
    pushes: FloatArray,
    clip_states: ByteArray,
    token_kls: FloatArray,
) -> float:
    """As :func:`response_objective`, for the response that lies from ``first`` to before ``last`` in longer arrays.

    Training calls this: cutting ten arrays for every response takes longer than the calculation.
    """
    importance_ratios(ratio_code, first, last, log_probs, old_log_probs, ratios)
    shares_ratio = ratio_code == SEQUENCE_RATIO and clip_code != CISPO
    total, shared_slope = 0.0, 0.0
    for t in range(first, last):
        value, slope, state = surrogate(
            ratio_code, clip_code, epsilon, epsilon_high, ratios[t], log_probs[t], advantages[t]
        )
        kl, kl_slope = estimate(kl_code, log_probs[t], ref_log_probs[t])
        token_kls[t] = kl
        clip_states[t] = state
        objectives[t] = value - beta * kl if beta != 0.0 else value
        pushes[t] = 0.0
        if weights[t] == 0.0:
            continue
        total += weights[t] * objectives[t]
        if beta != 0.0:
            pushes[t] = -weights[t] * beta * kl_slope
        if shares_ratio:
            shared_slope += weights[t] * slope
        else:
            pushes[t] += weights[t] * slope
    if shares_ratio and shared_slope != 0.0:
        # The ratio is the geometric mean: each log-probability moves it by 1 / tokens of what its logarithm does.
        for t in range(first, last):
            pushes[t] += shared_slope / (last - first)
    return total
