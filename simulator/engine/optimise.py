"""Optimisers: from gradients to parameters, upwards, because every objective here is maximised.

Adam follows Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1; SGD keeps a velocity
(Polyak's heavy ball). Both work in place on arrays ``(n,)`` of float64.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .compiled import inner_kernel, kernel

FloatArray = npt.NDArray[np.float64]

OPTIMIZERS = ("adam", "sgd")
"""The optimisers; the position of a name is the code that compiled functions know it by."""
ADAM = 0

LR_SCHEDULES = ("constant", "linear", "cosine")

FIRST_DECAY = 0.9
SECOND_DECAY = 0.999
ADAM_EPSILON = 1e-8
MOMENTUM = 0.9


def learning_rates(schedule: str, learning_rate: float, warmup_ratio: float, updates: int) -> FloatArray:
    """The learning rate of every optimiser update of a run, ``(updates,)``.

    It first rises linearly, over ``w = round(warmup_ratio * updates)`` updates, from ``1/w`` of the rate to all of it.
    Then it stays, or falls with the share ``x`` of the remaining updates that are done: as ``1 - x`` (linear) or
    ``(1 + cos(pi x)) / 2`` (cosine). ``x`` stays below 1, so no update has rate 0.
    """
    warmup = round(warmup_ratio * updates)
    update = np.arange(updates)
    done = np.maximum(update - warmup, 0) / max(updates - warmup, 1)
    if schedule == "linear":
        factors = 1 - done
    elif schedule == "cosine":
        factors = (1 + np.cos(np.pi * done)) / 2
    elif schedule == "constant":
        factors = np.ones(updates)
    else:
        raise ValueError(f"no learning-rate schedule is named {schedule!r}")
    if warmup:
        factors[:warmup] = (update[:warmup] + 1) / warmup
    rates: FloatArray = learning_rate * factors
    return rates


@kernel
def gradient_norm(gradient: FloatArray) -> float:
    """The Euclidean norm of ``(rows, columns)``; not finite when a number in it isn't or is too large to square."""
    # By column, because the compiler makes vector instructions of that, and may not of one sum in a fixed order.
    squares = np.zeros(gradient.shape[1])
    for row in range(gradient.shape[0]):
        for column in range(gradient.shape[1]):
            squares[column] += gradient[row, column] * gradient[row, column]
    return math.sqrt(squares.sum())


@kernel
def clip_factor(norm: float, max_grad_norm: float) -> float:
    """What a gradient of this norm is multiplied with so that it is at most `max_grad_norm` long; 0 switches it off."""
    if max_grad_norm > 0.0 and norm > max_grad_norm:
        return max_grad_norm / norm
    return 1.0


@kernel
def ascend(
    optimizer: int,
    parameters: FloatArray,
    gradient: FloatArray,
    factor: float,
    learning_rate: float,
    update: int,
    first_moment: FloatArray,
    second_moment: FloatArray,
) -> None:
    """One step of the optimiser with code `optimizer` along ``factor * gradient``.

    `update` counts from 1. The moments start at 0 and belong to these parameters; SGD's velocity is the first. Neither
    contains the learning rate, so a rate of a group of parameters scales its steps only.
    """
    if optimizer == ADAM:
        _ascend_by_adam(parameters, gradient, factor, learning_rate, update, first_moment, second_moment)
    else:
        for i in range(parameters.size):
            first_moment[i] = MOMENTUM * first_moment[i] + factor * gradient[i]
            parameters[i] += learning_rate * first_moment[i]


@inner_kernel
def _ascend_by_adam(
    parameters: FloatArray,
    gradient: FloatArray,
    factor: float,
    learning_rate: float,
    update: int,
    first_moment: FloatArray,
    second_moment: FloatArray,
) -> None:
    first_unbias = 1.0 / (1.0 - FIRST_DECAY**update)
    second_unbias = 1.0 / (1.0 - SECOND_DECAY**update)
    # Two loops, because the compiler makes vector instructions of each, and not of both in one.
    for i in range(parameters.size):
        g = factor * gradient[i]
        first_moment[i] = FIRST_DECAY * first_moment[i] + (1.0 - FIRST_DECAY) * g
        second_moment[i] = SECOND_DECAY * second_moment[i] + (1.0 - SECOND_DECAY) * (g * g)
    for i in range(parameters.size):
        step = first_moment[i] * first_unbias / (math.sqrt(second_moment[i] * second_unbias) + ADAM_EPSILON)
        parameters[i] += learning_rate * step
