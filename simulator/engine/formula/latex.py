"""Formulas as LaTeX, for copying: math mode, amsmath."""

from __future__ import annotations

from collections.abc import Callable

from .grouping import POWERS_OF_TEN, needs_brackets, short
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

_SIGNS = {"<": "<", "<=": r"\le", ">": ">", "=": "="}
_NAMES = {
    "min": r"\min",
    "clip": r"\operatorname{clip}",
    "exp": r"\exp",
    "hold": r"\operatorname{sg}",
    "sigmoid": r"\sigma",
    "log_sigmoid": r"\log \sigma",
}
_LETTERS = {
    "π": r"\pi",
    "θ": r"\theta",
    "ε": r"\epsilon",
    "β": r"\beta",
    "γ": r"\gamma",
    "λ": r"\lambda",
    "δ": r"\delta",
    "Δ": r"\Delta",
    "ρ": r"\rho",
    "∇": r"\nabla",
}


def write(tree: Expression) -> str:
    """The formula as LaTeX."""

    def part(position: int) -> str:
        child = tree.children[position]
        text = write(child)
        return rf"\left({text}\right)" if needs_brackets(child, tree, position) else text

    match tree:
        case Number(value):
            return rf"10^{{-{POWERS_OF_TEN[value]}}}" if value in POWERS_OF_TEN else short(value)
        case Symbol():
            return _symbol(tree)
        case Position(letter):
            return letter
        case Negative():
            return "-" + part(0)
        case Add(summands):
            pieces = [part(0)]
            for k in range(1, len(summands)):
                # A negative summand brings its own sign.
                pieces.append(part(k).replace("-", "- ", 1) if isinstance(summands[k], Negative) else "+ " + part(k))
            return " ".join(pieces)
        case Product(factors):
            return r" \, ".join(part(k) for k in range(len(factors)))
        case Fraction():
            return rf"\frac{{{part(0)}}}{{{part(1)}}}"
        case Power():
            return f"{{{part(0)}}}^{{{part(1)}}}"
        case Apply(function, arguments):
            inner = r",\; ".join(part(k) for k in range(len(arguments)))
            start, end = "[]" if function == "hold" else "()"
            return rf"{_NAMES[function]}\left{start}{inner}\right{end}"
        case Over():
            return _over(tree, part)
        case Compare(sides, signs):
            return part(0) + "".join(f" {_SIGNS[signs[k - 1]]} {part(k)}" for k in range(1, len(sides)))
        case Both(conditions):
            return r" \text{ and } ".join(part(k) for k in range(len(conditions)))
        case Cases(values):
            return _cases(part, len(values))
        case Equation(sides):
            return " = ".join(part(k) for k in range(len(sides)))
    raise TypeError(f"{type(tree).__name__} can't be written.")


def _symbol(symbol: Symbol) -> str:
    term = symbol.term
    letter = rf"\hat{{{_letter(term.letter)}}}" if term.hat else _letter(term.letter)
    label = [_letter(term.label) if len(term.label) == 1 else rf"\text{{{term.label}}}"] if term.label else []
    if term.of:
        text = rf"{_subscript(letter, label)}({_subscript(term.of, list(symbol.indices))})"
    else:
        text = _subscript(letter, label + list(symbol.indices))
    if term.log:
        text = rf"\log {text}"
    return rf"\lvert {text} \rvert" if term.size else text


def _letter(text: str) -> str:
    if text in _LETTERS:
        return _LETTERS[text]
    return text if len(text) == 1 else rf"\mathrm{{{text}}}"


def _subscript(base: str, parts: list[str]) -> str:
    return f"{base}_{{{', '.join(parts)}}}" if parts else base


def _over(over: Over, part: Callable[[int], str]) -> str:
    start = f"{over.letter} = {over.first}"
    if over.except_:
        start += rf",\, {over.letter} \ne {over.except_}"
    if over.kind == "sum":
        return rf"\sum_{{{start}}}^{{{part(0)}}} {part(1)}"
    return rf"\operatorname*{{{over.kind}}}_{{{start} \ldots {part(0)}}} {part(1)}"


def _cases(part: Callable[[int], str], branches: int) -> str:
    rows = [rf"{part(k)} & \text{{if }} {part(branches + k)}" for k in range(branches)]
    rows.append(rf"{part(2 * branches)} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"
