"""The strongest pushes as links, and every token of a prompt in one table."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from simulator.charts.pushes import THOUSANDTHS
from simulator.charts.table import MINUS
from simulator.explorer.exploration import Exploration
from simulator.explorer.inspector.cells import Cells
from simulator.explorer.inspector.sheet import Sheet
from simulator.explorer.inspector.weights import fraction
from simulator.explorer.inspector.words import push_words

MOST_LISTED = 5

HEAD = (
    "Token",
    "Response",
    "Old p",
    "New p",
    "Ratio",
    "Advantage",
    "Clip",
    "KL",
    "Weight",
    "Objective",
    "Push",
    "Entropy",
    "Context",
)
"""Columns of the token table; pushes in thousandths."""


@dataclass(frozen=True)
class Pushed:
    """One token among the hardest pushed of an update, and its address."""

    text: str
    where: str
    push: str
    href: str


def strongest(x: Exploration, sheet: Sheet, p: int) -> tuple[tuple[Pushed, ...], tuple[Pushed, ...]]:
    """The tokens of a prompt, from 0, that are pushed up most, and those pushed down most."""
    pushes = np.nan_to_num(sheet.numbers("push")[p])
    order = np.argsort(pushes, axis=None, kind="stable")
    found: list[tuple[Pushed, ...]] = []
    for places, is_wanted in ((order[::-1], np.greater), (order, np.less)):
        listed = []
        for place in places[:MOST_LISTED]:
            i, t = (int(k) for k in np.unravel_index(place, pushes.shape))
            if is_wanted(pushes[i, t], 0):
                href = x.link(r=i + 1, t=t + 1)
                listed.append(Pushed(sheet.text(p, i, t), f"R{i + 1}", push_words(pushes[i, t]), href))
        found.append(tuple(listed))
    return found[0], found[1]


def token_rows(cells: Cells) -> SafeString:
    """The <tr> elements of a prompt's tokens, response after response. An empty cell: not logged."""
    sheet, p = cells.sheet, cells.p
    kl, entropies = sheet.kl[p], sheet.entropies[p]
    old, new = (np.exp(sheet.numbers(name)[p]) for name in ("old_log_probs", "log_probs"))
    ratios, advantages = sheet.numbers("ratio")[p], sheet.numbers("advantages")[p]
    weights, objectives = sheet.numbers("weight")[p], sheet.numbers("token_objective")[p]
    pushes = sheet.numbers("push")[p] * THOUSANDTHS
    rows = []
    for i, response in enumerate(sheet.prompts[p].responses):
        # Lists: reading single numbers out of an array takes longer than writing them.
        columns = [
            [_written(value, digits) for value in values[i].tolist()]
            for values, digits in ((old, 4), (new, 4), (ratios, 3), (kl, 4), (entropies, 3))
        ]
        columns += [
            [_written(value, 3, plus=True) for value in values[i].tolist()]
            for values in (advantages, objectives, pushes)
        ]
        weight = fraction(float(weights[i, 0])) if response.length and np.isfinite(weights[i, 0]) else ""
        for t in range(response.length):
            old_p, new_p, ratio, distance, entropy, advantage, objective, push = (column[t] for column in columns)
            context = escape(response.contexts[t]) if response.contexts else ""
            row = (old_p, new_p, ratio, advantage, cells.clip_words(i, t), distance, weight, objective, push, entropy)
            rows.append(
                f"<tr><th scope=row>{escape(sheet.text(p, i, t))}</th><td class=n>R{i + 1}</td><td class=n>"
                f"{'</td><td class=n>'.join(row)}</td><td class=n>{context}</td></tr>"
            )
    return mark_safe("".join(rows))  # noqa: S308


def _written(value: float, digits: int, plus: bool = False) -> str:
    """As `fixed` and `signed`, and "" for what is not logged: a table has thousands of these."""
    if value != value:
        return ""
    text = f"{value:.{digits}f}"
    if not text.strip("-0."):
        return text.lstrip("-")
    if text[0] == "-":
        return MINUS + text[1:]
    return f"+{text}" if plus else text
