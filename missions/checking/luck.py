"""How often settings chosen blindly pass within a budget, for several budgets from the same runs."""

from collections.abc import Iterable

from missions.checking.runs import Runs, TimeIsUp
from missions.choosing import Choices, drawn_from
from missions.verification import Luck, fitting_choices
from simulator.worlds import Setup


def luck_within(
    runs: Runs, budgets: Iterable[int], everything: Choices, is_everything: bool, blind: int
) -> dict[int, Luck]:
    """Measure luck for each budget on up to `blind` settings; budgets for which no time was left are missing.

    Where so few settings fit a budget, or all of them were graded by the search, the share is exact. Else settings are
    drawn: those drawn for a larger budget that fit a smaller one are draws for it too, and only the rest are new.
    """
    found: dict[int, Luck] = {}
    drawn: list[Setup] = []
    for budget in sorted(set(budgets), reverse=True):
        affordable, fitting = fitting_choices(everything, budget)
        unknown = {setup.run_hash for _, setup in fitting if runs.known(setup) is None}
        try:
            if len(unknown) <= blind:
                shares = [chance for chance, setup in fitting if _passes(runs, setup, budget)]
                found[budget] = Luck(0, affordable, len(fitting), len(shares), sum(shares), is_everything)
                continue
        except TimeIsUp:
            # Runs in no random order say nothing about all of them: what was drawn does.
            pass
        fits = {setup.run_hash for _, setup in fitting}
        drawn = [setup for setup in drawn if setup.run_hash in fits]
        # The same draws each time, so that a check that passed goes on passing.
        drawn += [setup for _, setup in drawn_from(fitting, max(0, blind - len(drawn)), budget)]
        tried, passed = 0, 0
        for setup in drawn:
            try:
                passed += _passes(runs, setup, budget)
                tried += 1
            except TimeIsUp:
                break
        drawn = drawn[:tried]
        if tried:
            found[budget] = Luck(0, affordable, tried, passed, affordable * passed / tried, False)
    return found


def _passes(runs: Runs, setup: Setup, budget: int) -> bool:
    graded = runs.on(setup)
    return graded.passed and graded.cost <= budget
