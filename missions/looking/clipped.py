"""Which of six tokens lost its push to the clip? Ratio and advantage decide it together."""

from dataclasses import dataclass

import numpy as np

from missions.looking.chances import Chances
from missions.looking.question import MOST_TRIED, Choice, Material, Question, step_of
from simulator.charts.table import fixed, signed
from simulator.engine import StepRecord
from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW
from simulator.engine.reasoning.setup import ReasoningSetup
from simulator.engine.reasoning.vocabulary import EOS
from simulator.worlds import Setup

TOKENS, OUTSIDE = 6, 2
"""So many tokens are shown, of which so many left the interval on the side where the clip lets them go."""
LEAST_PROBABILITY = 0.03
CLEAR = 0.05
"""How far every ratio is from either bound, worked out from the probabilities as they are written."""
DECIMALS = 3

Place = tuple[int, int]
"""A token: the response, and the position in it, both from 0."""


@dataclass(frozen=True)
class Token:
    """A token that is asked about; probabilities and advantage as they are written."""

    number: int
    text: str
    response: str
    position: int
    before: float
    now: float
    advantage: float

    @property
    def ratio(self) -> float:
        return self.now / self.before

    @property
    def before_text(self) -> str:
        return fixed(self.before, DECIMALS)

    @property
    def now_text(self) -> str:
        return fixed(self.now, DECIMALS)

    @property
    def advantage_text(self) -> str:
        return signed(self.advantage, 2)


@dataclass(frozen=True)
class Word:
    """A token in its response; `number` is 0 where it is not asked about."""

    text: str
    number: int


@dataclass(frozen=True)
class Line:
    """A response as it is shown."""

    name: str
    is_right: bool
    advantage: str
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Page:
    """All that is shown; `low` and `high` are the clip's bounds on the ratio."""

    prompt: str
    lines: tuple[Line, ...]
    tokens: tuple[Token, ...]
    low: str
    high: str


class Clipped:
    """Tokens of one prompt, in an update that is not the first one with its responses. All of the base is kept."""

    name = "clipped"
    is_same = False
    world = "reasoning"
    asks = "The clip took the push of exactly one of these six tokens. Which one?"

    def find(self, base: Setup, chances: Chances) -> Question:
        assert isinstance(base, ReasoningSetup)
        for _ in range(MOST_TRIED):
            seed, step = chances.seed(), chances.between(2, base.steps)
            record = step_of(base, seed, step)
            found = [at for at in _updates(record) if _is_enough(*_kinds(record, *at))]
            if not found:
                continue
            k, b = chances.one_of(found)
            clipped, outside, inside = _kinds(record, k, b)
            taken = chances.one_of(clipped)
            shown = [taken, *chances.some_of(outside, OUTSIDE), *chances.some_of(inside, TOKENS - OUTSIDE - 1)]
            shown.sort()
            place = {"step": step, "update": k, "prompt": b, "shown": [list(at) for at in shown]}
            question = Question(self.name, base, seed, place, str(shown.index(taken) + 1))
            if self.read(question) == {question.answer}:
                return question
        raise LookupError("no update clips in a way that shows")

    def choices(self, question: Question) -> tuple[Choice, ...]:
        return tuple(
            Choice(str(token.number), f"{token.number}: {token.text} in {token.response}")
            for token in self.page(question).tokens
        )

    def material(self, question: Question) -> Material:
        return Material("missions/look/clipped.html", self.page(question))

    def read(self, question: Question) -> frozenset[str]:
        low, high = _bounds(question.setup)
        tokens = self.page(question).tokens
        return frozenset(
            str(token.number)
            for token in tokens
            if (token.advantage > 0 and token.ratio > high) or (token.advantage < 0 and token.ratio < low)
        )

    def because(self, question: Question) -> tuple[str, ...]:
        page = self.page(question)
        taken = page.tokens[int(question.answer) - 1]
        is_up = taken.advantage > 0
        free = [one for one in page.tokens if not _bounds(question.setup)[0] <= one.ratio <= _bounds(question.setup)[1]]
        free = [one for one in free if one is not taken]
        numbers = " and ".join(str(one.number) for one in free)
        way = (
            f"above {page.high}, and its advantage is positive: it was being pushed up and has gone far enough"
            if is_up
            else f"below {page.low}, and its advantage is negative: it was being pushed down and has gone far enough"
        )
        return (
            f"Token {taken.number} has the ratio {taken.now_text} / {taken.before_text} = {fixed(taken.ratio, 2)}. "
            f"That is {way}, so the clip takes its push.",
            f"Tokens {numbers} have left the interval as well, but in the direction away from their own push. The "
            "clip leaves those alone: their push leads back.",
        )

    def state(self, question: Question) -> dict[str, str]:
        assert isinstance(question.setup, ReasoningSetup)
        place = question.place
        i, t = place["shown"][int(question.answer) - 1]
        update = (place["step"] - 1) * question.setup.num_iterations + place["update"] + 1
        return {"s": str(update), "p": str(place["prompt"] + 1), "r": str(i + 1), "t": str(t + 1), "c": "clip"}

    def page(self, question: Question) -> Page:
        """What is shown of the step."""
        assert isinstance(question.setup, ReasoningSetup)
        place = question.place
        record = step_of(question.setup, question.seed, int(place["step"]))
        k, b = int(place["update"]), int(place["prompt"])
        numbers = {(i, t): number for number, (i, t) in enumerate(place["shown"], 1)}
        low, high = _bounds(question.setup)
        return Page(
            prompt=record.prompt_texts[b],
            lines=tuple(_line(record, b, i, numbers) for i in range(record.lengths.shape[1])),
            tokens=tuple(_token(record, k, b, i, t, number) for (i, t), number in numbers.items()),
            low=fixed(low, 1),
            high=fixed(high, 1),
        )


def _bounds(setup: Setup) -> tuple[float, float]:
    assert isinstance(setup, ReasoningSetup) and setup.clip == "symmetric"
    return 1 - setup.epsilon, 1 + setup.epsilon


def _updates(record: StepRecord) -> list[tuple[int, int]]:
    """Updates, from 0, that are not the first with their responses, with each prompt whose rewards differ."""
    prompts = [b for b in range(len(record.prompt_texts)) if np.ptp(record.rewards[b]) != 0]
    return [(k, b) for k in range(1, len(record.objective)) for b in prompts]


def _is_enough(clipped: list[Place], outside: list[Place], inside: list[Place]) -> bool:
    return bool(clipped) and len(outside) >= OUTSIDE and len(inside) >= TOKENS - OUTSIDE - 1


def _kinds(record: StepRecord, k: int, b: int) -> tuple[list[Place], list[Place], list[Place]]:
    """Tokens (response, position) that are clipped, outside of the interval with their push, and inside of it."""
    low, high = _bounds(record.setup)
    clipped: list[Place] = []
    outside: list[Place] = []
    inside: list[Place] = []
    for i, length in enumerate(record.lengths[b]):
        for t in range(int(length)):
            token = _token(record, k, b, i, t, 0)
            if min(token.before, token.now) < LEAST_PROBABILITY or token.advantage == 0:
                continue
            ratio = token.ratio
            if min(abs(ratio - low), abs(ratio - high)) < CLEAR:
                continue
            is_clipped = int(record.clip_states[k, b, i, t]) in (CLIPPED_HIGH, CLIPPED_LOW)
            kind = clipped if is_clipped else inside if low < ratio < high else outside
            kind.append((i, t))
    return clipped, outside, inside


def _token(record: StepRecord, k: int, b: int, i: int, t: int, number: int) -> Token:
    return Token(
        number=number,
        text=_text(record, b, i, t),
        response=f"R{i + 1}",
        position=t + 1,
        before=round(float(np.exp(record.old_log_probs[b, i, t])), DECIMALS),
        now=round(float(np.exp(record.log_probs[k, b, i, t])), DECIMALS),
        advantage=round(float(record.advantages[b, i, t]), 2),
    )


def _line(record: StepRecord, b: int, i: int, numbers: dict[tuple[int, int], int]) -> Line:
    length = int(record.lengths[b, i])
    return Line(
        name=f"R{i + 1}",
        is_right=bool(record.is_correct[b, i]),
        advantage=signed(record.advantages[b, i, 0], 2),
        words=tuple(Word(_text(record, b, i, t), numbers.get((i, t), 0)) for t in range(length)),
    )


def _text(record: StepRecord, b: int, i: int, t: int) -> str:
    return "⟨end⟩" if record.tokens[b, i, t] == EOS else record.texts[b][i][t]
