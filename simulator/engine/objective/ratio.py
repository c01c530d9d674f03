"""Slot 3, ratio: how much more likely the policy makes a token now than when the token was sampled."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..compiled import small_kernel
from ..formula import Number, Over, exp
from .choice import Choice
from .libraries import note
from .terms import LENGTH, LOG_PROB, OLD_LOG_PROB, OLD_PROBABILITY, PROBABILITY, RATIO
from .terms import SEQUENCE_RATIO as SEQUENCE_TERM

FloatArray = npt.NDArray[np.float64]

TOKEN_RATIO, SEQUENCE_RATIO, NO_RATIO = 0, 1, 2


@small_kernel
def importance_ratios(
    code: int, first: int, last: int, log_probs: FloatArray, old_log_probs: FloatArray, ratios: FloatArray
) -> None:
    """Write the ratio of every token of one response, which lies from ``first`` to before ``last`` in all arrays.

    A sequence ratio is the same number for all tokens. Without a ratio in the objective the token's is written, to
    show how far the policy has moved.
    """
    if code != SEQUENCE_RATIO:
        for t in range(first, last):
            ratios[t] = math.exp(log_probs[t] - old_log_probs[t])
        return
    total = 0.0
    for t in range(first, last):
        total += log_probs[t] - old_log_probs[t]
    shared = math.exp(total / (last - first))
    for t in range(first, last):
        ratios[t] = shared


_CHANGE = LOG_PROB.at("i", "t") - OLD_LOG_PROB.at("i", "t")
_MEAN_CHANGE = 1 / LENGTH.at("i") * Over("sum", "t", LENGTH.at("i"), _CHANGE, "the tokens of the response")

RATIOS = (
    Choice(
        slot="importance_ratio",
        name="token",
        code=TOKEN_RATIO,
        label="Token",
        symbol=RATIO.at("i", "t"),
        formula=exp(_CHANGE),
        derivative=RATIO.at("i", "t"),
        sentence="How many times as likely each token is now as when it was sampled.",
        aspects={"ratio": "each token has its own"},
        source="Schulman et al. 2017, PPO, arXiv 1707.06347",
        readings=(PROBABILITY.at("i", "t") / OLD_PROBABILITY.at("i", "t"),),
        notes=(
            note("verl", "Limits the logarithm of the ratio to -20 to 20."),
            note("TRL", "With one iteration and aligned steps the ratio is exactly 1, so that nothing can be clipped."),
        ),
    ),
    Choice(
        slot="importance_ratio",
        name="sequence",
        code=SEQUENCE_RATIO,
        label="Sequence",
        symbol=SEQUENCE_TERM.at("i"),
        formula=exp(_MEAN_CHANGE),
        derivative=SEQUENCE_TERM.at("i") / LENGTH.at("i"),
        sentence="The geometric mean of the token ratios, shared by all tokens of the response.",
        aspects={"ratio": "the whole response has one, the geometric mean over its tokens"},
        source="Zheng et al. 2025, GSPO, arXiv 2507.18071",
        notes=(
            note(
                "TRL", 'importance_sampling_level="sequence". Its RLOO has a sequence ratio without the root instead.'
            ),
            note("verl", "loss_mode=gspo: the same gradient token by token, with the logarithm limited to 10."),
            note("OpenRLHF", "With the vLLM correction on, the old log-probabilities are those of the rollout engine."),
        ),
    ),
    Choice(
        slot="importance_ratio",
        name="none",
        code=NO_RATIO,
        label="None",
        symbol=LOG_PROB.at("i", "t"),
        formula=LOG_PROB.at("i", "t"),
        derivative=Number(1.0),
        sentence="No ratio: the log-probability of the token itself, as if it had just been sampled.",
        aspects={"ratio": "none, the log-probability itself"},
        source="Williams 1992, Machine Learning 8",
        edge="No clip acts on it, whichever is chosen. Only the gradient of the objective has a meaning then.",
        notes=(
            note("verl", 'Reached by loss_mode=bypass_mode with rollout_correction.loss_type="reinforce".'),
            note("OpenRLHF", "Its REINFORCE estimators keep the clipped ratio."),
        ),
    ),
)
"""The choices of ``importance_ratio``, by code; the formula is what the advantage is multiplied with."""
