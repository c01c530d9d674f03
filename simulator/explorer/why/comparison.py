"""Two algorithms on the same update: what differs in words and in formulas, the same token under both, and where each
pushes the responses of the prompt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from simulator.charts.pushes import Swatch
from simulator.engine.algorithms import SLOT_LABELS, difference, objective_formula, push_formula
from simulator.engine.formula import Difference, Expression, Path, equation
from simulator.engine.objective.terms import OBJECTIVE, PUSH
from simulator.explorer.exploration import Exploration
from simulator.explorer.why.bindings import Bindings
from simulator.explorer.why.clip_plot import min_state
from simulator.explorer.why.numbers import Spot
from simulator.explorer.why.paired import PairedResponse, paired_heat
from simulator.explorer.why.subject import SettingsKey, Subject, setting_text, setting_title
from simulator.explorer.why.terms import number_text
from simulator.explorer.why.words import counted, listed


@dataclass(frozen=True)
class Change:
    """One difference in words: about what, what the first does and what the second does in its place."""

    about: str
    first: str
    second: str

    @property
    def is_short(self) -> bool:
        """Whether it fits into one line."""
        return len(self.about + self.first + self.second) < 40


@dataclass(frozen=True)
class Marked:
    """A formula of both, with the parts marked that only one of them has; `changes` are the same in words."""

    label: str
    first: SafeString
    second: SafeString
    first_spoken: str
    second_spoken: str
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Definitions:
    """What differs between two algorithms, whatever run they are held against."""

    changes: tuple[Change, ...]
    formulas: tuple[Marked, ...]

    def __bool__(self) -> bool:
        return bool(self.changes)


@dataclass(frozen=True)
class ValueRow:
    """A number of the token under both; a side without one says what it needs."""

    label: str
    first: str
    second: str
    difference: str
    first_missing: str = ""
    second_missing: str = ""


@dataclass(frozen=True)
class Compared:
    """All of a comparison. `notes` say what of the second can't be known from this run."""

    first: Subject
    second: Subject
    definitions: Definitions
    values: tuple[ValueRow, ...]
    heat: tuple[PairedResponse, ...]
    swatches: tuple[Swatch, ...]
    heat_missing: str
    notes: tuple[str, ...]
    said: str


@lru_cache(maxsize=128)
def definitions_of(first: SettingsKey, second: SettingsKey) -> Definitions:
    """What differs between two algorithms in words and formulas."""
    one, other = dict(first), dict(second)
    found = difference(one, other)
    changes = [
        Change(_about(SLOT_LABELS[slot.slot], aspect.name), aspect.first, aspect.second)
        for slot in found.slots
        for aspect in slot.aspects
    ]
    changes += [
        Change(setting_title(one.name), setting_text(one.name, one.first), setting_text(one.name, one.second))
        for one in found.settings
    ]
    formulas = tuple(
        Marked(
            label,
            _drawn(equation(symbol, trees[0]), marks.first_marks),
            _drawn(equation(symbol, trees[1]), marks.second_marks),
            trees[0].spoken(),
            trees[1].spoken(),
            _told(marks),
        )
        for label, symbol, make, marks in (
            ("Objective", OBJECTIVE.at(), objective_formula, found.objective),
            ("Push", PUSH.at("i", "t"), push_formula, found.push),
        )
        for trees in [(make(one), make(other))]
    )
    return Definitions(tuple(changes), formulas)


def _about(slot: str, aspect: str) -> str:
    return slot if slot.lower().startswith(aspect.lower()) else f"{slot}: {aspect}"


def _told(found: Difference) -> tuple[tuple[str, str], ...]:
    """The changes of a formula in words, each once."""
    told = dict.fromkeys((change.first_words, change.second_words) for change in found.changes)
    return tuple((first, second) for first, second in told if first != second)


def _drawn(tree: Expression, marks: frozenset[Path]) -> SafeString:
    # The marks are paths within the right side, the second of the equation.
    return mark_safe(tree.mathml(frozenset((1, *path) for path in marks)))  # noqa: S308


def compared(
    x: Exploration, first: Subject, second: Subject, b: Bindings | None, other: Bindings | None, spot: Spot | None
) -> Compared:
    """Both algorithms; the numbers of each as far as the update is known."""
    told = definitions_of(first.key, second.key)
    values = _values(b, other, spot) if b is not None and other is not None and spot is not None else ()
    heat: tuple[PairedResponse, ...] = ()
    swatches: tuple[Swatch, ...] = ()
    missing = ""
    if b is not None and other is not None:
        heat, swatches, missing = paired_heat(x, b, other)
    return Compared(
        first,
        second,
        told,
        values,
        heat,
        swatches,
        missing,
        tuple(_notes(x, other)) if other is not None else (),
        _said(first, second, values),
    )


_ROWS = (
    ("Advantage", "advantages"),
    ("Ratio", "ratio"),
    ("Token objective", "token_objective"),
    ("Weight", "weight"),
    ("Push", "push"),
)


def _values(b: Bindings, other: Bindings, spot: Spot) -> tuple[ValueRow, ...]:
    rows = [_value_row(label, name, b, other, spot) for label, name in _ROWS]
    chips = [_chip(one, spot) for one in (b, other)]
    told = ("same" if chips[0] == chips[1] else "differs") if all(chips) else ""
    lacks = ["" if chip else one.missing("clip_state") for chip, one in zip(chips, (b, other), strict=True)]
    rows.insert(2, ValueRow("Clip", chips[0], chips[1], told, lacks[0], lacks[1]))
    rows.append(_row("J of the update", b.computed.objective, other.computed.objective, b, other, "push"))
    return tuple(rows)


def _value_row(label: str, name: str, b: Bindings, other: Bindings, spot: Spot) -> ValueRow:
    at = (name, spot.row, spot.place)
    return _row(label, b.computed.at(*at), other.computed.at(*at), b, other, name)


def _row(label: str, first: float, second: float, b: Bindings, other: Bindings, name: str) -> ValueRow:
    texts = [number_text(value) if np.isfinite(value) else "" for value in (first, second)]
    gap = second - first
    return ValueRow(
        label,
        texts[0],
        texts[1],
        (f"{'+' if gap > 0 else ''}{number_text(gap)}" if gap else "0") if np.isfinite(gap) else "",
        "" if texts[0] else b.missing(name),
        "" if texts[1] else other.missing(name),
    )


def _chip(b: Bindings, spot: Spot) -> str:
    found = {name: b.computed.at(name, spot.row, spot.place) for name in ("ratio", "advantages", "clip_state")}
    if not np.isfinite(list(found.values())).all():
        return ""
    state = min_state(b.codes, b.settings, found["ratio"], found["advantages"], int(found["clip_state"]))
    return state.chip.partition(":")[0]


def _notes(x: Exploration, other: Bindings) -> list[str]:
    """What of the other algorithm this run can't show."""
    found = []
    label, computed = other.subject.label, other.computed
    found += [f"{label} {why}." for why in dict.fromkeys(computed.missing.values())]
    if computed.silenced is not None and x.state.p is not None and computed.silenced.any():
        start = int(other.numbers.starts[x.state.p - 1])
        groups = int(sum(computed.silenced[group].all() for group in other.numbers.groups()))
        here = " This prompt’s group is one of them." if computed.silenced[start] else ""
        found.append(
            f"{label} would have sampled other groups in place of {counted(groups, 'group')} of this update, all right "
            f"or all wrong. Here their advantages are set to 0.{here}"
        )
    return found


def _said(first: Subject, second: Subject, values: tuple[ValueRow, ...]) -> str:
    if first.key == second.key:
        return f"{first.label} compared with itself: no difference."
    if not values:
        return f"{second.label} in place of {first.label}."
    differing = [row.label.lower() for row in values[:-1] if row.difference not in ("", "0", "same")]
    unknown = [row.label.lower() for row in values[:-1] if not row.difference]
    parts = [f"{listed(differing)} {'differs' if len(differing) == 1 else 'differ'}"] if differing else []
    parts += [f"{listed(unknown)} can’t be compared"] if unknown else []
    return f"For this token, {'; '.join(parts) if parts else 'nothing differs'}."
