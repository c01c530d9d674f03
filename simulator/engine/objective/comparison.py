"""What differs between two setups: choices in words, formulas with marks, settings with both values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..formula import Difference, difference
from . import formulas
from .choice import Choice


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing that two choices do differently, in words: "divides by ..." and "does not divide"."""

    name: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class SlotDifference:
    """A slot in which two setups choose differently; ``formula`` compares the formulas of the choices."""

    slot: str
    first: Choice
    second: Choice
    aspects: tuple[Aspect, ...]
    formula: Difference


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting with two values; None where a setup does not use it."""

    name: str
    first: Any
    second: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that differs between two setups, as far as it is decided by algorithms.

    ``objective`` and ``push`` compare the whole formulas.
    """

    slots: tuple[SlotDifference, ...]
    settings: tuple[SettingDifference, ...]
    objective: Difference
    push: Difference

    def __bool__(self) -> bool:
        return bool(self.slots or self.settings)


def compare(
    first: Mapping[str, Choice],
    first_settings: Mapping[str, Any],
    second: Mapping[str, Choice],
    second_settings: Mapping[str, Any],
) -> Comparison:
    """The comparison of two setups, given as choices and settings."""
    slots = tuple(compare_choices(first[slot], second[slot]) for slot in first if first[slot] != second[slot])
    used = [_used(first, first_settings), _used(second, second_settings)]
    settings = tuple(
        SettingDifference(name, used[0].get(name), used[1].get(name))
        for name in dict.fromkeys([*used[0], *used[1]])
        if used[0].get(name) != used[1].get(name)
    )
    return Comparison(
        slots,
        settings,
        difference(formulas.objective(first, first_settings), formulas.objective(second, second_settings)),
        difference(formulas.push(first, first_settings), formulas.push(second, second_settings)),
    )


def compare_choices(first: Choice, second: Choice) -> SlotDifference:
    """What two choices of a slot do differently."""
    aspects = tuple(
        Aspect(name, first.aspects[name], second.aspects[name])
        for name in first.aspects
        if first.aspects[name] != second.aspects[name]
    )
    return SlotDifference(first.slot, first, second, aspects, difference(first.formula, second.formula))


def _used(chosen: Mapping[str, Choice], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, slots apart, that an algorithm decides and that matter beside its choices."""
    names = ["num_iterations", *(name for choice in chosen.values() for name in choice.settings)]
    return {name: settings[name] for name in names}
