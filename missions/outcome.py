"""An attempt in words: what was met, what is missing, what changed since the last try."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from missions.definition import Budgets, Goal
from missions.figures import SEED_WIDTHS, SeedPlot, seed_plot
from missions.form import PLURAL
from missions.grading import GoalResult
from missions.models import Attempt
from simulator.charts.table import fixed
from simulator.engine import parse_setup
from simulator.interval import Interval
from simulator.lab.link import Run
from simulator.labels import in_sentence
from simulator.labels.candidates import METRICS, SETTINGS, setting_value


@dataclass(frozen=True)
class GoalView:
    """One condition row; `state` is "open" (not tried), "met" or "unmet"."""

    name: str
    state: str
    value: str
    note: str
    verdict: str
    bound_text: str
    figure_text: str
    plots: dict[str, SeedPlot]
    values: tuple[str, ...]

    @property
    def met(self) -> bool:
        return self.state == "met"

    @property
    def name_in_sentence(self) -> str:
        return in_sentence(self.name)


@dataclass(frozen=True)
class Change:
    """One setting that differs between two tries."""

    label: str
    old: str
    new: str


@dataclass(frozen=True)
class Try:
    """One row of the history."""

    attempt: Attempt
    changes: tuple[Change, ...]
    is_first: bool
    is_start: bool
    metric_label: str
    value: str
    lab_link: str


def goal_name(goal: Goal) -> str:
    """Say a goal: Win rate at least 0.680."""
    side = "at least" if goal.at_least else "at most"
    return f"{METRICS[goal.metric].label} {side} {_number(goal.metric, goal.bound)}"


def untried_goal(goal: Goal, seed_count: int, reference: float | None) -> GoalView:
    """A goal before the first try; `reference` is where the reference policy stands, if that is worth saying."""
    known = f" The reference policy has {_number(goal.metric, reference)}." if reference is not None else ""
    return GoalView(
        name=goal_name(goal),
        state="open",
        value="not tried",
        note=f"Mean over {seed_count} hidden seeds.{known}",
        verdict="",
        bound_text=_number(goal.metric, goal.bound),
        figure_text="",
        plots={},
        values=(),
    )


def goal_results(attempt: Attempt) -> list[GoalResult]:
    """The goals of an attempt as they were when it was graded."""
    results = []
    for stored in attempt.evaluation["goals"]:
        at_least = "at_least" in stored
        goal = Goal(stored["metric"], stored["at_least" if at_least else "at_most"], at_least)
        interval = Interval(stored["mean"], stored["half_width"])
        results.append(GoalResult(goal, interval, tuple(stored["values"])))
    return results


def graded_goal(result: GoalResult) -> GoalView:
    """A goal with its measurement, the distance in words, and the seeds as a figure."""
    metric, interval, goal = result.goal.metric, result.interval, result.goal
    distance = _number(metric, abs(interval.mean - goal.bound), finer=True)
    side = "above" if interval.mean >= goal.bound else "below"
    low, high = interval.mean - interval.half_width, interval.mean + interval.half_width
    return GoalView(
        name=goal_name(goal),
        state="met" if result.met else "unmet",
        value=f"{_number(metric, interval.mean)} ± {_number(metric, interval.half_width, finer=True)}",
        note=f"Mean of {len(result.values)} hidden seeds, 95% interval.",
        verdict=f"{distance} {side} the goal",
        bound_text=_number(metric, goal.bound),
        figure_text=(
            f"{METRICS[metric].label} on {len(result.values)} hidden seeds: mean {_number(metric, interval.mean)}, "
            f"95% interval {_number(metric, low)} to {_number(metric, high)}, goal {_number(metric, goal.bound)}."
        ),
        plots={name: seed_plot(result, width) for name, width in SEED_WIDTHS.items()},
        values=tuple(_number(metric, value) for value in result.values),
    )


def headline(attempt: Attempt) -> str:
    """Say the outcome, and the distance instead of a grade."""
    if attempt.stars:
        return PLURAL[attempt.stars].capitalize()
    if attempt.passed:
        return "Goal met, no star at this cost"
    missing = [result for result in goal_results(attempt) if not result.met]
    parts = []
    for result in missing:
        metric = result.goal.metric
        distance = _number(metric, abs(result.interval.mean - result.goal.bound), finer=True)
        way = "short" if result.goal.at_least else "over"
        on = f" on {METRICS[metric].in_sentence}" if len(attempt.evaluation["goals"]) > 1 else ""
        parts.append(f"{distance} {way}{on}")
    return "Not yet: " + ", ".join(parts)


def cost_note(attempt: Attempt) -> str:
    """Say what this cost is worth, or would be."""
    budgets = Budgets(*(attempt.evaluation["budgets"][name] for name in ("one_star", "two_stars", "three_stars")))
    worth = PLURAL[budgets.stars_for(attempt.sampled_responses)]
    cost = f"{attempt.sampled_responses:,}"
    if not attempt.passed:
        return f"At {cost} responses a pass would be worth {worth}. Nothing is lost by trying."
    if attempt.stars == 0:
        return f"It took {cost} responses. The first star needs {budgets.one:,} or fewer."
    if attempt.stars < 3:
        needed = (budgets.two, budgets.three)[attempt.stars - 1]
        return f"{PLURAL[attempt.stars + 1].capitalize()} need {needed:,} responses or fewer."
    return "Stars are safe: they never fall. If you like, find out how few responses this goal really needs."


def against_last(attempt: Attempt, last: Attempt | None) -> str:
    """Say how the first goal's metric moved since the last try."""
    if last is None:
        return ""
    metric = attempt.evaluation["goals"][0]["metric"]
    before, after = (a.evaluation["metrics"][metric]["mean"] for a in (last, attempt))
    words = METRICS[metric]
    if abs(after - before) < words.steady:
        return f"{words.label} stands where it stood at your last try."
    way = "up" if after > before else "down"
    return f"{words.label} is {way} by {_number(metric, abs(after - before))} since your last try."


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """List the settings that differ and matter in at least one of two setups."""
    used = {**parse_setup(before).active_fields(), **parse_setup(after).active_fields()}
    return tuple(
        Change(
            SETTINGS[name].in_sentence,
            setting_value(name, before[name]),
            setting_value(name, after[name]),
        )
        for name in used
        if name in SETTINGS and before[name] != after[name]
    )


def history(attempts: list[Attempt], start: Mapping[str, Any]) -> list[Try]:
    """A student's tries, newest first, each with what it changed against the one before (the first: the start)."""
    rows = []
    start = parse_setup(start).to_dict()
    for place, attempt in enumerate(attempts):
        before = attempts[place + 1].setup if place + 1 < len(attempts) else start
        first = attempt.evaluation["goals"][0]
        metric = first["metric"]
        rows.append(
            Try(
                attempt=attempt,
                changes=changes_between(before, attempt.setup),
                is_first=place + 1 == len(attempts),
                is_start=not changes_between(start, attempt.setup),
                metric_label=METRICS[metric].label,
                value=f"{_number(metric, first['mean'])} ± {_number(metric, first['half_width'], finer=True)}",
                lab_link=lab_link(attempt.setup, attempt.display_seed),
            )
        )
    return rows


def lab_link(setup: Mapping[str, Any], seed: int) -> str:
    """The address that opens a setup in the lab."""
    return f"{reverse('lab')}?{Run(parse_setup(setup), seed).query()}"


def _number(metric: str, value: float, finer: bool = False) -> str:
    """Write a value in its metric's decimals; distances and half widths of whole-number metrics get one more."""
    digits = METRICS[metric].decimals
    if finer and digits < 3:
        digits += 1
    return fixed(value, digits)
