"""From TOML to a mission. Every refusal names the key that is wrong."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from missions.definition.controls import label_of
from missions.definition.offers import controls_from
from missions.definition.parts import (
    START,
    Budgets,
    DefinitionError,
    Evidence,
    EvidenceRow,
    Goal,
    MissionDefinition,
    Prediction,
)
from missions.definition.placeholders import placeholders_in
from missions.definition.reading import changed, items, number, setup_from, table, text, whole
from missions.seeds import EVALUATION_SEEDS
from simulator.worlds import Setup, World, world_of

PASS_RULES = ("mean", "seeds")
STAR_NAMES = {1: "one_star", 2: "two_stars", 3: "three_stars"}

_TEXTS = ("title", "aim", "lesson", "story", "symptom", "debrief")
_KNOWN = {
    *_TEXTS,
    *("slug", "revision", "chapter", "position", "curves", "setup", "controls", "goals", "pass_rule", "seeds_needed"),
    *("budgets", "hints", "prediction", "evidence", "verify"),
}


def parse_definition(text: str) -> MissionDefinition:
    """Read one mission from TOML. Raises DefinitionError naming the key that is wrong."""
    try:
        source = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError("file", f"is not valid TOML ({error})") from error
    return definition_from(source)


def definition_from(source: Mapping[str, Any]) -> MissionDefinition:
    """Build a mission from a parsed TOML table. Raises DefinitionError naming the key that is wrong."""
    for key in source:
        if key not in _KNOWN:
            raise DefinitionError(key, "is not a part of a mission")
    start = setup_from(source.get("setup", {}), "setup")
    world = world_of(start)
    definition = MissionDefinition(
        slug=_slug(source),
        revision=whole(source, "revision"),
        chapter=whole(source, "chapter"),
        position=whole(source, "position"),
        **{name: text(source, name) for name in _TEXTS},
        charts=_charts(items(source, "curves"), world),
        start=start,
        controls=controls_from(source.get("controls", {}), start),
        goals=tuple(_goal(item, world, f"goals[{i}]") for i, item in enumerate(items(source, "goals"))),
        seeds_needed=_seeds_needed(source),
        budgets=_budgets(source.get("budgets", {})),
        hints=_hints(source),
        prediction=_prediction(source.get("prediction", {}), world),
        evidence=_evidences(source, start),
        verify={},
        source=source,
    )
    definition = replace(definition, verify=_solutions(source, definition))
    if errors := definition.check(start):
        raise DefinitionError("setup", f"the start can't be chosen with these controls: {errors}")
    for n, setup in definition.verify.items():
        if errors := definition.check(setup):
            raise DefinitionError(f"verify.{STAR_NAMES[n]}", f"can't be chosen with these controls: {errors}")
    _check_placeholders(definition)
    return definition


def _slug(source: Mapping[str, Any]) -> str:
    slug = text(source, "slug")
    if not all(part.isascii() and part.isalnum() and part == part.lower() for part in slug.split("-")):
        raise DefinitionError("slug", "must be lower-case words joined by hyphens")
    return slug


def _metric(value: Any, world: World, where: str) -> str:
    if not isinstance(value, str) or value not in world.metrics:
        raise DefinitionError(where, f"must be one of {', '.join(world.metrics)}")
    return value


def _charts(value: list[Any], world: World) -> tuple[tuple[str, ...], ...]:
    """One list of metrics is one chart; a list of lists is several."""
    lists = value if all(isinstance(item, list) and item for item in value) else [value]
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


def _goal(item: Any, world: World, where: str) -> Goal:
    if not isinstance(item, Mapping) or set(item) not in ({"metric", "at_least"}, {"metric", "at_most"}):
        raise DefinitionError(where, "needs a metric and one of at_least, at_most")
    at_least = "at_least" in item
    bound = number(item["at_least" if at_least else "at_most"], where)
    return Goal(_metric(item["metric"], world, where), bound, at_least)


def _budgets(value: Any) -> Budgets:
    if not isinstance(value, Mapping):
        raise DefinitionError("budgets", "must be a table")
    budgets = Budgets(*(whole(value, name) for name in STAR_NAMES.values()))
    if not budgets.one > budgets.two > budgets.three:
        raise DefinitionError("budgets", "must shrink from one_star to three_stars")
    return budgets


def _prediction(value: Any, world: World) -> Prediction:
    if not isinstance(value, Mapping):
        raise DefinitionError("prediction", "must be a table")
    cuts = tuple(number(cut, "prediction.cuts") for cut in items(value, "cuts", "prediction"))
    if list(cuts) != sorted(set(cuts)):
        raise DefinitionError("prediction.cuts", "must rise")
    return Prediction(_metric(value.get("metric"), world, "prediction.metric"), cuts)


def _evidences(source: Mapping[str, Any], start: Setup) -> tuple[Evidence, ...]:
    tables = tuple(_evidence(item, start, f"evidence[{i}]") for i, item in enumerate(items(source, "evidence")))
    names = [found.name for found in tables]
    if len({*names, START}) <= len(names):
        raise DefinitionError("evidence", f"names must differ, and none may be {START}")
    return tables


def _evidence(item: Any, start: Setup, where: str) -> Evidence:
    if not isinstance(item, Mapping):
        raise DefinitionError(where, "must be a table")
    if extra := set(item) - {"name", "title", "metrics", "setup", "vary", "values", "rows"}:
        raise DefinitionError(f"{where}.{min(extra)}", "is not a part of evidence")
    base = changed(start, item.get("setup", {}), f"{where}.setup")
    vary, values, rows = "", (), ()
    if "rows" in item:
        if "vary" in item or "values" in item:
            raise DefinitionError(where, "takes rows, or vary and values")
        rows = tuple(_row(row, base, f"{where}.rows[{i}]") for i, row in enumerate(items(item, "rows", where)))
        values = tuple(row.label for row in rows)
    else:
        vary, values = text(item, "vary"), tuple(items(item, "values", where))
        rows = tuple(EvidenceRow(label_of(v), changed(base, {vary: v}, f"{where}.values")) for v in values)
    if len({row.label for row in rows}) != len(rows):
        raise DefinitionError(where, "two rows have the same label")
    return Evidence(
        name=text(item, "name"),
        title=text(item, "title"),
        vary=vary,
        values=values,
        base=base,
        metrics=tuple(_metric(metric, world_of(start), f"{where}.metrics") for metric in items(item, "metrics", where)),
        rows=rows,
    )


def _row(item: Any, base: Setup, where: str) -> EvidenceRow:
    if not isinstance(item, Mapping) or set(item) != {"label", "setup"}:
        raise DefinitionError(where, "takes a label and a setup")
    return EvidenceRow(text(item, "label"), changed(base, item["setup"], f"{where}.setup"))


def _solutions(source: Mapping[str, Any], definition: MissionDefinition) -> dict[int, Setup]:
    """The settings that are proven to earn one, two and three stars."""
    found = {}
    for n, name in STAR_NAMES.items():
        changes = table(source.get("verify", {}), name, "verify")
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
