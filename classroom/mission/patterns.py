"""What the tries of a class have in common: settings they share, and changes after which they stood worse.

Pure: nothing here reads the database. Numbers are counted, never estimated.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from classroom.mission.tries import ClassTries, Run
from missions.definition import Control, MissionDefinition
from missions.outcome import Change, changes_between
from simulator.charts.scale import round_ticks
from simulator.charts.table import fixed
from simulator.worlds import World

MOST_VALUES = 10
FEWEST_STEPS = 3
"""A change that was made less often is left out: it may be chance."""


@dataclass
class Usage:
    """A value of a setting, or a stretch of values: how many tries had it, and how many of those met the goal."""

    text: str
    tries: int = 0
    passed: int = 0
    people: set[int] = field(default_factory=set)

    @property
    def missed(self) -> int:
        return self.tries - self.passed


@dataclass(frozen=True)
class SettingUsage:
    """What a class chose for one setting of the mission's form."""

    label: str
    start: str
    values: tuple[Usage, ...]

    @property
    def most(self) -> int:
        return max(value.tries for value in self.values)


def usage_of_settings(found: ClassTries) -> list[SettingUsage]:
    """For each open control, which values tries had. Tries on which a setting had no effect don't count for it."""
    definition = found.definition
    start = definition.start.to_dict()
    usages = []
    for name, control in definition.controls.items():
        if control.locked:
            continue
        chosen = [(run.settings[name], run, tries) for run, tries in found.runs.items() if name in run.settings]
        if not chosen:
            continue
        world = definition.world
        values = _values(control, [value for value, *_ in chosen], world)
        for value, run, tries in chosen:
            usage = values[_place(value, values)]
            usage.tries += len(tries)
            usage.passed += len(tries) if run.passed else 0
            usage.people.update(one.user for one in tries)
        shown = tuple(usage for usage in values.values() if usage.tries)
        usages.append(SettingUsage(world.settings[name].label, world.setting_value(name, start[name]), shown))
    return usages


def _values(control: Control, chosen: Sequence[Any], world: World) -> dict[Any, Usage]:
    """The lines to count on, in order: each value, or stretches where numbers are typed and there are many."""
    offered = [value for value in control.choices if value in chosen] or sorted(set(chosen))
    if control.choices or len(offered) <= MOST_VALUES:
        rest = [value for value in dict.fromkeys(chosen) if value not in offered]
        return {value: Usage(world.setting_value(control.name, value)) for value in (*offered, *rest)}
    ticks = round_ticks(min(offered), max(offered), MOST_VALUES - 2)
    return {
        (low, high, high == ticks.high): Usage(f"{fixed(low, ticks.decimals)} to {fixed(high, ticks.decimals)}")
        for low, high in pairwise(ticks.values)
    }


def _place(value: Any, values: dict[Any, Usage]) -> Any:
    if value in values:
        return value
    return next(key for key in values if key[0] <= value < key[1] or (key[2] and value == key[1]))


@dataclass(frozen=True)
class Repeated:
    """A setup that missed the goal: how it differs from the start, how often and by how many it was tried."""

    changes: tuple[Change, ...]
    run: Run
    tries: int
    people: int


def repeated_misses(found: ClassTries, most: int = 6) -> list[Repeated]:
    """The setups that missed the goal and were tried most often, the start among them."""
    start = found.definition.start.to_dict()
    missed = ((run, tries) for run, tries in found.runs.items() if not run.passed)
    by_setup: dict[str, tuple[Run, int, set[int]]] = {}
    for run, tries in missed:
        key = run.run_hash or run.setup.run_hash
        first, count, people = by_setup.setdefault(key, (run, 0, set()))
        by_setup[key] = (first, count + len(tries), people | {one.user for one in tries})
    ordered = sorted(by_setup.values(), key=lambda item: (-item[1], -len(item[2])))
    return [
        Repeated(changes_between(start, run.raw), run, count, len(people))
        for run, count, people in ordered[:most]
        if count > 1
    ]


@dataclass
class Turn:
    """A kind of change of one setting between two tries of a person, and how often they stood how after it."""

    text: str
    steps: int = 0
    further: int = 0
    closer: int = 0
    people: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Turns:
    """Changes of a single setting, those that led away from the goal most often first.

    `single` of all `steps` from a try to the next changed one setting and no other; only these are told apart.
    """

    steps: int
    single: int
    kinds: tuple[Turn, ...]

    @property
    def wrong(self) -> list[Turn]:
        """Those after which more than half of the tries stood further from the goal."""
        return [turn for turn in self.kinds if 2 * turn.further > turn.steps >= FEWEST_STEPS]


def turns_of(found: ClassTries) -> Turns:
    """Hold every try against the one its student made before it."""
    definition = found.definition
    kinds: dict[str, Turn] = {}
    known: dict[tuple[Run, Run], tuple[str, int]] = {}
    steps = single = 0
    for person in found.by_person:
        for before, after in pairwise(person):
            # A try between them may be left out, having been graded under an earlier version of the mission.
            if after.number != before.number + 1:
                continue
            pair = before.run, after.run
            if pair not in known:
                known[pair] = _kind(definition, *pair), side_of(definition, *pair)
            text, side = known[pair]
            steps += 1
            if not text:
                continue
            single += 1
            turn = kinds.setdefault(text, Turn(text))
            turn.steps += 1
            turn.further += side < 0
            turn.closer += side > 0
            turn.people.add(after.user)
    ordered = sorted(kinds.values(), key=lambda turn: (-turn.further, turn.text))
    return Turns(steps, single, tuple(ordered))


def side_of(definition: MissionDefinition, before: Run, after: Run) -> int:
    """1 where the later run is closer to the goal, -1 where it is further from it, 0 where neither can be said.

    Under the rule of means it is closer if it misses no goal by more and one by less, both by what counts as a change
    of that metric; under the rule of seeds, if more seeds pass, up to as many as are needed.
    """
    if definition.seeds_needed is not None:
        reached = [min(run.seeds_passed or 0, definition.seeds_needed) for run in (before, after)]
        return _sign(reached[1] - reached[0])
    sides = set()
    for goal, old, new in zip(definition.goals, before.means, after.means, strict=True):
        gained = min(goal.margin(new), 0.0) - min(goal.margin(old), 0.0)
        is_over_the_line = goal.is_met(old) != goal.is_met(new)
        if is_over_the_line or abs(gained) >= definition.world.metrics[goal.metric].steady:
            sides.add(_sign(gained))
    sides.discard(0)
    return sides.pop() if len(sides) == 1 else 0


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _kind(definition: MissionDefinition, before: Run, after: Run) -> str:
    """The change in words if it is of one setting alone; else ""."""
    names = _changed(definition, before, after)
    return _in_words(definition.world, names[0], before.settings, after.settings) if len(names) == 1 else ""


def _changed(definition: MissionDefinition, before: Run, after: Run) -> list[str]:
    """The settings that were changed; what only comes and goes with another one is not."""
    world = definition.world
    both: Iterable[str] = before.settings.keys() & after.settings.keys()
    names = [name for name in both if name in definition.controls and before.settings[name] != after.settings[name]]
    if world.fills in names:
        names = [name for name in names if name not in world.filled_names]
    return names


def _in_words(world: World, name: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    label, old, new = world.settings[name].in_sentence, before[name], after[name]
    if isinstance(new, bool):
        return f"{label} turned {'on' if new else 'off'}"
    if isinstance(new, int | float):
        return f"{label} {'raised' if new > old else 'lowered'}"
    return f"{label} changed from {world.setting_value(name, old)} to {world.setting_value(name, new)}"
