"""The nodes of a formula: immutable, comparable, made with Python's own operators.

    advantage = REWARD.at("i") - BASELINE.at()

A node is found by its path: the positions to take from the root down, each among the ``children`` of a node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

Path: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """A symbol that a page can explain.

    Attributes:
        id: the name by which values are bound and pages link, such as ``importance_ratio``.
        letter: what is printed; several letters are printed upright.
        name: its standard name, as the heading of an entry.
        spoken: how it is read within a sentence, with its article.
        meaning: one plain sentence.
        label: an upright subscript that never changes, such as ``old``.
        hat: whether the letter wears a hat, as estimates do.
        of: a letter that carries the indices instead, in brackets: ``π(o)``.
        log: whether it is the logarithm of what is printed.
        size: whether it is the length of what is printed: ``|o|``.
        holds: of a term that is 1 or 0, what it says when it is 1.
    """

    id: str
    letter: str
    name: str
    spoken: str
    meaning: str
    label: str = ""
    hat: bool = False
    of: str = ""
    log: bool = False
    size: bool = False
    holds: str = ""

    def at(self, *indices: str) -> Symbol:
        """The term with these indices: letters, or sums such as ``t+1``."""
        return Symbol(self, indices)


class Expression:
    """A formula or a part of one."""

    __slots__ = ()

    @property
    def children(self) -> tuple[Expression, ...]:
        """The parts, in the order in which they are read."""
        found: list[Expression] = []
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Expression):
                found.append(value)
            elif isinstance(value, tuple):
                found.extend(part for part in value if isinstance(part, Expression))
        return tuple(found)

    @property
    def head(self) -> tuple[object, ...]:
        """All of a node but its children."""
        own: list[object] = [type(self)]
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if not isinstance(value, Expression) and not _holds_expressions(value):
                own.append(value)
        return tuple(own)

    def with_children(self, children: tuple[Expression, ...]) -> Expression:
        """The same node around other parts, as many as it has."""
        left = iter(children)
        values: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Expression):
                value = next(left)
            elif _holds_expressions(value):
                value = tuple(next(left) for _ in value)
            values[field.name] = value
        return type(self)(**values)

    def part(self, path: Path) -> Expression:
        """The part at a path.

        Raises:
            IndexError: the path leads out of the formula.
        """
        node = self
        for position in path:
            node = node.children[position]
        return node

    def walk(self, path: Path = ()) -> Iterator[tuple[Path, Expression]]:
        """Every part with its path, the whole first."""
        yield path, self
        for position, child in enumerate(self.children):
            yield from child.walk((*path, position))

    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol once, in the order of reading."""
        return tuple(dict.fromkeys(node for _, node in self.walk() if isinstance(node, Symbol)))

    def terms(self) -> tuple[Term, ...]:
        """Every term once, in the order of reading: the entries of a list of symbols."""
        return tuple(dict.fromkeys(symbol.term for symbol in self.symbols()))

    def substitute(self, replacements: Mapping[Symbol, Expression]) -> Expression:
        """The formula with symbols, told apart by their indices too, replaced by formulas."""
        if isinstance(self, Symbol):
            return replacements.get(self, self)
        if not self.children:
            return self
        return self.with_children(tuple(child.substitute(replacements) for child in self.children))

    def rename(self, old: str, new: str) -> Expression:
        """The formula with another letter for an index that no sum of its own goes over."""
        if isinstance(self, Symbol):
            return Symbol(self.term, tuple(_renamed(index, old, new) for index in self.indices))
        if isinstance(self, Position):
            return Position(_renamed(self.letter, old, new))
        return self.with_children(tuple(child.rename(old, new) for child in self.children))

    def evaluate(self, bindings: Mapping[str, Any]) -> float:
        """The value; see :func:`.evaluation.evaluate` for what is bound how.

        Raises:
            MissingValue: something is not bound.
        """
        from .evaluation import evaluate  # the writers and the evaluation know the nodes, not the other way round

        return evaluate(self, bindings)

    def mathml(self, marks: Collection[Path] = (), *, inline: bool = False) -> str:
        """A ``<math>`` element; parts at the paths ``marks`` get the class ``differs``."""
        from .mathml import write

        return write(self, frozenset(marks), inline)

    def latex(self) -> str:
        """LaTeX for math mode, with the macros of amsmath."""
        from .latex import write

        return write(self)

    def spoken(self) -> str:
        """The formula in words, without a full stop."""
        from .spoken import write

        return write(self)

    def __add__(self, other: Expression | float) -> Expression:
        return _joined(Add, self, expression(other))

    def __radd__(self, other: float) -> Expression:
        return _joined(Add, expression(other), self)

    def __sub__(self, other: Expression | float) -> Expression:
        return _joined(Add, self, Negative(expression(other)))

    def __rsub__(self, other: float) -> Expression:
        return _joined(Add, expression(other), Negative(self))

    def __mul__(self, other: Expression | float) -> Expression:
        return _joined(Product, self, expression(other))

    def __rmul__(self, other: float) -> Expression:
        return _joined(Product, expression(other), self)

    def __truediv__(self, other: Expression | float) -> Expression:
        return Fraction(self, expression(other))

    def __rtruediv__(self, other: float) -> Expression:
        return Fraction(expression(other), self)

    def __pow__(self, other: Expression | float) -> Expression:
        return Power(self, expression(other))

    def __neg__(self) -> Expression:
        return Negative(self)


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A number that is part of the definition. What a setup can change is a symbol."""

    value: float


@dataclass(frozen=True, slots=True)
class Symbol(Expression):
    """A term with its indices."""

    term: Term
    indices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Position(Expression):
    """An index used as a number, counted from 1."""

    letter: str


@dataclass(frozen=True, slots=True)
class Negative(Expression):
    """A term that is subtracted."""

    body: Expression


@dataclass(frozen=True, slots=True)
class Add(Expression):
    """A sum of two or more terms."""

    summands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Product(Expression):
    """A product of two or more factors."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Fraction(Expression):
    """A quotient with a bar."""

    numerator: Expression
    denominator: Expression


@dataclass(frozen=True, slots=True)
class Power(Expression):
    """A power."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True, slots=True)
class Apply(Expression):
    """A function of one or more arguments; ``hold`` is what no gradient goes through, ``sigmoid`` the logistic
    function and ``log_sigmoid`` its logarithm."""

    function: Literal["min", "clip", "exp", "hold", "sigmoid", "log_sigmoid"]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Over(Expression):
    """A sum, mean or sample standard deviation over an index from ``first`` to ``last``.

    ``words`` names what is gone through ("the responses of the group"); ``except_`` is an index that is left out.
    """

    kind: Literal["sum", "mean", "std"]
    letter: str
    last: Expression
    body: Expression
    words: str
    first: int = 1
    except_: str = ""


@dataclass(frozen=True, slots=True)
class Compare(Expression):
    """A chain of comparisons, 1 where it holds and 0 elsewhere."""

    sides: tuple[Expression, ...]
    signs: tuple[Literal["<", "<=", ">", "="], ...]


@dataclass(frozen=True, slots=True)
class Both(Expression):
    """Conditions that must all hold."""

    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Cases(Expression):
    """The first of ``values`` whose condition holds, else ``otherwise``."""

    values: tuple[Expression, ...]
    conditions: tuple[Expression, ...]
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Equation(Expression):
    """Two or more sides that are equal; the first is what is defined, the last is what is computed."""

    sides: tuple[Expression, ...]

    @property
    def symbol(self) -> Symbol:
        """What is defined."""
        symbol = self.sides[0]
        if not isinstance(symbol, Symbol):
            raise TypeError("The left side of a definition must be a symbol.")
        return symbol

    @property
    def formula(self) -> Expression:
        """What is computed."""
        return self.sides[-1]


def expression(value: Expression | float) -> Expression:
    """A number as a node; a node as it is."""
    if isinstance(value, Expression):
        return value
    return Number(float(value)) if value >= 0 else Negative(Number(-float(value)))


def _renamed(index: str, old: str, new: str) -> str:
    return "+".join(new if letter == old else letter for letter in index.split("+"))


def _joined(kind: type[Add] | type[Product], first: Expression, second: Expression) -> Expression:
    parts: tuple[Expression, ...] = ()
    for part in (first, second):
        parts += part.children if isinstance(part, kind) else (part,)
    return kind(parts)


def _holds_expressions(value: object) -> bool:
    return isinstance(value, tuple) and any(isinstance(part, Expression) for part in value)
