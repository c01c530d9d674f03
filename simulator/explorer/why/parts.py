"""What stands in the cards beside formulas: what responses weigh, which tokens are pushed most, what happens to one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.charts.pushes import thousandths
from simulator.charts.table import fixed
from simulator.engine.objective.clip import CISPO, CLIPPED_HIGH, CLIPPED_LOW
from simulator.explorer.exploration import Exploration
from simulator.explorer.why.bindings import Bindings
from simulator.explorer.why.numbers import Spot
from simulator.explorer.why.subject import Subject
from simulator.explorer.why.terms import number_text
from simulator.explorer.why.words import token_text

MOST_LINKS = 3
"""Tokens that are offered to be looked at, in either direction."""


@dataclass(frozen=True)
class LengthRow:
    """What a response of the prompt weighs. `share` is that of the whole response among those of the update."""

    name: str
    length: int
    token: str
    whole: str
    share: float
    is_current: bool
    is_masked: bool


@dataclass(frozen=True)
class StrongToken:
    """A token to look at, with the link to it and its push in thousandths."""

    text: str
    response: str
    push: str
    href: str


def weights_of(x: Exploration, b: Bindings) -> tuple[LengthRow, ...]:
    if x.state.p is None or "weight" not in b.computed.tokens:
        return ()
    weights = b.computed.tokens["weight"]
    totals = np.nansum(weights, axis=1)
    largest = float(totals.max(initial=0.0)) or 1.0
    start, end = int(b.numbers.starts[x.state.p - 1]), int(b.numbers.starts[x.state.p])
    return tuple(
        LengthRow(
            name=f"R{row - start + 1}",
            length=int(b.numbers.lengths[row]),
            token=number_text(float(weights[row, 0])) if b.numbers.lengths[row] else "",
            whole=fixed(float(totals[row]), 4),
            share=round(100 * float(totals[row]) / largest, 1),
            is_current=x.state.r == row - start + 1,
            is_masked=b.numbers.lengths[row] > 0 and weights[row, 0] == 0,
        )
        for row in range(start, end)
    )


def strongest(x: Exploration, b: Bindings) -> tuple[StrongToken, ...]:
    """The tokens of the prompt that are pushed most, up and down."""
    if x.state.p is None or "push" not in b.computed.tokens:
        return ()
    start, end = int(b.numbers.starts[x.state.p - 1]), int(b.numbers.starts[x.state.p])
    pushes = np.nan_to_num(b.computed.tokens["push"][start:end])
    if not pushes.any():
        return ()
    order = np.argsort(pushes, axis=None, kind="stable")
    best = [int(one) for one in order[::-1][:MOST_LINKS]] + [int(one) for one in order[:MOST_LINKS]]
    found = []
    for flat in dict.fromkeys(best):
        row, place = divmod(flat, pushes.shape[1])
        if pushes[row, place]:
            response = b.numbers.responses[start + row]
            found.append(
                StrongToken(
                    text=token_text(response, place),
                    response=f"R{row + 1}",
                    push=thousandths(float(pushes[row, place])),
                    href=x.link(r=row + 1, t=place + 1),
                )
            )
    return tuple(found)


def token_said(x: Exploration, subject: Subject, b: Bindings | None, spot: Spot | None) -> str:
    """What happens to the token in focus, in one sentence."""
    if b is None:
        return "Nothing of this update was logged, so the formulas have no numbers."
    if spot is None:
        return "Pick a token to fill in numbers."
    text, name = token_text(b.numbers.responses[spot.row], spot.place), f"R{x.state.r}"
    push = b.computed.at("push", spot.row, spot.place)
    would = "is" if subject.is_own else "would be"
    if not np.isfinite(push):
        return f"Token {text} in {name}: its push isn’t known, because it {b.missing('push')}."
    if push == 0:
        return f"Token {text} in {name} {'is not' if subject.is_own else 'would not be'} pushed: {_why_not(b, spot)}."
    way, size = "up" if push > 0 else "down", number_text(abs(push) * 1000)
    if b.codes["clip"] != CISPO and b.computed.at("clip_state", spot.row, spot.place) in (CLIPPED_HIGH, CLIPPED_LOW):
        pulls = "pulls" if subject.is_own else "would pull"
        return f"Token {text} in {name} {would} clipped; only the KL {pulls} it {way}, by {size} thousandths."
    return f"Token {text} in {name} {would} pushed {way}, {number_text(push * 1000)} thousandths."


def _why_not(b: Bindings, spot: Spot) -> str:
    """Why a token has no push, in words."""
    if b.computed.at("weight", spot.row, spot.place) == 0:
        return "its response weighs nothing"
    if b.computed.at("advantages", spot.row, spot.place) == 0:
        return "its advantage is 0"
    if b.computed.at("clip_state", spot.row, spot.place) in (CLIPPED_HIGH, CLIPPED_LOW):
        return "the clip is active"
    return "what pulls it up and down adds up to 0"
