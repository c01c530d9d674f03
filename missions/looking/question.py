"""What a question is, and what makes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from missions.looking.chances import Chances
from simulator.engine import StepRecord, inspect_step
from simulator.engine.reasoning.setup import ReasoningSetup
from simulator.worlds import Setup

MOST_TRIED = 400
"""Places that a generator looks at before it gives up; by far more than any of them ever needs."""


@dataclass(frozen=True)
class Choice:
    """One answer to choose."""

    value: str
    label: str


@dataclass(frozen=True)
class Question:
    """A place in a run that something is asked about.

    `place` says where in the run, as plain JSON values, enough to show it again; `answer` is the value of the choice
    that is right. Neither is ever shown before the answer was given.
    """

    generator: str
    setup: Setup
    seed: int
    place: Mapping[str, Any]
    answer: str


@dataclass(frozen=True)
class Material:
    """What is looked at: the data of a template. It tells neither the seed nor the answer."""

    template: str
    data: Any


class Generator(Protocol):
    """Makes one kind of question. `is_same` says that its answers mean the same in every question."""

    name: str
    is_same: bool
    asks: str
    world: str

    def find(self, base: Setup, chances: Chances) -> Question:
        """Choose a place by chance where the answer is beyond doubt. Raises LookupError if there is none."""

    def choices(self, question: Question) -> tuple[Choice, ...]:
        """What can be answered, in an order that doesn't depend on what is right."""

    def material(self, question: Question) -> Material:
        """What is shown before the answer and after it."""

    def read(self, question: Question) -> frozenset[str]:
        """The answers that what is shown allows, read off its numbers as they are written. One, or it was no good."""

    def because(self, question: Question) -> tuple[str, ...]:
        """Why the answer is right, in sentences."""

    def state(self, question: Question) -> dict[str, str]:
        """The view of the explorer that shows why."""


@lru_cache(maxsize=64)
def step_of(setup: ReasoningSetup, seed: int, step: int) -> StepRecord:
    """Look into a step of the token world, training no further than that; the runs of questions are small."""
    return inspect_step(setup, seed, step)


def label_of(generator: Generator, question: Question, value: str) -> str:
    """What a given answer is called."""
    return next((choice.label for choice in generator.choices(question) if choice.value == value), value)
