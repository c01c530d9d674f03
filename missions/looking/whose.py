"""Which algorithm made this update? To be told from what each token of two groups was pushed by."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from missions.looking.chances import Chances
from missions.looking.question import MOST_TRIED, Choice, Material, Question, step_of
from simulator.charts.pushes import THOUSANDTHS, bin_of, bin_width
from simulator.charts.table import signed
from simulator.engine import StepRecord
from simulator.engine.reasoning.setup import ReasoningSetup
from simulator.engine.reasoning.vocabulary import EOS
from simulator.worlds import Setup, world_of

ALGORITHMS = ("grpo", "dr_grpo", "reinforce", "ppo")
FIRST_STEP = 3
"""A critic, and a moving average, first have to have seen something."""

DECIMALS = 2
"""Of pushes, in thousandths."""
LONGER = 1.5
"""Two responses with the same verdict differ in length by at least this factor, so that its effect shows."""
SAME, OTHER = 0.02, 0.15
"""Shares of the larger of two pushes by which they may differ to be the same, and must to be others."""
HEARD = 0.2
"""Thousandths that some token of a group is pushed by at least, if it is pushed at all."""


@dataclass(frozen=True)
class Word:
    """A token with its push as it is written, in thousandths."""

    text: str
    push: float
    bin: int

    @property
    def push_text(self) -> str:
        return signed(self.push, DECIMALS)


@dataclass(frozen=True)
class Line:
    """A response as it is shown."""

    name: str
    is_right: bool
    words: tuple[Word, ...]

    @property
    def pushes(self) -> list[float]:
        return [word.push for word in self.words]


@dataclass(frozen=True)
class Group:
    """A prompt with its responses."""

    prompt: str
    lines: tuple[Line, ...]

    @property
    def is_silent(self) -> bool:
        """Whether all of its responses have the same verdict."""
        return len({line.is_right for line in self.lines}) == 1


class Whose:
    """The first update of a step. The base is kept, apart from what the algorithm decides, and without any KL."""

    name = "whose"
    is_same = True
    world = "reasoning"
    asks = "Two groups of one update, and what it pushed each token by. Which algorithm made it?"

    def find(self, base: Setup, chances: Chances) -> Question:
        assert isinstance(base, ReasoningSetup)
        algorithm = chances.one_of(ALGORITHMS)
        setup = world_of(base).filled(base, algorithm).replace(kl="none", beta=0.0)
        for _ in range(MOST_TRIED):
            seed, step = chances.seed(), chances.between(FIRST_STEP, base.steps)
            record = step_of(setup, seed, step)
            right = record.is_correct.sum(axis=1)
            silent = np.flatnonzero((right == 0) | (right == base.group_size))
            mixed = [
                b for b in np.flatnonzero((right > 0) & (right < base.group_size)).tolist() if _shows_length(record, b)
            ]
            if not len(record.objective) or not len(silent) or not mixed:
                continue
            place = {"step": step, "shown": [int(chances.one_of(mixed)), int(chances.one_of(silent.tolist()))]}
            question = Question(self.name, setup, seed, place, algorithm)
            if self.read(question) == {algorithm}:
                return question
        raise LookupError("no update shows clearly which algorithm made it")

    def choices(self, question: Question) -> tuple[Choice, ...]:
        labels = world_of(question.setup).choices["algorithm"]
        return tuple(Choice(name, labels[name].label) for name in ALGORITHMS)

    def material(self, question: Question) -> Material:
        return Material("missions/look/whose.html", self.groups(question))

    def read(self, question: Question) -> frozenset[str]:
        mixed, silent = self.groups(question)
        lines = [line for line in mixed.lines if len(line.words) > 1]
        spread = max(_difference(one) for one in (line.pushes for line in (*mixed.lines, *silent.lines)))
        loudest = max(abs(push) for line in silent.lines for push in line.pushes)
        if spread >= OTHER:
            return frozenset({"ppo"})
        if spread > SAME or 0 < loudest < HEARD:
            return frozenset(ALGORITHMS)
        if loudest:
            return frozenset({"reinforce"})
        by_length = max(_difference([one.pushes[0], other.pushes[0]]) for one, other in _alike(lines))
        if by_length >= OTHER:
            return frozenset({"grpo"})
        return frozenset({"dr_grpo"} if by_length <= SAME else ALGORITHMS)

    def because(self, question: Question) -> tuple[str, ...]:
        return {
            "ppo": (
                "Tokens of one and the same response are pushed by different amounts. Only a critic that judges every "
                "token by itself does that.",
            ),
            "reinforce": (
                "All tokens of a response are pushed alike, so no critic judged them. But the group whose responses "
                "all have the same verdict is pushed, too: it was compared with earlier rewards, not with itself.",
            ),
            "grpo": (
                "The group without a difference is not pushed: responses are compared inside their group. And of two "
                "responses with the same verdict the shorter one has the stronger push on each token, because every "
                "response weighs the same and shares that out among its tokens.",
            ),
            "dr_grpo": (
                "The group without a difference is not pushed: responses are compared inside their group. And every "
                "token of responses with the same verdict is pushed by the same amount, however long they are: nothing "
                "is divided by their length.",
            ),
        }[question.answer]

    def state(self, question: Question) -> dict[str, str]:
        assert isinstance(question.setup, ReasoningSetup)
        place = question.place
        updates = question.setup.num_iterations * question.setup.minibatches
        return {"s": str((place["step"] - 1) * updates + 1), "p": str(place["shown"][0] + 1)}

    def groups(self, question: Question) -> tuple[Group, Group]:
        """The group that has a difference and the one that has none, as they are shown."""
        assert isinstance(question.setup, ReasoningSetup)
        record = step_of(question.setup, question.seed, int(question.place["step"]))
        mixed, silent = question.place["shown"]
        width = bin_width(record.pushes[0, [mixed, silent]])
        return _group(record, mixed, width), _group(record, silent, width)


def _group(record: StepRecord, b: int, width: float) -> Group:
    return Group(
        record.prompt_texts[b],
        tuple(
            Line(
                f"R{i + 1}",
                bool(record.is_correct[b, i]),
                tuple(
                    Word(
                        "⟨end⟩" if record.tokens[b, i, t] == EOS else record.texts[b][i][t],
                        round(float(record.pushes[0, b, i, t]) * THOUSANDTHS, DECIMALS),
                        bin_of(float(record.pushes[0, b, i, t]), width),
                    )
                    for t in range(int(record.lengths[b, i]))
                ),
            )
            for i in range(record.lengths.shape[1])
        ),
    )


def _shows_length(record: StepRecord, b: int) -> bool:
    """Whether two responses with the same verdict are of clearly different lengths."""
    for verdict in (True, False):
        lengths = record.lengths[b][record.is_correct[b] == verdict]
        if len(lengths) > 1 and lengths.max() >= LONGER * lengths.min() and lengths.min() > 1:
            return True
    return False


def _alike(lines: list[Line]) -> list[tuple[Line, Line]]:
    """Neighbors by length, and the ends, among responses with the same verdict."""
    found = []
    for verdict in (True, False):
        same = sorted((line for line in lines if line.is_right == verdict), key=lambda line: len(line.words))
        found += [*pairwise(same), *([(same[0], same[-1])] if len(same) > 1 else [])]
    return found


def _difference(pushes: list[float]) -> float:
    """By which share of the largest push others differ from it."""
    largest = max(pushes, key=abs)
    return max(abs(largest - push) for push in pushes) / abs(largest) if largest else 0.0
