"""Printed formulas against the numbers: each formula's value here, the engine's, and the difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simulator.charts.table import MINUS
from simulator.engine.formula import MissingValue
from simulator.explorer.why.bindings import Bindings
from simulator.explorer.why.markup import Formulas
from simulator.explorer.why.numbers import Spot

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Reconciled:
    """One number twice. `why_not` says what is missing where the formula can't be evaluated; `note` why the two may
    differ without either being wrong."""

    name: str
    recomputed: str
    engine: str
    difference: str
    agrees: bool
    by: str
    why_not: str = ""
    note: str = ""


def objective(b: Bindings, formulas: Formulas) -> Reconciled:
    """J of the update."""
    return _line(b, "Objective J", lambda: b.whole(formulas.objective.tree), b.computed.objective, "policy_objective")


def weight(b: Bindings, formulas: Formulas, spot: Spot) -> Reconciled:
    """The weight of a token."""
    return _line(
        b,
        "Weight",
        lambda: b.value(formulas.weight.tree, spot),
        b.computed.at("weight", spot.row, spot.place),
        "weight",
    )


def of_token(b: Bindings, formulas: Formulas, spot: Spot) -> list[Reconciled]:
    """Advantage, term, weight and push of a token."""
    row, place = spot.row, spot.place
    term = b.computed.at("token_objective", row, place)
    push = b.computed.at("push", row, place)
    return [
        advantage(b, formulas, spot),
        _line(b, "Token objective", lambda: b.value(formulas.token.tree, spot), term, "token_objective"),
        weight(b, formulas, spot),
        _line(b, "Push", lambda: b.value(formulas.push.tree, spot), push, "push"),
    ]


def advantage(b: Bindings, formulas: Formulas, spot: Spot) -> Reconciled:
    """The advantage of a token, with the rules that stand beside its formula."""
    engine = b.computed.at("advantages", spot.row, spot.place)
    bound = b.of_group(spot)
    found = _line(b, "Advantage", lambda: formulas.advantage.tree.evaluate(bound), engine, "advantage")
    note = advantage_rule(b, spot)
    return (
        found
        if not note
        else Reconciled(found.name, "0", found.engine, found.difference, engine == 0, found.by, "", note)
    )


def advantage_rule(b: Bindings, spot: Spot) -> str:
    """Why an advantage is exactly 0 whatever its formula says, or ""."""
    group = b.numbers.group(spot.row)
    rewards = b.computed.rewards[group]
    if b.numbers.filler[spot.row] and b.subject.is_own:
        return "Dynamic sampling found too few mixed groups: this one fills the batch, and its advantages are set to 0."
    if b.computed.silenced is not None and b.computed.silenced[spot.row]:
        return "Dynamic sampling would have sampled another group in place of this one; its advantages are set to 0."
    is_of_group = b.subject.choices["advantage"].name in ("group_normalized", "group_mean", "leave_one_out")
    if is_of_group and len(rewards) and np.isfinite(rewards).all() and rewards.min() == rewards.max():
        return (
            "A group of one has nothing to compare with, so its advantage is exactly 0."
            if len(rewards) == 1
            else "All rewards of the group are equal, so every advantage is exactly 0."
        )
    return ""


def _line(b: Bindings, name: str, recompute: Callable[[], float], engine: float, term: str) -> Reconciled:
    by = "logged" if b.computed.is_logged else "engine"
    try:
        value = float(recompute())
    except MissingValue as missing:
        return Reconciled(name, "", _exact(engine), "", False, by, f"not logged ({b.missing(missing.name)})")
    except (ZeroDivisionError, IndexError):
        return Reconciled(name, "", _exact(engine), "", False, by, "the formula divides by 0 here")
    if not np.isfinite(engine):
        return Reconciled(name, _exact(value), "", "", False, by, f"not logged ({b.missing(term)})")
    gap = value - engine
    agrees = abs(gap) <= TOLERANCE * max(1.0, abs(engine))
    return Reconciled(name, _exact(value), _exact(engine), f"{abs(gap):.1e}" if gap else "0", agrees, by)


def _exact(value: float) -> str:
    if not np.isfinite(value):
        return ""
    return f"{value:.9g}".replace("-", MINUS)
