"""From TOML to a mission. Every refusal names the key that is wrong."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from missions.definition.kinds import TRAINING, generator_of, kind_of, no_training
from missions.definition.measured import evidences_from, metric_named
from missions.definition.offers import controls_from
from missions.definition.parts import (
    LOOK,
    START,
    Budgets,
    DefinitionError,
    Goal,
    MissionDefinition,
    Prediction,
)
from missions.definition.placeholders import placeholders_in
from missions.definition.reading import LONGEST_LIST, changed, items, number, setup_from, table, text, whole
from missions.definition.views import check_facts, check_lengths, views_from
from missions.seeds import EVALUATION_SEEDS
from simulator.worlds import Setup, World, world_of

PASS_RULES = ("mean", "seeds")
STAR_NAMES = {1: "one_star", 2: "two_stars", 3: "three_stars"}

LONGEST_SLUG = 60
# Some ten seconds of grading on one processor.
MOST_UPDATES = 300_000
LONGEST_TITLE = 120
LONGEST_KEY = 50
# Reading a key of thousands of parts takes minutes: its time grows with their square.
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"""(?<![A-Za-z0-9_"'-])(?:{_PART}\.[ \t]*+){{{LONGEST_KEY - 1}}}""")

_TEXTS = ("title", "aim", "lesson", "story", "symptom", "debrief")
_KNOWN = {
    *_TEXTS,
    *("slug", "revision", "chapter", "position", "curves", "setup", "controls", "goals", "pass_rule", "seeds_needed"),
    *("budgets", "hints", "prediction", "evidence", "verify", "kind", "look", "views"),
}


def parse_definition(text: str) -> MissionDefinition:
    """Read one mission from TOML. Raises DefinitionError naming the key that is wrong."""
    return definition_from(parse_toml(text))


def parse_toml(text: str) -> dict[str, Any]:
    """Read a TOML document, whatever it says. Raises DefinitionError about the file as a whole."""
    if match := _LONG_KEY.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise DefinitionError("file", f"has a key of {LONGEST_KEY} parts or more (at line {line})")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        # Also ValueError itself: a whole number of thousands of digits, or a date that is none.
        raise DefinitionError("file", f"is not valid TOML ({error})") from error
    except RecursionError as error:
        raise DefinitionError("file", "is not valid TOML here (nested too deeply)") from error


def definition_from(source: Mapping[str, Any]) -> MissionDefinition:
    """Build a mission from a parsed TOML table. Raises DefinitionError naming the key that is wrong."""
    definition, errors = read_definition(source)
    if definition is None:
        raise errors[0]
    return definition


def read_definition(source: Mapping[str, Any]) -> tuple[MissionDefinition | None, list[DefinitionError]]:
    """Build a mission from a parsed TOML table, or find what is wrong in each of its parts, in the order of a file.

    The definition is None exactly when there are errors.
    """
    errors = [DefinitionError(key, "is not a part of a mission") for key in source if key not in _KNOWN]
    found: dict[str, Any] = {}
    is_look = source.get("kind") == LOOK

    def part(name: str, read: Callable[[], Any]) -> None:
        try:
            found[name] = read()
        except DefinitionError as error:
            errors.append(error)

    part("slug", lambda: _slug(source))
    part("revision", lambda: whole(source, "revision"))
    # Missions that people who teach write stand in no chapter.
    for place in ("chapter", "position"):
        is_own = "chapter" not in source and "position" not in source
        part(place, lambda place=place, is_own=is_own: None if is_own else whole(source, place))
    part("kind", lambda: kind_of(source))
    for name in _TEXTS:
        if not (is_look and name in TRAINING):
            part(name, lambda name=name: _title(source) if name == "title" else text(source, name))
    if not is_look:
        part("seeds_needed", lambda: _seeds_needed(source))
    part("hints", lambda: _hints(source))
    part("start", lambda: setup_from(source.get("setup", {}), "setup"))
    if "start" not in found:
        # Nothing about settings and metrics can be judged without a world.
        return None, errors
    start: Setup = found["start"]
    world = world_of(start)
    if is_look:
        part("generator", lambda: generator_of(source))
        found |= no_training(world)
        errors += [DefinitionError(key, "belongs to a mission that is trained") for key in TRAINING if key in source]
    else:
        part("charts", lambda: _charts(items(source, "curves"), world))
        part("controls", lambda: controls_from(source.get("controls", {}), start))
        part("goals", lambda: _goals(source, world))
        part("budgets", lambda: _budgets(source.get("budgets", {})))
        part("prediction", lambda: _prediction(source.get("prediction", {}), world))
    part("evidence", lambda: evidences_from(source, start))
    part("views", lambda: views_from(source, start, found.get("evidence", ())))
    if errors:
        return None, errors
    try:
        return _completed(MissionDefinition(**found, verify={}, source=source)), []
    except DefinitionError as error:
        return None, [error]


def _completed(definition: MissionDefinition) -> MissionDefinition:
    """Add what is judged by all parts together. Raises DefinitionError."""
    check_lengths(definition.views, MOST_UPDATES)
    if definition.is_look:
        _check_placeholders(definition)
        return definition
    if errors := definition.check(definition.start):
        raise DefinitionError("setup", f"the start can't be chosen with these controls: {_said(errors)}")
    definition = replace(definition, verify=_solutions(definition.source, definition))
    for n, setup in definition.verify.items():
        if errors := definition.check(setup):
            raise DefinitionError(f"verify.{STAR_NAMES[n]}", f"can't be chosen with these controls: {_said(errors)}")
    _check_placeholders(definition)
    if (most := most_updates(definition)) > MOST_UPDATES:
        raise DefinitionError(
            "controls",
            f"let a run use {most:,} responses for updates; {MOST_UPDATES:,} are as long as students can wait",
        )
    return definition


def most_updates(definition: MissionDefinition) -> int:
    """The most responses times uses of each that a student, or an evidence table, can ask of one run."""
    most = 1
    for name in ("steps", "prompts_per_step", "group_size", "num_iterations"):
        values = [
            getattr(s, name, 1) for s in (definition.start, *(r.setup for e in definition.evidence for r in e.rows))
        ]
        control = definition.controls.get(name)
        most *= int(max([*values, *(control.values() if control else ())]))
    return most


def _said(errors: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {message}" for name, message in errors.items())


def _slug(source: Mapping[str, Any]) -> str:
    slug = text(source, "slug")
    if len(slug) > LONGEST_SLUG:
        raise DefinitionError("slug", f"must have at most {LONGEST_SLUG} characters")
    if not all(part.isascii() and part.isalnum() and part == part.lower() for part in slug.split("-")):
        raise DefinitionError("slug", "must be lower-case words joined by hyphens")
    return slug


def _title(source: Mapping[str, Any]) -> str:
    title = text(source, "title")
    if len(title) > LONGEST_TITLE:
        raise DefinitionError("title", f"must have at most {LONGEST_TITLE} characters")
    return title


def _charts(value: list[Any], world: World) -> tuple[tuple[str, ...], ...]:
    """One list of metrics is one chart; a list of lists is several."""
    lists = value if all(isinstance(item, list) and 0 < len(item) <= LONGEST_LIST for item in value) else [value]
    known = (*world.metrics, *world.training)
    for name in (name for names in lists for name in names):
        if not isinstance(name, str) or name not in known:
            raise DefinitionError("curves", f"must be one of {', '.join(known)}")
    return tuple(tuple(names) for names in lists)


def _seeds_needed(source: Mapping[str, Any]) -> int | None:
    """How many of the hidden seeds must pass, or None under the rule of means."""
    rule = source.get("pass_rule", "mean")
    if rule not in PASS_RULES:
        raise DefinitionError("pass_rule", f"must be {' or '.join(PASS_RULES)}")
    if rule == "mean":
        if "seeds_needed" in source:
            raise DefinitionError("seeds_needed", 'belongs to pass_rule = "seeds"')
        return None
    needed = whole(source, "seeds_needed")
    if needed > EVALUATION_SEEDS:
        raise DefinitionError("seeds_needed", f"must be at most {EVALUATION_SEEDS}, the number of hidden seeds")
    return needed


def _hints(source: Mapping[str, Any]) -> tuple[str, ...]:
    hints = items(source, "hints")
    if len(hints) != 2 or not all(isinstance(hint, str) and hint.strip() for hint in hints):
        raise DefinitionError("hints", "must be two texts")
    return tuple(hint.strip() for hint in hints)


def _goals(source: Mapping[str, Any], world: World) -> tuple[Goal, ...]:
    return tuple(_goal(item, world, f"goals[{i}]") for i, item in enumerate(items(source, "goals")))


def _goal(item: Any, world: World, where: str) -> Goal:
    if not isinstance(item, Mapping) or set(item) not in ({"metric", "at_least"}, {"metric", "at_most"}):
        raise DefinitionError(where, "needs a metric and one of at_least, at_most")
    at_least = "at_least" in item
    bound = number(item["at_least" if at_least else "at_most"], where)
    return Goal(metric_named(item["metric"], world, where), bound, at_least)


def _budgets(value: Any) -> Budgets:
    if not isinstance(value, Mapping):
        raise DefinitionError("budgets", "must be a table")
    budgets = Budgets(*(whole(value, name, "budgets") for name in STAR_NAMES.values()))
    if not budgets.one > budgets.two > budgets.three:
        raise DefinitionError("budgets", "must shrink from one_star to three_stars")
    return budgets


def _prediction(value: Any, world: World) -> Prediction:
    if not isinstance(value, Mapping):
        raise DefinitionError("prediction", "must be a table")
    cuts = tuple(number(cut, "prediction.cuts") for cut in items(value, "cuts", "prediction"))
    if list(cuts) != sorted(set(cuts)):
        raise DefinitionError("prediction.cuts", "must rise")
    return Prediction(metric_named(value.get("metric"), world, "prediction.metric"), cuts)


def _solutions(source: Mapping[str, Any], definition: MissionDefinition) -> dict[int, Setup]:
    """The settings that are named as earning one, two and three stars."""
    found, given = {}, source.get("verify", {})
    for n, name in STAR_NAMES.items():
        if isinstance(given, Mapping) and name not in given:
            continue
        changes = table(given, name, "verify")
        found[n] = changed(definition.base_for(changes), changes, f"verify.{name}")
    return found


def _check_placeholders(definition: MissionDefinition) -> None:
    rows = {table.name: {row.label for row in table.rows} for table in definition.evidence} | {START: {""}}
    metrics = (*definition.world.metrics, "sampled_responses")
    for name in _TEXTS:
        try:
            found = placeholders_in(getattr(definition, name))
        except ValueError as error:
            raise DefinitionError(name, f"has {error}") from error
        # The other texts are also shown where no measurement is at hand.
        if found and name not in ("symptom", "debrief"):
            raise DefinitionError(name, f"can't hold {found[0]}: only symptom and debrief are filled in")
        for item in found:
            if item.metric not in metrics or item.row not in rows.get(item.table, ()):
                raise DefinitionError(name, f"{item} names nothing that is measured")
    check_facts(definition.views, definition.world)
