"""The value of a formula over whole rectangles at once: the objective of an update has thousands of terms.

As `Expression.evaluate`, which takes one token at a time; a test holds them to each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from simulator.engine.formula import (
    Add,
    Apply,
    Both,
    Cases,
    Compare,
    Equation,
    Expression,
    Fraction,
    MissingValue,
    Negative,
    Number,
    Over,
    Position,
    Power,
    Product,
    Symbol,
)

Array = npt.NDArray[np.float64]

_COMPARED = {"<": np.less, "<=": np.less_equal, ">": np.greater, "=": np.equal}


def evaluate(tree: Expression, bindings: Mapping[str, Any]) -> float:
    """The value of a formula whose indices are all bound by its own sums.

    Terms are bound by their ids to numbers or arrays with one axis for each index; letters count from 1.

    Raises:
        MissingValue: something is not bound.
    """
    with np.errstate(all="ignore"):
        return float(_value(tree, bindings, {}))


def _value(tree: Expression, bindings: Mapping[str, Any], letters: Mapping[str, Any]) -> Any:
    def value(part: Expression) -> Any:
        return _value(part, bindings, letters)

    match tree:
        case Number():
            return np.float64(tree.value)
        case Symbol():
            return _bound(tree, bindings, letters)
        case Position(letter):
            return letters[letter]
        case Negative(body):
            return -value(body)
        case Add(summands):
            return sum(map(value, summands))
        case Product(factors):
            return reduce(np.multiply, map(value, factors))
        case Fraction(numerator, denominator):
            return value(numerator) / value(denominator)
        case Power(base, exponent):
            return value(base) ** value(exponent)
        case Apply(function, arguments):
            return _applied(function, [value(part) for part in arguments])
        case Over():
            return _gone_through(tree, bindings, letters)
        case Compare(sides, signs):
            found = [value(side) for side in sides]
            links = zip(found, signs, found[1:], strict=False)
            return reduce(np.logical_and, (_COMPARED[sign](first, second) for first, sign, second in links))
        case Both(conditions):
            return reduce(np.logical_and, map(value, conditions))
        case Cases(values, conditions, otherwise):
            result = value(otherwise)
            for branch, condition in reversed(list(zip(values, conditions, strict=True))):
                result = np.where(value(condition), value(branch), result)
            return result
        case Equation():
            return value(tree.formula)
    raise TypeError(f"{type(tree).__name__} has no value.")


def _bound(symbol: Symbol, bindings: Mapping[str, Any], letters: Mapping[str, Any]) -> Any:
    name = symbol.term.id
    if name not in bindings:
        raise MissingValue(name)
    found = np.asarray(bindings[name], dtype=np.float64)
    if not symbol.indices:
        return found
    places = [_place(index, letters) - 1 for index in symbol.indices]
    return found[tuple(np.broadcast_arrays(*places))]


def _place(index: str, letters: Mapping[str, Any]) -> Any:
    return sum(int(part) if part.isdecimal() else letters[part] for part in re.split(r"\+", index))


def _applied(function: str, found: list[Any]) -> Any:
    if function == "min":
        return reduce(np.minimum, found)
    if function == "clip":
        return np.minimum(np.maximum(found[0], found[1]), found[2])
    if function == "exp":
        return np.exp(found[0])
    if function == "hold":
        return found[0]
    raise TypeError(f"No objective has the function {function}.")


def _gone_through(over: Over, bindings: Mapping[str, Any], letters: Mapping[str, Any]) -> Any:
    """A new last axis for the letter; where it runs past its end, the last term stands in and does not count."""
    last = np.asarray(_value(over.last, bindings, letters), dtype=np.int64)
    wider = {letter: np.asarray(place)[..., None] for letter, place in letters.items()}
    places = np.arange(over.first, max(int(last.max(initial=0)), over.first) + 1)
    counts = places <= last[..., None]
    if over.except_:
        counts = counts & (places != wider[over.except_])
    inside = np.minimum(places, np.maximum(last[..., None], over.first))
    body = np.where(counts, _value(over.body, bindings, {**wider, over.letter: inside}), 0.0)
    total = body.sum(axis=-1)
    if over.kind == "sum":
        return total
    amount = np.broadcast_to(counts, body.shape).sum(axis=-1)
    mean = total / amount
    if over.kind == "mean":
        return mean
    squares = np.where(counts, (body - mean[..., None]) ** 2, 0.0).sum(axis=-1)
    return np.sqrt(squares / (amount - 1))
