"""What a step did, in sentences: all of them calculated from the step's own numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from simulator.charts.pushes import THOUSANDTHS, thousandths
from simulator.charts.table import fixed, signed
from simulator.explorer.inspector.cells import Cells
from simulator.explorer.inspector.setting import Setting
from simulator.explorer.inspector.sheet import Sheet

MOST_NAMES = 4


def counted(number: int, one: str, many: str = "") -> str:
    """ "1 token", "12 tokens"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def names(chosen: Sequence[int] | npt.NDArray[np.intp]) -> str:
    """Responses, from 0, by name: "R1, R3 and R4", "6 responses"."""
    found = [f"R{int(i) + 1}" for i in chosen]
    if len(found) > MOST_NAMES:
        return f"{len(found)} responses"
    return " and ".join(filter(None, [", ".join(found[:-1]), *found[-1:]]))


def clip_sentence(sheet: Sheet, setting: Setting, prompts: slice | int = slice(None)) -> str:
    """ "9 of 160 tokens clipped: 7 high, 2 low."; "" where nothing is clipped or nothing can be."""
    if not sheet.has("clip_state"):
        return "Whether tokens are clipped is not logged."
    high, low = sheet.clipped(prompts)
    tokens = int(sheet.lengths[prompts].sum())
    if not setting.has_ratio:
        return "Without a ratio nothing is clipped."
    if setting.is_held:
        return f"{counted(high, 'token')} of {tokens:,} held at the bound: their push goes on, with a smaller weight."
    if not high + low:
        return f"None of {counted(tokens, 'token')} clipped."
    return f"{high + low:,} of {counted(tokens, 'token')} clipped: {high:,} high, {low:,} low."


def summary(cells: Cells, setting: Setting) -> str:
    """What an update does to the responses of one prompt."""
    sheet, p = cells.sheet, cells.p
    said = [right_sentence(sheet, p)]
    if not sheet.has("push"):
        return " ".join([*said, "Pushes are not logged, so what moved can’t be told."])
    pushes = sheet.numbers("push")[p]
    advantages = sheet.numbers("advantages")[p]
    is_moved = bool(np.nan_to_num(pushes).any())
    if sheet.prompts[p].filler:
        said.append("Dynamic sampling found too few mixed groups: this one fills the batch and teaches nothing.")
    elif not sheet.has_signal(p):
        said += _without_signal(advantages, setting)
    said += _left_out(sheet, p)
    if is_moved:
        said.append(moved_sentence(sheet, p))
        said.append(clip_sentence(sheet, setting, p))
    else:
        said.append(_unmoved(sheet, setting, p))
    return " ".join(said)


def right_sentence(sheet: Sheet, p: int) -> str:
    """ "3 of 8 responses are right.", or what is known instead."""
    responses = sheet.prompts[p].responses
    if not responses:
        return "This prompt has no responses."
    known = [response.correct for response in responses if response.correct is not None]
    if len(known) < len(responses):
        return f"{counted(len(responses), 'response')}; which are right is not logged."
    return f"{sum(known)} of {counted(len(responses), 'response')} {'is' if sum(known) == 1 else 'are'} right."


def moved_sentence(sheet: Sheet, p: int) -> str:
    """Which responses go up and down, and where the strongest push is."""
    pushes, total = sheet.numbers("push")[p], np.nan_to_num(sheet.pushed[p])
    parts = []
    for chosen, way in ((np.flatnonzero(total > 0), "up"), (np.flatnonzero(total < 0), "down")):
        if chosen.size:
            parts.append(f"{names(chosen)} {'is' if chosen.size == 1 else 'are'} pushed {way}")
    i, t = (int(k) for k in np.unravel_index(np.nanargmax(np.abs(pushes)), pushes.shape))
    ways = f"{' and '.join(parts)}." if parts else "Pushes up and down cancel."
    return f"{ways} The strongest push is on {sheet.text(p, i, t)} in R{i + 1}: {push_words(pushes[i, t])} thousandths."


def _without_signal(advantages: npt.NDArray[np.float64], setting: Setting) -> list[str]:
    if not np.isfinite(advantages).any():
        return ["All rewards are equal; advantages are not logged."]
    if not np.nan_to_num(advantages).any():
        said = "All rewards are equal, so every advantage is 0: no response is better than another."
        return (
            [said] if not setting.beta_in_loss else [said, "Only the KL term is left, and it pulls to the reference."]
        )
    if setting.has_critic:
        return ["All rewards are equal, but the critic expected something else, so advantages are not 0."]
    return ["All rewards are equal, but they are compared with more than this group, so advantages are not 0."]


def _left_out(sheet: Sheet, p: int) -> list[str]:
    """Masked responses, and what being long costs."""
    responses = sheet.prompts[p].responses
    said = []
    masked = [i for i, response in enumerate(responses) if response.masked]
    if masked:
        is_one = len(masked) == 1
        verb = "was" if is_one else "were"
        said.append(f"{names(masked)} {verb} cut off and {'is' if is_one else 'are'} left out: weight 0.")
    costs = [response.reward_parts.get("overlong", 0.0) for response in responses]
    charged = [i for i, cost in enumerate(costs) if cost < 0]
    if charged:
        largest = fixed(-min(costs), 2)
        said.append(f"Being long costs {names(charged)} up to {largest} of reward.")
    return said


def _unmoved(sheet: Sheet, setting: Setting, p: int) -> str:
    high, low = sheet.clipped(p)
    if high + low and not setting.is_held:
        return f"Every token with an advantage is clipped ({high} high, {low} low), so no token moves."
    if setting.beta_in_loss:
        return "The policy is where the reference is, so KL does not push either: no token moves."
    return "No token moves."


def prompt_flag(sheet: Sheet, p: int) -> str:
    """What keeps a prompt from teaching; "" for nothing. Equal rewards alone don't: a critic, or an average of earlier
    rewards, can still expect something else."""
    if sheet.prompts[p].filler:
        return "fills the batch"
    if sheet.has_signal(p):
        return ""
    advantages = sheet.numbers("advantages")[p]
    is_none = bool(np.isfinite(advantages).any()) and not np.nan_to_num(advantages).any()
    return "no signal" if is_none else "equal rewards"


def spread(values: npt.NDArray[np.float64]) -> float:
    """Standard deviation with G - 1, exactly 0 where all are equal; nan of fewer than two."""
    known = values[np.isfinite(values)]
    if known.size < 2:
        return float("nan")
    return 0.0 if np.ptp(known) == 0 else float(known.std(ddof=1))


def push_words(push: float) -> str:
    """A push in thousandths, with as many decimals as it takes to see one."""
    size = abs(push) * THOUSANDTHS
    digits = 2 if not np.isfinite(size) or size == 0 or size >= 0.01 else min(9, 1 - int(np.floor(np.log10(size))))
    return thousandths(push, digits)


def number_or(value: float, digits: int = 2, plus: bool = False) -> str:
    """A number, or that it is not logged."""
    if not np.isfinite(value):
        return "not logged"
    return signed(value, digits) if plus else fixed(value, digits)
