"""The formulas of every method: what it makes larger at a prompt, and the push on each answer's logit.

A formula is put together for a setup, because a beta of 0 leaves a part of it out. `bindings` gives the numbers of a
step, with which a formula evaluates to what the engine calculated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..formula import Equation, Expression, Number, Over, Symbol, equation, log_sigmoid, sigmoid
from .methods import BASELINE_RATE, DEVIATION_OFFSET, BestAnswers, PairLoss
from .setup import CandidateSetup
from .step_record import CandidateStepRecord
from .terms import (
    ADVANTAGE,
    BASELINE,
    BETA,
    COUNT,
    DEVIATION,
    DIFFERS,
    DRAW_LOG_PROB,
    GROUP_SIZE,
    IS_ANSWER,
    IS_BEST,
    KL,
    KL_SLOPE,
    LABEL_SMOOTHING,
    LEARNING_RATE,
    LOG_PROB,
    LOSER_LOG_PROB,
    LOSER_REF_LOG_PROB,
    MARGIN,
    MEAN_REWARD,
    MOVED,
    NEXT_BASELINE,
    OBJECTIVE,
    PAIR_WEIGHT,
    PAIRS,
    PROBABILITY,
    PROMPTS,
    PUSH,
    REF_LOG_PROB,
    REWARD,
    SIDE,
    STEP_OBJECTIVE,
    TARGET,
    WINNER_LOG_PROB,
    WINNER_REF_LOG_PROB,
)
from .world import ANSWERS

_DRAWS, _ANSWERS, _PAIRS = "the draws of the prompt", "the ten answers", "the pairs of the prompt"
_G, _K, _M = GROUP_SIZE.at(), Number(float(ANSWERS)), PAIRS.at()
_X, _BETA, _EPS = MARGIN.at("j"), BETA.at(), LABEL_SMOOTHING.at()


@dataclass(frozen=True, slots=True)
class MethodFormulas:
    """Everything that a method does at one prompt, in formulas.

    Attributes:
        objective: J of the prompt.
        definitions: what the symbols of J and of the push stand for, in the order in which they come up.
        push: the derivative of J by the logit of answer ``k``.
        step: the objective of the whole step.
        update: how the push moves the logit.
    """

    objective: Equation
    definitions: tuple[Equation, ...]
    push: Equation
    step: Equation
    update: Equation

    def definition(self, id_: str) -> Equation | None:
        """The definition of a term."""
        return next((one for one in self.definitions if one.symbol.term.id == id_), None)


_STEP = equation(STEP_OBJECTIVE.at(), Over("sum", "q", PROMPTS.at(), OBJECTIVE.at("q"), "the prompts of the step"))
_UPDATE = equation(MOVED.at("k"), LEARNING_RATE.at() * PUSH.at("k"))


def formulas(setup: CandidateSetup) -> MethodFormulas:
    """The formulas of a setup's method."""
    rule = setup.training.rule
    if isinstance(rule, PairLoss):
        return _by_pairs(setup)
    definitions: tuple[Equation, ...]
    if isinstance(rule, BestAnswers):
        wanted = Over("sum", "k", _K, TARGET.at("k") * LOG_PROB.at("k"), _ANSWERS)
        objective: Expression = DIFFERS.at() * wanted
        push: Expression = DIFFERS.at() * (TARGET.at("k") - PROBABILITY.at("k"))
        definitions = (equation(TARGET.at("k"), _TARGETS[setup.method]),)
    else:
        objective = 1 / _G * Over("sum", "i", _G, ADVANTAGE.at("i") * DRAW_LOG_PROB.at("i"), _DRAWS)
        moved = IS_ANSWER.at("i", "k") - PROBABILITY.at("k")
        push = 1 / _G * Over("sum", "i", _G, ADVANTAGE.at("i") * moved, _DRAWS)
        advantage, parts = _ADVANTAGES[setup.method]
        definitions = (equation(ADVANTAGE.at("i"), advantage), *parts)
    if setup.beta:
        distance = LOG_PROB.at("k") - REF_LOG_PROB.at("k")
        objective = objective - _BETA * KL.at()
        push = push - _BETA * KL_SLOPE.at("k")
        definitions += (
            equation(KL.at(), Over("sum", "k", _K, PROBABILITY.at("k") * distance, _ANSWERS)),
            equation(KL_SLOPE.at("k"), PROBABILITY.at("k") * (distance - KL.at())),
        )
    return MethodFormulas(
        equation(OBJECTIVE.at(), objective), definitions, equation(PUSH.at("k"), push), _STEP, _UPDATE
    )


_MEAN = equation(MEAN_REWARD.at(), Over("mean", "j", _G, REWARD.at("j"), _DRAWS))
# The population's: divided by G, not by G - 1.
_DEVIATION = equation(DEVIATION.at(), Over("mean", "j", _G, (REWARD.at("j") - MEAN_REWARD.at()) ** 2, _DRAWS) ** 0.5)
_OTHERS = Over("mean", "j", _G, REWARD.at("j"), "the other draws of the prompt", except_="i")

_ADVANTAGES: dict[str, tuple[Expression, tuple[Equation, ...]]] = {
    "grpo": (
        (REWARD.at("i") - MEAN_REWARD.at()) / (DEVIATION.at() + Number(DEVIATION_OFFSET)),
        (_MEAN, _DEVIATION),
    ),
    "dr_grpo": (REWARD.at("i") - MEAN_REWARD.at(), (_MEAN,)),
    "rloo": (REWARD.at("i") - _OTHERS, ()),
    "reinforce": (
        REWARD.at("i") - BASELINE.at(),
        (
            equation(NEXT_BASELINE.at(), BASELINE.at() + Number(BASELINE_RATE) * (MEAN_REWARD.at() - BASELINE.at())),
            _MEAN,
        ),
    ),
}

_TARGETS: dict[str, Expression] = {
    "raft": COUNT.at("k") * IS_BEST.at("k") / Over("sum", "l", _K, COUNT.at("l") * IS_BEST.at("l"), _ANSWERS),
    "best_of_n": IS_BEST.at("k"),
}


def _by_pairs(setup: CandidateSetup) -> MethodFormulas:
    value, weight = _PAIR_FORMULAS[setup.method] if setup.beta else _WITHOUT_BETA[setup.method]
    margin = (WINNER_LOG_PROB.at("j") - WINNER_REF_LOG_PROB.at("j")) - (
        LOSER_LOG_PROB.at("j") - LOSER_REF_LOG_PROB.at("j")
    )
    return MethodFormulas(
        equation(OBJECTIVE.at(), 1 / _M * Over("sum", "j", _M, value, _PAIRS)),
        (equation(_X, margin), equation(PAIR_WEIGHT.at("j"), weight)),
        equation(PUSH.at("k"), 1 / _M * Over("sum", "j", _M, PAIR_WEIGHT.at("j") * SIDE.at("j", "k"), _PAIRS)),
        _STEP,
        _UPDATE,
    )


_RIGHT, _WRONG = log_sigmoid(_BETA * _X), log_sigmoid(-(_BETA * _X))
_DOUBT, _TRUST = sigmoid(-(_BETA * _X)), sigmoid(_BETA * _X)
_CLARITY = 1 - 2 * _EPS
_HALF = Number(1.0) / Number(2.0)

_DPO = (1 / _BETA * _RIGHT, _DOUBT)
# What a pair puts in, and the derivative of that by the margin: how hard it pulls.
_PAIR_FORMULAS: dict[str, tuple[Expression, Expression]] = {
    "dpo": _DPO,
    "online_dpo": _DPO,
    "cdpo": (1 / _BETA * ((1 - _EPS) * _RIGHT + _EPS * _WRONG), _DOUBT - _EPS),
    "rdpo": (
        1 / _BETA * (((1 - _EPS) * _RIGHT - _EPS * _WRONG) / _CLARITY),
        ((1 - _EPS) * _DOUBT + _EPS * _TRUST) / _CLARITY,
    ),
    "ipo": (-(_BETA / 2 * (_X - 1 / (2 * _BETA)) ** 2), _HALF - _BETA * _X),
}
# Nothing bends the line without beta, and every pair always pulls as hard as at the start.
_WITHOUT_BETA: dict[str, tuple[Expression, Expression]] = {
    "dpo": (_HALF * _X, _HALF),
    "online_dpo": (_HALF * _X, _HALF),
    "cdpo": ((_HALF - _EPS) * _X, _HALF - _EPS),
    "rdpo": (_HALF * (_X / _CLARITY), _HALF / _CLARITY),
    "ipo": (_HALF * _X, _HALF),
}


def bindings(record: CandidateStepRecord, b: int) -> dict[str, Any]:
    """The numbers of one prompt of a step, the ``b``-th, for its method's formulas.

    Left open are the indices: ``k`` of an answer, ``i`` of a draw, ``j`` of a pair, each from 1.
    """
    setup, draws = record.setup, record.draws[b]
    rewards = record.signal[b, draws]
    found: dict[str, Any] = {
        "prompts": len(record.prompts),
        "policy_objective": record.objective,
        "group_size": len(draws),
        "reward": rewards,
        "mean_reward": record.mean[b],
        "deviation": record.deviation[b],
        "draw_log_probs": record.log_probs[b, draws],
        "log_probs": record.log_probs[b],
        "ref_log_probs": record.ref_log_probs[b],
        "probability": np.exp(record.log_probs[b]),
        "is_answer": (draws[:, None] == np.arange(ANSWERS)).astype(np.float64),
        "kl": record.kl[b],
        "kl_slope": np.exp(record.log_probs[b]) * (record.log_probs[b] - record.ref_log_probs[b] - record.kl[b]),
        "beta": setup.beta,
        "count": record.counts[b],
        "differs": 0.0 if record.silent[b] else 1.0,
        "label_smoothing": setup.label_smoothing,
        "push": record.pushes[b],
        "moved": record.moved[b],
        "learning_rate": record.learning_rate,
    }
    if record.advantages is not None:
        found["advantage"] = record.advantages[b, draws]
    if record.baseline is not None:
        found["baseline"] = record.baseline[b]
    if record.target is not None:
        best = (record.counts[b] > 0) & (record.signal[b] == rewards.max())
        if setup.method == "best_of_n":
            # Of several, the first.
            best &= np.cumsum(best) == 1
        found |= {"is_best": best.astype(np.float64), "target": record.target[b]}
    if record.pairs is not None:
        found |= _pair_bindings(record, b)
    return found


def _pair_bindings(record: CandidateStepRecord, b: int) -> dict[str, Any]:
    assert record.pairs is not None
    pairs = record.pairs[b]
    winner, loser = (np.repeat(answers, pairs.number) for answers in (pairs.winner, pairs.loser))
    answers = np.arange(ANSWERS)
    return {
        "pairs": pairs.total,
        "winner_log_probs": record.log_probs[b, winner],
        "loser_log_probs": record.log_probs[b, loser],
        "winner_ref_log_probs": record.ref_log_probs[b, winner],
        "loser_ref_log_probs": record.ref_log_probs[b, loser],
        "margin": np.repeat(pairs.margin, pairs.number),
        "pair_weight": np.repeat(pairs.weight, pairs.number),
        "side": (winner[:, None] == answers).astype(np.float64) - (loser[:, None] == answers),
    }


def symbol_value(symbol: Symbol, values: dict[str, Any]) -> float | None:
    """The number of one symbol, or None where an index is left open or nothing is bound."""
    try:
        return symbol.evaluate(values)
    except (KeyError, TypeError, IndexError):
        return None
