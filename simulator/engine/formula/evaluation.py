"""The value of a formula, so that what is printed can be held against what was computed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

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

_HOLDS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, "=": lambda a, b: a == b}


class MissingValue(KeyError):
    """No value is bound to ``name``, the id of a term or the letter of an index."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def evaluate(tree: Expression, bindings: Mapping[str, Any]) -> float:
    """The value of a formula under ``bindings``, conditions as 1 and 0.

    A term is bound by its id, to a number or to numbers by index: ``{"reward": [0, 1, 1]}``. An index is bound by
    its letter and counts from 1; sums bind theirs. The value of ``R_i`` is then ``reward[i - 1]`` if ``i`` is
    bound; if it is not, the binding itself must be the one number meant.

    Raises:
        MissingValue: something is not bound.
        ZeroDivisionError: as the formula says.
    """
    match tree:
        case Number():
            return tree.value
        case Symbol():
            return _bound(tree, bindings)
        case Position(letter):
            return float(_lookup(bindings, letter))
        case Negative(body):
            return -evaluate(body, bindings)
        case Add(summands):
            return sum(evaluate(part, bindings) for part in summands)
        case Product(factors):
            return math.prod(evaluate(part, bindings) for part in factors)
        case Fraction(numerator, denominator):
            return evaluate(numerator, bindings) / evaluate(denominator, bindings)
        case Power(base, exponent):
            return float(evaluate(base, bindings) ** evaluate(exponent, bindings))
        case Apply(function, arguments):
            return _applied(function, [evaluate(part, bindings) for part in arguments])
        case Over():
            return _gone_through(tree, bindings)
        case Compare(sides, signs):
            numbers = [evaluate(side, bindings) for side in sides]
            links = zip(numbers, signs, numbers[1:], strict=False)
            return float(all(_HOLDS[sign](first, second) for first, sign, second in links))
        case Both(conditions):
            return float(all(evaluate(condition, bindings) for condition in conditions))
        case Cases(values, conditions, otherwise):
            for value, condition in zip(values, conditions, strict=True):
                if evaluate(condition, bindings):
                    return evaluate(value, bindings)
            return evaluate(otherwise, bindings)
        case Equation():
            return evaluate(tree.formula, bindings)
    raise TypeError(f"{type(tree).__name__} has no value.")


def _lookup(bindings: Mapping[str, Any], name: str) -> Any:
    try:
        return bindings[name]
    except KeyError:
        raise MissingValue(name) from None


def _bound(symbol: Symbol, bindings: Mapping[str, Any]) -> float:
    value = _lookup(bindings, symbol.term.id)
    for index in symbol.indices:
        position = _position(index, bindings)
        if position is not None:
            value = value[position - 1]
    return float(value)


def _position(index: str, bindings: Mapping[str, Any]) -> int | None:
    """The value of an index such as ``t+1``, or None when one of its letters is not bound."""
    position = 0
    for part in re.split(r"\+", index):
        if part.isdecimal():
            position += int(part)
        elif part in bindings:
            position += int(bindings[part])
        else:
            return None
    return position


def _applied(function: str, values: list[float]) -> float:
    if function == "min":
        return min(values)
    if function == "clip":
        value, lower, upper = values
        return min(max(value, lower), upper)
    if function == "exp":
        return math.exp(values[0])
    if function == "sigmoid":
        return 0.5 * math.tanh(0.5 * values[0]) + 0.5
    if function == "log_sigmoid":
        # Of a value far below 0 the logistic function is 0, its logarithm is not.
        return min(values[0], 0.0) - math.log1p(math.exp(-abs(values[0])))
    return values[0]


def _gone_through(over: Over, bindings: Mapping[str, Any]) -> float:
    values = list(_values(over, bindings))
    total = sum(values)
    if over.kind == "sum":
        return total
    mean = total / len(values)
    if over.kind == "mean":
        return mean
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _values(over: Over, bindings: Mapping[str, Any]) -> Iterator[float]:
    skipped = _lookup(bindings, over.except_) if over.except_ else None
    for position in range(over.first, int(evaluate(over.last, bindings)) + 1):
        if position != skipped:
            yield evaluate(over.body, {**bindings, over.letter: position})
