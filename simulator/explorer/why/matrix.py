"""All algorithms against all design choices, and each by itself: its formulas, its paper, and what libraries do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from simulator.engine.algorithms import ALGORITHMS, CHOICES, SLOT_LABELS, SLOTS, Algorithm
from simulator.explorer.why.markup import Formulas, formulas_of
from simulator.explorer.why.remarks import LibraryRemarks, remarks_of
from simulator.explorer.why.subject import preset, setting_label, setting_text


@dataclass(frozen=True)
class Cell:
    """An algorithm's choice in one slot; `differs` from that of the algorithm in focus."""

    label: str
    sentence: str
    differs: bool


@dataclass(frozen=True)
class Row:
    """One algorithm. `settings` are those that matter beside its choices."""

    algorithm: Algorithm
    cells: tuple[Cell, ...]
    settings: str
    is_current: bool
    parent: str
    differing: int


@dataclass(frozen=True)
class Described:
    """One algorithm by itself."""

    algorithm: Algorithm
    parent: str
    formulas: Formulas
    remarks: tuple[LibraryRemarks, ...]


def names() -> tuple[str, ...]:
    """All algorithms that a paper defines, by year."""
    found = [one for one in ALGORITHMS.values() if one.source]
    return tuple(one.name for one in sorted(found, key=lambda one: one.year))


def heads() -> tuple[str, ...]:
    """The slots, in the order in which algorithms are compared."""
    return tuple(SLOT_LABELS[slot] for slot in SLOTS)


def matrix(current: str) -> tuple[Row, ...]:
    """A row for every algorithm; what differs from `current` is marked."""
    chosen = preset(current).choices
    rows = []
    for name in names():
        subject = preset(name)
        choices, settings = subject.choices, subject.settings
        used = ["num_iterations", *(one for choice in choices.values() for one in choice.settings)]
        cells = tuple(Cell(choice.label, choice.sentence, choice != chosen[slot]) for slot, choice in choices.items())
        rows.append(
            Row(
                subject.algorithm,
                cells,
                ", ".join(f"{setting_label(one)} {setting_text(one, settings[one])}" for one in dict.fromkeys(used)),
                name == current,
                parent_of(name),
                sum(cell.differs for cell in cells),
            )
        )
    return tuple(rows)


def parent_of(name: str) -> str:
    """The label of the algorithm that this one is an edit of, or ""."""
    parent = ALGORITHMS[name].builds_on
    return ALGORITHMS[parent].label if parent else ""


@lru_cache(maxsize=1)
def described() -> tuple[Described, ...]:
    """Every algorithm by itself."""
    return tuple(
        Described(ALGORITHMS[name], parent_of(name), formulas_of(preset(name).key), remarks_of(preset(name)))
        for name in names()
    )


def choices_told() -> tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...]:
    """Every choice of every slot: label, what it does, and where it is from."""
    return tuple(
        (SLOT_LABELS[slot], tuple((one.label, one.sentence, one.source) for one in choices.values()))
        for slot, choices in CHOICES.items()
    )
