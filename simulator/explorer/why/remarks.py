"""Where papers, this world and libraries differ: what the choices of an algorithm say about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from simulator.engine.algorithms import SLOT_LABELS, choices_of
from simulator.engine.objective.choice import Note
from simulator.explorer.why.subject import SettingsKey, Subject

FIRST = ("TRL", "verl")
"""Libraries that have a heading of their own."""


@dataclass(frozen=True)
class Remark:
    """What a library does, and about what: the algorithm as a whole or one of its slots."""

    about: str
    statement: str


@dataclass(frozen=True)
class LibraryRemarks:
    """All remarks about one library, at the version whose source was read."""

    library: str
    version: str
    remarks: tuple[Remark, ...]

    @property
    def has_heading(self) -> bool:
        return self.library in FIRST


@dataclass(frozen=True)
class Source:
    """Where a choice is defined, and what its formula leaves open."""

    slot: str
    choice: str
    sentence: str
    source: str
    edge: str


def remarks_of(subject: Subject) -> tuple[LibraryRemarks, ...]:
    """What libraries do instead of a subject's choices, TRL and verl first."""
    own: dict[str, list[tuple[Note, Remark]]] = {}
    for note in subject.algorithm.notes:
        own.setdefault(note.library, []).append((note, Remark("the algorithm", note.statement)))
    for slot, choice in subject.choices.items():
        for note in choice.notes:
            own.setdefault(note.library, []).append((note, Remark(SLOT_LABELS[slot].lower(), note.statement)))
    order = sorted(own, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))
    return tuple(
        LibraryRemarks(name, own[name][0][0].version, tuple(remark for _, remark in own[name])) for name in order
    )


@lru_cache(maxsize=128)
def sources_of(key: SettingsKey) -> tuple[Source, ...]:
    """The choices of some settings with their papers."""
    return tuple(
        Source(SLOT_LABELS[slot], choice.label, choice.sentence, choice.source, choice.edge)
        for slot, choice in choices_of(dict(key)).items()
    )
