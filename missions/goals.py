"""Goals in words and figures: before a try, and with what was measured on the hidden seeds."""

from dataclasses import dataclass

from missions.definition import Goal
from missions.figures import SEED_WIDTHS, SeedPlot, seed_plot
from missions.grading import GoalResult, Verdict
from missions.models import Attempt
from simulator.charts.table import fixed
from simulator.engine.setup import DEFAULT_WORLD
from simulator.labels import MetricLabel, in_sentence
from simulator.worlds import WORLDS, World


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
class RuleView:
    """The rule of seeds in words: what is needed, or what was reached; `state` as of a goal."""

    state: str
    text: str


def world_for(attempt: Attempt) -> World:
    """The world an attempt was made in."""
    return WORLDS[(attempt.setup or {}).get("world", DEFAULT_WORLD)]


def verdict_of(attempt: Attempt) -> Verdict:
    """What an attempt earned and why, as it was when it was graded."""
    return Verdict.from_dict(attempt.evaluation, attempt.sampled_responses)


def goal_results(attempt: Attempt) -> list[GoalResult]:
    """The goals of an attempt as they were when it was graded."""
    needed = attempt.evaluation.get("seeds_needed")
    return [GoalResult.from_dict(stored, needed) for stored in attempt.evaluation["goals"]]


def goal_name(goal: Goal, world: World) -> str:
    """Say a goal: Win rate at least 0.680."""
    metric = world.metrics[goal.metric]
    return f"{metric.label} {'at least' if goal.at_least else 'at most'} {value_text(metric, goal.bound)}"


def untried_goal(
    goal: Goal, world: World, seed_count: int, reference: float | None, seeds_needed: int | None = None
) -> GoalView:
    """A goal before the first try; `reference` is where the reference policy stands, if that is worth saying."""
    metric = world.metrics[goal.metric]
    known = f" The reference policy has {value_text(metric, reference)}." if reference is not None else ""
    rule = f"On {seeds_needed} of {seed_count}" if seeds_needed is not None else f"Mean over {seed_count}"
    return GoalView(
        name=goal_name(goal, world),
        state="open",
        value="not tried",
        note=f"{rule} hidden seeds.{known}",
        verdict="",
        bound_text=value_text(metric, goal.bound),
        figure_text="",
        plots={},
        values=(),
    )


def graded_goal(result: GoalResult, world: World) -> GoalView:
    """A goal with its measurement, the distance in words, and the seeds as a figure."""
    metric, interval, goal = world.metrics[result.goal.metric], result.interval, result.goal
    count, bound = len(result.values), value_text(metric, goal.bound)
    value = f"{value_text(metric, interval.mean)} ± {value_text(metric, interval.half_width, finer=True)}"
    low, high = (value_text(metric, end) for end in (interval.low, interval.high))
    note, verdict = f"Mean of {count} hidden seeds, 95% interval.", _distance(result, metric)
    figure_text = (
        f"{metric.label} on {count} hidden seeds: mean {value_text(metric, interval.mean)}, "
        f"95% interval {low} to {high}, goal {bound}."
    )
    if result.seeds_met is not None:
        note, value = f"Mean {value}, 95% interval.", f"{result.seeds_met} of {count} runs"
        figure_text = f"{metric.label} on {count} hidden seeds: {result.seeds_met} reach the goal of {bound}."
    return GoalView(
        name=goal_name(goal, world),
        state="met" if result.met else "unmet",
        value=value,
        note=note,
        verdict=verdict,
        bound_text=bound,
        figure_text=figure_text,
        plots={name: seed_plot(result, width) for name, width in SEED_WIDTHS.items()},
        values=tuple(value_text(metric, value) for value in result.values),
    )


def untried_rule(seeds_needed: int | None, seed_count: int, goals: int) -> RuleView | None:
    """What the rule of seeds asks for; None under the rule of means."""
    if seeds_needed is None:
        return None
    return RuleView("open", f"At least {seeds_needed} of {seed_count} hidden runs have to reach {_the_goals(goals)}.")


def graded_rule(verdict: Verdict) -> RuleView | None:
    """How many runs reached all goals; None under the rule of means."""
    if verdict.seeds_needed is None:
        return None
    text = (
        f"{verdict.seeds_passed} of {verdict.seed_count} hidden runs reached {_the_goals(len(verdict.goals))}; "
        f"{verdict.seeds_needed} are needed."
    )
    return RuleView("met" if verdict.passed else "unmet", text)


def value_text(metric: MetricLabel, value: float, finer: bool = False) -> str:
    """Write a value in its metric's decimals; distances and half widths of whole-number metrics get one more."""
    digits = metric.decimals
    if finer and digits < 3:
        digits += 1
    return fixed(value, digits)


def _the_goals(count: int) -> str:
    return {1: "the goal", 2: "both goals at once"}.get(count, f"all {count} goals at once")


def _distance(result: GoalResult, metric: MetricLabel) -> str:
    if result.seeds_met is None or result.seeds_needed is None:
        side = "above" if result.interval.mean >= result.goal.bound else "below"
        return f"{value_text(metric, abs(result.interval.mean - result.goal.bound), finer=True)} {side} the goal"
    spare = result.seeds_met - result.seeds_needed
    if spare == 0:
        return "exactly as many runs as needed"
    return f"{abs(spare)} {'more' if spare > 0 else 'fewer'} {'run' if abs(spare) == 1 else 'runs'} than needed"
