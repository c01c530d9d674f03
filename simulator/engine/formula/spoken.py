"""Formulas as sentences, to be read aloud or beside the picture."""

from __future__ import annotations

from itertools import pairwise

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
_SIGNS = {"<": "is less than", "<=": "is at most", ">": "is greater than", "=": "is"}


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
        case Add():
            return _added(tree)
        case Product():
            return _multiplied(tree)
        case Fraction(numerator, denominator):
            between = " over " if isinstance(numerator, Number) else " divided by "
            return _part(numerator) + between + _part(denominator, "product")
        case Power(base, exponent):
            if exponent == Number(2.0):
                return f"{_part(base, 'product')} squared"
            return f"{_part(base, 'product')} to the power of {_part(exponent)}"
        case Apply():
            return _applied(tree)
        case Over(kind, _, _, body, words, _, _):
            if kind == "sum":
                colon = "the quantity: " if isinstance(body, Add) else ""
                return f"the sum over {words} of {colon}{write(body)}"
            name = "mean" if kind == "mean" else "standard deviation"
            return f"the {name} of {_part(body)} over {words}"
        case Compare((Symbol(term), Number(1.0)), ("=",)) if term.holds:
            return term.holds
        case Compare(sides, signs):
            links = zip(signs, sides[1:], strict=True)
            return write(sides[0]) + ", which".join(f" {_SIGNS[sign]} {write(side)}" for sign, side in links)
        case Both(conditions):
            return " and ".join(write(condition) for condition in conditions)
        case Cases(values, conditions, otherwise):
            pairs = zip(values, conditions, strict=True)
            branches = [f"{write(value)} if {write(condition)}" for value, condition in pairs]
            return "; ".join([*branches, f"otherwise {write(otherwise)}"])
        case Equation(sides):
            return " equals ".join([write(sides[0]), ", which equals ".join(write(side) for side in sides[1:])])
    raise TypeError(f"{type(tree).__name__} can't be read.")


def reach(tree: Expression) -> str:
    """What tells two symbols apart that are read alike: whether each token has one, or each response."""
    if not isinstance(tree, Symbol) or not tree.indices:
        return ""
    return ", one for every token" if "t" in tree.indices else ", one for every response"


def _shifted(indices: tuple[str, ...]) -> str:
    """What an index such as ``t+1`` adds to a symbol's words."""
    shifts = [index.split("+", 1)[1] for index in indices if "+" in index]
    if not shifts:
        return ""
    return " of the next token" if shifts[0] == "1" else f" {shifts[0]} tokens later"


def _added(tree: Add) -> str:
    words = _part(tree.summands[0])
    for before, part in pairwise(tree.summands):
        sign, body = ("minus", part.body) if isinstance(part, Negative) else ("plus", part)
        pause = "; all of this" if isinstance(before, Cases) else "" if simple(before) else ","
        words += f"{pause} {sign} {_part(body)}"
    return words


def _multiplied(tree: Product) -> str:
    # What takes long to read comes last, so that it is clear where it ends.
    factors = sorted(tree.factors, key=lambda factor: not isinstance(factor, Number | Symbol | Position))
    words = _part(factors[0])
    for before, factor in pairwise(factors):
        words += f"{'' if simple(before) else ','} times {_part(factor)}"
    return words


def _applied(apply: Apply) -> str:
    words = [_part(part) for part in apply.arguments]
    if apply.function == "min":
        comma = "" if all(simple(part) for part in apply.arguments) else ","
        return f"the smaller of {words[0]}{comma} and {words[1]}"
    if apply.function == "clip":
        lower, upper = apply.arguments[1:]
        return f"{words[0]} clipped to between {write(lower)} and {write(upper)}"
    if apply.function == "exp":
        return f"the exponential of {words[0]}"
    if apply.function == "sigmoid":
        return f"the logistic function of {words[0]}"
    if apply.function == "log_sigmoid":
        return f"the logarithm of the logistic function of {words[0]}"
    return f"{words[0]}, held constant"


def _part(part: Expression, *closed: str) -> str:
    """A part within another one: sums, and products where asked, are closed off so that it is clear how far they
    reach."""
    if isinstance(part, Cases):
        return f"whichever applies: {write(part)}"
    if isinstance(part, Product) and "product" in closed and len(part.factors) == 2:
        return f"the product of {_part(part.factors[0])} and {_part(part.factors[1])}"
    if not isinstance(part, Add):
        return write(part)
    if len(part.summands) != 2 or isinstance(part.summands[0], Cases):
        return f"the quantity {write(part)}"
    first, second = part.summands
    if isinstance(second, Negative):
        return f"the difference between {_part(first)} and {_part(second.body)}"
    return f"the sum of {_part(first)} and {_part(second)}"
