"""Slot 6, KL: how the distance from the reference policy is estimated from the sampled tokens."""

from __future__ import annotations

import math

from ..compiled import small_kernel
from ..formula import Number, equation, exp
from .choice import Choice
from .libraries import note
from .terms import LOG_PROB, LOG_RATIO_TO_REFERENCE, REF_LOG_PROB, TOKEN_KL

NO_KL, K1, K2, K3 = 0, 1, 2, 3


@small_kernel
def estimate(kl_code: int, log_prob: float, ref_log_prob: float) -> tuple[float, float]:
    """The estimate of one token in nats, and its derivative by ``log_prob``.

    Exactly 0, both of them (for k1 the value alone), where the two policies agree.
    """
    difference = log_prob - ref_log_prob
    if kl_code == K1:
        return difference, 1.0
    if kl_code == K2:
        return 0.5 * difference * difference, difference
    if kl_code == K3:
        # exp(-d) - 1 without the cancellation near 0.
        shrinkage = math.expm1(-difference)
        return shrinkage + difference, -shrinkage
    return 0.0, 0.0


_SYMBOL, _D = TOKEN_KL.at("i", "t"), LOG_RATIO_TO_REFERENCE.at("i", "t")
_DEFINITION = (equation(_D, LOG_PROB.at("i", "t") - REF_LOG_PROB.at("i", "t")),)
_SCHULMAN = "Schulman 2020, Approximating KL divergence"
_SETTINGS = ("beta", "kl_in")

DIVERGENCES = (
    Choice(
        slot="kl",
        name="none",
        code=NO_KL,
        label="None",
        symbol=_SYMBOL,
        formula=Number(0.0),
        derivative=Number(0.0),
        sentence="Nothing holds the policy to the reference policy.",
        aspects={"estimator": "none", "in the loss": "no pull"},
        source="",
        notes=(
            note("TRL", "beta is 0 by default; the reference model is then not even loaded."),
            note("verl", "use_kl_loss is off by default."),
        ),
    ),
    Choice(
        slot="kl",
        name="k1",
        code=K1,
        label="k1",
        symbol=_SYMBOL,
        formula=_D,
        derivative=Number(1.0),
        sentence="The log-ratio itself: right on average, and below 0 for many a token.",
        aspects={
            "estimator": "the log-ratio to the reference",
            "in the loss": "a push down on every sampled token, which cancels on average: no pull at all",
        },
        source=_SCHULMAN,
        edge="Right when it is part of the reward. In the loss its gradient has mean 0 and restrains nothing.",
        definitions=_DEFINITION,
        settings=_SETTINGS,
        notes=(
            note("TRL", "Used by RLOO, in the reward, summed over the response."),
            note("verl", "Called kl, also k1; use_kl_in_reward, off by default."),
            note("OpenRLHF", "Its default, in the reward."),
            note("open-instruct", "Counts from 0: its kl0."),
        ),
    ),
    Choice(
        slot="kl",
        name="k2",
        code=K2,
        label="k2",
        symbol=_SYMBOL,
        formula=_D**2 / 2,
        derivative=_D,
        sentence="Half the square of the log-ratio: never below 0, with the right gradient in the loss.",
        aspects={
            "estimator": "half the square of the log-ratio",
            "in the loss": "a pull in proportion to the log-ratio, both ways alike",
        },
        source=_SCHULMAN,
        definitions=_DEFINITION,
        settings=_SETTINGS,
        notes=(
            note("verl", "Called mse, also k2."),
            note("open-instruct", "Counts from 0: its kl1."),
        ),
    ),
    Choice(
        slot="kl",
        name="k3",
        code=K3,
        label="k3",
        symbol=_SYMBOL,
        formula=exp(-_D) - 1 + _D,
        derivative=1 - exp(-_D),
        sentence="The log-ratio made positive without moving its mean; in the loss its gradient is only roughly right.",
        aspects={
            "estimator": "the log-ratio plus a correction of mean 0",
            "in the loss": "a strong pull on tokens that became rare, at most beta on those that became common",
        },
        source=f"{_SCHULMAN}; Shao et al. 2024, DeepSeekMath, arXiv 2402.03300, equation 4",
        definitions=_DEFINITION,
        settings=_SETTINGS,
        notes=(
            note(
                "TRL",
                "The only one in GRPO. Multiplied by the ratio unless use_bias_correction_kl is off: where the ratio "
                "is 1 that leaves its value but makes its gradient that of k2.",
            ),
            note(
                "verl",
                "Called low_var_kl, also k3, limited to -10 to 10; k3+ has the value of k3 and the gradient of k2.",
            ),
            note("OpenRLHF", "Limits all estimates to -10 to 10."),
            note("open-instruct", "Counts from 0: its kl2. Its kl3 is the ratio times the log-ratio."),
        ),
    ),
)
"""The choices of ``kl``, by code; derivatives are those of a KL in the loss."""
