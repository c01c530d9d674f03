"""Two methods on the same draws: what differs in words and formulas, and where each pushes the ten answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from simulator.charts.pushes import BINS, bin_of
from simulator.charts.table import fixed, signed
from simulator.engine import CandidateSetup
from simulator.engine.candidates.formulas import formulas
from simulator.engine.formula import Equation, Path, difference
from simulator.explorer.candidates.sight import UPDATE, Sight, bin_range, whole_width
from simulator.explorer.candidates.subject import Subject, kind_of

IDEAS = {
    "group": "makes a draw likelier by how much better than usual it was paid",
    "best": "pulls the policy to the best draws",
    "pairs": "pulls the better and the worse answer of each pair apart",
}


@dataclass(frozen=True)
class Change:
    """One difference in words."""

    about: str
    first: str
    second: str


@dataclass(frozen=True)
class Marked:
    """A formula of both, with the parts marked that only one of them has."""

    label: str
    first: SafeString
    second: SafeString
    first_spoken: str
    second_spoken: str


@dataclass(frozen=True)
class ValueRow:
    """A number under both."""

    label: str
    first: str
    second: str
    difference: str


@dataclass(frozen=True)
class PairedAnswer:
    """An answer with its push under both."""

    name: str
    href: str
    first: str
    second: str
    first_bin: int
    second_bin: int
    is_chosen: bool


@dataclass(frozen=True)
class Compared:
    """All of a comparison. Without numbers `missing` says why."""

    first: Subject
    second: Subject
    changes: tuple[Change, ...]
    formulas: tuple[Marked, ...]
    said: str
    values: tuple[ValueRow, ...] = ()
    answers: tuple[PairedAnswer, ...] = ()
    swatches: tuple[tuple[int, str, int], ...] = ()
    missing: str = ""


def compared(sight: Sight, first: Subject, second: Subject) -> Compared:
    """Both methods; their numbers as far as both can be on this step."""
    changes, marked = _definitions(first.setup, second.setup)
    missing = " ".join(one.missing for one in (first, second) if one.missing)
    if first.record is None or second.record is None:
        return Compared(first, second, changes, marked, _sources(first, second), missing=missing)
    b = sight.b
    mine, others = first.record.pushes[b], second.record.pushes[b]
    width = whole_width(np.concatenate([mine, others]))
    answers = tuple(
        PairedAnswer(
            name=sight.name(int(k)),
            href=sight.href(int(k)),
            first=signed(float(mine[k])),
            second=signed(float(others[k])),
            first_bin=bin_of(float(mine[k]), width),
            second_bin=bin_of(float(others[k]), width),
            is_chosen=sight.chosen == k,
        )
        for k in sight.order
    )
    bins = [one.first_bin for one in answers] + [one.second_bin for one in answers]
    return Compared(
        first,
        second,
        changes,
        marked,
        _said(sight, first, second),
        _values(sight, first, second),
        answers,
        tuple((one, bin_range(one, width), bins.count(one)) for one in range(-BINS, BINS + 1)),
    )


@lru_cache(maxsize=128)
def _definitions(first: CandidateSetup, second: CandidateSetup) -> tuple[tuple[Change, ...], tuple[Marked, ...]]:
    one, other = formulas(first), formulas(second)
    sides: list[tuple[str, Equation, Equation]] = [("Objective", one.objective, other.objective)]
    for definition in one.definitions:
        twin = other.definition(definition.symbol.term.id)
        if twin is not None:
            sides.append((definition.symbol.term.name, definition, twin))
    sides.append(("Push", one.push, other.push))
    changes, marked = [], []
    for label, mine, theirs in sides:
        found = difference(mine.formula, theirs.formula)
        if not found:
            continue
        # Two formulas that share nothing: words for the whole of both would only be longer than the formulas.
        is_another = any(change.first == () and change.second == () for change in found.changes)
        if not is_another:
            changes += [Change(label, c.first_words, c.second_words) for c in found.changes]
        elif label == "Objective":
            changes.append(Change(label, IDEAS[kind_of(first)], IDEAS[kind_of(second)]))
        marked.append(
            Marked(
                label,
                _drawn(mine, found.first_marks),
                _drawn(theirs, found.second_marks),
                mine.spoken(),
                theirs.spoken(),
            )
        )
    return tuple(dict.fromkeys(changes)), tuple(marked)


def _drawn(tree: Equation, marks: frozenset[Path]) -> SafeString:
    # The marks are paths within the right side, the second of the equation.
    return mark_safe(tree.mathml(frozenset((1, *path) for path in marks)))  # noqa: S308


def _sources(first: Subject, second: Subject) -> str:
    return f"{first.label}: {first.method.summary} {second.label}: {second.method.summary}"


def _said(sight: Sight, first: Subject, second: Subject) -> str:
    assert first.record is not None and second.record is not None
    mine, others = first.record.pushes[sight.b], second.record.pushes[sight.b]
    if np.array_equal(mine, others):
        return f"{first.label} and {second.label} push all ten answers alike here."
    if not mine.any() or not others.any():
        still, other = (first, second) if not mine.any() else (second, first)
        return f"On the same draws {still.label} moves nothing, and {other.label} does."
    against = int((np.sign(mine) * np.sign(others) < 0).sum())
    ratio = float(np.linalg.norm(others) / np.linalg.norm(mine))
    size = f"{fixed(ratio, 2)} times as hard as" if abs(ratio - 1) > 0.005 else "as hard as"
    ways = f"{against} of the ten answers the other way" if against else "no answer the other way"
    return f"On the same draws {second.label} pushes {size} {first.label}, and {ways}."


def _values(sight: Sight, first: Subject, second: Subject) -> tuple[ValueRow, ...]:
    one, other = first.record, second.record
    assert one is not None and other is not None
    b, k = sight.b, sight.chosen
    rows = []

    def row(label: str, mine: float, theirs: float) -> None:
        rows.append(ValueRow(label, signed(mine, 4), signed(theirs, 4), signed(theirs - mine, 4)))

    if k is not None:
        if one.advantages is not None and other.advantages is not None and one.counts[b, k]:
            row("Advantage of a draw", float(one.advantages[b, k]), float(other.advantages[b, k]))
        row("Push by the draws", float(one.rule_pushes[b, k]), float(other.rule_pushes[b, k]))
        row("Push by the KL", float(one.kl_pushes[b, k]), float(other.kl_pushes[b, k]))
        if sight.shows(UPDATE):
            row("Change of the logit", float(one.moved[b, k]), float(other.moved[b, k]))
            after = [float(np.exp(record.new_log_probs[b, k])) for record in (one, other)]
            rows.append(ValueRow("Probability after", *(fixed(p, 4) for p in after), signed(after[1] - after[0], 4)))
    row("Objective J of the prompt", float(one.objective[b]), float(other.objective[b]))
    return tuple(rows)
