"""Slot 4, clip: what becomes of a token's term, and of its gradient, when the policy has moved far."""

from __future__ import annotations

from ..compiled import small_kernel
from ..formula import Both, Expression, cases, clip, compare, hold, minimum
from .choice import Choice
from .libraries import note
from .ratio import NO_RATIO
from .terms import ADVANTAGE, LOG_PROB, RATIO, SURROGATE
from .terms import EPSILON as EPSILON_TERM
from .terms import EPSILON_HIGH as EPSILON_HIGH_TERM

SYMMETRIC, HIGHER, CISPO, NO_CLIP = 0, 1, 2, 3

TIE, UNCLIPPED, CLIPPED_HIGH, CLIPPED_LOW = 0, 1, 2, 3
"""Clip states of a token: both branches of the minimum are equal; the unclipped branch is the smaller; the clipped
branch is the smaller, so that the gradient is 0, above or below the interval. For ``cispo``, whose gradient never
ends: inside the bound, or above it."""


@small_kernel
def surrogate(
    ratio_code: int,
    clip_code: int,
    epsilon: float,
    epsilon_high: float,
    ratio: float,
    log_prob: float,
    advantage: float,
) -> tuple[float, float, int]:
    """A token's term without KL: ``(value, slope, clip state)``.

    The slope is the derivative of the value by the logarithm of the ratio; for ``cispo`` and without a ratio, by the
    token's own log-probability.
    """
    if advantage == 0.0 and clip_code != CISPO:
        # Said first, so that a ratio that has overflown adds nothing instead of 0 times infinity.
        return 0.0, 0.0, TIE
    if ratio_code == NO_RATIO:
        return advantage * log_prob, advantage, TIE
    upper = 1.0 + (epsilon if clip_code == SYMMETRIC else epsilon_high)
    if clip_code == CISPO:
        weight = min(ratio, upper)
        return weight * advantage * log_prob, weight * advantage, CLIPPED_HIGH if ratio > upper else TIE
    value = ratio * advantage
    lower = 1.0 - epsilon
    if clip_code == NO_CLIP or lower <= ratio <= upper:
        return value, value, TIE
    if advantage > 0.0 and ratio > upper:
        return upper * advantage, 0.0, CLIPPED_HIGH
    if advantage < 0.0 and ratio < lower:
        return lower * advantage, 0.0, CLIPPED_LOW
    return value, value, UNCLIPPED


_R, _A, _LOG_PROB = RATIO.at("i", "t"), ADVANTAGE.at("i", "t"), LOG_PROB.at("i", "t")
_LOWER = 1 - EPSILON_TERM.at()
_UPPER, _HIGHER = 1 + EPSILON_TERM.at(), 1 + EPSILON_HIGH_TERM.at()
_BOUNDED = minimum(_R, _HIGHER)


def _pessimistic(upper: Expression) -> Expression:
    return minimum(_R * _A, clip(_R, _LOWER, upper) * _A)


def _until_the_bound(upper: Expression) -> Expression:
    return cases(
        (0, Both((compare(_A, ">", 0), compare(_R, ">", upper)))),
        (0, Both((compare(_A, "<", 0), compare(_R, "<", _LOWER)))),
        otherwise=_R * _A,
    )


_STOPS = "stops, where going further would be rewarded"

CLIPS = (
    Choice(
        slot="clip",
        name="symmetric",
        code=SYMMETRIC,
        label="Symmetric",
        symbol=SURROGATE.at("i", "t"),
        formula=_pessimistic(_UPPER),
        derivative=_until_the_bound(_UPPER),
        sentence="A token that has moved by epsilon in the direction it is pushed in is pushed no further.",
        aspects={"lower bound": "1 - epsilon", "upper bound": "1 + epsilon", "gradient outside": _STOPS},
        source="Schulman et al. 2017, PPO, arXiv 1707.06347, equation 7",
        settings=("epsilon",),
        notes=(
            note(
                "verl", "Adds a third bound by default: at a negative advantage a ratio above 3 has no gradient either."
            ),
            note("verl", "Reads clip_ratio_low and clip_ratio_high, both 0.2; clip_ratio alone changes nothing."),
            note("TRL", "Offers delta, a cap on the ratio at negative advantages; off by default."),
            note("OpenRLHF", "Offers a dual clip, off by default."),
        ),
    ),
    Choice(
        slot="clip",
        name="higher",
        code=HIGHER,
        label="Clip higher",
        symbol=SURROGATE.at("i", "t"),
        formula=_pessimistic(_HIGHER),
        derivative=_until_the_bound(_HIGHER),
        sentence="The two sides have bounds of their own: a rare token may grow further than a common one may shrink.",
        aspects={"lower bound": "1 - epsilon", "upper bound": "1 + epsilon high", "gradient outside": _STOPS},
        source="Yu et al. 2025, DAPO, arXiv 2503.14476",
        settings=("epsilon", "epsilon_high"),
        notes=(note("TRL", "epsilon_high; None, the default, means the same as epsilon."),),
    ),
    Choice(
        slot="clip",
        name="cispo",
        code=CISPO,
        label="Bounded weight (CISPO)",
        symbol=SURROGATE.at("i", "t"),
        formula=hold(_BOUNDED) * _A * _LOG_PROB,
        derivative=_BOUNDED * _A,
        sentence="The ratio becomes a weight with an upper bound; no token ever loses its gradient.",
        aspects={
            "lower bound": "none",
            "upper bound": "1 + epsilon high",
            "gradient outside": "goes on, with a weight that is held at the bound",
        },
        source="MiniMax 2025, MiniMax-M1, arXiv 2506.13585",
        settings=("epsilon_high",),
        notes=(
            note(
                "TRL",
                "epsilon_high is the bound itself; without it the bound is epsilon, 0.2, a five times smaller step.",
            ),
            note("verl", "Bounds on both sides, 1 - epsilon low and 1 + epsilon high, both 0.2 by default."),
            note("open-instruct", "Upper bound 1 + epsilon high, which is 1.272 by default."),
        ),
    ),
    Choice(
        slot="clip",
        name="none",
        code=NO_CLIP,
        label="None",
        symbol=SURROGATE.at("i", "t"),
        formula=_R * _A,
        derivative=_R * _A,
        sentence="Ratio times advantage, however far the policy has moved.",
        aspects={"lower bound": "none", "upper bound": "none", "gradient outside": "goes on in full"},
        source="Schulman et al. 2017, PPO, arXiv 1707.06347, equation 6",
    ),
)
"""The choices of ``clip``, by code, written with the ratio of a token; derivatives are by its logarithm."""

WITHOUT_RATIO: tuple[Expression, Expression] = (_A * _LOG_PROB, _A)
"""Formula and derivative of every clip when there is no ratio."""
