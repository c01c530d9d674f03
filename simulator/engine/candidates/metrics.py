"""Exact metrics of policies: calculated from the ten probabilities, never sampled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .world import LENGTH_SPREAD, MEAN_LENGTH, PROMPTS, World

FloatArray = npt.NDArray[np.float64]

METRICS = ("win_rate", "quality", "reward_model_score", "kl", "entropy", "response_length")


def log_policy(logits: FloatArray) -> FloatArray:
    """Log-probabilities of logits ``(..., K, columns)``.

    Never the logarithm of a probability: after long training a probability
    may underflow to 0, its logarithm may not.
    """
    shifted: FloatArray = logits - logits.max(axis=-2, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=-2, keepdims=True))
    return shifted


def measure(log_probabilities: FloatArray, world: World) -> dict[str, FloatArray]:
    """Every metric, averaged over prompts.

    ``log_probabilities`` is ``(..., K, S * P)``; each metric is ``(..., S)``.
    Win rate: probability to beat an answer of the reference policy, a tie
    counting one half. Quality and reward-model score: expectations, the score
    without any length penalty. KL to the reference policy and entropy in nats.
    Response length in tokens.
    """
    probabilities = np.exp(log_probabilities)

    def expected(values: FloatArray) -> FloatArray:
        per_column = np.einsum("...kn,...kn->...n", probabilities, values)
        shape = (*per_column.shape[:-1], -1, PROMPTS)
        return np.asarray(per_column.reshape(shape).mean(axis=-1))

    return {
        "win_rate": expected(world.win_value),
        "quality": expected(world.quality),
        "reward_model_score": expected(world.score),
        "kl": expected(log_probabilities - world.log_reference),
        "entropy": -expected(log_probabilities),
        "response_length": MEAN_LENGTH + LENGTH_SPREAD * expected(world.length),
    }
