"""Star budgets made from what a search found, by a rule that can be said in words."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from missions.checking.front import front_of
from missions.checking.runs import Graded
from missions.definition import Budgets
from simulator.worlds import Setup

LEAST_RATIO = 3
"""One star may cost at least so many times what three may."""
DIGITS = 2
"""Budgets are rounded up to so many significant digits."""
MOST_ASKED = 4
"""So many of the cheapest settings are tried on fresh seeds before the cheapest of all is taken as it is."""


@dataclass(frozen=True)
class Proposal:
    """Budgets, and the settings that they were made from. `is_safe` says that the cheapest one passes with room."""

    budgets: Budgets
    cheapest: Graded
    plain: Graded
    is_safe: bool


def propose(tried: Sequence[Graded], start: Setup, holds: Callable[[Graded], bool]) -> Proposal | None:
    """Make budgets from the front of what passes; None where nothing does.

    Three stars: what the cheapest safe setting costs that also `holds`, on fresh seeds. One star: what the cheapest
    safe setting costs of those that change the fewest settings of the start, or twice the former where that is more.
    Two stars: half-way between in doublings. All are rounded up. Where no setting is safe, those that pass have to do.
    """
    passing = [one for one in tried if one.passed]
    safe = [one for one in passing if one.is_safe]
    front = front_of(safe or passing)
    if not front:
        return None
    asked = [one for one in front[:MOST_ASKED] if not safe or holds(one)]
    cheapest = asked[0] if asked else front[0]
    enough = [one for one in safe or passing if one.cost >= cheapest.cost]
    plain = min(enough, key=lambda one: (changes_of(one.setup, start), one.cost))
    three = rounded_up(cheapest.cost)
    one = rounded_up(max(plain.cost, LEAST_RATIO * three))
    two = rounded_up(math.sqrt(three * one))
    # Where so few responses are counted that rounding makes two of them alike.
    two = max(two, three + 1)
    return Proposal(Budgets(max(one, two + 1), two, three), cheapest, plain, bool(safe and asked))


def changes_of(setup: Setup, start: Setup) -> int:
    """How many settings of the start that matter are at another value."""
    before, after = start.to_dict(), setup.to_dict()
    filled = (*start.active_fields(), *setup.active_fields())
    return sum(before[name] != after[name] for name in set(filled))


def rounded_up(value: float) -> int:
    """The next whole number with DIGITS significant digits."""
    unit = 10 ** max(0, math.floor(math.log10(max(value, 1))) + 1 - DIGITS)
    return math.ceil(value / unit) * unit


def rule_in_words(proposal: Proposal, start: Setup) -> list[str]:
    """Say where each of the proposed budgets comes from."""
    budgets, cheapest, plain = proposal.budgets, proposal.cheapest, proposal.plain
    changed = changes_of(plain.setup, start)
    room = "passes with room to spare" if proposal.is_safe else "passes, though barely,"
    said = [f"Three stars, {budgets.three:,}: the cheapest setting that {room} takes {cheapest.cost:,} responses."]
    settings = "setting" if changed == 1 else "settings"
    plain_cost = f"the cheapest repair that changes only {changed} {settings} takes {plain.cost:,}"
    if plain.cost >= LEAST_RATIO * budgets.three:
        said.append(f"One star, {budgets.one:,}: {plain_cost}.")
    else:
        said.append(
            f"One star, {budgets.one:,}: {plain_cost}, and one star may cost at least three times what three may."
        )
    said.append(f"Two stars, {budgets.two:,}: half-way between the two, in doublings.")
    said.append(f"All are rounded up to {DIGITS} significant digits.")
    return said
