"""The settings a mission shows: what each offers, what it refuses, and a blind choice from it."""

import math
from dataclasses import dataclass
from typing import Any

# A value drawn from a range of numbers is written with this many significant digits, as a student would type it.
DRAWN_DIGITS = 2


@dataclass(frozen=True)
class Control:
    """One setting a mission shows: locked with a reason, or open with a list or a range.

    A range is of whole numbers, or of any numbers when `spacing` is "linear" or "log"; then a blind choice is spread
    evenly over the range or over its logarithm.
    """

    name: str
    locked: str = ""
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    spacing: str = ""

    @property
    def is_countable(self) -> bool:
        """Whether `values` can list all there is to choose."""
        return not self.spacing

    def values(self) -> tuple[Any, ...]:
        """Every value a student may choose; empty when locked. A range of any numbers gives its ends."""
        if self.locked:
            return ()
        if self.choices:
            return self.choices
        low, high = self._ends()
        return (low, high) if self.spacing else tuple(range(int(low), int(high) + 1))

    def draw(self, chance: float) -> Any:
        """The value that a blind choice makes of `chance`, spread evenly from 0 up to 1; the control must be open."""
        if self.is_countable:
            values = self.values()
            return values[int(chance * len(values))]
        low, high = self._ends()
        is_log = self.spacing == "log"
        value = low * (high / low) ** chance if is_log else low + (high - low) * chance
        return min(max(float(f"{value:.{DRAWN_DIGITS}g}"), low), high)

    def refuse(self, value: Any, start: Any) -> str:
        """Say why `value` can't be chosen here, or return "" when it can."""
        if self.locked:
            return "" if value == start else f"This control is locked. {self.locked}"
        if self.choices:
            if value in self.choices:
                return ""
            return "Choose one of " + ", ".join(label_of(choice) for choice in self.choices) + "."
        low, high = self._ends()
        if self.spacing:
            fits = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
            return "" if fits else f"Must be a number from {low:g} to {high:g}."
        return "" if type(value) is int and low <= value <= high else f"Must be a whole number from {low} to {high}."

    def graded(self) -> list[Any]:
        """What of this control decides who passes, as JSON."""
        limits = [*self.values(), self.spacing] if self.spacing else list(self.values())
        return [self.locked != "", limits]

    def _ends(self) -> tuple[float, float]:
        assert self.minimum is not None and self.maximum is not None
        return self.minimum, self.maximum


def label_of(value: Any) -> str:
    """A value as tables, messages and placeholders write it: 400, 0.05, grpo, on."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def can_be_log(low: float, high: float) -> bool:
    """Whether a range has a logarithm all along."""
    return 0 < low < high and math.isfinite(high)
