"""Slot 2, advantage: how much better a response, or a token, was than expected."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..compiled import kernel
from ..formula import Equation, Number, Over, Position, equation
from .choice import Choice
from .libraries import note
from .terms import (
    ADVANTAGE,
    BASELINE,
    GAE_LAMBDA,
    GAMMA,
    GROUP_SIZE,
    LENGTH,
    MEAN_REWARD,
    NEXT_BASELINE,
    RETURN,
    REWARD,
    TD_ERROR,
    TOKEN_REWARD,
    VALUE,
)

FloatArray = npt.NDArray[np.float64]

GROUP_NORMALIZED, GROUP_MEAN, LEAVE_ONE_OUT, EMA_BASELINE, GAE, NO_BASELINE = 0, 1, 2, 3, 4, 5

DEVIATION_OFFSET = 1e-6
BASELINE_DECAY = 0.9


@kernel
def group_advantages(code: int, rewards: FloatArray, baseline: float, advantages: FloatArray) -> None:
    """Write the advantage of every response of one group; ``rewards`` and ``advantages`` are (G,).

    ``baseline`` is the moving average, which only ``ema_baseline`` reads. A group in which all rewards are equal, a
    group of one included, gets exactly 0 from the three group methods. Not for ``gae``, see
    :func:`generalized_advantages`.
    """
    size = rewards.shape[0]
    if code in (EMA_BASELINE, NO_BASELINE):
        subtracted = baseline if code == EMA_BASELINE else 0.0
        for i in range(size):
            advantages[i] = rewards[i] - subtracted
        return

    smallest, largest, total = rewards[0], rewards[0], 0.0
    for i in range(size):
        smallest = min(smallest, rewards[i])
        largest = max(largest, rewards[i])
        total += rewards[i]
    if smallest == largest:
        # Rounding of the mean would leave specks, which Adam blows up to full steps.
        for i in range(size):
            advantages[i] = 0.0
        return

    mean = total / size
    scale = 1.0
    if code == GROUP_NORMALIZED:
        squares = 0.0
        for i in range(size):
            squares += (rewards[i] - mean) ** 2
        scale = 1.0 / (math.sqrt(squares / (size - 1)) + DEVIATION_OFFSET)
    elif code == LEAVE_ONE_OUT:
        scale = size / (size - 1)
    for i in range(size):
        advantages[i] = (rewards[i] - mean) * scale


@kernel
def next_baseline(baseline: float, mean_reward: float) -> float:
    """The moving average after a batch with this mean reward; it starts at 0."""
    return BASELINE_DECAY * baseline + (1.0 - BASELINE_DECAY) * mean_reward


@kernel
def generalized_advantages(
    values: FloatArray,
    token_rewards: FloatArray,
    gamma: float,
    gae_lambda: float,
    advantages: FloatArray,
    returns: FloatArray,
) -> None:
    """Write the advantage and the return of every token of one response; all arrays are (tokens,).

    The value after the last token is 0. The return, which the critic learns, is advantage plus value.
    """
    advantage, next_value = 0.0, 0.0
    for t in range(values.shape[0] - 1, -1, -1):
        error = token_rewards[t] + gamma * next_value - values[t]
        advantage = error + gamma * gae_lambda * advantage
        advantages[t] = advantage
        returns[t] = advantage + values[t]
        next_value = values[t]


_REWARD, _G = REWARD.at("i"), GROUP_SIZE.at()
_GROUP = "the responses of the group"
_MEAN = Over("mean", "j", _G, REWARD.at("j"), _GROUP)
_DEVIATION = Over("std", "j", _G, REWARD.at("j"), _GROUP)
_OTHERS = Over("sum", "j", _G, REWARD.at("j"), "the other responses of the group", except_="i")

_SILENT = "When all rewards of the group are equal, and in a group of one, it is exactly 0."
_SAME = "the same number for every token of a response"
_WHOLE = "does not divide"

_ERROR = equation(
    TD_ERROR.at("i", "t"),
    TOKEN_REWARD.at("i", "t") + GAMMA.at() * VALUE.at("i", "t+1") - VALUE.at("i", "t"),
)
_TARGET: Equation = equation(RETURN.at("i", "t"), ADVANTAGE.at("i", "t") + VALUE.at("i", "t"))
_NEXT = equation(
    NEXT_BASELINE.at(),
    BASELINE_DECAY * BASELINE.at() + Number(round(1 - BASELINE_DECAY, 12)) * MEAN_REWARD.at(),
)

ADVANTAGES = (
    Choice(
        slot="advantage",
        name="group_normalized",
        code=GROUP_NORMALIZED,
        label="Group mean and spread",
        symbol=ADVANTAGE.at("i"),
        formula=(_REWARD - _MEAN) / (_DEVIATION + DEVIATION_OFFSET),
        derivative=None,
        sentence="The reward less the mean of its group, divided by the standard deviation of the group.",
        aspects={
            "compared with": "the mean of the group",
            "scale": "divides by the standard deviation of the group",
            "reach": _SAME,
        },
        source="Shao et al. 2024, DeepSeekMath, arXiv 2402.03300",
        edge=f"The deviation has G - 1 in its denominator, which the paper leaves open. {_SILENT}",
        notes=(
            note("TRL", "Deviation with G - 1, plus 0.0001: with rewards 0.5000 and 0.5001 that more than halves it."),
            note("TRL", "Calculates in single precision: eight rewards of 0.7 get advantages of 0.0006 instead of 0."),
            note(
                "verl",
                "Deviation with G - 1, plus 0.000001, as here; but in a group of one the advantage is the reward.",
            ),
            note("OpenRLHF", "Deviation with G - 1, plus 0.000000001 (group_norm)."),
            note("open-instruct", "Deviation with G, plus 0.00000001; its default does not divide at all (centered)."),
            note("Dr. GRPO authors' code", "Its GRPO branch takes the deviation with G - 1, plus 0.00000001."),
        ),
    ),
    Choice(
        slot="advantage",
        name="group_mean",
        code=GROUP_MEAN,
        label="Group mean",
        symbol=ADVANTAGE.at("i"),
        formula=_REWARD - _MEAN,
        derivative=None,
        sentence="The reward less the mean of its group.",
        aspects={"compared with": "the mean of the group", "scale": _WHOLE, "reach": _SAME},
        source="Liu et al. 2025, Dr. GRPO, arXiv 2503.20783",
        edge=_SILENT,
        notes=(
            note(
                "TRL", 'loss_type="dr_grpo" alone still divides by the deviation; scale_rewards="none" is needed too.'
            ),
            note("verl", "norm_adv_by_std_in_grpo=False."),
            note("OpenRLHF", "dr_grpo changes the advantage and leaves the mean over tokens as it is."),
            note("open-instruct", "centered, which is its default."),
        ),
    ),
    Choice(
        slot="advantage",
        name="leave_one_out",
        code=LEAVE_ONE_OUT,
        label="Leave one out",
        symbol=ADVANTAGE.at("i"),
        formula=_G / (_G - 1) * (_REWARD - _MEAN),
        derivative=None,
        sentence="The reward less the mean of the other responses of its group.",
        aspects={"compared with": "the mean of the others in the group", "scale": _WHOLE, "reach": _SAME},
        source="Kool et al. 2019; Ahmadian et al. 2024, arXiv 2402.14740",
        edge=_SILENT,
        readings=(_REWARD - Number(1.0) / (_G - 1) * _OTHERS,),
        notes=(
            note(
                "TRL", "Clips rewards first (reward_clip_range); normalize_advantages divides by the batch's deviation."
            ),
            note("verl", "In a group of one, rloo gives the reward itself and rloo_vectorized gives 0."),
            note("OpenRLHF", "Clips to -10 to 10 after the baseline has been taken off."),
        ),
    ),
    Choice(
        slot="advantage",
        name="ema_baseline",
        code=EMA_BASELINE,
        label="Moving average",
        symbol=ADVANTAGE.at("i"),
        formula=_REWARD - BASELINE.at(),
        derivative=None,
        sentence="The reward less a moving average of the rewards of earlier batches.",
        aspects={"compared with": "a moving average of earlier rewards", "scale": _WHOLE, "reach": _SAME},
        source="Williams 1992, Machine Learning 8, with a moving-average baseline",
        definitions=(_NEXT,),
        notes=(
            note("verl", "reinforce_plus_plus centers and scales over all tokens of the batch instead."),
            note("OpenRLHF", "reinforce and reinforce_baseline still train through the clipped ratio."),
        ),
    ),
    Choice(
        slot="advantage",
        name="gae",
        code=GAE,
        label="Critic (GAE)",
        symbol=ADVANTAGE.at("i", "t"),
        formula=Over(
            "sum",
            "k",
            LENGTH.at("i") - Position("t"),
            (GAMMA.at() * GAE_LAMBDA.at()) ** Position("k") * TD_ERROR.at("i", "t+k"),
            "this and all later tokens",
            first=0,
        ),
        derivative=None,
        sentence="What a critic is surprised by at this token and, fading, at all later ones.",
        aspects={
            "compared with": "what a critic expected before each token",
            "scale": _WHOLE,
            "reach": "a number of its own for every token",
        },
        source="Schulman et al. 2016, arXiv 1506.02438",
        edge="After the last token the value is 0, also when the response was cut off.",
        definitions=(_ERROR, _TARGET),
        settings=("gamma", "gae_lambda", "value_learning_rate"),
        notes=(
            note(
                "TRL",
                "No PPO trainer any more; in version 1.10 lambda 0.95, and advantages scaled over the local batch.",
            ),
            note("verl", "lambda 1; advantages are centered and scaled over the whole batch."),
            note("OpenRLHF", "lambda 1; centered and scaled over all experiences, deviation with the full count."),
            note("cleanrl", "gamma 0.99, lambda 0.95; advantages are centered and scaled in every minibatch."),
        ),
    ),
    Choice(
        slot="advantage",
        name="none",
        code=NO_BASELINE,
        label="The reward itself",
        symbol=ADVANTAGE.at("i"),
        formula=_REWARD,
        derivative=None,
        sentence="The reward, compared with nothing.",
        aspects={"compared with": "nothing", "scale": _WHOLE, "reach": _SAME},
        source="Williams 1992, Machine Learning 8",
    ),
)
"""The choices of ``advantage``, by code. No gradient goes through an advantage."""
