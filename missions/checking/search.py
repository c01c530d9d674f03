"""The search over what a mission leaves open: first one control at a time, then at random, then around what is best.

The same mission is searched the same way each time; only where time runs out does it matter how fast a machine is.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from missions.checking.front import front_of, pareto_front
from missions.checking.luck import Blind
from missions.checking.moves import changed_at_random, moved, open_controls, spread_values
from missions.checking.runs import Graded, Runs
from missions.choosing import drawn_from
from missions.definition import MissionDefinition
from simulator.worlds import Setup, sampled_bounds

_SEED = 1
BLIND_SHARE = 0.25
"""The part of the settings that are drawn blindly, like a student who doesn't look; the rest goes on from the best."""
FAR = 4
"""Nothing is tried that costs more than so many times the start or the budget for one star, whichever is more."""
PARENTS = 6
MOST_MOVES = 400
"""After so many in a row that lead to nothing new, what is around the best is known."""


def search(runs: Runs, blind: Blind, settings: int) -> bool:
    """Grade up to `settings` settings on the hidden seeds and return whether these are all that can be chosen.

    Everything that was graded is in `runs.tried`, also when time runs out on the way, which raises TimeIsUp.
    """
    distinct = blind.distinct
    if blind.is_everything and len(distinct) <= settings:
        # The cheapest first: if time runs out, what is left is what students want least.
        for setup in sorted(distinct, key=_least):
            runs.on(setup, note=_note(runs))
        return True
    chances = random.Random(_SEED)  # noqa: S311
    most = FAR * max(runs.definition.budgets.one, _least(runs.definition.start))
    for setup in _firsts(runs.definition, most):
        if len(runs.tried) >= settings:
            return False
        runs.on(setup, note=_note(runs))
    # Where nearly every combination is refused, there may be nothing to draw from.
    draws = drawn_from(blind.everything, int(settings * BLIND_SHARE), _SEED) if blind.everything else []
    for _, setup in draws:
        if len(runs.tried) < settings and _least(setup) <= most:
            runs.on(setup, note=_note(runs))
    while len(runs.tried) < settings:
        child = _child(runs, _Best.of(runs.tried), chances, most)
        if child is None:
            break
        runs.on(child, note=_note(runs))
    return False


def _firsts(definition: MissionDefinition, most: int) -> Iterator[Setup]:
    """The settings that the mission names, then each control by itself, in turns so that none waits for another."""
    yield from definition.verify.values()
    controls = open_controls(definition)
    for values in zip_longest(*(spread_values(control) for control in controls)):
        for control, value in zip(controls, values, strict=True):
            found = None if value is None else moved(definition, definition.start, control.name, value)
            if found is not None and _least(found) <= most:
                yield found


@dataclass(frozen=True)
class _Best:
    """What the search goes on from: settings that pass, cheaper ones that nearly do, and the most promising of all."""

    front: list[Graded]
    nearly: list[Graded]
    promising: list[Graded]

    @property
    def target(self) -> int:
        """What costs less is news."""
        return next((one for one in self.front if one.is_safe), self.front[-1]).cost

    @classmethod
    def of(cls, tried: Sequence[Graded]) -> "_Best":
        best = cls(front_of(tried), [], [])
        if not best.front:
            return replace(best, promising=sorted(tried, key=_promise, reverse=True)[:PARENTS])
        cheap = [one for one in tried if one.cost < best.target]
        return replace(best, nearly=pareto_front(cheap, lambda one: one.cost, closeness)[-PARENTS:])


def _child(runs: Runs, best: _Best, chances: random.Random, most: int) -> Setup | None:
    """A setting not tried yet that is made from one of the best; None where nearly all around them is known."""
    for _ in range(MOST_MOVES):
        kind, limit = chances.random(), most
        if not best.front:
            parent = chances.choice(best.promising)
        elif kind < 0.8:
            # Cheaper than what passes: down from it, or up from what is cheap and doesn't pass yet.
            parent = chances.choice(best.front[:PARENTS] if kind < 0.45 or not best.nearly else best.nearly)
            limit = best.target - 1
        else:
            # Safer, at up to twice the cost.
            parent, limit = chances.choice(best.front), 2 * best.target
        child = changed_at_random(runs.definition, parent.setup, chances)
        if child is not None and _least(child) <= limit and runs.known(child) is None:
            return child
    return None


def _promise(one: Graded) -> tuple[float, float]:
    """How close to passing, by the rule and then by its runs."""
    return one.strength, closeness(one)


def closeness(one: Graded) -> float:
    """On how many runs all goals hold; below one, how close the goal missed most is."""
    return one.seeds_met + one.shortfall


def _least(setup: Setup) -> int:
    return sampled_bounds(setup)[0]


def _note(runs: Runs) -> str:
    return f": {len(runs.tried):,} tried, {runs.passing:,} pass"
