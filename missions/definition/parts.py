"""The parts of a mission: what parsing makes, and what pages, grading and verification ask of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from missions.definition.controls import Control
from simulator.worlds import Setup, World, world_of

START = "start"
"""Where placeholders find the setup a mission starts with; no evidence table may have this name."""

HERE = "here"
"""Where placeholders in the text of a view find what is seen there; no evidence table may have this name."""

TRAIN, LOOK = "train", "look"
"""Kinds of missions: answered by training a setup, or by looking at a run."""


class DefinitionError(ValueError):
    """A mission file says something that can't be played; `where` names the key."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where
        self.message = message


@dataclass(frozen=True)
class Goal:
    """One condition on a metric: on its mean over the hidden evaluation seeds, or on every seed by itself."""

    metric: str
    bound: float
    at_least: bool

    def is_met(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound

    def met_by(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """On which seeds (S,) the goal is met; a value that is no number meets nothing."""
        return values >= self.bound if self.at_least else values <= self.bound

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
    setup: Setup


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
    base: Setup
    metrics: tuple[str, ...]
    rows: tuple[EvidenceRow, ...]


@dataclass(frozen=True)
class View:
    """One exact view of a run that a debrief leads to, with a sentence on what to see there.

    `step` is an optimizer update, from 1, or the name of a rule that finds one in the run, see missions.seeing. `state`
    is the rest of what an address of the explorer says. `beside` is a second run to compare with, on the same seed.
    `expects` has bounds for what the sentence takes for granted.
    """

    setup: Setup
    seed: int
    step: int | str
    state: Mapping[str, str]
    text: str
    beside: Setup | None = None
    expects: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class MissionDefinition:
    """A mission that can be played.

    Its `kind` is "train" or "look". A mission to look has no controls, goals, budgets and prediction that count:
    `generator` names what makes its questions, see missions.looking, and `start` is the setup that they are made from.

    `chapter` and `position` are None for missions that stand in no chapter, those that people who teach write. `verify`
    has a setting for each number of stars that one is known for.

    `seeds_needed` is None when each goal is judged by its mean over the hidden seeds; else all goals must hold on the
    same run, and that on at least so many of the hidden seeds. Each of `charts` holds the metrics of one line chart.
    """

    slug: str
    revision: int
    chapter: int | None
    position: int | None
    title: str
    aim: str
    lesson: str
    story: str
    symptom: str
    charts: tuple[tuple[str, ...], ...]
    start: Setup
    controls: Mapping[str, Control]
    goals: tuple[Goal, ...]
    seeds_needed: int | None
    budgets: Budgets
    hints: tuple[str, ...]
    prediction: Prediction
    debrief: str
    evidence: tuple[Evidence, ...]
    verify: Mapping[int, Setup]
    source: Mapping[str, Any]
    kind: str = TRAIN
    generator: str = ""
    views: tuple[View, ...] = ()

    @property
    def is_look(self) -> bool:
        """Whether it is answered by looking at a run, and not by training one."""
        return self.kind == LOOK

    @property
    def world(self) -> World:
        return world_of(self.start)

    @property
    def grading_digest(self) -> str:
        """Changes exactly when something changes that decides who passes and with how many stars."""
        graded: dict[str, Any] = {
            "start": self.start.to_dict(),
            "controls": {name: control.graded() for name, control in sorted(self.controls.items())},
            "goals": [goal.to_dict() for goal in self.goals],
            "budgets": self.budgets.to_dict(),
        }
        if self.seeds_needed is not None:
            graded["seeds_needed"] = self.seeds_needed
        if self.is_look:
            graded["generator"] = self.generator
        return hashlib.sha256(json.dumps(graded, sort_keys=True).encode()).hexdigest()

    def base_for(self, chosen: Mapping[str, Any]) -> Setup:
        """The start, as it is beside a chosen value of the setting that fills in others; else the start itself.

        Settings that the mission shows as locked keep their value whatever is chosen.
        """
        fills, start = self.world.fills, self.start.to_dict()
        if fills not in self.controls or chosen.get(fills, start[fills]) == start[fills]:
            return self.start
        kept = {name: start[name] for name, control in self.controls.items() if control.locked}
        return self.world.filled(self.start, chosen[fills]).replace(**kept)

    def check(self, setup: Setup) -> dict[str, str]:
        """Return what this mission forbids about a setup, one message per field; empty when it may be trained."""
        chosen = setup.to_dict()
        start = self.base_for(chosen).to_dict()
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

    def seeds_passed(self, final: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
        """On which seeds (S,) every goal holds; `final` has each metric (S,)."""
        return np.logical_and.reduce([goal.met_by(final[goal.metric]) for goal in self.goals])

    def is_passed(self, final: Mapping[str, NDArray[np.float64]]) -> bool:
        """Whether runs on the hidden evaluation seeds, each metric (S,), pass the mission."""
        if self.seeds_needed is not None:
            return int(self.seeds_passed(final).sum()) >= self.seeds_needed
        return all(goal.is_met(float(np.mean(final[goal.metric]))) for goal in self.goals)
