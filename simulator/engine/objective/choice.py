"""What a choice of a slot is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..formula import Equation, Expression, Symbol


@dataclass(frozen=True, slots=True)
class Note:
    """A library that computes something else under the same name, or under another one.

    ``version`` is the version whose source was read, or empty where it is not known.
    """

    library: str
    version: str
    statement: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of a slot, which the engine trains with and pages show.

    Attributes:
        slot: the key of the slot in a setup.
        name: the value of that key; of ``dynamic_sampling``, ``true`` or ``false``.
        code: how the compiled function of the slot knows it.
        symbol: what the formula computes.
        formula: the formula; its value is that of the compiled function.
        derivative: of the formula by the token's log-probability, where the gradient goes through it.
        sentence: what it does, in one plain sentence.
        aspects: the same in parts that can be compared: aspect, and what this choice does there.
        source: who defined it: authors, year, number of the paper.
        edge: what the formula leaves open, and what is done there.
        readings: other ways to write the formula, all of the same value.
        definitions: further symbols of the formula, and what follows from it.
        whole: of an aggregation, the objective with the terms of all tokens as symbols.
        settings: the keys of a setup that only matter beside this choice.
        notes: what libraries do instead.
    """

    slot: str
    name: str
    code: int
    label: str
    symbol: Symbol
    formula: Expression
    derivative: Expression | None
    sentence: str
    aspects: Mapping[str, str] = field(hash=False)
    source: str
    edge: str = ""
    readings: tuple[Expression, ...] = ()
    definitions: tuple[Equation, ...] = ()
    whole: Expression | None = None
    settings: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def equation(self) -> Expression:
        """Symbol, readings and formula, all equal; the formula alone where it is the symbol itself."""
        if self.formula == self.symbol:
            return self.formula
        return Equation((self.symbol, *self.readings, self.formula))
