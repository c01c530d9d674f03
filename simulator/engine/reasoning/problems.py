"""The prompts: small calculations of four families, decided by their numbers and the seed of the world."""

from __future__ import annotations

from dataclasses import dataclass

from .draws import WORLD, uniform
from .vocabulary import CARRY, GUESSES, PLAIN, READ

FAMILY_NAMES = ("sums", "carries", "chains", "words")
FAMILIES = len(FAMILY_NAMES)
SUMS, CARRIES, CHAINS, WORDS = range(FAMILIES)

HELD_OUT_PROMPTS = 32
MAX_STEPS = 4

# What the steps are like: prompts of even rank, prompts of odd rank.
_KINDS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((PLAIN,), (PLAIN, PLAIN)),
    ((PLAIN, CARRY, CARRY), (CARRY, PLAIN, CARRY)),
    ((PLAIN, PLAIN, CARRY, PLAIN), (PLAIN, CARRY, PLAIN, PLAIN)),
    ((READ, PLAIN), (READ, PLAIN)),
)
_STORIES = HELD_OUT_PROMPTS // FAMILIES
_FEWER_SHARE = 0.3

# Tags and places of the world stream.
_GUESS_TAG = 5
_NUMBERS = 1000  # a prompt's numbers are drawn under this plus its id
_FIRST_OPERAND = 10
_LARGEST_START_DIGIT = 4
_LARGEST_STORY = 4


@dataclass(frozen=True, slots=True)
class Problem:
    """One prompt.

    Attributes:
        prompt_id: its number, the same in every setup.
        family: 0 sums, 1 carries, 2 chains, 3 words.
        kinds: the context of each step, in order (read, plain or carry).
        is_fewer: whether the story's first step takes away; the policy can't see it. False outside words.
        start: the number the calculation starts with.
        operands: the number of each step.
        right_guess: which of the four guesses is right, 0 to 3.
    """

    prompt_id: int
    family: int
    kinds: tuple[int, ...]
    is_fewer: bool
    start: int
    operands: tuple[int, ...]
    right_guess: int

    @property
    def right_answer(self) -> int:
        """What the calculation comes to."""
        rest = sum(self.operands[1:])
        return self.start + (-self.operands[0] if self.is_fewer else self.operands[0]) + rest

    @property
    def text(self) -> str:
        """The prompt as a student reads it."""
        if self.family == WORDS:
            reading = "fewer" if self.is_fewer else "more"
            return f"{self.start} apples, {self.operands[0]} {reading}, then +{self.operands[1]}"
        return "+".join(str(number) for number in (self.start, *self.operands)) + " = ?"


def train_prompt_ids(train_prompts: int) -> tuple[int, ...]:
    """The train prompts of a setup: the first of 0-31 and 64-95, so that fewer prompts are a part of more.

    32-63 are held out whatever the number of train prompts.
    """
    first = range(HELD_OUT_PROMPTS)
    more = range(2 * HELD_OUT_PROMPTS, 3 * HELD_OUT_PROMPTS)
    return (*first, *more)[:train_prompts]


def held_out_prompt_ids() -> tuple[int, ...]:
    """The held-out prompts: 32-63, never trained on."""
    return tuple(range(HELD_OUT_PROMPTS, 2 * HELD_OUT_PROMPTS))


def make_problems(train_prompts: int, world_seed: int) -> tuple[Problem, ...]:
    """All prompts of a world, train prompts first."""
    return tuple(
        _make_problem(prompt_id, rank=i // FAMILIES, world_seed=world_seed)
        for ids in (train_prompt_ids(train_prompts), held_out_prompt_ids())
        for i, prompt_id in enumerate(ids)
    )


def _make_problem(prompt_id: int, rank: int, world_seed: int) -> Problem:
    """A prompt; `rank` is its place among the prompts of its family and split."""
    family = prompt_id % FAMILIES
    kinds = _KINDS[family][rank % 2]
    # Two stories in eight: the first and the fourth. A prompt is the same however many are trained on.
    is_fewer = family == WORDS and 3 * rank % _STORIES < round(_FEWER_SHARE * _STORIES)
    tens, ones = (1 + _draw(world_seed, prompt_id, i, _LARGEST_START_DIGIT) for i in range(2))
    start = 10 * tens + ones
    return Problem(
        prompt_id=prompt_id,
        family=family,
        kinds=kinds,
        is_fewer=is_fewer,
        start=start,
        operands=_operands(world_seed, prompt_id, kinds, ones),
        right_guess=int(GUESSES * uniform(WORLD, world_seed, prompt_id, _GUESS_TAG, 0)),
    )


def _operands(world_seed: int, prompt_id: int, kinds: tuple[int, ...], ones: int) -> tuple[int, ...]:
    """Numbers with which carry steps do carry and plain steps don't.

    Only the last digit of the running total matters. A story keeps it for both readings. What is drawn is moved just
    as far as the steps behind it need: a plain step needs a digit below 9, a carry step one above 0.
    """
    digit = ones
    operands: list[int] = []
    for step, kind in enumerate(kinds):
        place = _FIRST_OPERAND + step
        if kind == READ:
            operand = 1 + _draw(world_seed, prompt_id, place, _LARGEST_STORY)
            if operand == ones + 1:  # one reading would end in 9, and nothing could be added without a carry
                operand = ones
            digit = max(ones + operand, (ones - operand) % 10)
        else:
            carried = 10 if kind == CARRY else 0
            smallest = max(1, carried - digit)
            largest = min(9, carried + 9 - digit)
            operand = smallest + _draw(world_seed, prompt_id, place, largest - smallest + 1)
            if kinds[0] == READ:
                while operand in (operands[0], 2 * operands[0]):  # half of the work would give the right answer
                    operand = operand % largest + 1
            behind = kinds[step + 1 :]
            if behind and behind[0] == CARRY:
                operand = max(operand, carried + 1 - digit)
            plain_behind = next((i for i, other in enumerate(behind) if other != PLAIN), len(behind))
            operand = min(operand, carried + 9 - plain_behind - digit)
            digit += operand - carried
        operands.append(operand)
    return tuple(operands)


def _draw(world_seed: int, prompt_id: int, place: int, values: int) -> int:
    """A whole number from 0 to `values` - 1."""
    return int(values * uniform(WORLD, world_seed, _NUMBERS + prompt_id, place))
