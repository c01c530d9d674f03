"""From TOML to a mission. Every refusal names the key that is wrong."""

import math
import tomllib
from collections.abc import Mapping
from typing import Any

from missions.definition.parts import (
    METRICS,
    START,
    Budgets,
    Control,
    DefinitionError,
    Evidence,
    EvidenceRow,
    Goal,
    MissionDefinition,
    Prediction,
    label_of,
)
from missions.definition.placeholders import placeholders_in
from simulator.engine import CandidateSetup, SetupError, parse_setup

# What a control offers unless a mission says otherwise. Coarse on purpose: a list is quicker on a phone than a
# keyboard, and the chance of winning by luck is computed over exactly these values.
CHOICES: dict[str, tuple[Any, ...]] = {
    "steps": (25, 50, 75, 100, 125, 150, 200, 300, 400, 800),
    "group_size": (2, 3, 4, 6, 8, 12, 16, 32),
    "samples_per_prompt": (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64),
    "beta": (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.2),
    "length_penalty": (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0),
    "label_smoothing": (0.1, 0.2, 0.3, 0.4),
}
STAR_NAMES = {1: "one_star", 2: "two_stars", 3: "three_stars"}

_TEXTS = ("title", "aim", "lesson", "story", "symptom", "debrief")
_KNOWN = {
    *_TEXTS,
    *("slug", "revision", "chapter", "position", "curves", "setup", "controls", "goals", "budgets", "hints"),
    *("prediction", "evidence", "verify"),
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
    start = _setup(source.get("setup", {}), "setup")
    curves = tuple(_metric(metric, "curves") for metric in _list(source, "curves"))
    definition = MissionDefinition(
        slug=_slug(source),
        revision=_whole(source, "revision"),
        chapter=_whole(source, "chapter"),
        position=_whole(source, "position"),
        **{name: _text(source, name) for name in _TEXTS},
        curves=curves,
        start=start,
        controls=_controls(source.get("controls", {}), start),
        goals=tuple(_goal(item, f"goals[{i}]") for i, item in enumerate(_list(source, "goals"))),
        budgets=_budgets(source.get("budgets", {})),
        hints=_hints(source),
        prediction=_prediction(source.get("prediction", {})),
        evidence=_evidences(source, start),
        verify={
            n: _changed(start, _table(source.get("verify", {}), name, "verify"), f"verify.{name}")
            for n, name in STAR_NAMES.items()
        },
        source=source,
    )
    if errors := definition.check(start):
        raise DefinitionError("setup", f"the start can't be chosen with these controls: {errors}")
    for n, setup in definition.verify.items():
        if errors := definition.check(setup):
            raise DefinitionError(f"verify.{STAR_NAMES[n]}", f"can't be chosen with these controls: {errors}")
    _check_placeholders(definition)
    return definition


def _text(source: Mapping[str, Any], key: str) -> str:
    value = source.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DefinitionError(key, "must be a text")
    return value.strip()


def _slug(source: Mapping[str, Any]) -> str:
    slug = _text(source, "slug")
    if not all(part.isascii() and part.isalnum() and part == part.lower() for part in slug.split("-")):
        raise DefinitionError("slug", "must be lower-case words joined by hyphens")
    return slug


def _whole(source: Mapping[str, Any], key: str) -> int:
    value = source.get(key)
    if type(value) is not int or value < 1:
        raise DefinitionError(key, "must be a whole number from 1")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise DefinitionError(where, "must be a number")
    return float(value)


def _list(source: Mapping[str, Any], key: str, where: str = "") -> list[Any]:
    value = source.get(key)
    if not isinstance(value, list) or not value:
        raise DefinitionError(f"{where}.{key}".lstrip("."), "must be a list that isn't empty")
    return value


def _table(source: Any, key: str, where: str) -> dict[str, Any]:
    value = source.get(key) if isinstance(source, Mapping) else None
    if not isinstance(value, dict):
        raise DefinitionError(f"{where}.{key}", "must be a table")
    return value


def _metric(value: Any, where: str) -> str:
    if value not in METRICS:
        raise DefinitionError(where, f"must be one of {', '.join(METRICS)}")
    return str(value)


def _hints(source: Mapping[str, Any]) -> tuple[str, ...]:
    hints = _list(source, "hints")
    if len(hints) != 2 or not all(isinstance(hint, str) and hint.strip() for hint in hints):
        raise DefinitionError("hints", "must be two texts")
    return tuple(hint.strip() for hint in hints)


def _setup(value: Any, where: str) -> CandidateSetup:
    if not isinstance(value, Mapping):
        raise DefinitionError(where, "must be a table")
    try:
        return parse_setup(value)
    except SetupError as error:
        raise DefinitionError(f"{where}.{error.field}", error.message) from error


def _changed(base: CandidateSetup, changes: Any, where: str) -> CandidateSetup:
    """The base with some settings changed; all others stay, also those whose default depends on a changed one."""
    if not isinstance(changes, Mapping):
        raise DefinitionError(where, "must be a table")
    try:
        return base.replace(**changes)
    except SetupError as error:
        raise DefinitionError(f"{where}.{error.field}", error.message) from error


def _controls(value: Any, start: CandidateSetup) -> dict[str, Control]:
    if not isinstance(value, Mapping) or not value:
        raise DefinitionError("controls", "must list the settings this mission shows")
    order = [name for name in start.to_dict() if name != "world"]
    for name in value:
        if name not in order:
            raise DefinitionError(f"controls.{name}", "is not a setting of this world")
    controls = {}
    # In the order of the contract: JSON in a database need not keep that of the file.
    for name in sorted(value, key=order.index):
        where, item = f"controls.{name}", value[name]
        if not isinstance(item, Mapping) or set(item) - {"locked", "choices", "minimum", "maximum"}:
            raise DefinitionError(where, "takes locked, choices, or minimum and maximum")
        controls[name] = _control(name, item, where)
        for choice in controls[name].values():
            _changed(start, {name: choice}, where)
    return controls


def _control(name: str, item: Mapping[str, Any], where: str) -> Control:
    if "locked" in item:
        if len(item) > 1:
            raise DefinitionError(where, "can't be locked and offer values")
        return Control(name, locked=_text(item, "locked"))
    if "minimum" in item or "maximum" in item:
        low, high = _whole(item, "minimum"), _whole(item, "maximum")
        if "choices" in item or low >= high:
            raise DefinitionError(where, "takes choices, or a minimum below a maximum")
        return Control(name, minimum=low, maximum=high)
    choices = tuple(_list(item, "choices", where)) if "choices" in item else CHOICES.get(name, ())
    if not choices:
        raise DefinitionError(where, "needs choices, a range, or the reason why it is locked")
    if len(set(choices)) != len(choices):
        raise DefinitionError(where, "lists a choice twice")
    return Control(name, choices=choices)


def _goal(item: Any, where: str) -> Goal:
    if not isinstance(item, Mapping) or set(item) not in ({"metric", "at_least"}, {"metric", "at_most"}):
        raise DefinitionError(where, "needs a metric and one of at_least, at_most")
    at_least = "at_least" in item
    bound = _number(item["at_least" if at_least else "at_most"], where)
    return Goal(_metric(item["metric"], where), bound, at_least)


def _budgets(value: Any) -> Budgets:
    if not isinstance(value, Mapping):
        raise DefinitionError("budgets", "must be a table")
    budgets = Budgets(*(_whole(value, name) for name in STAR_NAMES.values()))
    if not budgets.one > budgets.two > budgets.three:
        raise DefinitionError("budgets", "must shrink from one_star to three_stars")
    return budgets


def _prediction(value: Any) -> Prediction:
    if not isinstance(value, Mapping):
        raise DefinitionError("prediction", "must be a table")
    cuts = tuple(_number(cut, "prediction.cuts") for cut in _list(value, "cuts", "prediction"))
    if list(cuts) != sorted(set(cuts)):
        raise DefinitionError("prediction.cuts", "must rise")
    return Prediction(_metric(value.get("metric"), "prediction.metric"), cuts)


def _evidences(source: Mapping[str, Any], start: CandidateSetup) -> tuple[Evidence, ...]:
    tables = tuple(_evidence(item, start, f"evidence[{i}]") for i, item in enumerate(_list(source, "evidence")))
    names = [table.name for table in tables]
    if len({*names, START}) <= len(names):
        raise DefinitionError("evidence", f"names must differ, and none may be {START}")
    return tables


def _evidence(item: Any, start: CandidateSetup, where: str) -> Evidence:
    if not isinstance(item, Mapping):
        raise DefinitionError(where, "must be a table")
    if extra := set(item) - {"name", "title", "metrics", "setup", "vary", "values", "rows"}:
        raise DefinitionError(f"{where}.{min(extra)}", "is not a part of evidence")
    base = _changed(start, item.get("setup", {}), f"{where}.setup")
    vary, values, rows = "", (), ()
    if "rows" in item:
        if "vary" in item or "values" in item:
            raise DefinitionError(where, "takes rows, or vary and values")
        rows = tuple(_row(row, base, f"{where}.rows[{i}]") for i, row in enumerate(_list(item, "rows", where)))
        values = tuple(row.label for row in rows)
    else:
        vary, values = _text(item, "vary"), tuple(_list(item, "values", where))
        rows = tuple(EvidenceRow(label_of(v), _changed(base, {vary: v}, f"{where}.values")) for v in values)
    if len({row.label for row in rows}) != len(rows):
        raise DefinitionError(where, "two rows have the same label")
    return Evidence(
        name=_text(item, "name"),
        title=_text(item, "title"),
        vary=vary,
        values=values,
        base=base,
        metrics=tuple(_metric(metric, f"{where}.metrics") for metric in _list(item, "metrics", where)),
        rows=rows,
    )


def _row(item: Any, base: CandidateSetup, where: str) -> EvidenceRow:
    if not isinstance(item, Mapping) or set(item) != {"label", "setup"}:
        raise DefinitionError(where, "takes a label and a setup")
    return EvidenceRow(_text(item, "label"), _changed(base, item["setup"], f"{where}.setup"))


def _check_placeholders(definition: MissionDefinition) -> None:
    rows = {table.name: {row.label for row in table.rows} for table in definition.evidence} | {START: {""}}
    for name in _TEXTS:
        try:
            found = placeholders_in(getattr(definition, name))
        except ValueError as error:
            raise DefinitionError(name, f"has {error}") from error
        # The other texts are also shown where no measurement is at hand.
        if found and name not in ("symptom", "debrief"):
            raise DefinitionError(name, f"can't hold {found[0]}: only symptom and debrief are filled in")
        for item in found:
            if item.metric not in (*METRICS, "sampled_responses") or item.row not in rows.get(item.table, ()):
                raise DefinitionError(name, f"{item} names nothing that is measured")
