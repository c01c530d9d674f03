"""Proof that a mission is sound: the start fails, each star level can be earned, and luck is not enough.

Pure: definitions and seeds in, plain results out. No seed leaves here, only means.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from missions.definition import STAR_NAMES, MissionDefinition
from missions.evidence import Measurements, measure, render
from missions.grading import GoalResult, Verdict, grade
from simulator.engine import CandidateSetup

LUCK_ALLOWED = 0.05
"""The most of all settings a student could choose blindly that may earn three stars."""

SAFE_MARGIN = 2.0
"""Standard errors between a proven setting's mean and the goal below which the proof is called thin."""


@dataclass(frozen=True)
class Proof:
    """One setting graded on the hidden seeds, and on how many fresh sets of seeds it earned the same."""

    name: str
    verdict: Verdict
    expected_stars: int
    agreeing_sets: int
    sets: int

    @property
    def holds(self) -> bool:
        return self.verdict.stars == self.expected_stars and self.verdict.passed == (self.expected_stars > 0)

    @property
    def margin(self) -> float:
        """Standard errors on the expected side: to the tightest goal, or for the start to the goal missed most."""
        tightest = min(_in_standard_errors(goal) for goal in self.verdict.goals)
        return tightest if self.expected_stars else -tightest


@dataclass(frozen=True)
class Luck:
    """How often a setting chosen blindly earns at least this many stars.

    What costs more than the budget can't, so only the rest is run: `affordable` is its exact share of all settings, and
    `passed` of the `tried` ones met the goals. When every one of them was tried, `share` is exact.
    """

    stars: int
    affordable: float
    tried: int
    passed: int
    share: float
    is_exact: bool

    @property
    def upper(self) -> float:
        """Upper end of the one-sided 95 % interval; the share itself when nothing was left to chance."""
        return self.share if self.is_exact else self.affordable * upper_bound(self.passed, self.tried)


@dataclass(frozen=True)
class Report:
    """Everything that was checked about one mission."""

    definition: MissionDefinition
    start: Proof
    stars: tuple[Proof, ...]
    luck: tuple[Luck, ...]
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def verify(
    definition: MissionDefinition,
    seeds: Sequence[int],
    *,
    runs: int,
    star_levels: Sequence[int] = (3,),
    fresh: Sequence[Sequence[int]] = (),
) -> Report:
    """Check one mission on the hidden seeds (S,).

    Luck is measured for each of `star_levels`: over all settings when at most `runs` fit the budget, else over that
    many drawn at random. `fresh` are other sets of seeds, on which start and proven settings are graded again.
    """
    report = Report(
        definition,
        start=_prove(definition, "start", definition.start, 0, seeds, fresh),
        stars=tuple(_prove(definition, STAR_NAMES[n], definition.verify[n], n, seeds, fresh) for n in (1, 2, 3)),
        luck=_luck(definition, sorted(star_levels), seeds, runs),
    )
    _judge(report)
    return report


def text_problems(definition: MissionDefinition) -> list[str]:
    """Measure what the texts claim and fill it in; return what goes wrong."""
    try:
        evidence = measure(definition)
        texts = [render(text, evidence) for text in (definition.symptom, definition.debrief)]
    except LookupError as error:
        return [f"a number can't be filled in: {error}"]
    return [f"a text still holds a brace: {text[:40]}" for text in texts if "{" in text or "}" in text]


def choosable(definition: MissionDefinition) -> list[tuple[float, CandidateSetup]]:
    """Every setting a student can choose, with its chance when choosing blindly.

    First the method, then each open control that the method uses, all values alike.
    """
    method = definition.controls.get("method")
    methods = (method.values() if method else ()) or (definition.start.method,)
    found = []
    for name in methods:
        base = definition.start.replace(method=name)
        used = base.active_fields()
        values = {n: c.values() for n, c in definition.controls.items() if n != "method" and n in used and c.values()}
        chance = 1 / len(methods) / math.prod(len(choices) for choices in values.values())
        for chosen in product(*values.values()):
            found.append((chance, base.replace(**dict(zip(values, chosen, strict=True)))))
    return found


def upper_bound(passed: int, tried: int) -> float:
    """Upper end of the one-sided 95 % interval of a share (Clopper and Pearson): where so few have a chance of 5 %."""
    if passed >= tried:
        return 1.0
    low, high = passed / tried, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        chance = sum(math.comb(tried, k) * middle**k * (1 - middle) ** (tried - k) for k in range(passed + 1))
        low, high = (middle, high) if chance > 0.05 else (low, middle)
    return high


def _prove(
    definition: MissionDefinition,
    name: str,
    setup: CandidateSetup,
    expected_stars: int,
    seeds: Sequence[int],
    fresh: Sequence[Sequence[int]],
) -> Proof:
    agreeing = sum(grade(definition, setup, others).stars == expected_stars for others in fresh)
    return Proof(name, grade(definition, setup, seeds), expected_stars, agreeing, len(fresh))


def _in_standard_errors(goal: GoalResult) -> float:
    distance = goal.goal.margin(goal.interval.mean)
    error = goal.interval.standard_error
    return distance / error if error else math.copysign(math.inf, distance)


def _luck(
    definition: MissionDefinition, star_levels: Sequence[int], seeds: Sequence[int], runs: int
) -> tuple[Luck, ...]:
    everything = choosable(definition)
    candidates = {n: _candidates(everything, definition.budgets.for_stars(n), runs) for n in star_levels}
    results = Measurements((setup for _, chosen, _ in candidates.values() for _, setup in chosen), seeds)

    def passes(setup: CandidateSetup) -> bool:
        final = results.of(setup)
        return definition.meets_goals({goal.metric: float(final[goal.metric].mean()) for goal in definition.goals})

    luck = []
    for n, (affordable, chosen, is_exact) in candidates.items():
        passing = [chance for chance, setup in chosen if passes(setup)]
        share = sum(passing) if is_exact else affordable * len(passing) / len(chosen)
        luck.append(Luck(n, affordable, len(chosen), len(passing), share, is_exact))
    return tuple(luck)


def _candidates(
    everything: Sequence[tuple[float, CandidateSetup]], budget: int, runs: int
) -> tuple[float, list[tuple[float, CandidateSetup]], bool]:
    """The share that fits the budget, which of it to run, and whether that is all of it."""
    fitting = [(chance, setup) for chance, setup in everything if setup.sampled_responses <= budget]
    affordable = sum(chance for chance, _ in fitting)
    if len(fitting) <= runs:
        return affordable, fitting, True
    # The same draws each time, so that a check that passed goes on passing.
    drawn = random.Random(budget).choices(fitting, [chance for chance, _ in fitting], k=runs)  # noqa: S311
    return affordable, drawn, False


def _judge(report: Report) -> None:
    """Say what is wrong, and what is only thin."""
    for proof in (report.start, *report.stars):
        if not proof.holds:
            expected = f"earn exactly {proof.expected_stars} stars" if proof.expected_stars else "fail"
            report.problems.append(f"{proof.name} should {expected} but earns {proof.verdict.stars}")
        elif proof.margin < SAFE_MARGIN:
            report.warnings.append(f"{proof.name} is only {proof.margin:.1f} standard errors from the goal")
        if proof.agreeing_sets < proof.sets:
            report.warnings.append(f"{proof.name} held on {proof.agreeing_sets} of {proof.sets} fresh sets of seeds")
    for luck in report.luck:
        if luck.stars == 3 and luck.share > LUCK_ALLOWED:
            report.problems.append(f"blind choices earn three stars {luck.share:.1%} of the time")
        elif luck.stars == 3 and luck.upper > LUCK_ALLOWED:
            report.warnings.append(f"blind choices may earn three stars up to {luck.upper:.1%} of the time")
