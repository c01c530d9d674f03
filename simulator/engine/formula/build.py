"""Functions that make nodes which Python has no operator for.

r, a = RATIO.at("i", "t"), ADVANTAGE.at("i", "t")
smaller = minimum(r * a, clip(r, 1 - EPSILON.at(), 1 + EPSILON.at()) * a)
"""

from __future__ import annotations

from .tree import Apply, Cases, Compare, Equation, Expression, expression


def minimum(first: Expression, second: Expression) -> Expression:
    """The smaller of two."""
    return Apply("min", (first, second))


def clip(value: Expression, lower: Expression | float, upper: Expression | float) -> Expression:
    """A value moved to the nearer end of an interval when it lies outside."""
    return Apply("clip", (value, expression(lower), expression(upper)))


def exp(power: Expression) -> Expression:
    """The exponential."""
    return Apply("exp", (power,))


def hold(value: Expression) -> Expression:
    """A value that counts as a constant when the gradient is taken."""
    return Apply("hold", (value,))


def equation(*sides: Expression | float) -> Equation:
    """Sides that are equal."""
    return Equation(tuple(expression(side) for side in sides))


def sigmoid(value: Expression) -> Expression:
    """The logistic function."""
    return Apply("sigmoid", (value,))


def log_sigmoid(value: Expression) -> Expression:
    """The logarithm of the logistic function."""
    return Apply("log_sigmoid", (value,))


def compare(*chain: Expression | float | str) -> Compare:
    """A chain such as ``compare(0, "<", x, "<", y)``."""
    sides = tuple(expression(side) for side in chain[::2] if not isinstance(side, str))
    return Compare(sides, tuple(chain[1::2]))  # type: ignore[arg-type]


def cases(*branches: tuple[Expression | float, Expression], otherwise: Expression | float) -> Cases:
    """Pairs of a value and the condition under which it is taken, the first that holds."""
    return Cases(
        tuple(expression(value) for value, _ in branches),
        tuple(condition for _, condition in branches),
        expression(otherwise),
    )
