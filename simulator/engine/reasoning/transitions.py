"""The states that a response goes through, and which token leads where.

`ok(j)`: j right steps are done. `lost(j)`: an error was made and can be seen; step j has to be done again. `silent(j)`:
a story was misread, which neither the policy nor the critic can see. Then an answer or a guess is given, and `<eos>`
ends the response, rightly or wrongly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .problems import MAX_STEPS, Problem
from .vocabulary import (
    ANSWER,
    ANSWERED,
    CARRY,
    CHECK,
    EOS,
    FIRST_GUESS,
    GUESSES,
    LOST,
    READ,
    READY,
    SLIP,
    STEP_A,
    STEP_B,
    TOKENS,
)

IntArray = npt.NDArray[np.int64]

STATES = 21
START = 0
ANSWERED_RIGHT = 14
ANSWERED_MISREAD = 15
ANSWERED_WRONG = 16
GUESSED_RIGHT = 17
GUESSED_WRONG = 18
DONE_OK = 19
DONE_BAD = 20
"""The last two states end a response; every state below `DONE_OK` goes on."""

# What the critic sees: 0-4 are the steps that remain.
CRITIC_FEATURES = 9
_CRITIC_LOST, _CRITIC_ANSWERED_RIGHT, _CRITIC_ANSWERED_WRONG, _CRITIC_GUESSED = range(MAX_STEPS + 1, CRITIC_FEATURES)


def ok(step: int) -> int:
    """The state in which `step` right steps are done, 0 to 4."""
    return step


def lost(step: int) -> int:
    """The state after a visible error at `step`, 0 to 4."""
    return MAX_STEPS + 1 + step


def silent(step: int) -> int:
    """The state in which `step` steps, 1 to 4, are done after a misreading."""
    return 2 * (MAX_STEPS + 1) + step - 1


def right_step(problem: Problem, step: int) -> int:
    """The token that does a step rightly."""
    if problem.kinds[step] == READ:
        return STEP_B if problem.is_fewer else STEP_A
    return STEP_B if problem.kinds[step] == CARRY else STEP_A


def next_states(problem: Problem) -> IntArray:
    """Where each token leads from each state, `(21, 12)`. States that the prompt can't reach lead to themselves."""
    table = np.repeat(np.arange(STATES)[:, None], TOKENS, axis=1)
    steps = len(problem.kinds)
    for step in range(steps + 1):
        working = [ok(step), lost(step)] + ([silent(step)] if step > 0 and problem.kinds[0] == READ else [])
        for state in working:
            table[state, ANSWER] = ANSWERED_WRONG
            table[state, FIRST_GUESS : FIRST_GUESS + GUESSES] = GUESSED_WRONG
            table[state, FIRST_GUESS + problem.right_guess] = GUESSED_RIGHT
            table[state, EOS] = DONE_BAD
            if state == lost(step):
                table[state, CHECK] = ok(step)
                continue
            # After a misreading a visible error makes one read the story again.
            table[state, [STEP_A, STEP_B, SLIP]] = lost(step) if state == ok(step) else lost(0)
            if step < steps:
                table[state, right_step(problem, step)] = ok(step + 1) if state == ok(step) else silent(step + 1)
            else:
                table[state, ANSWER] = ANSWERED_RIGHT if state == ok(step) else ANSWERED_MISREAD
    if problem.kinds[0] == READ:
        other = STEP_A if right_step(problem, 0) == STEP_B else STEP_B
        table[START, other] = silent(1)
    table[ANSWERED_RIGHT : GUESSED_WRONG + 1, EOS] = DONE_BAD
    table[[ANSWERED_RIGHT, GUESSED_RIGHT], EOS] = DONE_OK
    return table


def contexts(problem: Problem) -> IntArray:
    """What the policy sees in each state, `(21,)`."""
    seen = np.full(STATES, ANSWERED)
    steps = len(problem.kinds)
    for step in range(MAX_STEPS + 1):
        seen[lost(step)] = LOST
        seen[ok(step)] = problem.kinds[step] if step < steps else READY
        if step > 0:
            seen[silent(step)] = seen[ok(step)]
    return seen


def critic_features(problem: Problem) -> IntArray:
    """What the critic sees in each state, `(21,)`, of `CRITIC_FEATURES` values; it is never asked about an ended
    response."""
    seen = np.full(STATES, _CRITIC_GUESSED)
    for step in range(MAX_STEPS + 1):
        seen[lost(step)] = _CRITIC_LOST
        seen[ok(step)] = max(0, len(problem.kinds) - step)
        if step > 0:
            seen[silent(step)] = seen[ok(step)]
    seen[[ANSWERED_RIGHT, ANSWERED_MISREAD]] = _CRITIC_ANSWERED_RIGHT
    seen[ANSWERED_WRONG] = _CRITIC_ANSWERED_WRONG
    return seen
