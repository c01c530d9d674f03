"""The same responses under two algorithms, in the colors of one scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.charts.pushes import Swatch, bin_of, bin_width, legend, thousandths
from simulator.explorer.exploration import Exploration
from simulator.explorer.why.bindings import Bindings
from simulator.explorer.why.numbers import FloatArray
from simulator.explorer.why.terms import number_text
from simulator.explorer.why.words import token_text


@dataclass(frozen=True)
class PairedToken:
    """A token with its bin under both."""

    text: str
    first_bin: int
    second_bin: int
    first_words: str
    second_words: str
    href: str
    is_current: bool


@dataclass(frozen=True)
class PairedResponse:
    """A response under both; `name` is R1."""

    name: str
    reward: str
    tokens: tuple[PairedToken, ...]


def paired_heat(
    x: Exploration, b: Bindings, other: Bindings
) -> tuple[tuple[PairedResponse, ...], tuple[Swatch, ...], str]:
    """The prompt's responses under both, in the colors of one scale."""
    for one in (b, other):
        if "push" not in one.computed.tokens:
            return (), (), f"{one.subject.label} {one.missing('push')}."
    if x.state.p is None:
        return (), (), ""
    start, end = int(b.numbers.starts[x.state.p - 1]), int(b.numbers.starts[x.state.p])
    pushes = np.stack([one.computed.tokens["push"][start:end] for one in (b, other)])
    width = bin_width(pushes)
    rows = tuple(_paired(x, b, row, pushes[:, row - start], width) for row in range(start, end))
    bins = (found for row in rows for token in row.tokens for found in (token.first_bin, token.second_bin))
    return rows, legend(bins, width), ""


def _paired(x: Exploration, b: Bindings, row: int, pushes: FloatArray, width: float) -> PairedResponse:
    response = b.numbers.responses[row]
    number = row - b.numbers.group(row).start + 1
    return PairedResponse(
        f"R{number}",
        number_text(float(b.numbers.rewards[row])) if np.isfinite(b.numbers.rewards[row]) else "",
        tuple(
            PairedToken(
                text=token_text(response, place),
                first_bin=bin_of(pushes[0, place], width),
                second_bin=bin_of(pushes[1, place], width),
                first_words=thousandths(pushes[0, place]),
                second_words=thousandths(pushes[1, place]),
                href=x.link(r=number, t=place + 1),
                is_current=(x.state.r, x.state.t) == (number, place + 1),
            )
            for place in range(response.length)
        ),
    )
