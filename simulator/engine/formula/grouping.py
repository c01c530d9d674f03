"""Where a formula needs brackets, the same in every notation."""

from __future__ import annotations

from .tree import Add, Expression, Fraction, Negative, Number, Over, Position, Power, Product, Symbol

POWERS_OF_TEN = {10.0**-exponent: exponent for exponent in range(4, 13)}
"""Numbers that are printed as powers of ten: 10 to the minus 4 and smaller."""


def needs_brackets(part: Expression, parent: Expression, position: int) -> bool:
    """Whether a part at a position of ``parent.children`` would be misread without brackets."""
    if isinstance(parent, Product):
        runs_on = isinstance(part, Over) and part.kind == "sum" and position < len(parent.factors) - 1
        return isinstance(part, Add | Negative) or runs_on
    if isinstance(parent, Negative):
        return isinstance(part, Add | Negative)
    if isinstance(parent, Power):
        return position == 0 and not isinstance(part, Number | Symbol | Position)
    if isinstance(parent, Over) and position == 1:
        return parent.kind != "sum" or isinstance(part, Add | Negative)
    return False


def short(number: float) -> str:
    """A number as it is printed: 4, 0.5."""
    return f"{number:.12g}"


def simple(part: Expression) -> bool:
    """Whether a part is read in one breath."""
    return isinstance(part, Number | Symbol | Position) or (
        isinstance(part, Add | Power | Fraction | Negative) and all(simple(child) for child in part.children)
    )
