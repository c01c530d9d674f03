"""The list of symbols under a formula: what each stands for here, what it means, and where its number is from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString

from simulator.charts.table import MINUS
from simulator.engine.formula import Expression, Symbol
from simulator.engine.formula.tree import Term
from simulator.explorer.exploration import Exploration
from simulator.explorer.why import markup
from simulator.explorer.why.bindings import Bindings

_LOGGED = {
    "log_probs": "log_probs",
    "old_log_probs": "old_log_probs",
    "ref_log_probs": "ref_log_probs",
    "reward": "reward",
    "value": "values",
    "verified": "reward_parts",
    "truncated": "truncated",
}
_COMPUTED = {
    "ratio": "ratio",
    "sequence_ratio": "ratio",
    "advantage": "advantages",
    "token_kl": "token_kl",
    "objective": "token_objective",
    "weight": "weight",
    "push": "push",
    "policy_objective": "policy_objective",
}
_OF_UPDATE = ("responses", "group_size")
_LETTERS = {
    "A": ("reward", "token_reward", "advantage", "verified", "overlong_reward", "truncated"),
    "B": ("baseline", "value", "td_error", "return", "group_size", "correct_count", "kept", "mean_reward"),
    "C": (
        "log_probs",
        "old_log_probs",
        "ref_log_probs",
        "probability",
        "old_probability",
        "ratio",
        "sequence_ratio",
        "token_kl",
        "log_ratio_to_reference",
    ),
}
LETTER_OF = {name: letter for letter, names in _LETTERS.items() for name in names}
LETTERS = {
    "A": "reward and advantage of this response",
    "B": "what it is compared with: the group’s rewards, a baseline, or a critic’s values",
    "C": "probabilities of this token",
}
"""What the letters on terms, and on their places in the step, stand for."""


@dataclass(frozen=True)
class Entry:
    """One symbol of a list.

    Attributes:
        value: its number for the token in focus; "" where there is none, and `missing` says why.
        source: where the number is from.
        letter: A, B or C, or "": the same letter stands beside these numbers in the step.
        href: puts the term into focus, or takes it out again.
    """

    term: Term
    symbol: SafeString
    value: str
    missing: str
    source: str
    letter: str
    href: str
    is_current: bool


def entries(
    x: Exploration, b: Bindings | None, values: Mapping[str, float] | None, trees: tuple[Expression, ...]
) -> list[Entry]:
    """The symbols of some formulas in the order of reading. `values` are those of the token in focus, if one is."""
    found = markup.terms_of(*trees)
    return [_entry(x, b, values, term, symbol) for term, symbol in found.items()]


def _entry(x: Exploration, b: Bindings | None, values: Mapping[str, float] | None, term: Term, symbol: Symbol) -> Entry:
    known = values if values is not None else (b.constants if b is not None else {})
    value = number_text(known[term.id]) if term.id in known else ""
    missing = ""
    if not value:
        is_open = values is None and bool(symbol.indices)
        missing = "pick a token" if is_open or b is None else f"not logged ({b.missing(term.id)})"
    is_current = x.state.term == term.id
    return Entry(
        term=term,
        symbol=markup.symbol(symbol),
        value=value,
        missing=missing,
        source=_source(b, term.id) if value else "",
        letter=LETTER_OF.get(term.id, ""),
        href=x.link(term="" if is_current else term.id),
        is_current=is_current,
    )


def _source(b: Bindings | None, name: str) -> str:
    if b is None or name in _OF_UPDATE:
        return "counted in this update"
    if name in b.constants:
        return f"setting {name}"
    if name in _LOGGED:
        return f"logged as {_LOGGED[name]}"
    if name in _COMPUTED:
        return f"logged as {_COMPUTED[name]}" if b.computed.is_logged else "by the engine, from what was logged"
    return "calculated from what was logged"


def number_text(value: float, digits: int = 4) -> str:
    """A number in a list: four digits that count, thousands in full, very small ones by a power of ten."""
    if value == 0:
        return "0"
    size = abs(value)
    if size < 1e-4 or size >= 1e7:
        base, power = f"{value:.{digits - 1}e}".split("e")
        text = f"{base.rstrip('0').rstrip('.')}e{int(power)}"
    elif value == int(value):
        text = f"{int(value):,}"
    else:
        text = f"{value:,.{digits}g}" if size < 1000 else f"{value:,.1f}"
    return text.replace("-", MINUS)
