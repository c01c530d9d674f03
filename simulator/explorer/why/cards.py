"""The three cards: the objective of the step, what one token weighs in it, and what one token puts into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.safestring import SafeString

from simulator.engine.formula import Expression, Negative, Number
from simulator.engine.objective.clip import CISPO
from simulator.engine.objective.ratio import NO_RATIO
from simulator.engine.objective.terms import OBJECTIVE
from simulator.explorer.exploration import Exploration
from simulator.explorer.why import markup, reconcile
from simulator.explorer.why.bindings import Bindings
from simulator.explorer.why.clip_plot import ClipPlot, MinState, clip_plot, min_state
from simulator.explorer.why.critic import CriticTable, critic_table
from simulator.explorer.why.markup import Formula
from simulator.explorer.why.numbers import Spot
from simulator.explorer.why.parts import LengthRow, StrongToken, strongest, weights_of
from simulator.explorer.why.reconcile import Reconciled
from simulator.explorer.why.subject import Subject
from simulator.explorer.why.terms import Entry, entries, number_text


@dataclass(frozen=True)
class Line:
    """One formula of a card: as it is and, where numbers are known, with them and what they come to."""

    label: str
    formula: Formula
    drawing: SafeString
    filled: SafeString | None = None
    value: str = ""
    source: str = ""


@dataclass(frozen=True)
class Card:
    """One card. Parts that it doesn't have are empty.

    Attributes:
        id: step, aggregation or token.
        value: what stands in its head.
        toggle: opens or closes it; "" for the card that is always open.
        says: sentences under the formulas.
    """

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
    lengths: tuple[LengthRow, ...] = ()
    state: MinState | None = None
    plot: ClipPlot | None = None
    critic: CriticTable | None = None
    strongest: tuple[StrongToken, ...] = ()

    @property
    def has_focus(self) -> bool:
        """Whether one of its symbols is in focus."""
        return any(one.is_current for one in self.terms)


def open_cards(x: Exploration) -> set[str]:
    """Which cards are open: those that the address names, else the token's; the first one always."""
    return {"step", *(x.state.cards or ("token",))}


def toggle(x: Exploration, card: str) -> str:
    """The address with a card opened or closed."""
    now = open_cards(x)
    wanted = now ^ {card}
    if wanted == {"step", "token"}:
        return x.link(cards=())
    return x.link(cards=tuple(one for one in ("step", "aggregation", "token") if one in wanted))


def step_card(x: Exploration, subject: Subject, b: Bindings | None, spot: Spot | None) -> Card:
    """The objective that this update climbed."""
    formulas, term = markup.formulas_of(subject.key), x.state.term
    value = number_text(b.computed.objective) if b is not None and np.isfinite(b.computed.objective) else ""
    values = b.at(spot) if b is not None and spot is not None else None
    whole = Line("Objective", formulas.objective, formulas.objective.highlighted(term))
    more = tuple(Line("", one, one.highlighted(term)) for one in formulas.definitions)
    says = []
    if b is not None and not subject.is_own:
        says.append(
            "Recomputed by the engine on the responses of this update; the run did not train with this objective."
        )
    return Card(
        "step",
        "Step objective",
        f"J = {value}" if value else "",
        True,
        lines=(whole,),
        more=more,
        says=tuple(says),
        terms=_entries(x, b, values, (formulas.objective.tree,), OBJECTIVE.id),
        reconciled=(reconcile.objective(b, formulas),) if b is not None else (),
    )


def aggregation_card(x: Exploration, subject: Subject, b: Bindings | None, spot: Spot | None) -> Card:
    """What one token weighs, and what that makes of lengths."""
    formulas, choice = markup.formulas_of(subject.key), subject.choices["aggregation"]
    is_open = "aggregation" in open_cards(x)
    row = spot if spot is not None else _first_spot(x, b)
    weight = b.computed.at("weight", row.row, row.place) if b is not None and row is not None else np.nan
    is_shared = "i" not in {i for one in formulas.weight.tree.children[1].symbols() for i in one.indices}
    shown = number_text(weight) if np.isfinite(weight) and (spot is not None or is_shared) else ""
    if not is_open:
        return Card("aggregation", "Weight of one token", shown, False, toggle(x, "aggregation"))
    line = _line("Weight", formulas.weight, x.state.term, b, spot, choice.source)
    says = [choice.sentence, f"Lengths: {choice.aspects['length']}."]
    if choice.edge:
        says.append(choice.edge)
    return Card(
        "aggregation",
        "Weight of one token",
        shown,
        True,
        toggle(x, "aggregation"),
        lines=(line,),
        says=tuple(says),
        terms=_entries(x, b, b.at(spot) if b and spot else None, (formulas.weight.tree,), "weight"),
        reconciled=(reconcile.weight(b, formulas, row),) if b is not None and row is not None else (),
        lengths=weights_of(x, b) if b is not None else (),
    )


def token_card(x: Exploration, subject: Subject, b: Bindings | None, spot: Spot | None) -> Card:
    """What one token puts into the objective, and what the objective does to it."""
    formulas, chosen = markup.formulas_of(subject.key), subject.choices
    push = b.computed.at("push", spot.row, spot.place) if b is not None and spot is not None else np.nan
    value = f"push {number_text(push)}" if np.isfinite(push) else ""
    if "token" not in open_cards(x):
        return Card("token", "This token", value, False, toggle(x, "token"))
    term = x.state.term
    ratio, clip = chosen["importance_ratio"], chosen["clip"]
    lines = [
        _line("Term of the token", formulas.token, term, b, spot, clip.source),
        _line("Advantage", formulas.advantage, term, b, spot, chosen["advantage"].source, is_of_group=True),
        _line("Push", formulas.push, term, b, spot, "derivative of J by the log-probability of the token"),
    ]
    if ratio.formula != ratio.symbol:
        drawn = markup.formula(ratio.equation)
        lines.insert(1, _line("Ratio", drawn, term, b, spot, ratio.source))
    trees = tuple(line.formula.tree for line in lines)
    state, plot = _clip(b, spot)
    says = [reconcile.advantage_rule(b, spot)] if b is not None and spot is not None else []
    if ratio.code == NO_RATIO or clip.code == CISPO:
        says.append("The term is a log-probability times a number: its sign says nothing, its slope is the push.")
    return Card(
        "token",
        "This token",
        value,
        True,
        toggle(x, "token"),
        lines=tuple(lines),
        says=tuple(filter(None, says)),
        terms=_entries(x, b, b.at(spot) if b is not None and spot is not None else None, trees, ""),
        reconciled=tuple(reconcile.of_token(b, formulas, spot)) if b is not None and spot is not None else (),
        state=state,
        plot=plot,
        critic=critic_table(b, spot) if b is not None and spot is not None else None,
        strongest=strongest(x, b) if b is not None and spot is None else (),
    )


def _line(
    label: str,
    formula: Formula,
    term: str,
    b: Bindings | None,
    spot: Spot | None,
    source: str,
    is_of_group: bool = False,
) -> Line:
    drawing = formula.highlighted(term)
    if b is None or spot is None:
        return Line(label, formula, drawing, source=source)
    bound: dict[str, Any] = b.of_group(spot) if is_of_group else {**b.of_update, "i": spot.row + 1, "t": spot.place + 1}
    filled = markup.with_numbers(formula.tree, bound)
    if filled is None:
        return Line(label, formula, drawing, source=source)
    value = number_text(filled_value(formula.tree, bound))
    shown = None if isinstance(filled, Number | Negative) else markup.drawn(filled)
    return Line(label, formula, drawing, shown, value, source)


def filled_value(tree: Expression, bound: dict[str, Any]) -> float:
    """The value of a formula that has its numbers; nan where it divides by 0."""
    try:
        return float(tree.evaluate(bound))
    except ZeroDivisionError:
        return float("nan")


def _entries(
    x: Exploration, b: Bindings | None, values: dict[str, float] | None, trees: tuple[Expression, ...], without: str
) -> tuple[Entry, ...]:
    return tuple(one for one in entries(x, b, values, trees) if one.term.id != without)


def _clip(b: Bindings | None, spot: Spot | None) -> tuple[MinState | None, ClipPlot | None]:
    if b is None or spot is None:
        return None, None
    at = {name: b.computed.at(name, spot.row, spot.place) for name in ("ratio", "advantages", "clip_state")}
    now = b.numbers.tokens.get("log_probs")
    if not np.isfinite(list(at.values())).all() or now is None:
        return None, None
    log_prob = float(now[spot.row, spot.place])
    state = min_state(b.codes, b.settings, at["ratio"], at["advantages"], int(at["clip_state"]))
    return state, clip_plot(b.codes, b.settings, at["ratio"], log_prob, at["advantages"])


def _first_spot(x: Exploration, b: Bindings | None) -> Spot | None:
    """The first token of the prompt, for what all tokens share."""
    if b is None or x.state.p is None:
        return None
    rows = range(int(b.numbers.starts[x.state.p - 1]), int(b.numbers.starts[x.state.p]))
    return next((Spot(row, 0) for row in rows if b.numbers.lengths[row]), None)
