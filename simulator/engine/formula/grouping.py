"""Where a formula needs brackets, the same in every notation."""

from __future__ import annotations

from .tree import Add, Compare, Expression, Fraction, Negative, Number, Over, Position, Power, Symbol

POWERS_OF_TEN = {10.0**-exponent: exponent for exponent in range(4, 13)}
"""Numbers that are printed as powers of ten: 10 to the minus 4 and smaller."""


def needs_brackets(part: Expression, parent: Expression, position: int) -> bool:
    """Whether a part at a position of ``parent.children`` would be misread without brackets."""
    kind = type(parent).__name__
    if kind == "Product":
        last = position == len(parent.children) - 1
        return isinstance(part, Add | Negative) or (isinstance(part, Over) and part.kind == "sum" and not last)
    if kind == "Negative":
        return isinstance(part, Add | Negative)
    if kind == "Add":
        return isinstance(part, Negative) and position == 0 and isinstance(part.body, Add)
    if kind == "Power":
        return position == 0 and not isinstance(part, Number | Symbol | Position)
    if kind == "Over" and position == 1:
        return isinstance(part, Add | Negative) or parent.head[1] != "sum"
    return False


def short(number: float) -> str:
    """A number as it is printed: 4, 0.5."""
    return f"{number:.12g}"


def simple(part: Expression) -> bool:
    """Whether a part is read in one breath."""
    return isinstance(part, Number | Symbol | Position) or (
        isinstance(part, Power | Fraction | Negative | Compare) and all(simple(child) for child in part.children)
    )
