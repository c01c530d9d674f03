"""How an invented student plays a mission: which settings they try, one after the other.

Only the choice of what to try is invented. What it leads to is what the run gave.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from classroom.demo.people import Person
from missions.definition import MissionDefinition
from missions.grading import Verdict
from simulator.worlds import Setup


@dataclass(frozen=True)
class Option:
    """A setting somebody may try, and what a run of it is worth."""

    setup: Setup
    verdict: Verdict

    @property
    def rank(self) -> float:
        """How good it is: the stars, after them the pass, after that the share of goals that were met."""
        met = sum(goal.met for goal in self.verdict.goals) / len(self.verdict.goals)
        return self.verdict.stars + self.verdict.passed + met


def tries(definition: MissionDefinition, options: Sequence[Option], person: Person, seed: int) -> list[Option]:
    """The settings one person tries at one mission, in order: usually small changes, sometimes in the right direction.

    They stop at three stars, when they have enough, or when they run out of patience.
    """
    chance = random.Random(seed)  # noqa: S311
    start = next(option for option in options if option.setup.run_hash == definition.start.run_hash)
    made: list[Option] = []
    current, best, without_gain = start, -1.0, 0
    while without_gain < person.patience:
        if made or chance.random() > 0.3:
            current = _next(current, options, person, chance)
        made.append(current)
        without_gain = 0 if current.verdict.passed and current.rank > best else without_gain + 1
        best = max(best, current.rank)
        if current.verdict.stars == 3 or (current.verdict.passed and chance.random() > person.ambition):
            break
    return made


def _next(current: Option, options: Sequence[Option], person: Person, chance: random.Random) -> Option:
    others = [option for option in options if option is not current]
    sees = chance.random() < person.insight
    weights = []
    for option in others:
        gain = option.rank - current.rank
        weight = math.exp(-0.9 * _distance(current.setup, option.setup))
        weights.append(weight * (math.exp(1.2 * min(gain, 1.5)) if sees else 1.0))
    return chance.choices(others, weights)[0]


def _distance(first: Setup, second: Setup) -> int:
    """How many settings differ, of those that matter in either."""
    one, other = first.active_fields(), second.active_fields()
    return sum(one.get(name) != other.get(name) for name in {*one, *other})
