"""The method that is explained, and the numbers it has on the step that is shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from simulator.engine import CandidateSetup
from simulator.engine.candidates.formulas import MethodFormulas, bindings, formulas, symbol_value
from simulator.engine.candidates.methods import METHODS, BestAnswers, Method, PairLoss
from simulator.engine.candidates.step_record import CandidateStepRecord
from simulator.engine.formula import Expression, MissingValue, Symbol
from simulator.explorer.candidates.sight import CREDIT, Sight, in_force, run_of
from simulator.explorer.exploration import Exploration


@dataclass(frozen=True, eq=False)
class Subject:
    """A method on the step that is shown.

    Attributes:
        setup: that the formulas are of.
        record: the step as the method makes it, or None, and `missing` says why.
        is_own: it is what the run trained with.
    """

    sight: Sight
    setup: CandidateSetup
    record: CandidateStepRecord | None
    is_own: bool
    missing: str = ""

    @property
    def method(self) -> Method:
        return self.setup.training

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def label(self) -> str:
        return self.method.label

    @property
    def kind(self) -> str:
        return kind_of(self.setup)

    @cached_property
    def formulas(self) -> MethodFormulas:
        return formulas(self.setup)

    @property
    def has_pairs(self) -> bool:
        """Whether there is anything to divide by."""
        return self.kind != "pairs" or (self.record is not None and self.record.pairs[self.sight.b].total > 0)  # type: ignore[index]

    @cached_property
    def bound(self) -> dict[str, Any] | None:
        """The numbers of the prompt, at the answer in focus: its first draw, and the pair of it that pulls hardest."""
        if self.record is None:
            return None
        b, k = self.sight.b, self.sight.chosen
        found = bindings(self.record, b)
        if k is None:
            return found
        found["k"] = k + 1
        drawn = np.flatnonzero(self.record.draws[b] == k)
        if drawn.size:
            found["i"] = int(drawn[0]) + 1
        pairs = None if self.record.pairs is None else self.record.pairs[b]
        if pairs is not None and pairs.total:
            mine = np.flatnonzero((pairs.winner == k) | (pairs.loser == k))
            if mine.size:
                hardest = int(mine[np.argmax(np.abs(pairs.weight[mine]))])
                found["j"] = int(pairs.number[:hardest].sum()) + 1
        return found

    def value(self, tree: Expression) -> float | None:
        """What a formula comes to, or None."""
        if self.bound is None:
            return None
        try:
            return float(tree.evaluate(self.bound))
        except (MissingValue, TypeError, ZeroDivisionError, IndexError):
            return None

    def number(self, symbol: Symbol) -> float | None:
        """The number of a symbol at the answer in focus, or None."""
        if self.bound is None or self.record is None:
            return None
        if not symbol.indices and symbol.term.id == "policy_objective":
            return float(self.record.objective[self.sight.b])
        if symbol.term.id == "step_objective":
            return self.record.metrics["policy_objective"]
        return symbol_value(symbol, self.bound)


def kind_of(setup: CandidateSetup) -> str:
    """What a method goes by: group, best or pairs."""
    rule = setup.training.rule
    return "pairs" if isinstance(rule, PairLoss) else "best" if isinstance(rule, BestAnswers) else "group"


def subject_of(x: Exploration, sight: Sight, name: str) -> Subject:
    """A method by its name, or the run's own for ""."""
    own = in_force(x)
    if not sight.shows(CREDIT):
        setup = own if not name or name == own.method else _with_method(own, name)
        later = "At this stage nothing is credited yet; numbers come with the fourth."
        return Subject(sight, setup, None, setup == own, later)
    if not name or name == own.method:
        return Subject(sight, own, sight.record, True)
    method = METHODS[name]
    setup = _with_method(own, name)
    if method.online and setup.group_size != own.group_size:
        smallest = f"{method.label} compares a draw with others and needs groups of {method.smallest_group}"
        return Subject(sight, setup, None, False, f"{smallest}; this run’s have {own.group_size}.")
    if method.online != own.training.online:
        first, second = (method, own.training) if method.online else (own.training, method)
        missing = (
            f"{first.label} draws afresh from the policy in every step, {second.label} once from the reference before "
            "training. They never have the same draws in hand, so a step of the one has no numbers of the other."
        )
        return Subject(sight, setup, None, False, missing)
    return Subject(sight, setup, run_of(x).step_record(x.update.step, setup), False)


def _with_method(setup: CandidateSetup, name: str) -> CandidateSetup:
    """A setup with another method, with groups as large as that one needs."""
    return setup.replace(method=name, group_size=max(setup.group_size, METHODS[name].smallest_group))
