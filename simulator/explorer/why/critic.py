"""Where a critic's advantage comes from: the surprise at this token and, fading, at every later one."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.charts.table import fixed
from simulator.explorer.why.bindings import Bindings
from simulator.explorer.why.numbers import Spot
from simulator.explorer.why.terms import number_text
from simulator.explorer.why.words import token_text


@dataclass(frozen=True)
class CriticRow:
    """One token, from the one in focus on. All texts."""

    number: int
    token: str
    reward: str
    value: str
    next_value: str
    surprise: str
    weight: str
    contribution: str
    running: str


@dataclass(frozen=True)
class CriticTable:
    """`total` is what the contributions add up to, and `advantage` what the engine gave the token."""

    rows: tuple[CriticRow, ...]
    total: float
    advantage: float
    fading: float

    @property
    def fading_text(self) -> str:
        return f"{self.fading:.4g}"


def critic_table(b: Bindings, spot: Spot) -> CriticTable | None:
    """The sum of a token's advantage term by term; None without a critic's values."""
    bound = b.of_group(spot)
    if not b.by_token or "value" not in bound:
        return None
    values, paid, surprises = bound["value"], bound["token_reward"], bound["td_error"]
    fading = float(b.settings["gamma"]) * float(b.settings["gae_lambda"])
    response = b.numbers.responses[spot.row]
    rows, total = [], 0.0
    for place in range(spot.place, len(surprises)):
        weight = fading ** (place - spot.place)
        total += weight * float(surprises[place])
        rows.append(
            CriticRow(
                number=place + 1,
                token=token_text(response, place),
                reward=number_text(float(paid[place]), 3),
                value=fixed(values[place]),
                next_value=fixed(values[place + 1]),
                surprise=fixed(surprises[place]),
                weight=fixed(weight, 2),
                contribution=fixed(weight * surprises[place]),
                running=fixed(total),
            )
        )
    return CriticTable(tuple(rows), total, b.computed.at("advantages", spot.row, spot.place), fading)
