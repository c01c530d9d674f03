"""An attempt in words: what was met, what is missing, what changed since the last try."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from missions import answers
from missions.definition import Budgets
from missions.explaining import Explained
from missions.form import PLURAL
from missions.goals import goal_results, value_text, world_for
from missions.models import Attempt
from simulator.engine import parse_setup
from simulator.lab.link import Run
from simulator.worlds import world_of


@dataclass(frozen=True)
class Change:
    """One setting that differs between two tries."""

    label: str
    old: str
    new: str


@dataclass(frozen=True)
class Try:
    """One row of the history. `answer` is what was answered, in words, where nothing was trained."""

    attempt: Attempt
    changes: tuple[Change, ...]
    is_first: bool
    is_start: bool
    metric_label: str
    value: str
    lab_link: str
    run_link: str = ""
    answer: str = ""


def headline(attempt: Attempt) -> str:
    """Say the outcome, and the distance instead of a grade."""
    if answers.is_answer(attempt):
        return answers.headline(attempt)
    if attempt.stars:
        return PLURAL[attempt.stars].capitalize()
    if attempt.passed:
        return "Goal met, no star at this cost"
    found = attempt.evaluation
    if "seeds_passed" in found:
        return f"Not yet: {found['seeds_passed']} of {found['seed_count']} runs, {found['seeds_needed']} are needed"
    parts = []
    for result in goal_results(attempt):
        if not result.met:
            metric = world_for(attempt).metrics[result.goal.metric]
            distance = value_text(metric, abs(result.interval.mean - result.goal.bound), finer=True)
            way = "short" if result.goal.at_least else "over"
            on = f" on {metric.in_sentence}" if len(found["goals"]) > 1 else ""
            parts.append(f"{distance} {way}{on}")
    return "Not yet: " + ", ".join(parts)


def cost_note(attempt: Attempt) -> str:
    """Say what this cost is worth, or would be."""
    if answers.is_answer(attempt):
        return answers.stake(attempt)
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
    """Say how the runs that reach the goal, or the first goal's metric, moved since the last try."""
    if last is None or answers.is_answer(attempt):
        return ""
    if "seeds_passed" in attempt.evaluation and "seeds_passed" in last.evaluation:
        return _runs_against_last(attempt.evaluation["seeds_passed"], last.evaluation["seeds_passed"])
    metric = attempt.evaluation["goals"][0]["metric"]
    if metric not in last.evaluation["metrics"]:
        return ""
    before, after = (a.evaluation["metrics"][metric]["mean"] for a in (last, attempt))
    words = world_for(attempt).metrics[metric]
    if abs(after - before) < words.steady:
        return f"{words.label} stands where it stood at your last try."
    way = "up" if after > before else "down"
    return f"{words.label} is {way} by {value_text(words, abs(after - before))} since your last try."


def _runs_against_last(after: int, before: int) -> str:
    if after == before:
        return f"As many runs reach the goal as at your last try: {after}."
    return f"{abs(after - before)} {'more' if after > before else 'fewer'} runs reach the goal than at your last try."


def divergence(attempt: Attempt) -> str:
    """Say on how many runs training broke down altogether."""
    count = attempt.evaluation.get("diverged", 0)
    if not count:
        return ""
    return f"On {count} of {attempt.evaluation['seed_count']} hidden runs training left the range of finite numbers."


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """List the settings that differ and matter in at least one of two setups."""
    setups = parse_setup(before), parse_setup(after)
    used = {**setups[0].active_fields(), **setups[1].active_fields()}
    world = world_of(setups[1])
    return tuple(
        Change(
            world.settings[name].in_sentence,
            world.setting_value(name, before[name]),
            world.setting_value(name, after[name]),
        )
        for name in used
        if name in world.settings and before.get(name) != after.get(name)
    )


def history(attempts: list[Attempt], start: Mapping[str, Any]) -> list[Try]:
    """A student's tries, newest first, each with what it changed against the one before (the first: the start)."""
    older = [attempt.setup for attempt in attempts[1:]] + [None]
    return [try_after(attempt, before, start) for attempt, before in zip(attempts, older, strict=False)]


def try_after(attempt: Attempt, before: Mapping[str, Any] | None, start: Mapping[str, Any]) -> Try:
    """One try with what it changed against the setup of the one before; None says that it was the first."""
    start = parse_setup(start).to_dict()
    label, value = _reached(attempt)
    is_trained = not answers.is_answer(attempt)
    return Try(
        attempt=attempt,
        changes=changes_between(start if before is None else before, attempt.setup) if is_trained else (),
        is_first=before is None,
        is_start=is_trained and not changes_between(start, attempt.setup),
        metric_label=label,
        value=value,
        lab_link=lab_link(attempt.setup, attempt.display_seed),
        run_link=run_link(attempt),
        answer="" if is_trained else answers.in_few_words(attempt),
    )


def _reached(attempt: Attempt) -> tuple[str, str]:
    """What decides about an attempt, for a table: its name and its value."""
    found = attempt.evaluation
    if answers.is_answer(attempt):
        return "Answer", "right" if attempt.passed else "wrong"
    if "seeds_passed" in found:
        return "Runs at the goal", f"{found['seeds_passed']} of {found['seed_count']}"
    first = found["goals"][0]
    metric = world_for(attempt).metrics[first["metric"]]
    return metric.label, f"{value_text(metric, first['mean'])} ± {value_text(metric, first['half_width'], finer=True)}"


def lab_link(setup: Mapping[str, Any], seed: int) -> str:
    """The address that opens a setup in the lab of its world."""
    parsed = parse_setup(setup)
    return f"{reverse(world_of(parsed).lab)}?{Run(parsed, seed).query()}"


def run_link(attempt: Attempt, explained: Explained | None = None) -> str:
    """The address that opens the run of a try in the explorer: at the step that explains it, if that was looked for.

    Where something was asked about the run, at that place; "" for a try that isn't stored.
    """
    if attempt.pk is None:
        return ""
    query = f"s={explained.update}" if explained else ""
    if answers.is_answer(attempt):
        query = urlencode(attempt.evaluation["state"])
    return reverse("attempt_run", args=[attempt.pk]) + (f"?{query}" if query else "")
