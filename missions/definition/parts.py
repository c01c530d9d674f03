"""The parts of a mission: what parsing makes, and what pages, grading and verification ask of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.engine import CandidateSetup

METRICS = ("win_rate", "quality", "reward_model_score", "kl", "entropy", "response_length")

START = "start"
"""Where placeholders find the setup a mission starts with; no evidence table may have this name."""


class DefinitionError(ValueError):
    """A mission file says something that can't be played; `where` names the key."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where
        self.message = message


@dataclass(frozen=True)
class Control:
    """One setting a mission shows: locked with a reason, or open with a list or a whole-number range."""

    name: str
    locked: str = ""
    choices: tuple[Any, ...] = ()
    minimum: int | None = None
    maximum: int | None = None

    def values(self) -> tuple[Any, ...]:
        """Every value a student may choose; empty when locked."""
        if self.locked:
            return ()
        if self.choices:
            return self.choices
        assert self.minimum is not None and self.maximum is not None
        return tuple(range(self.minimum, self.maximum + 1))

    def refuse(self, value: Any, start: Any) -> str:
        """Say why `value` can't be chosen here, or return "" when it can."""
        if self.locked:
            return "" if value == start else f"This control is locked. {self.locked}"
        if self.choices:
            if value in self.choices:
                return ""
            return "Choose one of " + ", ".join(label_of(choice) for choice in self.choices) + "."
        assert self.minimum is not None and self.maximum is not None
        if type(value) is int and self.minimum <= value <= self.maximum:
            return ""
        return f"Must be a whole number from {self.minimum} to {self.maximum}."


@dataclass(frozen=True)
class Goal:
    """One condition on the mean of a metric over the hidden evaluation seeds."""

    metric: str
    bound: float
    at_least: bool

    def is_met(self, mean: float) -> bool:
        return mean >= self.bound if self.at_least else mean <= self.bound

    def margin(self, mean: float) -> float:
        """How far a mean is on the right side of the bound; negative when the goal is missed."""
        return mean - self.bound if self.at_least else self.bound - mean

    def to_dict(self) -> dict[str, Any]:
        return {"metric": self.metric, "at_least" if self.at_least else "at_most": self.bound}


@dataclass(frozen=True)
class Budgets:
    """Most sampled responses a pass may cost for each number of stars."""

    one: int
    two: int
    three: int

    def stars_for(self, sampled_responses: int) -> int:
        """Stars a pass at this cost earns: 0 to 3."""
        return sum(sampled_responses <= budget for budget in (self.one, self.two, self.three))

    def for_stars(self, stars: int) -> int:
        """The most sampled responses that still earn this many stars."""
        return (self.one, self.two, self.three)[stars - 1]

    def to_dict(self) -> dict[str, int]:
        return {"one_star": self.one, "two_stars": self.two, "three_stars": self.three}


@dataclass(frozen=True)
class Prediction:
    """An optional question asked before training; the cuts divide the metric's range into answers."""

    metric: str
    cuts: tuple[float, ...]

    def answer(self, value: float) -> int:
        """Index of the range that holds `value`."""
        return sum(value >= cut for cut in self.cuts)


@dataclass(frozen=True)
class EvidenceRow:
    """One measured setup; the label is how a table and a placeholder name it."""

    label: str
    setup: CandidateSetup


@dataclass(frozen=True)
class Evidence:
    """A measurement behind the debrief, on seeds of its own: one setting varied, or rows chosen one by one.

    With `vary`, row i sets it to `values[i]` and keeps all else as in `base`; without, `vary` is empty and `values`
    holds the labels. The numbers are computed when missions are loaded, never written down.
    """

    name: str
    title: str
    vary: str
    values: tuple[Any, ...]
    base: CandidateSetup
    metrics: tuple[str, ...]
    rows: tuple[EvidenceRow, ...]


@dataclass(frozen=True)
class MissionDefinition:
    """A mission that can be played."""

    slug: str
    revision: int
    chapter: int
    position: int
    title: str
    aim: str
    lesson: str
    story: str
    symptom: str
    curves: tuple[str, ...]
    start: CandidateSetup
    controls: Mapping[str, Control]
    goals: tuple[Goal, ...]
    budgets: Budgets
    hints: tuple[str, ...]
    prediction: Prediction
    debrief: str
    evidence: tuple[Evidence, ...]
    verify: Mapping[int, CandidateSetup]
    source: Mapping[str, Any]

    @property
    def grading_digest(self) -> str:
        """Changes exactly when something changes that decides who passes and with how many stars."""
        graded = {
            "start": self.start.to_dict(),
            "controls": {name: [c.locked != "", list(c.values())] for name, c in sorted(self.controls.items())},
            "goals": [goal.to_dict() for goal in self.goals],
            "budgets": self.budgets.to_dict(),
        }
        return hashlib.sha256(json.dumps(graded, sort_keys=True).encode()).hexdigest()

    def check(self, setup: CandidateSetup) -> dict[str, str]:
        """Return what this mission forbids about a setup, one message per field; empty when it may be trained."""
        start, chosen = self.start.to_dict(), setup.to_dict()
        active = setup.active_fields()
        errors = {}
        for name, value in chosen.items():
            control = self.controls.get(name)
            if control is None:
                if value != start[name]:
                    errors[name] = "This mission keeps this setting as it is."
            elif (control.locked or name in active) and (message := control.refuse(value, start[name])):
                errors[name] = message
        return errors

    def meets_goals(self, means: Mapping[str, float]) -> bool:
        """Whether means over the hidden evaluation seeds meet every goal."""
        return all(goal.is_met(means[goal.metric]) for goal in self.goals)


def label_of(value: Any) -> str:
    """A value as tables, messages and placeholders write it: 400, 0.05, grpo."""
    return f"{value:g}" if isinstance(value, float) else str(value)
