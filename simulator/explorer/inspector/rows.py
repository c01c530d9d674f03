"""The prompts of an update to choose from, and the responses of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.safestring import SafeString

from simulator.charts.table import fixed, signed
from simulator.explorer.exploration import Exploration
from simulator.explorer.inspector.cells import Links
from simulator.explorer.inspector.setting import Setting
from simulator.explorer.inspector.sheet import Sheet
from simulator.explorer.inspector.weights import Weight, weights_of
from simulator.explorer.inspector.words import number_or, prompt_flag, spread

MOST_OPEN = 40
"""Tokens up to which a response is shown whole; of a longer one the last ones, which hold the answer, are."""


@dataclass(frozen=True)
class PromptRow:
    """One prompt of the update. `number` counts from 1; `mean`, `spread` and `flag` are "" before rewards are shown."""

    number: int
    text: str
    href: str
    is_shown: bool
    mean: str = ""
    spread: str = ""
    right: str = ""
    flag: str = ""

    @property
    def option(self) -> str:
        """For a list to choose from."""
        said = [f"{self.number}: {self.text}", f"mean {self.mean}" if self.mean else "", self.flag]
        return " · ".join(filter(None, said))


@dataclass(frozen=True)
class ResponseRow:
    """One response. `advantage_bar` is from -50 to 50, of the largest advantage in the update."""

    number: int
    verdict: str
    icon: str
    reward: str
    parts: str
    advantage: str
    advantage_bar: float
    weight: Weight | None
    tags: tuple[str, ...]
    tokens: SafeString
    row: SafeString
    hidden_tokens: int
    fold_href: str
    is_folded: bool
    is_selected: bool

    @property
    def name(self) -> str:
        return f"R{self.number}"

    @property
    def bar_width(self) -> float:
        return abs(self.advantage_bar)

    @property
    def bar_start(self) -> float:
        return round(50 + min(self.advantage_bar, 0.0), 1)


def prompt_rows(x: Exploration, sheet: Sheet, shows_rewards: bool) -> list[PromptRow]:
    """The prompts in the order of the update."""
    rows = []
    for p, prompt in enumerate(sheet.prompts):
        row = {"number": p + 1, "text": prompt.text, "href": x.link(p=p + 1), "is_shown": p + 1 == x.state.p}
        if shows_rewards:
            known = sheet.rewards[p][np.isfinite(sheet.rewards[p])]
            right = [response.correct for response in prompt.responses if response.correct is not None]
            row |= {
                "mean": number_or(float(known.mean())) if known.size else "not logged",
                "spread": number_or(spread(sheet.rewards[p])),
                "right": f"{sum(right)} of {len(right)}" if right else "not logged",
                "flag": prompt_flag(sheet, p),
            }
        rows.append(PromptRow(**row))
    return rows


def response_rows(
    links: Links, setting: Setting, shows_rewards: bool = True, shows_credit: bool = True, shows_weights: bool = True
) -> list[ResponseRow]:
    """The responses of the cells' prompt; what is not to be shown yet is ""."""
    x, cells = links.x, links.cells
    sheet, p = cells.sheet, cells.p
    weights: Sequence[Weight | None] = (
        weights_of(sheet, p) if shows_weights else [None] * len(sheet.prompts[p].responses)
    )
    largest = float(np.nanmax(np.abs(sheet.advantages), initial=0.0))
    columns = int(sheet.lengths[p].max(initial=0))
    unfolded = set(x.state.x)
    rows = []
    for i, response in enumerate(sheet.prompts[p].responses):
        advantage = float(sheet.advantages[p, i])
        is_selected = links.selected is not None and links.selected[0] == i
        is_long = response.length > MOST_OPEN
        is_folded = is_long and i + 1 not in unfolded and not is_selected
        first = response.length - MOST_OPEN if is_folded else 0
        fold = tuple(sorted(unfolded ^ {i + 1})) if is_long else ()
        verdict, icon = _verdict(response.correct, response.truncated)
        rows.append(
            ResponseRow(
                number=i + 1,
                verdict=verdict if shows_rewards else "",
                icon=icon,
                reward=number_or(response.reward) if shows_rewards else "",
                parts=parts_words(response.reward_parts) if shows_rewards else "",
                advantage=number_or(advantage, plus=True) if shows_credit else "",
                advantage_bar=round(50 * advantage / largest, 1) if largest and np.isfinite(advantage) else 0.0,
                weight=weights[i],
                tags=("left out",) if response.masked and shows_credit else (),
                tokens="" if x.state.grid else links.tokens(i, first),
                row=links.row(i, columns) if x.state.grid else "",
                hidden_tokens=first,
                fold_href=x.link(x=fold) if is_long and not is_selected else "",
                is_folded=is_folded,
                is_selected=is_selected,
            )
        )
    return rows


def parts_words(parts: dict[str, float]) -> str:
    """What a reward consists of, where it is more than the verdict: "verified 1, length −0.12"."""
    if not any(value for name, value in parts.items() if name != "verified"):
        return ""
    return ", ".join(
        f"{name} {fixed(value, 0) if name == 'verified' else signed(value, 2)}"
        for name, value in parts.items()
        if value or name == "verified"
    )


def _verdict(correct: bool | None, truncated: bool | None) -> tuple[str, str]:
    if correct is None:
        return ("cut off", "triangle-alert") if truncated else ("", "")
    if correct:
        return "right", "check"
    return ("cut off", "triangle-alert") if truncated else ("wrong", "x")
