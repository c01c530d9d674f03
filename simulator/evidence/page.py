"""What the evidence page shows: a row for every claim, and a section with everything behind it.

All of it follows from the registry and the committed results, so it is made once per process.
"""

import json
from dataclasses import dataclass
from functools import cache

from simulator.charts.intervals import IntervalMark, interval_mark, reach_of
from simulator.charts.table import fixed
from simulator.evidence.claim import Arm, Claim, Effect, Verdict, verdict
from simulator.evidence.findings import fill, interval_text
from simulator.evidence.links import lab_address
from simulator.evidence.measure import ClaimResult, EffectResult
from simulator.evidence.registry import CLAIMS
from simulator.evidence.results import DECIMALS, results

# What a verdict is called, the icon and the chip that go with it.
_WORDS = {
    Verdict.REPRODUCED: ("shows here", "check", "chip-met"),
    Verdict.PARTLY: ("partly", "minus", "chip-warn"),
    Verdict.NOT: ("not here", "x", "chip-miss"),
}


_WHERE = {"candidates": "forty prompts, ten answers each", "reasoning": "token by token, shared parameters"}

# A claim with more setups than this keeps their table folded.
_MOST_OPEN = 9


@dataclass(frozen=True)
class VerdictChip:
    name: str
    label: str
    icon: str
    css: str


@dataclass(frozen=True)
class EffectRow:
    """One effect as a row. `is_met` is None where the statement doesn't depend on it; `needs` says what it takes."""

    label: str
    value: str
    unit: str
    same_sign: str
    needs: str
    is_met: bool | None
    mark: IntervalMark


@dataclass(frozen=True)
class ArmRow:
    """One setup as a row: its values in the order of the columns, and where the lab opens it."""

    label: str
    address: str
    values: tuple[str, ...]
    sampled_responses: str
    settings: str


@dataclass(frozen=True)
class Entry:
    """A claim with its results, ready to print."""

    claim: Claim
    verdict: VerdictChip
    finding: str
    headline: EffectRow
    effects: tuple[EffectRow, ...]
    head: tuple[str, ...]
    arms: tuple[ArmRow, ...]
    seeds: str
    missions: tuple[tuple[str, str], ...]

    @property
    def is_long(self) -> bool:
        return len(self.arms) > _MOST_OPEN


@dataclass(frozen=True)
class Theme:
    """Entries under one heading; `where` says in which world."""

    title: str
    where: str
    entries: tuple[Entry, ...]


def chip(judged: Verdict) -> VerdictChip:
    return VerdictChip(judged.value, *_WORDS[judged])


@cache
def entries() -> tuple[Entry, ...]:
    """Every claim that has been measured, in the order of the registry."""
    measured = results()
    return tuple(_entry(claim, measured[claim.name]) for claim in CLAIMS if claim.name in measured)


def advice(world: str) -> tuple[Entry, ...]:
    """Common advice that a world does not bear out, or only partly."""
    return tuple(entry for entry in entries() if entry.claim.is_advice and entry.claim.world == world)


def themes(chosen: Verdict | None = None) -> tuple[Theme, ...]:
    """Entries by theme; with `chosen` only those with that verdict."""
    found: dict[str, list[Entry]] = {}
    for entry in entries():
        if chosen is None or entry.verdict.name == chosen.value:
            found.setdefault(entry.claim.theme, []).append(entry)
    return tuple(Theme(title, _WHERE[listed[0].claim.world], tuple(listed)) for title, listed in found.items())


def counts() -> list[tuple[VerdictChip, int]]:
    """Verdicts with the number of claims that have them, in the order of the filter."""
    names = [entry.verdict.name for entry in entries()]
    return [(chip(judged), names.count(judged.value)) for judged in Verdict]


def _entry(claim: Claim, result: ClaimResult) -> Entry:
    shown = [column for column in claim.columns if column.is_shown]
    return Entry(
        claim=claim,
        verdict=chip(verdict(claim, result.intervals)),
        finding=fill(claim.finding, claim, result),
        headline=_effect(claim, claim.effects[0], result.effects[claim.effects[0].name]),
        effects=tuple(
            _effect(claim, effect, result.effects[effect.name], _reach(claim, effect, result))
            for effect in claim.effects
        ),
        head=tuple(f"{column.label} ({column.unit})" if column.unit else column.label for column in shown),
        arms=tuple(_arm(claim, arm, result) for arm in claim.arms),
        seeds=_seeds(claim),
        missions=tuple((slug, slug.replace("-", " ").capitalize()) for slug in claim.missions),
    )


def _reach(claim: Claim, effect: Effect, result: ClaimResult) -> float:
    """Effects of one column share a scale."""
    return reach_of(result.intervals[other.name] for other in claim.effects if other.column == effect.column)


def _effect(claim: Claim, effect: Effect, measured: EffectResult, reach: float | None = None) -> EffectRow:
    column, interval = claim.by_column[effect.column], measured.interval
    size, half_width = fixed(interval.mean, column.decimals), fixed(interval.half_width, column.decimals)
    return EffectRow(
        label=effect.label,
        value=interval_text(interval, column.decimals),
        unit=column.unit,
        same_sign=f"{measured.same_sign} of {measured.count}"
        if abs(interval.mean) >= 10**-DECIMALS
        else "none differs",
        needs=effect.needs.words if effect.needs else "",
        is_met=effect.needs.holds(interval) if effect.needs else None,
        mark=interval_mark(interval, f"{size} plus or minus {half_width} {column.unit}".strip(), reach),
    )


def _arm(claim: Claim, arm: Arm, result: ClaimResult) -> ArmRow:
    measured = result.arms[arm.name]
    values = []
    for column in (column for column in claim.columns if column.is_shown):
        interval = measured.columns.get(column.name)
        values.append(
            f"{fixed(interval.mean, column.decimals)}\u00a0±\u00a0{fixed(interval.half_width, column.decimals)}"
            if interval
            else "–"
        )
    return ArmRow(
        label=arm.label,
        address=lab_address(arm, claim.seeds[0]),
        values=tuple(values),
        sampled_responses=fixed(measured.sampled_responses, 0),
        settings=json.dumps(arm.settings),
    )


def _seeds(claim: Claim) -> str:
    said = f"{len(claim.seeds)} seeds, {claim.seeds[0]} to {claim.seeds[-1]}"
    return said if claim.count_noun == "seeds" else f"{said}, as {claim.count_noun}"
