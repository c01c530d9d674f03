"""Two versions of the same responses under each other: a second run, or the same update with other settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.safestring import SafeString

from simulator.explorer.exploration import Exploration
from simulator.explorer.inspector.cells import Cells
from simulator.explorer.inspector.rows import MOST_OPEN, PromptRow
from simulator.explorer.inspector.setting import setting_of
from simulator.explorer.inspector.sheet import Sheet
from simulator.explorer.inspector.words import number_or, summary

MOST_PAIRS = 8


@dataclass(frozen=True)
class Line:
    """One version of a response: whose it is, its reward and advantage, and its tokens as HTML."""

    label: str
    reward: str
    advantage: str
    tokens: SafeString


@dataclass(frozen=True)
class Pair:
    """A response twice. `note` says how the two differ."""

    name: str
    lines: tuple[Line, ...]
    note: str


def line(label: str, cells: Cells, i: int) -> Line:
    """A response of some cells, from 0; of a long one its last tokens."""
    sheet, p = cells.sheet, cells.p
    first = max(0, int(sheet.lengths[p, i]) - MOST_OPEN)
    reward, advantage = float(sheet.rewards[p, i]), float(sheet.advantages[p, i])
    return Line(label, number_or(reward), number_or(advantage, plus=True), cells.spans(i, first))


def pairs_beside(x: Exploration, cells: Cells, prompts: Sequence[PromptRow]) -> dict[str, Any] | None:
    """The responses of the second run to the same prompt, each under the first run's; None without such a run.

    `prompts` are the first run's: those that both runs are at here are offered where this one isn't.
    """
    other = x.second
    if other is None or other.world != "reasoning" or not other.steps or other.state.s is None:
        return None
    sheet = Sheet(other.update)
    text = cells.sheet.prompts[cells.p].text
    texts = [prompt.text for prompt in sheet.prompts]
    is_same = text in texts
    p = texts.index(text) if is_same else min(cells.p, len(texts) - 1)
    # One scale for both, or colors could not be compared.
    beside = Cells(sheet, p, cells.color, cells.scale, cells.only, setting_of(other).is_held)
    size = min(len(cells.sheet.prompts[cells.p].responses), len(sheet.prompts[p].responses))
    pairs = [
        Pair(
            f"R{i + 1}",
            (line("this", cells, i), line("second", beside, i)),
            _difference(cells, beside, i) if is_same else "",
        )
        for i in range(size)
    ]
    visible = [
        _drawn_with_the_same(x, other),
        "" if is_same else f"The second run is at another prompt here: {texts[p]}",
    ]
    return {
        "when": other.when,
        "summary": summary(beside, setting_of(other)),
        "notes": [note for note in visible if note],
        "pairs": pairs[:MOST_PAIRS],
        "more": pairs[MOST_PAIRS:],
        "shared": [] if is_same else [prompt for prompt in prompts if prompt.text in texts],
    }


def _drawn_with_the_same(x: Exploration, other: Exploration) -> str:
    """Whether the two runs' responses come from the same random numbers."""
    if x.run is None or other.run is None:
        return ""
    if x.run.seed != other.run.seed or x.run.setup.world_seed != other.run.setup.world_seed:
        return "Other seeds: the responses were drawn with other random numbers."
    return (
        "Same seed: at the same visit to a prompt, R1 of one run is drawn with the random numbers of R1 of the other; "
        "where they differ, the policies do."
    )


def _difference(one: Cells, other: Cells, i: int) -> str:
    """From which token on two versions of a response differ, in words."""
    texts: list[Sequence[str]] = [
        [cells.sheet.text(cells.p, i, t) for t in range(int(cells.sheet.lengths[cells.p, i]))] for cells in (one, other)
    ]
    if texts[0] == texts[1]:
        return "the same tokens"
    shared = next((t for t, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    return f"differ from token {shared + 1} on"


def changed(before: Cells, after: Cells) -> list[int]:
    """Responses, from 0, of which some token has another push, or another clip state."""
    sheets = before.sheet, after.sheet
    found = []
    for i in range(len(before.sheet.prompts[before.p].responses)):
        pushes = [sheet.numbers("push")[before.p, i] for sheet in sheets]
        states = [sheet.numbers("clip_state")[before.p, i] for sheet in sheets]
        same = np.allclose(pushes[0], pushes[1], rtol=1e-9, atol=1e-15, equal_nan=True)
        if not (same and np.array_equal(states[0], states[1], equal_nan=True)):
            found.append(i)
    return found
