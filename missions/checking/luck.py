"""How often settings chosen blindly pass within a budget, for several budgets from the same runs."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from missions.checking.runs import Runs, TimeIsUp
from missions.choosing import Choices, blind_choices, drawn_from
from missions.definition import MissionDefinition
from missions.verification import Luck, fitting_choices
from simulator.worlds import Setup

MOST_LISTED = 20_000
"""Listing more takes too long for somebody who waits; of what is more, some thousands are drawn."""


@dataclass(frozen=True)
class Blind:
    """What can be chosen, with chances, and whether that is all of it; `settings` is how many to try for luck.

    `keys` has the run hash of each setting by its id: hashing takes longer than all else that is done with thousands.
    """

    everything: Choices
    is_everything: bool
    settings: int
    keys: dict[int, str]

    @classmethod
    def of(cls, definition: MissionDefinition, settings: int) -> "Blind":
        everything, is_everything = blind_choices(definition, MOST_LISTED)
        return cls(everything, is_everything, settings, {id(setup): setup.run_hash for _, setup in everything})

    def key(self, setup: Setup) -> str:
        return self.keys[id(setup)]

    @property
    def distinct(self) -> list[Setup]:
        """Settings that differ in what they train."""
        return list({self.key(setup): setup for _, setup in self.everything}.values())


def luck_within(runs: Runs, budgets: Iterable[int], blind: Blind) -> dict[int, Luck]:
    """Measure luck for each budget on up to `blind.settings` of them; budgets for which no time was left are missing.

    Where so few settings fit a budget, or all of them were graded by the search, the share is exact. Else settings are
    drawn: those drawn for a larger budget that fit a smaller one are draws for it too, and only the rest are new.
    """
    found: dict[int, Luck] = {}
    drawn: list[Setup] = []
    for budget in sorted(set(budgets), reverse=True):
        affordable, fitting = fitting_choices(blind.everything, budget)
        fits = {blind.key(setup) for _, setup in fitting}
        try:
            if sum(not runs.knows(key) for key in fits) <= blind.settings:
                shares = [chance for chance, setup in fitting if _passes(runs, setup, blind.key(setup), budget)]
                found[budget] = Luck(0, affordable, len(fitting), len(shares), sum(shares), blind.is_everything)
                continue
        except TimeIsUp:
            # Runs in no random order say nothing about all of them: what was drawn does.
            pass
        drawn = [setup for setup in drawn if blind.key(setup) in fits]
        # The same draws each time, so that a check that passed goes on passing.
        drawn += [setup for _, setup in drawn_from(fitting, max(0, blind.settings - len(drawn)), budget)]
        tried, passed = 0, 0
        for setup in drawn:
            try:
                passed += _passes(runs, setup, blind.key(setup), budget)
                tried += 1
            except TimeIsUp:
                break
        drawn = drawn[:tried]
        if tried:
            found[budget] = Luck(0, affordable, tried, passed, affordable * passed / tried, False)
    return _rising(found)


def _rising(found: dict[int, Luck]) -> dict[int, Luck]:
    """The same, where no budget has less luck than a smaller one, which chance alone can make of independent draws."""
    least = 0.0
    for budget in sorted(found):
        luck = found[budget]
        least = max(luck.share, min(least, luck.upper))
        found[budget] = replace(luck, share=least)
    return found


def _passes(runs: Runs, setup: Setup, key: str, budget: int) -> bool:
    graded = runs.on(setup, key=key)
    return graded.passed and graded.cost <= budget
