"""The tries of a class as a picture: what they cost against what they reached."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from classroom.figures.costs import LOOKS, CostChart, cost_chart, cost_table
from classroom.figures.parts import Level, Look, Outcome, Point
from classroom.figures.scatter import Scatter, scatter
from classroom.mission.tries import ClassTries, Run, Try
from missions.definition import Goal, MissionDefinition
from missions.goals import value_text
from missions.seeds import EVALUATION_SEEDS
from simulator.charts.table import Table


@dataclass(frozen=True)
class TriesPicture:
    """The scatter in its native sizes, what it says in words, and its numbers. `costs` is the histogram below it."""

    level: Level
    drawings: tuple[Scatter, ...]
    summary: str
    table: Table
    costs: tuple[CostChart, ...] = ()


def levels_of(definition: MissionDefinition) -> tuple[Level, ...]:
    """What the tries of a mission can be drawn against: each goal, or the runs that reach all goals at once."""
    needed = definition.seeds_needed
    if needed is not None:
        name = "hidden runs at the goal" if len(definition.goals) == 1 else "hidden runs at all goals"
        ends = (0.0, float(EVALUATION_SEEDS))
        return (Level(name, f"goal: {needed} of {EVALUATION_SEEDS} runs", float(needed), True, 0, ends),)
    return tuple(_level(goal, definition) for goal in definition.goals)


def _level(goal: Goal, definition: MissionDefinition) -> Level:
    metric = definition.world.metrics[goal.metric]
    way = "at least" if goal.at_least else "at most"
    text = f"goal: {metric.in_sentence} {way} {value_text(metric, goal.bound)}"
    return Level(metric.in_sentence, text, goal.bound, goal.at_least, metric.decimals)


def picture_of(found: ClassTries, looks: Sequence[Look], place: int = 0, ring: Run | None = None) -> TriesPicture:
    """Draw the tries against the level at `place` of `levels_of`; `ring` is a run to draw a ring around."""
    level, budgets = levels_of(found.definition)[place], found.definition.budgets
    points = points_of(found, place)
    around = (ring.sampled_responses, _value(found.definition, ring, place)) if ring else None
    return TriesPicture(
        level,
        tuple(scatter(points, level, budgets, look, around) for look in looks),
        summary_of(found),
        cost_table(points, budgets),
    )


def costs_of(found: ClassTries) -> tuple[CostChart, ...]:
    """The histogram of what tries cost, in its native sizes."""
    points = points_of(found, 0)
    return tuple(cost_chart(points, found.definition.budgets, look) for look in LOOKS)


def points_of(found: ClassTries, place: int) -> list[Point]:
    return [
        Point(run.sampled_responses, _value(found.definition, run, place), outcome_of(run), len(tries))
        for run, tries in found.runs.items()
    ]


def outcome_of(run: Run) -> Outcome:
    if run.stars:
        return Outcome.STAR
    return Outcome.MET if run.passed else Outcome.MISS


def count_outcomes(tries: Iterable[Try]) -> dict[Outcome, int]:
    counts = dict.fromkeys(Outcome, 0)
    for one in tries:
        counts[outcome_of(one.run)] += 1
    return counts


def summary_of(found: ClassTries) -> str:
    """The picture in words."""
    if not found.tries:
        return "No try yet."
    counts, total = count_outcomes(found.tries), len(found.tries)
    costs = sorted(one.run.sampled_responses for one in found.tries)
    said = [f"{total:,} {'try' if total == 1 else 'tries'} by {found.people:,} {_students(found.people)}."]
    said.append(f"{counts[Outcome.STAR]:,} earned a star.")
    if counts[Outcome.MET]:
        said.append(f"{counts[Outcome.MET]:,} met the goal at a cost that earns none.")
    if total > 3:
        low, high = costs[(total - 1) // 4], costs[3 * (total - 1) // 4]
        middle = f"{low:,}" if low == high else f"between {low:,} and {high:,}"
        said.append(f"Half of all tries took {middle} responses.")
    return " ".join(said)


def _value(definition: MissionDefinition, run: Run, place: int) -> float:
    return run.means[place] if definition.seeds_needed is None else float(run.seeds_passed or 0)


def _students(count: int) -> str:
    return "student" if count == 1 else "students"
