"""What a check found, held against star budgets: the mission's own, or those that it proposes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from missions.checking.digest import digest_of
from missions.checking.luck import Blind, luck_within
from missions.checking.result import described, luck_described
from missions.checking.runs import Graded, Runs
from missions.definition import STAR_NAMES, Budgets
from missions.verification import Luck, Proof, Report, judge

STARS = {1: "one star", 2: "two stars", 3: "three stars"}


def found_for(tried: Sequence[Graded], budgets: Budgets) -> dict[int, Graded]:
    """For each number of stars the safest setting that earns exactly these; of those alike, the cheapest."""
    found: dict[int, Graded] = {}
    for one in tried:
        stars = budgets.stars_for(one.cost) if one.passed else 0
        if stars and (stars not in found or _rank(one) > _rank(found[stars])):
            found[stars] = one
    return found


def _rank(one: Graded) -> tuple[float, int]:
    return one.strength, -one.cost


def lucks(runs: Runs, budgets: Budgets, blind: Blind) -> dict[int, Luck]:
    """Luck within each budget, by the number of responses; those for which no time was left are missing."""
    limits = {budgets.for_stars(stars) for stars in STARS}
    return luck_within(runs, limits, blind)


def judgement(
    runs: Runs,
    tried: Sequence[Graded],
    budgets: Budgets,
    named: Mapping[int, Graded],
    luck: Mapping[int, Luck],
    seeds: Sequence[int],
) -> dict[str, Any]:
    """Judge the mission with these budgets by what was tried, as JSON.

    `named` are the settings that its author says earn stars. Runs nothing: fresh seeds have said what `prove_ahead`
    asked them.
    """
    definition = replace(runs.definition, budgets=budgets)
    found = found_for(tried, budgets)
    start = runs.on(definition.start)
    proofs = [_proof(runs, f"[verify] {STAR_NAMES[n]}", one, n, budgets) for n, one in sorted(named.items())]
    proofs += [_proof(runs, f"The setting found for {STARS[n]}", one, n, budgets) for n, one in sorted(found.items())]
    measured = [replace(luck[budgets.for_stars(n)], stars=n) for n in STARS if budgets.for_stars(n) in luck]
    report = Report(definition, _proof(runs, "The start", start, 0, budgets), tuple(proofs), tuple(measured))
    judge(report)
    passing = [one.cost for one in tried if one.passed]
    if not passing:
        report.problems.append("no setting that was tried reaches the goal")
    else:
        for n, words in STARS.items():
            if min(passing) > budgets.for_stars(n):
                report.problems.append(f"no setting that was tried earns {words}")
    return {
        "budgets": budgets.to_dict(),
        "digest": digest_of(definition, seeds),
        "stars": [
            {
                "stars": n,
                "budget": budgets.for_stars(n),
                "found": described(found[n], runs.proved(found[n].setup)) if n in found else None,
                "is_earned_cheaper": any(cost <= budgets.for_stars(n) for cost in passing),
            }
            for n in (3, 2, 1)
        ],
        "luck": [luck_described(one) for one in measured],
        "problems": _sentences(report.problems),
        "warnings": _sentences(report.warnings),
    }


def prove_ahead(runs: Runs, tried: Sequence[Graded], named: Mapping[int, Graded], budgets: Sequence[Budgets]) -> None:
    """Grade on fresh seeds all that `judgement` will name. Raises TimeIsUp."""
    settings = [runs.definition.start, *(one.setup for one in named.values())]
    settings += [one.setup for each in budgets for one in found_for(tried, each).values()]
    for setup in settings:
        for number in range(1, runs.sets):
            runs.on(setup, number)


def _proof(runs: Runs, name: str, one: Graded, stars: int, budgets: Budgets) -> Proof:
    """A proof as missions.verification judges it, under other budgets than it was graded with."""
    fresh = tuple(replace(again.verdict, budgets=budgets) for again in runs.proved(one.setup))
    return Proof(name, replace(one.verdict, budgets=budgets), stars, fresh)


def _sentences(texts: Sequence[str]) -> list[str]:
    return [f"{text[:1].upper()}{text[1:]}." for text in texts]
