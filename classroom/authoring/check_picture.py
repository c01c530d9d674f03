"""All settings that a check tried as a picture: what they cost against what they reached."""

from collections.abc import Mapping, Sequence
from typing import Any

from classroom.authoring.check_result import CheckResult, changes_in_words
from classroom.figures.parts import Outcome, Point
from classroom.figures.scatter import PAGE, scatter
from classroom.mission.picture import TriesPicture, levels_of
from missions.definition import Budgets
from simulator.charts.table import Table


def check_picture(result: CheckResult, place: int = 0) -> TriesPicture:
    """Draw what was tried against the level at `place` of `levels_of`, with a line along the front."""
    definition = result.definition
    level, budgets = levels_of(definition)[place], definition.budgets
    points = [
        Point(cost, value, _outcome(passed, budgets.stars_for(cost)))
        for cost, passed, seeds_met, means in result.found["tried"]
        if (value := seeds_met if result.is_counted else means[place]) is not None
    ]
    front = [(one["cost"], value) for one in result.found["front"] if (value := _value(result, one, place)) is not None]
    line = staircase(front, max(point.cost for point in points)) if points else []
    return TriesPicture(
        level,
        tuple(scatter(points, level, budgets, look, line=line) for look in PAGE),
        _summary(result, budgets),
        front_table(result),
    )


def staircase(front: Sequence[tuple[int, float]], end: int) -> list[tuple[int, float]]:
    """The line through a front by rising cost: level until something safer is to be had, and on to the cost `end`."""
    if not front:
        return []
    steps = [front[0]]
    for cost, value in front[1:]:
        steps += [(cost, steps[-1][1]), (cost, value)]
    return [*steps, (max(end, steps[-1][0]), steps[-1][1])]


def front_table(result: CheckResult) -> Table:
    """The front in numbers: the settings that pass and that none beats."""
    head = ("Setting", "Responses", "All goals hold on", "Margin")
    rows = tuple((changes_in_words(one.changes), f"{one.cost:,}", one.runs, one.margin) for one in result.front)
    return Table("Settings that pass, and that none beats in both cost and safety", head, rows)


def _summary(result: CheckResult, budgets: Budgets) -> str:
    tried = result.found["tried"]
    passing = [cost for cost, passed, *_ in tried if passed]
    said = [f"{len(tried):,} {'setting was' if len(tried) == 1 else 'settings were'} tried."]
    if not passing:
        return f"{said[0]} None reaches the goal."
    starred = sum(budgets.stars_for(cost) > 0 for cost in passing)
    said.append(
        f"{len(passing):,} {'reaches' if len(passing) == 1 else 'reach'} the goal, {starred:,} within a budget."
    )
    said.append(f"The cheapest takes {min(passing):,} responses.")
    return " ".join(said)


def _outcome(passed: bool, stars: int) -> Outcome:
    if not passed:
        return Outcome.MISS
    return Outcome.STAR if stars else Outcome.MET


def _value(result: CheckResult, one: Mapping[str, Any], place: int) -> float | None:
    return float(one["seeds_met"]) if result.is_counted else one["goals"][place]["mean"]
