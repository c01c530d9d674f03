"""Formulas ready for a page: drawn, to copy, in words, and with numbers in the place of symbols."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from simulator.engine.algorithms import (
    advantage_formula,
    choices_of,
    definitions,
    objective_formula,
    push_formula,
    token_formula,
    weight_formula,
)
from simulator.engine.formula import (
    Equation,
    Expression,
    MissingValue,
    Negative,
    Number,
    Over,
    Path,
    Position,
    Symbol,
    equation,
)
from simulator.engine.formula.mathml import symbol_element
from simulator.engine.formula.tree import Term
from simulator.engine.objective.terms import OBJECTIVE, PUSH, TOKEN_OBJECTIVE
from simulator.explorer.why.subject import SettingsKey

_DIGITS = 4
_AT_TOKEN = {"i": "i", "j": "i", "t": "t", "k": "t"}


@dataclass(frozen=True)
class Formula:
    """A formula of an algorithm.

    Attributes:
        tree: the engine's own.
        mathml: as browsers draw it.
        latex: to copy.
        spoken: in words.
    """

    tree: Expression
    mathml: SafeString
    latex: str
    spoken: str

    def highlighted(self, term: str) -> SafeString:
        """The drawing with a term in focus."""
        return highlight(self.mathml, term) if term else self.mathml


@dataclass(frozen=True)
class Formulas:
    """All formulas of an algorithm under some settings."""

    objective: Formula
    weight: Formula
    token: Formula
    push: Formula
    advantage: Formula
    definitions: tuple[Formula, ...]


@lru_cache(maxsize=128)
def formulas_of(key: SettingsKey) -> Formulas:
    """The formulas of some settings; they only depend on the choices and on which terms are not 0."""
    settings = dict(key)
    chosen = choices_of(settings)
    return Formulas(
        objective=formula(equation(OBJECTIVE.at(), objective_formula(settings))),
        weight=formula(equation(chosen["aggregation"].symbol, weight_formula(settings))),
        token=formula(equation(TOKEN_OBJECTIVE.at("i", "t"), token_formula(settings))),
        push=formula(equation(PUSH.at("i", "t"), push_formula(settings))),
        advantage=formula(equation(chosen["advantage"].symbol, advantage_formula(settings))),
        definitions=tuple(formula(one) for one in definitions(settings)),
    )


def formula(tree: Expression, marks: Collection[Path] = ()) -> Formula:
    """A formula, drawn; parts at the paths `marks` are marked."""
    # The engine escapes all text of its formulas.
    return Formula(tree, mark_safe(tree.mathml(marks)), tree.latex(), tree.spoken())  # noqa: S308


def highlight(mathml: str, term: str) -> SafeString:
    """A drawing in which the symbols of a term are in focus."""
    return mark_safe(mathml.replace(f'class="term" data-term="{term}"', f'class="term on" data-term="{term}"'))  # noqa: S308


@lru_cache(maxsize=256)
def symbol(which: Symbol) -> SafeString:
    """One symbol by itself."""
    return mark_safe(f"<math>{symbol_element(which)}</math>")  # noqa: S308


def with_numbers(tree: Expression, bindings: Mapping[str, Any]) -> Expression | None:
    """The right side of a definition with numbers in the place of its symbols, and of sums in place of what they go
    through; None when a number is missing."""
    body = tree.formula if isinstance(tree, Equation) else tree
    try:
        return _filled(body, bindings)
    except (MissingValue, ZeroDivisionError, IndexError):
        return None


def _filled(tree: Expression, bindings: Mapping[str, Any]) -> Expression:
    if isinstance(tree, Symbol | Over | Position):
        return number(tree.evaluate(bindings))
    if not tree.children:
        return tree
    return tree.with_children(tuple(_filled(child, bindings) for child in tree.children))


def number(value: float) -> Expression:
    """A number as it stands in a formula: four digits, no more than it takes to follow the calculation."""
    short = float(f"{value:.{_DIGITS}g}")
    return Number(short) if short >= 0 else Negative(Number(-short))


def drawn(tree: Expression) -> SafeString:
    """A calculation with numbers. Between numbers a product needs a sign that is seen."""
    return mark_safe(tree.mathml(inline=True).replace("<mo>\u2062</mo>", "<mo>·</mo>"))  # noqa: S308


def terms_of(*trees: Expression) -> dict[Term, Symbol]:
    """Every term of some formulas, in the order of reading, with its symbol at the token itself: what a sum goes
    through at ``t+k`` stands at ``t`` here, and what it goes through at ``j`` at ``i``."""
    found: dict[Term, Symbol] = {}
    for tree in trees:
        for one in tree.symbols():
            found.setdefault(one.term, Symbol(one.term, tuple(_AT_TOKEN[index[0]] for index in one.indices)))
    return found
