"""What the explainer's cards consist of: formulas with numbers in them, symbols, checks, answers to choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from django.utils.safestring import SafeString

from simulator.charts.table import signed
from simulator.engine.formula import Equation, Expression, Over, Symbol
from simulator.engine.formula.tree import Term
from simulator.explorer.candidates.subject import Subject
from simulator.explorer.exploration import Exploration
from simulator.explorer.why import markup
from simulator.explorer.why.markup import Formula
from simulator.explorer.why.reconcile import TOLERANCE, Reconciled
from simulator.explorer.why.terms import number_text

MOST_LINKS = 3
_ROUNDING = 1e-12
_SETTINGS = ("beta", "label_smoothing", "group_size")
_SOURCES = {
    "log_probs": "policy before the step",
    "draw_log_probs": "policy before the step",
    "probability": "policy before the step",
    "winner_log_probs": "policy before the step",
    "loser_log_probs": "policy before the step",
    "ref_log_probs": "reference policy",
    "winner_ref_log_probs": "reference policy",
    "loser_ref_log_probs": "reference policy",
    "is_answer": "drawn in this step",
    "count": "drawn in this step",
    "learning_rate": "fixed by the method",
    "prompts": "fixed by the world",
}


@dataclass(frozen=True)
class Line:
    """One formula: as it is and, where numbers are known, with them and what they come to."""

    label: str
    formula: Formula
    drawing: SafeString
    filled: SafeString | None = None
    value: str = ""


@dataclass(frozen=True)
class Entry:
    """One symbol: its number at the answer in focus, or why there is none."""

    term: Term
    symbol: SafeString
    value: str
    missing: str
    source: str
    href: str
    is_current: bool
    letter: str = ""


@dataclass(frozen=True)
class Link:
    """An answer to choose."""

    text: str
    push: str
    href: str


@dataclass(frozen=True)
class Card:
    """One card. `value` stands in its head; `toggle` opens or closes it, "" for the one that is always open."""

    id: str
    title: str
    value: str
    is_open: bool
    toggle: str = ""
    lines: tuple[Line, ...] = ()
    more: tuple[Line, ...] = ()
    says: tuple[str, ...] = ()
    terms: tuple[Entry, ...] = ()
    reconciled: tuple[Reconciled, ...] = ()
    strongest: tuple[Link, ...] = ()


@lru_cache(maxsize=256)
def written(tree: Expression) -> Formula:
    return markup.formula(tree)


def line(x: Exploration, subject: Subject, label: str, tree: Equation, *, filled: bool = True) -> Line:
    made = written(tree)
    number = subject.value(tree) if filled and subject.has_pairs else None
    drawn = None
    if number is not None and subject.bound is not None:
        filled_in = _filled(tree.formula, subject.bound)
        # A sum by itself, or a symbol, is its number already.
        drawn = None if isinstance(tree.formula, Over | Symbol) else markup.drawn(filled_in)
    value = "" if number is None else number_text(number if abs(number) > _ROUNDING else 0.0)
    return Line(label, made, made.highlighted(x.state.term), drawn, value)


def _filled(tree: Expression, bound: Mapping[str, Any]) -> Expression:
    """A formula with numbers in the place of its symbols and sums; what is only rounding is 0."""
    if isinstance(tree, Symbol | Over):
        value = tree.evaluate(bound)
        return markup.number(value if abs(value) > _ROUNDING else 0.0)
    if not tree.children:
        return tree
    return tree.with_children(tuple(_filled(child, bound) for child in tree.children))


def _terms_of(trees: tuple[Equation, ...]) -> dict[Term, Symbol]:
    """Every term with its first symbol, in the order of reading."""
    terms: dict[Term, Symbol] = {}
    for tree in trees:
        for symbol in tree.symbols():
            terms.setdefault(symbol.term, symbol)
    return terms


def entries(x: Exploration, subject: Subject, *trees: Equation) -> tuple[Entry, ...]:
    found = []
    for term, symbol in _terms_of(trees).items():
        number = subject.number(symbol)
        missing = ""
        if number is None:
            missing = "no draw or pair of it" if subject.sight.chosen is not None else "pick an answer"
            if symbol.indices and symbol.indices[0] == "q":
                missing = "one a prompt"
            if subject.record is None:
                missing = "not on this step"
        elif term.id == "policy_objective" and symbol.indices:
            missing = "one a prompt"
        is_current = x.state.term == term.id
        found.append(
            Entry(
                term=term,
                symbol=markup.symbol(symbol),
                value="" if number is None else number_text(number),
                missing=missing,
                source="" if number is None else _source(term.id),
                href=x.link(term="" if is_current else term.id),
                is_current=is_current,
            )
        )
    return tuple(found)


def _source(name: str) -> str:
    return f"setting {name}" if name in _SETTINGS else _SOURCES.get(name, "calculated in this step")


def check(name: str, recomputed: float | None, engine: float) -> Reconciled:
    if recomputed is None:
        return Reconciled(name, "", number_text(engine), "", False, "engine", "the formula can’t be evaluated here")
    difference = abs(recomputed - engine)
    return Reconciled(
        name,
        number_text(recomputed, 7),
        number_text(engine, 7),
        number_text(difference, 2) if difference > 1e-12 else "0",
        difference <= TOLERANCE * max(1.0, abs(engine)),
        "engine",
    )


def strongest(subject: Subject) -> tuple[Link, ...]:
    if subject.record is None:
        return ()
    sight, pushes = subject.sight, subject.record.pushes[subject.sight.b]
    hardest = np.argsort(-np.abs(pushes), kind="stable")[:MOST_LINKS]
    return tuple(
        Link(sight.name(int(k)), signed(float(pushes[k])), sight.href(int(k))) for k in hardest if pushes[k] != 0
    )
