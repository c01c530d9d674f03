"""The formulas of a whole setup, put together from the choices of its slots.

``chosen`` maps the key of each slot to its choice; ``settings`` are the setup's values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..formula import Equation, Expression, Number, Over, Position, Symbol, cases, compare, equation
from .choice import Choice
from .clip import CISPO, WITHOUT_RATIO
from .divergence import NO_KL
from .ratio import NO_RATIO
from .ratio import SEQUENCE_RATIO as SEQUENCE
from .sampling import OVERLONG_FILTER, OVERLONG_SOFT
from .terms import (
    ADVANTAGE,
    BETA,
    FORMAT_COEFFICIENT,
    LENGTH,
    LENGTH_COEFFICIENT,
    LOG_PROB,
    MASK,
    MAX_LENGTH,
    OLD_LOG_PROB,
    OVERLONG_REWARD,
    RATIO,
    REWARD,
    TOKEN_KL,
    TOKEN_OBJECTIVE,
    TOKEN_REWARD,
    TRUNCATED,
    VERIFIED,
)

Chosen = Mapping[str, Choice]
Settings = Mapping[str, Any]

_TOKEN, _BETA, _KL = TOKEN_OBJECTIVE.at("i", "t"), BETA.at(), TOKEN_KL.at("i", "t")
_LENGTH, _TRUNCATED = LENGTH.at("i"), TRUNCATED.at("i")


def pays_kl(chosen: Chosen, settings: Settings, place: str) -> bool:
    """Whether there is a KL at this place, ``loss`` or ``reward``."""
    return chosen["kl"].code != NO_KL and settings["beta"] != 0 and settings["kl_in"] == place


def surrogate(chosen: Chosen) -> tuple[Expression, Expression]:
    """The term of a token before any KL, and its derivative by the logarithm of the ratio.

    The derivative is by the token's own log-probability where the ratio is the token's, and for ``cispo``.
    """
    ratio, clip = chosen["importance_ratio"], chosen["clip"]
    formulas = (clip.formula, clip.derivative or Number(0.0))
    if ratio.code == NO_RATIO:
        formulas = WITHOUT_RATIO
    symbols: dict[Symbol, Expression] = {
        RATIO.at("i", "t"): ratio.symbol,
        ADVANTAGE.at("i", "t"): chosen["advantage"].symbol,
    }
    return formulas[0].substitute(symbols), formulas[1].substitute(symbols)


def token(chosen: Chosen, settings: Settings) -> Expression:
    """What one token puts into the objective, before it is weighed."""
    value, _ = surrogate(chosen)
    return value - _BETA * _KL if pays_kl(chosen, settings, "loss") else value


def weight(chosen: Chosen) -> Expression:
    """The weight of a token."""
    formula = chosen["aggregation"].formula
    if chosen["overlong"].code == OVERLONG_FILTER:
        return MASK.at("i") * formula.substitute(_MASKED_LENGTHS)
    return formula


def objective(chosen: Chosen, settings: Settings) -> Expression:
    """The whole objective of an update."""
    whole = chosen["aggregation"].whole
    assert whole is not None
    term = token(chosen, settings)
    if chosen["overlong"].code == OVERLONG_FILTER:
        return whole.substitute({**_MASKED_LENGTHS, _TOKEN: MASK.at("i") * term})
    return whole.substitute({_TOKEN: term})


_MASKED_LENGTHS: dict[Symbol, Expression] = {LENGTH.at("j"): MASK.at("j") * LENGTH.at("j")}


def push(chosen: Chosen, settings: Settings) -> Expression:
    """The derivative of the objective by the log-probability of a token."""
    _, slope = surrogate(chosen)
    shared = chosen["importance_ratio"].code == SEQUENCE and chosen["clip"].code != CISPO
    if shared and any("t" in symbol.indices for symbol in slope.symbols()):
        # Every token of the response moves the shared ratio, and with it the terms of all of them.
        slope = 1 / _LENGTH * Over("sum", "k", _LENGTH, slope.rename("t", "k"), "the tokens of the response")
    if pays_kl(chosen, settings, "loss"):
        pull = chosen["kl"].derivative
        assert pull is not None
        slope = slope - (_BETA if pull == Number(1.0) else _BETA * pull)
    return weight(chosen) * slope


def reward(chosen: Chosen, settings: Settings) -> Expression:
    """What a response is paid, of the parts that the setup has."""
    total: Expression = VERIFIED.at("i")
    if settings.get("format_coefficient"):
        total = total + FORMAT_COEFFICIENT.at() * (1 - _TRUNCATED)
    if settings.get("length_coefficient"):
        total = total - LENGTH_COEFFICIENT.at() * (_LENGTH / MAX_LENGTH.at())
    if chosen["overlong"].code == OVERLONG_SOFT:
        total = total + OVERLONG_REWARD.at("i")
    if pays_kl(chosen, settings, "reward") and not _by_token(chosen):
        total = total - _BETA * Over("sum", "t", _LENGTH, _KL, "the tokens of the response")
    return total


def token_reward(chosen: Chosen, settings: Settings) -> Expression:
    """What a token is paid, where the advantage asks for it token by token."""
    paid: Expression = cases((REWARD.at("i"), compare(Position("t"), "=", _LENGTH)), otherwise=0)
    return paid - _BETA * _KL if pays_kl(chosen, settings, "reward") else paid


def where(chosen: Chosen, settings: Settings) -> tuple[Equation, ...]:
    """What the symbols of the objective stand for, in the order in which they come up."""
    advantage, kl = chosen["advantage"], chosen["kl"]
    found: list[Expression] = []
    if chosen["importance_ratio"].code != NO_RATIO:
        found.append(chosen["importance_ratio"].equation)
    found += [advantage.equation, *advantage.definitions]
    if _by_token(chosen):
        found.append(equation(TOKEN_REWARD.at("i", "t"), token_reward(chosen, settings)))
    found.append(equation(REWARD.at("i"), reward(chosen, settings)))
    if chosen["overlong"].code in (OVERLONG_FILTER, OVERLONG_SOFT):
        found.append(chosen["overlong"].equation)
    if pays_kl(chosen, settings, "loss"):
        found += [kl.equation, *kl.definitions]
    elif pays_kl(chosen, settings, "reward"):
        # A reward is paid once, by the policy that sampled the response.
        sampled: dict[Symbol, Expression] = {LOG_PROB.at("i", "t"): OLD_LOG_PROB.at("i", "t")}
        found += [kl.equation, *(definition.substitute(sampled) for definition in kl.definitions)]
    return tuple(formula for formula in found if isinstance(formula, Equation))


def _by_token(chosen: Chosen) -> bool:
    return "t" in chosen["advantage"].symbol.indices
