"""The check of one mission, from its start to proposed budgets."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from missions.checking.digest import digest_without_budgets
from missions.checking.front import front_of
from missions.checking.judging import judgement, lucks, prove_ahead
from missions.checking.limits import Limits
from missions.checking.luck import Blind
from missions.checking.proposing import Proposal, propose, rule_in_words
from missions.checking.result import described, drawn
from missions.checking.runs import Graded, Runs, Tell, TimeIsUp
from missions.checking.search import closeness, search
from missions.definition import Budgets, MissionDefinition
from missions.evidence import Measurements, setups_measured
from missions.verification import Luck, text_problems
from simulator.engine import ENGINE_VERSION

RESULT_VERSION = 1
"""Raised when what `check_mission` returns changes its shape."""
MOST_ON_FRONT = 24


def check_mission(
    definition: MissionDefinition,
    seeds: Sequence[int],
    fresh: Sequence[Sequence[int]],
    limits: Limits,
    tell: Tell = lambda share, doing: None,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """Check a mission on the hidden seeds (S,) and on fresh sets of them, and return what was found as JSON.

    `tell` hears how far it is before every run; what it raises, Cancelled for one, ends the check. Once the time in
    `limits` is up the check ends with what it has, and "ran_out" names what was cut short.
    """
    runs = Runs(definition, (seeds, *fresh), limits.seconds, tell, clock)
    tell(0.0, "Listing what can be chosen")
    blind = Blind.of(definition, limits.blind)
    # The start is graded however little time there is: without it nothing can be said.
    with runs.stage("Grading the start", 0.02, 1, until=float("inf")):
        start = runs.on(definition.start)
    is_exhausted = False
    with runs.stage("Searching", 0.55, limits.settings, until=0.55):
        is_exhausted = search(runs, blind, limits.settings)
    named = {n: one for n, setup in definition.verify.items() if (one := runs.known(setup)) is not None}
    luck: dict[int, Luck] = {}
    # Before budgets are proposed: a blind choice may be better than all that the search found.
    with runs.stage("Trying settings chosen blindly", 0.75, 2 * limits.blind, until=0.75):
        luck |= lucks(runs, definition.budgets, blind)
    tried = tuple(runs.tried)
    proposal: Proposal | None = None
    with runs.stage("Trying on fresh seeds what was found", 0.82, 8 * len(fresh), until=0.85):
        proposal = propose(tried, definition.start, lambda one: _holds(runs, one))
        prove_ahead(runs, tried, named, _budgets(definition, proposal))
    with runs.stage("Trying settings chosen blindly within other budgets", 0.93, limits.blind, until=0.95):
        luck |= lucks(runs, proposal.budgets, blind) if proposal else {}
    problems: list[str] | None = None
    with runs.stage("Measuring the numbers in its texts", 1.0, len(setups_measured(definition))):
        problems = _text_problems(runs)
    return {
        "version": RESULT_VERSION,
        "engine": ENGINE_VERSION,
        "digest_without_budgets": digest_without_budgets(definition, seeds),
        "seed_count": len(seeds),
        "seeds_needed": definition.seeds_needed,
        "fresh_sets": len(fresh),
        "settings": len(runs.tried),
        "is_exhausted": is_exhausted,
        "ran_out": runs.ran_out,
        "start": described(start, runs.proved(definition.start)),
        "tried": [drawn(one) for one in runs.tried],
        "front": [described(one, runs.proved(one.setup)) for one in front_of(tried)[:MOST_ON_FRONT]],
        "closest": described(max(runs.tried, key=closeness)) if not runs.passing else None,
        "asked": judgement(runs, tried, definition.budgets, named, luck, seeds),
        "proposed": proposal and judgement(runs, tried, proposal.budgets, {}, luck, seeds),
        "rule": rule_in_words(proposal, definition.start) if proposal else [],
        "text_problems": problems,
    }


def _budgets(definition: MissionDefinition, proposal: Proposal | None) -> list[Budgets]:
    return [definition.budgets, *([proposal.budgets] if proposal else [])]


def _holds(runs: Runs, one: Graded) -> bool:
    """Whether a setting passes on all fresh seeds too, and where runs are counted with room; True while unknown."""
    try:
        again = [runs.on(one.setup, number) for number in range(1, runs.sets)]
    except TimeIsUp:
        return True
    return all(other.is_safe if other.is_counted else other.passed for other in again)


def _text_problems(runs: Runs) -> list[str]:
    """Measure what symptom, debrief and tables name, one setup at a time."""
    setups = setups_measured(runs.definition)
    measured = Measurements(setups)
    for setup in setups:
        runs.step()
        measured.of(setup)
    return text_problems(runs.definition, measured)
