"""What differs between two formulas: the parts, and words for them.

The cheapest edit of one tree into the other, where an edit costs as many nodes as it takes away and puts in. Parts
that merely stand inside more or fewer others (a numerator that loses its denominator) count as the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from .spoken import reach
from .tree import Add, Apply, Cases, Expression, Fraction, Negative, Path, Product


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: the part of the first formula, the part of the second, and words for each.

    A path is None where the formula has nothing in place of the other's part.
    """

    first: Path | None
    second: Path | None
    first_words: str = ""
    second_words: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """All differences of two formulas; none when they are equal."""

    changes: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def first_marks(self) -> frozenset[Path]:
        """Paths of the parts of the first formula that differ, for ``mathml(marks)``."""
        return frozenset(change.first for change in self.changes if change.first is not None)

    @property
    def second_marks(self) -> frozenset[Path]:
        """Paths of the parts of the second formula that differ."""
        return frozenset(change.second for change in self.changes if change.second is not None)


def difference(first: Expression, second: Expression) -> Difference:
    """What differs between two formulas."""
    changes = []
    for change in _cheapest(first, second).changes:
        if change.first is None:
            added, missing = _words(second, change.second or ())
            changes.append(replace(change, first_words=missing, second_words=added))
        elif change.second is None:
            removed, missing = _words(first, change.first)
            changes.append(replace(change, first_words=removed, second_words=missing))
        else:
            parts = first.part(change.first), second.part(change.second)
            words = parts[0].spoken(), parts[1].spoken()
            if words[0] == words[1]:
                words = words[0] + reach(parts[0]), words[1] + reach(parts[1])
            changes.append(replace(change, first_words=words[0], second_words=words[1]))
    return Difference(tuple(changes))


class _Edit(NamedTuple):
    cost: float
    changes: tuple[Change, ...]

    def then(self, other: _Edit) -> _Edit:
        """Both edits."""
        return _Edit(self.cost + other.cost, self.changes + other.changes)

    def under(self, first: Path, second: Path) -> _Edit:
        """The same edit of parts that lie at these paths."""
        return _Edit(
            self.cost,
            tuple(
                Change(
                    None if change.first is None else first + change.first,
                    None if change.second is None else second + change.second,
                )
                for change in self.changes
            ),
        )


_NOTHING = _Edit(0, ())
# Putting one part in the place of another is told as one change, so it is a little cheaper than two.
_PAIRED = 0.5


@lru_cache(maxsize=50_000)
def _size(tree: Expression) -> int:
    return 1 + sum(_size(child) for child in tree.children)


@lru_cache(maxsize=50_000)
def _cheapest(first: Expression, second: Expression) -> _Edit:
    if first == second:
        return _NOTHING
    edits = [_Edit(_size(first) + _size(second) - _PAIRED, (Change((), ()),))]
    if first.children and first.head == second.head:
        edits.append(_aligned(first.children, second.children))
    edits += [_unwrapped(first, second, position) for position in _inner(first)]
    for position in _inner(second):
        mirrored = _unwrapped(second, first, position)
        edits.append(_Edit(mirrored.cost, tuple(Change(change.second, change.first) for change in mirrored.changes)))
    return min((edit for edit in edits if _is_telling(edit, first, second)), key=lambda edit: edit.cost)


def _is_telling(edit: _Edit, first: Expression, second: Expression) -> bool:
    """Whether an edit says more than that one formula stands in the place of the other.

    It does when the two are made alike and share a part, or when it keeps half of both or nearly all of the smaller.
    """
    if edit.changes == (Change((), ()),):
        return True
    parts = len(first.children)
    if first.head == second.head and parts == len(second.children):
        return edit.changes != tuple(Change((k,), (k,)) for k in range(parts))
    kept = (_size(first) + _size(second) - edit.cost) / 2
    smaller = min(_size(first), _size(second))
    return kept >= (_size(first) + _size(second)) / 4 or (smaller >= 3 and kept >= 0.8 * smaller)


def _inner(tree: Expression) -> range:
    """The positions of children that can stand without what is around them."""
    wraps = isinstance(tree, Add | Product | Fraction | Negative | Apply | Cases)
    return range(len(tree.children)) if wraps else range(0)


def _unwrapped(outer: Expression, other: Expression, position: int) -> _Edit:
    """The edit that keeps one child of ``outer`` and takes away all around it."""
    kept = _cheapest(outer.children[position], other).under((position,), ())
    around = [k for k in range(len(outer.children)) if k != position]
    taken = tuple(Change((k,), None) for k in around) or (Change((), ()),)
    return _Edit(_size(outer) - _size(outer.children[position]), taken).then(kept)


def _aligned(first: tuple[Expression, ...], second: tuple[Expression, ...]) -> _Edit:
    """The cheapest edit of one row of parts into another, in order."""
    table = [[_NOTHING] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) + 1):
        for j in range(len(second) + 1):
            ways = []
            if i and j:
                paired = _cheapest(first[i - 1], second[j - 1]).under((i - 1,), (j - 1,))
                ways.append(table[i - 1][j - 1].then(paired))
            if i:
                taken = _Edit(_size(first[i - 1]), (Change((i - 1,), None),))
                ways.append(table[i - 1][j].then(taken))
            if j:
                put = _Edit(_size(second[j - 1]), (Change(None, (j - 1,)),))
                ways.append(table[i][j - 1].then(put))
            if ways:
                table[i][j] = min(ways, key=lambda edit: edit.cost)
    return table[-1][-1]


def _words(tree: Expression, path: Path) -> tuple[str, str]:
    """Words for a part, and for its absence."""
    part = tree.part(path)
    parent = tree.part(path[:-1]) if path else None
    if isinstance(parent, Fraction) and path[-1] == 1:
        return f"divides by {part.spoken()}", "does not divide"
    if isinstance(parent, Product):
        return f"multiplies by {part.spoken()}", "does not multiply"
    if isinstance(parent, Add):
        if isinstance(part, Negative):
            return f"subtracts {part.body.spoken()}", "does not subtract"
        return f"adds {part.spoken()}", "does not add"
    return part.spoken(), "nothing"
