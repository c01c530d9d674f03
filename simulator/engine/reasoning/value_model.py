"""The critic of generalized advantage estimation: a table of values, one per family and feature of the state."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled import inner_kernel
from ..optimise import ADAM, ascend

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@inner_kernel
def fit_values(
    critic: FloatArray, feature: IntArray, returns: FloatArray, learning_rate: float, update: int, gradient: FloatArray
) -> None:
    """One Adam step on half the squared distance of values and returns, averaged over tokens.

    Args:
        critic: ``(3, 4, X)``: the values, and the first and second moments of their optimiser.
        feature: of the state before each token: ``X * family + feature``, ``(tokens,)``.
        returns: what the value should have been, ``(tokens,)``.
        update: counts the steps from 1.
        gradient: scratch, ``(4, X)``.
    """
    flat_gradient, values = gradient.reshape(-1), critic[0].reshape(-1)
    flat_gradient[:] = 0.0
    for k in range(feature.size):
        flat_gradient[feature[k]] += returns[k] - values[feature[k]]
    ascend(
        ADAM,
        values,
        flat_gradient,
        1.0 / feature.size,
        learning_rate,
        update,
        critic[1].reshape(-1),
        critic[2].reshape(-1),
    )
