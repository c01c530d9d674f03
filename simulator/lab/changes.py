"""What differs between two runs of a world, setting by setting."""

from dataclasses import dataclass

from simulator.lab.link import Run
from simulator.lab.rules import rules_of


@dataclass(frozen=True)
class Change:
    """One setting that differs from the run before."""

    name: str
    label: str
    before: str
    after: str


@dataclass(frozen=True)
class Comparison:
    """Two runs against each other: what was changed, what it did, and what else makes them differ."""

    changes: list[Change]
    effects: list[str]
    warning: str


def changes(before: Run, after: Run) -> list[Change]:
    """Settings that differ, in the order of the form.

    Those that only come, go or change their value because another choice was changed are left out: that choice is
    named.
    """
    rules = rules_of(after.setup)
    world = rules.world
    old, new = dict(before.pairs()), dict(after.pairs())
    brought = rules.brought(before.setup, after.setup)
    found = []
    for name, label in world.settings.items():
        if old.get(name) == new.get(name) or name in brought:
            continue
        texts = [world.setting_value(name, values[name]) if name in values else "none" for values in (old, new)]
        found.append(Change(name, label.in_sentence, texts[0], texts[1]))
    return found
