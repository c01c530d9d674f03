"""Formulas as MathML Core: what browsers draw and screen readers read without any script.

Every symbol is one element of the class ``term`` whose ``data-term`` is the term's id, for a list of symbols to link
with. Pages style two more classes: ``differs``, and ``cases``, a table whose cells are to be aligned left. All text is
escaped.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape

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
    Path,
    Position,
    Power,
    Product,
    Symbol,
)

_TIMES, _APPLY = "\u2062", "\u2061"  # invisible: they tell a screen reader what stands side by side
_SPACE = "\u00a0"  # others at the ends of a text are dropped
_SIGNS = {"<": "<", "<=": "≤", ">": ">", "=": "="}
_NAMES = {"clip": "clip", "min": "min", "exp": "exp", "hold": "sg", "sigmoid": "σ", "mean": "mean", "std": "std"}


def write(tree: Expression, marks: frozenset[Path] = frozenset(), inline: bool = False) -> str:
    """A ``<math>`` element of a formula."""
    display = "" if inline else ' display="block"'
    return f"<math{display}>{_Writer(marks).at(tree, ())}</math>"


class _Writer:
    def __init__(self, marks: frozenset[Path]) -> None:
        self.marks = marks

    def at(self, tree: Expression, path: Path) -> str:
        """The element of the part at a path, marked if it is to be."""
        element = self.plain(tree, path)
        return f'<mrow class="differs">{element}</mrow>' if path in self.marks else element

    def part(self, parent: Expression, path: Path, position: int) -> str:
        """The element of a child, in brackets where it needs them."""
        child = parent.children[position]
        element = self.at(child, (*path, position))
        return _fenced(element) if needs_brackets(child, parent, position) else element

    def subtracted(self, tree: Negative, path: Path) -> str:
        """The element of a negative summand that is not the first, with the space of a minus between two numbers."""
        element = _row('<mo form="infix">−</mo>', self.part(tree, path, 0))
        return f'<mrow class="differs">{element}</mrow>' if path in self.marks else element

    def plain(self, tree: Expression, path: Path) -> str:
        def part(position: int) -> str:
            return self.part(tree, path, position)

        match tree:
            case Number(value):
                if value in POWERS_OF_TEN:
                    return f"<msup><mn>10</mn>{_row('<mo>−</mo>', _number(POWERS_OF_TEN[value]))}</msup>"
                return _number(value)
            case Symbol():
                return symbol_element(tree)
            case Position(letter):
                return _identifier(letter)
            case Negative():
                return _row("<mo>−</mo>", part(0))
            case Add(summands):
                pieces = [part(0)]
                for k, summand in enumerate(summands[1:], start=1):
                    if isinstance(summand, Negative):
                        pieces.append(self.subtracted(summand, (*path, k)))
                    else:
                        pieces += ["<mo>+</mo>", part(k)]
                return _row(*pieces)
            case Product(factors):
                return _row(_operator(_TIMES).join(part(k) for k in range(len(factors))))
            case Fraction():
                return f"<mfrac>{part(0)}{part(1)}</mfrac>"
            case Power():
                return f"<msup>{part(0)}{part(1)}</msup>"
            case Apply(function, arguments):
                inner = _operator(",").join(part(k) for k in range(len(arguments)))
                brackets = "[]" if function == "hold" else "()"
                if function == "log_sigmoid":
                    # One function of another, so that the first needs no brackets.
                    log = ("<mi>log</mi>", f'<mo rspace="0.17em">{_APPLY}</mo>', _identifier(_NAMES["sigmoid"]))
                    return _row(*log, _operator(_APPLY), _fenced(inner))
                return _row(_identifier(_NAMES[function]), _operator(_APPLY), _fenced(inner, brackets))
            case Over():
                return _over(tree, part)
            case Compare(sides, signs):
                chain = [part(0)]
                for k, sign in enumerate(signs, start=1):
                    chain += [_operator(_SIGNS[sign]), part(k)]
                return _row(*chain)
            case Both(conditions):
                return _row(f"<mtext>{_SPACE}and{_SPACE}</mtext>".join(part(k) for k in range(len(conditions))))
            case Cases(values):
                return _cases(part, len(values))
            case Equation(sides):
                return _row("<mo>=</mo>".join(part(k) for k in range(len(sides))))
        raise TypeError(f"{type(tree).__name__} can't be written.")


def symbol_element(symbol: Symbol) -> str:
    """The element of one symbol."""
    term = symbol.term
    letter = _identifier(term.letter)
    if term.hat:
        letter = f'<mover accent="true">{letter}<mo stretchy="false">^</mo></mover>'
    indices = [_index(index) for index in symbol.indices]
    label = [f"<mtext>{escape(term.label)}</mtext>"] if len(term.label) > 1 else []
    label = [_identifier(term.label)] if len(term.label) == 1 else label
    if term.of:
        letter = _subscript(letter, label)
        inner = _subscript(_identifier(term.of), indices)
        element = _row(letter, _operator(_APPLY), _fenced(inner))
    else:
        element = _subscript(letter, label + indices)
    if term.log:
        element = _row("<mi>log</mi>", f'<mo rspace="0.17em">{_APPLY}</mo>', element)
    if term.size:
        element = _fenced(element, "||")
    return f'<mrow class="term" data-term="{escape(term.id)}">{element}</mrow>'


def _subscript(base: str, labels: list[str]) -> str:
    if not labels:
        return base
    return f"<msub>{base}{labels[0] if len(labels) == 1 else _row(_operator(',').join(labels))}</msub>"


def _index(index: str) -> str:
    """An index such as ``t+1``."""
    pieces = [_number(float(piece)) if piece.isdecimal() else _identifier(piece) for piece in index.split("+")]
    return _row("<mo>+</mo>".join(pieces)) if len(pieces) > 1 else pieces[0]


def _over(over: Over, part: Callable[[int], str]) -> str:
    letter = _identifier(over.letter)
    start = _row(letter, "<mo>=</mo>", _number(over.first))
    if over.except_:
        start = _row(start, _operator(","), letter, "<mo>≠</mo>", _identifier(over.except_))
    if over.kind == "sum":
        return _row(f'<munderover><mo movablelimits="false">∑</mo>{start}{part(0)}</munderover>', part(1))
    reach = _row(start, "<mo>…</mo>", part(0))
    return _row(f"<munder>{_identifier(_NAMES[over.kind])}{reach}</munder>", _operator(_APPLY), part(1))


def _cases(part: Callable[[int], str], branches: int) -> str:
    rows = [f"<mtd>{part(k)}</mtd><mtd><mtext>if{_SPACE}</mtext>{part(branches + k)}</mtd>" for k in range(branches)]
    rows.append(f"<mtd>{part(2 * branches)}</mtd><mtd><mtext>otherwise</mtext></mtd>")
    table = "".join(f"<mtr>{row}</mtr>" for row in rows)
    return _row(f'<mo fence="true" form="prefix">{{</mo><mtable class="cases">{table}</mtable>')


def _fenced(inner: str, brackets: str = "()") -> str:
    return _row(
        f'<mo fence="true" form="prefix">{brackets[0]}</mo>',
        inner,
        f'<mo fence="true" form="postfix">{brackets[1]}</mo>',
    )


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _operator(text: str) -> str:
    return f"<mo>{escape(text)}</mo>"


def _identifier(text: str) -> str:
    return f"<mi>{escape(text)}</mi>"


def _number(value: float) -> str:
    return f"<mn>{short(value)}</mn>"
