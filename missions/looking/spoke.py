"""Which of six groups taught something? Only one of them holds answers that pass and answers that don't."""

from dataclasses import dataclass

import numpy as np

from missions.looking.chances import Chances
from missions.looking.question import MOST_TRIED, Choice, Material, Question
from simulator.engine import CandidateSetup
from simulator.engine.candidates.inspection import inspect_candidate_step
from simulator.engine.candidates.step_record import CandidateStepRecord
from simulator.worlds import Setup

LETTERS = "ABCDEF"
FIRST_STEP = 80
"""Earlier hardly any group passes as a whole."""
STILL = 1e-12
MOVED = 0.02
"""Logits of silent groups must not move at all, and one of the group that spoke by at least so much."""


@dataclass(frozen=True)
class Group:
    """A group as it is shown: answers are numbered from 1."""

    letter: str
    passing: int
    drawn: tuple[int, ...]

    @property
    def passes(self) -> int:
        return self.drawn.count(self.passing)


class Spoke:
    """One answer in ten passes. All of the base is kept; six prompts of one step are shown."""

    name = "spoke"
    is_same = False
    world = "candidates"
    asks = "One of these six groups moved its prompt’s probabilities. The other five taught nothing. Which one spoke?"

    def find(self, base: Setup, chances: Chances) -> Question:
        assert isinstance(base, CandidateSetup)
        for _ in range(MOST_TRIED):
            seed, step = chances.seed(), chances.between(FIRST_STEP, base.steps)
            record = inspect_candidate_step(base, seed, step)
            passes = np.array([_passes(record, b) for b in range(len(record.prompts))])
            moved = np.abs(record.learning_rate * record.pushes).max(axis=1)
            mixed = np.flatnonzero((passes > 0) & (passes < base.group_size) & (moved >= MOVED))
            full, empty = (np.flatnonzero((passes == n) & (moved <= STILL)) for n in (base.group_size, 0))
            if not len(mixed) or not len(full) or not len(empty) or len(full) + len(empty) < len(LETTERS) - 1:
                continue
            spoken = chances.one_of(mixed.tolist())
            # Of either kind of silence there is at least one.
            silent = [chances.one_of(full.tolist()), chances.one_of(empty.tolist())]
            left = [b for b in (*full.tolist(), *empty.tolist()) if b not in silent]
            silent += chances.some_of(left, len(LETTERS) - 1 - len(silent))
            shown = chances.some_of([spoken, *silent], len(LETTERS))
            return Question(self.name, base, seed, {"step": step, "shown": shown}, LETTERS[shown.index(spoken)])
        raise LookupError("no step has groups of all three kinds")

    def choices(self, question: Question) -> tuple[Choice, ...]:
        return tuple(Choice(letter, f"Group {letter}") for letter in LETTERS)

    def material(self, question: Question) -> Material:
        return Material("missions/look/spoke.html", self.groups(question))

    def read(self, question: Question) -> frozenset[str]:
        return frozenset(one.letter for one in self.groups(question) if 0 < one.passes < len(one.drawn))

    def because(self, question: Question) -> tuple[str, ...]:
        groups = self.groups(question)
        spoken = next(one for one in groups if one.letter == question.answer)
        full = [one.letter for one in groups if one.passes == len(one.drawn)]
        empty = [one.letter for one in groups if not one.passes]
        return (
            f"In group {spoken.letter}, {spoken.passes} of {len(spoken.drawn)} drawn answers passed. The rewards "
            "differ, so each of them lies above or below the group’s mean.",
            f"In {_listed(full)} every answer passed. All of them good, and still no advantage: none was better than "
            "the mean.",
            f"In {_listed(empty)} every answer failed, and none was better than the mean either.",
        )

    def state(self, question: Question) -> dict[str, str]:
        prompt = question.place["shown"][LETTERS.index(question.answer)] + 1
        return {"s": str(question.place["step"]), "p": str(prompt)}

    def groups(self, question: Question) -> tuple[Group, ...]:
        """The six groups as they are shown."""
        assert isinstance(question.setup, CandidateSetup)
        record = inspect_candidate_step(question.setup, question.seed, int(question.place["step"]))
        return tuple(
            Group(letter, int(record.signal[b].argmax()) + 1, tuple((record.draws[b] + 1).tolist()))
            for letter, b in zip(LETTERS, question.place["shown"], strict=True)
        )


def _passes(record: CandidateStepRecord, b: int) -> int:
    return int(record.counts[b, record.signal[b].argmax()])


def _listed(letters: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(letters[:-1]), letters[-1]]))
