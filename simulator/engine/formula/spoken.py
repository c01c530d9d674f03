"""Formulas as sentences, to be read aloud or beside the picture."""

from __future__ import annotations

from .grouping import POWERS_OF_TEN, short, simple
from .tree import (
    Add,
    Apply,
    Both,
    Cases,
    Compare,
    Equation,
    Expression,
    Fraction,
    Negative,
    Number,
    Over,
    Position,
    Power,
    Product,
    Symbol,
)

_NUMBERS = {0.0: "zero", 1.0: "one", 2.0: "two", 0.5: "one half"}
_SIGNS = {"<": "is less than", "<=": "is at most", "=": "is"}


def write(tree: Expression) -> str:
    """The formula in words."""
    match tree:
        case Number(value):
            if value in POWERS_OF_TEN:
                return f"ten to the power of minus {POWERS_OF_TEN[value]}"
            return _NUMBERS.get(value, short(value))
        case Symbol(term, indices):
            return term.spoken + _shifted(indices)
        case Position(letter):
            return letter
        case Negative(body):
            return f"minus {_part(body)}"
        case Add(summands):
            words = [write(summands[0])]
            for part in summands[1:]:
                words.append(f"minus {_part(part.body)}" if isinstance(part, Negative) else f"plus {_part(part)}")
            return " ".join(words)
        case Product(factors):
            return " times ".join(_part(factor) for factor in factors)
        case Fraction(numerator, denominator):
            between = " over " if isinstance(numerator, Number) else " divided by "
            return _part(numerator) + between + _part(denominator)
        case Power(base, exponent):
            if exponent == Number(2.0):
                return f"{_part(base)} squared"
            return f"{_part(base)} to the power of {_part(exponent)}"
        case Apply():
            return _applied(tree)
        case Over(kind, _, _, body, words, _, _):
            if kind == "sum":
                return f"the sum over {words} of {_part(body)}"
            name = "mean" if kind == "mean" else "standard deviation"
            return f"the {name} of {_part(body)} over {words}"
        case Compare(sides, signs):
            pairs = zip(signs, sides[1:], strict=True)
            return write(sides[0]) + ", which".join(f" {_SIGNS[sign]} {write(side)}" for sign, side in pairs)
        case Both(conditions):
            return " and ".join(write(condition) for condition in conditions)
        case Cases(values, conditions, otherwise):
            pairs_ = zip(values, conditions, strict=True)
            branches = [f"{write(value)} if {write(condition)}" for value, condition in pairs_]
            return "; ".join([*branches, f"otherwise {write(otherwise)}"])
        case Equation(sides):
            return " equals ".join(write(side) for side in sides)
    raise TypeError(f"{type(tree).__name__} can't be read.")


def _shifted(indices: tuple[str, ...]) -> str:
    """What an index such as ``t+1`` adds to a symbol's words."""
    shifts = [index.split("+", 1)[1] for index in indices if "+" in index]
    if not shifts:
        return ""
    return " of the next token" if shifts[0] == "1" else f" {shifts[0]} tokens later"


def _applied(apply: Apply) -> str:
    words = [write(part) for part in apply.arguments]
    if apply.function == "min":
        comma = "" if all(simple(part) for part in apply.arguments) else ","
        return f"the smaller of {words[0]}{comma} and {words[1]}"
    if apply.function == "clip":
        return f"{_part(apply.arguments[0])} clipped to between {words[1]} and {words[2]}"
    if apply.function == "exp":
        return f"the exponential of {_part(apply.arguments[0])}"
    return f"{_part(apply.arguments[0])}, held constant,"


def _part(part: Expression) -> str:
    """A part within another one: sums are closed off so that it stays clear how far they reach."""
    if not isinstance(part, Add):
        return write(part)
    if len(part.summands) != 2:
        return f"the quantity {write(part)}"
    first, second = part.summands
    if isinstance(second, Negative):
        return f"the difference between {_part(first)} and {_part(second.body)}"
    return f"the sum of {_part(first)} and {_part(second)}"
