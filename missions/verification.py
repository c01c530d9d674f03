"""Proof that a mission is sound: the start fails, each star level can be earned, and luck is not enough.

Pure: definitions and seeds in, plain results out. No seed leaves here, only means.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from missions.choosing import Choices, blind_choices, drawn_from
from missions.definition import STAR_NAMES, MissionDefinition
from missions.evidence import COST, Measurements, measure, render
from missions.grading import GoalResult, Verdict, grade
from missions.seeing import NothingToSeeError, looks_of, unmet
from simulator.worlds import Setup, sampled_bounds

LUCK_ALLOWED = 0.05
"""The most of all settings a student could choose blindly that may earn three stars."""

SAFE_MARGIN = 2.0
"""Standard errors between a proven setting's mean and the goal below which the proof is called thin."""

SAFE_SHARE = 28 / 32
"""Under the rule of seeds: the share of each fresh set on which the setting proven for three stars has to pass."""


@dataclass(frozen=True)
class Proof:
    """One setting graded on the hidden seeds, and on fresh sets of seeds."""

    name: str
    verdict: Verdict
    expected_stars: int
    fresh: tuple[Verdict, ...]

    @property
    def sets(self) -> int:
        return len(self.fresh)

    @property
    def agreeing_sets(self) -> int:
        """On how many fresh sets of seeds it earned the same."""
        return sum(verdict.stars == self.expected_stars for verdict in self.fresh)

    @property
    def counts(self) -> tuple[int, ...]:
        """Under the rule of seeds: how many runs passed, on the hidden seeds and on each fresh set; else empty."""
        return tuple(v.seeds_passed for v in (self.verdict, *self.fresh) if v.seeds_passed is not None)

    @property
    def holds(self) -> bool:
        return self.verdict.stars == self.expected_stars and self.verdict.passed == (self.expected_stars > 0)

    @property
    def margin(self) -> float:
        """How far it is on the expected side: in runs under the rule of seeds, else in standard errors.

        Standard errors are to the tightest goal, or for the start to the goal missed most.
        """
        margin = margin_of(self.verdict)
        return margin if self.expected_stars else -margin


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
    judge(report)
    return report


def text_problems(definition: MissionDefinition, runs: Measurements | None = None) -> list[str]:
    """Measure what the texts claim and fill it in; return what goes wrong. `runs` are measurements made before."""
    try:
        evidence = measure(definition, runs)
        texts = [render(text, evidence, definition.world) for text in (definition.symptom, definition.debrief)]
        texts += [look.text for look in looks_of(definition, evidence)]
    except (LookupError, NothingToSeeError) as error:
        return [f"a number can't be filled in: {error}"]
    seen = zip(definition.views, evidence.get("views", []), strict=True)
    wrong = [f"a view’s text doesn’t hold: {said}" for view, at in seen for said in unmet(view, at["facts"])]
    return wrong + [f"a text still holds a brace: {text[:40]}" for text in texts if "{" in text or "}" in text]


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
    setup: Setup,
    expected_stars: int,
    seeds: Sequence[int],
    fresh: Sequence[Sequence[int]],
) -> Proof:
    verdicts = tuple(grade(definition, setup, others) for others in fresh)
    return Proof(name, grade(definition, setup, seeds), expected_stars, verdicts)


def margin_of(verdict: Verdict) -> float:
    """How far a verdict is on the passing side: in runs under the rule of seeds, else in standard errors.

    Standard errors are those of the tightest goal.
    """
    if verdict.seeds_passed is not None and verdict.seeds_needed is not None:
        return verdict.seeds_passed - verdict.seeds_needed
    return min(_in_standard_errors(goal) for goal in verdict.goals)


def _in_standard_errors(goal: GoalResult) -> float:
    distance = goal.goal.margin(goal.interval.mean)
    error = goal.interval.standard_error
    return distance / error if error else math.copysign(math.inf, distance)


def _luck(
    definition: MissionDefinition, star_levels: Sequence[int], seeds: Sequence[int], runs: int
) -> tuple[Luck, ...]:
    everything, is_everything = blind_choices(definition)
    candidates = {n: _candidates(everything, definition.budgets.for_stars(n), runs) for n in star_levels}
    results = Measurements((setup for _, chosen, _ in candidates.values() for _, setup in chosen), seeds)

    def passes(setup: Setup, budget: int) -> bool:
        final = results.of(setup)
        return definition.is_passed(final) and int(final[COST][0]) <= budget

    luck = []
    for n, (affordable, chosen, is_exact) in candidates.items():
        budget = definition.budgets.for_stars(n)
        passing = [chance for chance, setup in chosen if passes(setup, budget)]
        share = sum(passing) if is_exact else affordable * len(passing) / max(1, len(chosen))
        luck.append(Luck(n, affordable, len(chosen), len(passing), share, is_exact and is_everything))
    return tuple(luck)


def _candidates(everything: Choices, budget: int, runs: int) -> tuple[float, Choices, bool]:
    """The share that may fit the budget, which of it to run, and whether that is all of it."""
    affordable, fitting = fitting_choices(everything, budget)
    if len(fitting) <= runs:
        return affordable, fitting, True
    # The same draws each time, so that a check that passed goes on passing.
    return affordable, drawn_from(fitting, runs, budget), False


def fitting_choices(everything: Choices, budget: int) -> tuple[float, Choices]:
    """The share of all choices that may fit a budget, and which these are."""
    fitting = [(chance, setup) for chance, setup in everything if sampled_bounds(setup)[0] <= budget]
    return sum(chance for chance, _ in fitting), fitting


def judge(report: Report) -> None:
    """Say what is wrong, and what is only thin."""
    is_counted = report.definition.seeds_needed is not None
    for proof in (report.start, *report.stars):
        if not proof.holds:
            expected = f"earn exactly {proof.expected_stars} stars" if proof.expected_stars else "fail"
            report.problems.append(f"{proof.name} should {expected} but earns {proof.verdict.stars}")
        elif not is_counted and proof.margin < SAFE_MARGIN:
            report.warnings.append(f"{proof.name} is only {proof.margin:.1f} standard errors from the goal")
        if proof.agreeing_sets < proof.sets:
            report.warnings.append(f"{proof.name} held on {proof.agreeing_sets} of {proof.sets} fresh sets of seeds")
    if is_counted:
        _judge_counts(report)
    for luck in report.luck:
        if luck.stars == 3 and luck.share > LUCK_ALLOWED:
            report.problems.append(f"blind choices earn three stars {luck.share:.1%} of the time")
        elif luck.stars == 3 and luck.upper > LUCK_ALLOWED:
            report.warnings.append(f"blind choices may earn three stars up to {luck.upper:.1%} of the time")


def _judge_counts(report: Report) -> None:
    """Under the rule of seeds: a setting that is named must hold beyond the seeds that it was found on."""
    for proof in report.stars:
        for number, verdict in enumerate(proof.fresh, 1):
            safe = math.ceil(SAFE_SHARE * verdict.seed_count)
            if proof.expected_stars == 3 and (verdict.seeds_passed or 0) < safe:
                found = f"{verdict.seeds_passed} of {verdict.seed_count} seeds of fresh set {number}"
                report.problems.append(f"{proof.name} passes on {found}, and {safe} are wanted")
