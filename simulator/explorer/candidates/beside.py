"""The same step of a second run: the same prompt's answers under both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.charts.table import fixed, signed
from simulator.explorer.candidates.sight import Sight, sight_of
from simulator.explorer.candidates.words import summary
from simulator.explorer.exploration import Exploration


@dataclass(frozen=True)
class BesideRow:
    """One answer under both runs: probabilities after the step, and pushes with their bins."""

    name: str
    href: str
    mine: str
    other: str
    my_push: str
    other_push: str
    my_bin: int
    other_bin: int


@dataclass(frozen=True)
class Beside:
    """A second run. `rows` are empty, and `missing` says why, where the two prompts are not the same."""

    when: str
    summary: str
    rows: tuple[BesideRow, ...]
    missing: str = ""


def beside(x: Exploration, sight: Sight) -> Beside | None:
    """The second run at the same step and prompt, if there is one."""
    if x.second is None:
        return None
    other = sight_of(x.second)
    said = summary(other)
    if sight.record.prompts[sight.b] != other.record.prompts[other.b]:
        missing = (
            f"Its step shows {other.prompt_name.lower()} there: another seed is another world, with other prompts."
        )
        return Beside(x.second.when, said, (), missing)
    if not np.array_equal(sight.reference, other.reference):
        return Beside(x.second.when, said, (), "Another seed is another world: its answers are not these.")
    rows = []
    for k in map(int, sight.order):
        pushes = float(sight.pushes[k]), float(other.pushes[k])
        rows.append(
            BesideRow(
                name=sight.name(k),
                href=sight.href(k),
                mine=fixed(sight.after[k]),
                other=fixed(other.after[k]),
                my_push=signed(pushes[0]),
                other_push=signed(pushes[1]),
                my_bin=sight.bin(pushes[0]),
                other_bin=sight.bin(pushes[1]),
            )
        )
    return Beside(x.second.when, said, tuple(rows))
