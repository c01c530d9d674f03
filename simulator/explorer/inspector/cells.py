"""Token cells as HTML. A step can have hundreds of them, for which a template would take tens of milliseconds.

What stands in a cell may come from a log that somebody opened, so every text is escaped here: by the function that
Django's own is made of, which for plain strings says the same in a third of the time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW, UNCLIPPED
from simulator.explorer.exploration import Exploration
from simulator.explorer.inspector.colors import STRENGTHS, Color, IntArray, Scale
from simulator.explorer.inspector.sheet import BoolArray, FloatArray, Sheet

CLIP_WORDS = {CLIPPED_HIGH: "clipped high", CLIPPED_LOW: "clipped low", UNCLIPPED: "outside the bounds, still pushed"}
HELD = "weight held at the bound"

# Larger than any response or token, and found again in an address.
_RESPONSE, _TOKEN = 918_273, 645_546


@dataclass(frozen=True, eq=False)
class Cells:
    """The tokens of one prompt's responses with their colors.

    Attributes:
        p: the prompt, from 0.
        color, scale: what colors them; `color` None leaves them plain.
        only: the one bin that keeps its color, as an address calls it, or None.
        is_held: the clip holds the weight of a token instead of taking its push.
    """

    sheet: Sheet
    p: int
    color: Color | None
    scale: Scale | None
    only: int | None = None
    is_held: bool = False

    @cached_property
    def values(self) -> FloatArray:
        """``(G, T)``"""
        if self.color is None:
            return np.full(self.sheet.shape[1:], np.nan)
        return self.color.of(self.sheet)[self.p]

    @cached_property
    def bins(self) -> IntArray:
        return np.zeros(self.values.shape, dtype=np.int64) if self.scale is None else self.scale.bins(self.values)

    @cached_property
    def is_beyond(self) -> BoolArray:
        return np.zeros(self.values.shape, dtype=bool) if self.scale is None else self.scale.is_beyond(self.values)

    @cached_property
    def states(self) -> FloatArray:
        return self.sheet.numbers("clip_state")[self.p]

    def counts(self) -> dict[int, int]:
        """How many tokens each bin has."""
        if self.scale is None:
            return {}
        found = self.bins[np.isfinite(self.values)]
        return {bin_: int((found == bin_).sum()) for bin_ in self.scale.places}

    def clip_words(self, i: int, t: int) -> str:
        """What the clip does to a token; "" where nothing, or where it isn't known."""
        state = self.states[i, t]
        if self.is_held and state == CLIPPED_HIGH:
            return HELD
        return CLIP_WORDS.get(int(state), "") if np.isfinite(state) else ""

    def words(self, i: int, t: int) -> str:
        """The value of a token in words: "push up 1.80 thousandths, strongly; ratio 1.08; not clipped"."""
        if self.color is None or self.scale is None:
            return ""
        said = [self._value_words(self.color, self.scale, float(self.values[i, t]), int(self.bins[i, t]))]
        if self.is_beyond[i, t]:
            said[0] += ", beyond the scale"
        ratio = float(self.sheet.numbers("ratio")[self.p, i, t])
        if self.color.name != "ratio" and np.isfinite(ratio):
            said.append(f"ratio {ratio:.3f}")
        if np.isfinite(self.states[i, t]):
            said.append(self.clip_words(i, t) or "not clipped")
        return "; ".join(said)

    @staticmethod
    def _value_words(color: Color, scale: Scale, value: float, bin_: int) -> str:
        if not np.isfinite(value):
            return f"{color.label} not logged"
        if color.kind == "state":
            return color.label
        unit = f" {color.unit}" if color.unit else ""
        if color.name == "push":
            way = "" if bin_ == 0 else " up" if bin_ > 0 else " down"
            return f"push{way} {color.written(value, 2)}{unit}, {STRENGTHS[abs(bin_)]}"
        return f"{color.label} {color.written(value)}{unit}"

    def css(self, i: int, t: int) -> str:
        """The classes of a cell."""
        if self.scale is None or self.color is None:
            return "tok q0"
        bin_ = int(self.bins[i, t])
        if self.only is not None and self.scale.filter_of(bin_) != self.only:
            return "tok off"
        css = f"tok {self.scale.css(bin_)}"
        if self.states[i, t] >= CLIPPED_HIGH:
            css += " clip" if self.is_held else " clip hi" if self.states[i, t] == CLIPPED_HIGH else " clip lo"
        return css + " over" if self.is_beyond[i, t] else css

    def spans(self, i: int, first: int = 0) -> SafeString:
        """The tokens of a response, to look at."""
        return mark_safe("".join(self._spans(i, first)))  # noqa: S308

    def _spans(self, i: int, first: int) -> Iterable[str]:
        for t in range(first, int(self.sheet.lengths[self.p, i])):
            words = escape(self.words(i, t))
            text = escape(self.sheet.text(self.p, i, t))
            yield f'<li class="{self.css(i, t)}" title="{words}"><u>{text}</u><span class="vh">, {words}</span></li>'


@dataclass(frozen=True, eq=False)
class Links:
    """Cells that lead to their token. ``selected`` is a response and a token, from 0, or None."""

    x: Exploration
    cells: Cells
    selected: tuple[int, int] | None = None

    @cached_property
    def _address(self) -> tuple[str, str, str]:
        """An address before, between and behind the numbers of response and token: made once, not for every cell."""
        address = escape(self.x.link(r=_RESPONSE, t=_TOKEN))
        before, rest = address.split(str(_RESPONSE), 1)
        between, behind = rest.split(str(_TOKEN), 1)
        return before, between, behind

    def tokens(self, i: int, first: int = 0) -> SafeString:
        """The tokens of a response from ``first`` on, one link each."""
        length = int(self.cells.sheet.lengths[self.cells.p, i])
        return mark_safe("".join(self._token(i, t) for t in range(first, length)))  # noqa: S308

    def row(self, i: int, columns: int) -> SafeString:
        """The same as cells of a grid, empty behind the last token."""
        length = int(self.cells.sheet.lengths[self.cells.p, i])
        found = [
            f'<td role="gridcell" aria-colindex="{t + 2}" aria-selected="{str((i, t) == self.selected).lower()}">'
            f"{self._token(i, t)}</td>"
            for t in range(length)
        ]
        found += ['<td role="gridcell"></td>'] * (columns - length)
        return mark_safe("".join(found))  # noqa: S308

    def _token(self, i: int, t: int) -> str:
        cells = self.cells
        before, between, behind = self._address
        words = cells.words(i, t)
        spoken = cells.sheet.spoken(cells.p, i, t)
        name = escape(f"{spoken}: {words}" if words else spoken)
        is_selected = (i, t) == self.selected
        css = cells.css(i, t) + (" sel" if is_selected else "")
        current = ' aria-current="true" data-key="C"' if is_selected else ""
        return (
            f'<a class="{css}" id="tok-{i + 1}-{t + 1}" href="{before}{i + 1}{between}{t + 1}{behind}" title="{name}" '
            f'aria-label="{name}"{current}><u>{escape(cells.sheet.text(cells.p, i, t))}</u></a>'
        )
