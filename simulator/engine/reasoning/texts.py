"""What tokens say. The policy knows roles only; the text follows from the prompt and from the tokens before."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from .problems import Problem
from .transitions import START, lost, ok, silent
from .vocabulary import ANSWER, CHECK, EOS, FIRST_GUESS, GUESSES, HMM, READ, SLIP, STEP_A, STEP_B, WAIT

_FIXED = {WAIT: "wait", HMM: "hmm", CHECK: "check", EOS: "<eos>"}
_STEPS = (STEP_A, STEP_B, SLIP)
_WRONG_BY = (1, -1, 10)


def texts_of(problem: Problem, next_state: npt.NDArray[np.int64], tokens: Iterable[int]) -> list[str]:
    """The text of each token of one response; ``next_state`` is the prompt's row of transitions, ``(21, 12)``."""
    state, total, step = START, problem.start, 0
    totals = {0: total}  # what was on the paper after so many steps without a visible error
    texts = []
    for token in tokens:
        following = int(next_state[state, token])
        if token in _STEPS:
            text, total = _step(problem, step, total, token, is_error=_is_lost(following))
            step += 1
            if following in (ok(step), silent(step)):
                totals[step] = total
        elif token == ANSWER:
            text = f"answer {total}"
        elif FIRST_GUESS <= token < FIRST_GUESS + GUESSES:
            text = f"it's {guesses(problem)[token - FIRST_GUESS]}"
        else:
            text = _FIXED[token]
            if _is_lost(state) and token == CHECK:
                step = state - lost(0)
                total = totals[step]
        texts.append(text)
        state = following
    return texts


def guesses(problem: Problem) -> list[int]:
    """The numbers that the four guesses name: one is right, the others are near."""
    near = iter(_WRONG_BY)
    right = problem.right_answer
    return [right if i == problem.right_guess else right + next(near) for i in range(GUESSES)]


def _is_lost(state: int) -> bool:
    return lost(0) <= state < silent(1)


def _step(problem: Problem, step: int, total: int, token: int, *, is_error: bool) -> tuple[str, int]:
    """The text of one step, and the running total that it leaves."""
    operand = problem.operands[min(step, len(problem.operands) - 1)]  # whoever goes on too long adds the last again
    is_reading = step == 0 and problem.kinds[0] == READ
    carries = total % 10 + operand > 9
    takes_away = is_reading and (token == STEP_B or (token == SLIP and problem.is_fewer))
    result = total - operand if takes_away else total + operand
    if token == SLIP:
        result += 1
    elif not is_reading and token == STEP_A and carries:
        result -= 10
    elif not is_reading and token == STEP_B and not carries:
        result += 10
    if is_error and result == problem.right_answer:
        result += 1  # two errors can cancel out, but no wrong calculation may end with the right number
    mark = " carry" if token == STEP_B and not is_reading else ""
    return f"{total}{'-' if takes_away else '+'}{operand}={result}{mark}", result
