"""Running the claims: every effect as a mean over seeds with its 95 % interval."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.evidence.claim import Claim, Effect
from simulator.evidence.readings import FloatArray, Runs
from simulator.interval import Interval

# Several claims compare with the same default run. A kept run holds a few megabytes at most.
_MOST_KEPT = 40


@dataclass(frozen=True)
class EffectResult:
    """An effect's interval, and in how many of `count` seeds the difference has the sign of its mean."""

    interval: Interval
    same_sign: int
    count: int


@dataclass(frozen=True)
class ArmResult:
    """What one setup gave: its price and an interval for each column that applies to it."""

    sampled_responses: float
    columns: Mapping[str, Interval]


@dataclass(frozen=True)
class ClaimResult:
    """Everything measured for a claim, by the names of its arms and effects."""

    arms: Mapping[str, ArmResult]
    effects: Mapping[str, EffectResult]

    @property
    def intervals(self) -> dict[str, Interval]:
        return {name: effect.interval for name, effect in self.effects.items()}


class Laboratory:
    """Runs setups, each once as long as it is among the last that were asked for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, tuple[int, ...]], Runs] = OrderedDict()

    def runs(self, setup: Any, seeds: Sequence[int]) -> Runs:
        key = (setup.run_hash, tuple(seeds))
        runs = self._kept.setdefault(key, Runs(setup, seeds))
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return runs

    def measure(self, claim: Claim, seeds: Sequence[int] | None = None) -> ClaimResult:
        """Run a claim's setups on its seeds, or on `seeds`."""
        seeds = claim.seeds if seeds is None else seeds
        runs = {arm.name: self.runs(arm.setup, seeds) for arm in claim.arms}
        read: dict[tuple[str, str], FloatArray] = {}

        def values(arm: str, column: str) -> FloatArray:
            if (arm, column) not in read:
                read[arm, column] = np.asarray(claim.by_column[column].reading(runs[arm]), dtype=np.float64)
            return read[arm, column]

        def difference(effect: Effect) -> FloatArray:
            if effect.value is not None:
                return effect.value(runs)
            first = values(effect.first, effect.column)
            return first - (values(effect.second, effect.column) if effect.second else effect.reference)

        effects = {effect.name: _effect(difference(effect)) for effect in claim.effects}
        arms = {
            arm.name: ArmResult(
                runs[arm.name].sampled_responses,
                {name: Interval.of(_known(values(arm.name, name))) for name in arm.shown_columns(claim.columns)},
            )
            for arm in claim.arms
        }
        return ClaimResult(arms, effects)


def _known(values: FloatArray) -> FloatArray:
    """Without seeds in which there was nothing to measure, such as the length of wrong answers when all were right."""
    return values[~np.isnan(values)]


def _effect(values: FloatArray) -> EffectResult:
    values = _known(values)
    interval = Interval.of(values)
    same_sign = int(np.count_nonzero(np.sign(values) == np.sign(interval.mean)))
    return EffectResult(interval, same_sign, len(values))
