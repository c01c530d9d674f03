"""Writing what was typed in a form into a mission's text: only what was changed, so that all else stays, with comments.

What is typed goes into the text as it is, right or wrong; reading the text then says what is wrong, in one place.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import tomlkit

from missions.authoring.fields import (
    HIDDEN,
    HINTS,
    LIST,
    LOCKED,
    MOST_METRICS,
    MOST_ROWS,
    RANGE,
    TEXTS,
    Fields,
    charts_in,
    fields_of,
    settings_in,
    tokens,
    world_in,
)
from missions.definition import STAR_NAMES, parse_toml
from simulator.engine.fields import Field, read_form_by
from simulator.worlds import World

# What tomlkit reads in a second or so, whatever it says; the longest mission of the catalogue has a tenth of them.
MOST_LINES = 1500

Table = MutableMapping[str, Any]
_ROW = re.compile(r"goal\.[0-9]{1,3}\.(metric|way|bound)|chart\.[0-9]{1,3}\.[0-9]{1,3}")
_NUMBER = {"n": Field("n", "n", "number", 0)}


def with_fields(text: str, typed: Mapping[str, str]) -> str:
    """The text with those fields that differ from what it says. Raises DefinitionError if it is no TOML.

    `typed` is tidy, see missions.authoring.fields; fields that it lacks stay.
    """
    plain = parse_toml(text)
    before = fields_of(plain)
    after = before | {name: value for name, value in typed.items() if name in before or _is_row(name)}
    if after == before:
        return text
    changed = {name for name in after if after[name] != before.get(name, "")}
    return rewritten(text, lambda document, long: _write(document, after, changed, long))


def rewritten(text: str, change: Callable[[Table, Callable[[str], Any]], None]) -> str:
    """The text after a change of the document, with its comments as far as that can be.

    `change` gets the document and a function that lays a text of several lines out as such. Where the tool that keeps
    comments can't follow, the document is written anew, without them. Raises DefinitionError.
    """
    wanted = parse_toml(text)
    change(wanted, _ended)
    try:
        if text.count("\n") > MOST_LINES:
            raise ValueError("too long to be followed")
        document = tomlkit.parse(text)
        change(document, long_text)
        result = tomlkit.dumps(document)
        if tomllib.loads(result) == wanted:
            return result
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        # The change is made all the same, below.
        pass
    return tomlkit.dumps(wanted)


def long_text(text: str) -> Any:
    """A string for tomlkit: one with line ends is written over several lines."""
    if "\n" not in text:
        return text
    escaped = "".join(
        char if char in "\n\t" or (char.isprintable() and char not in '\\"') or char == " " else _escaped(char)
        for char in text
    )
    # One quote, or two, may stand as they are inside three.
    escaped = escaped.replace('\\"', '"').replace('"""', '""\\"')
    if escaped.endswith('"'):
        escaped = escaped[:-1] + '\\"'
    return tomlkit.parse(f'text = """\n{escaped}\n"""')["text"]


def _ended(text: str) -> str:
    """The same string as a value."""
    return f"{text}\n" if "\n" in text else text


def _escaped(char: str) -> str:
    if char in '\\"':
        return f"\\{char}"
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_row(name: str) -> bool:
    """Whether it is a field of a row, perhaps beyond those that the text has."""
    return _ROW.fullmatch(name) is not None


def _write(document: Table, after: Fields, changed: set[str], long: Callable[[str], Any]) -> None:
    world = world_in(document)
    for name in TEXTS:
        if name in changed:
            document[name] = long(after[name])
    if any(name.startswith("hint.") for name in changed):
        _write_hints(document, [after[f"hint.{i}"] for i in range(HINTS)])
    if any(name.startswith("chart.") for name in changed):
        charts = _charts(after, charts_in(document.get("curves")))
        document["curves"] = charts[0] if len(charts) == 1 else charts
    if changed & {"rule", "rule.needed"}:
        _write_rule(document, after)
    _write_settings(document, world, after, changed)
    if any(name.startswith("goal.") for name in changed):
        _write_goals(document, after)
    for name in STAR_NAMES.values():
        if f"budget.{name}" in changed:
            _set(_part(document, "budgets"), name, _whole(after[f"budget.{name}"]))
    if "prediction.metric" in changed:
        _set(_part(document, "prediction"), "metric", after["prediction.metric"])
    if "prediction.cuts" in changed:
        _part(document, "prediction")["cuts"] = [_number(token) for token in tokens(after["prediction.cuts"])]


def _write_hints(document: Table, hints: list[str]) -> None:
    present = document.get("hints")
    if isinstance(present, list) and len(present) == len(hints):
        for i, hint in enumerate(hints):
            if present[i] != hint:
                present[i] = hint
        return
    document["hints"] = hints


def _write_rule(document: Table, after: Fields) -> None:
    is_mean = after["rule"] == "mean"
    _set(document, "pass_rule", "" if is_mean else after["rule"])
    _set(document, "seeds_needed", "" if is_mean else _whole(after["rule.needed"]))


def _write_settings(document: Table, world: World, after: Fields, changed: set[str]) -> None:
    for name in settings_in(world):
        if f"start.{name}" in changed:
            _set(_part(document, "setup"), name, _setting(world, name, after[f"start.{name}"]))
        parts = ("", ".reason", ".choices", ".minimum", ".maximum", ".spacing")
        if any(f"control.{name}{part}" in changed for part in parts):
            controls = _part(document, "controls")
            item = _control(world, name, {part: after[f"control.{name}{part}"] for part in parts})
            if item is not None:
                controls[name] = _inline(item) if isinstance(document, tomlkit.TOMLDocument) else item
            elif name in controls:
                del controls[name]


def _control(world: World, name: str, said: Fields) -> dict[str, Any] | None:
    mode, field = said[""], world.fields[name]
    if mode == HIDDEN:
        return None
    if mode == LOCKED:
        return {"locked": said[".reason"]}
    if mode == LIST:
        return {"choices": [_setting(world, name, token) for token in tokens(said[".choices"])]}
    if mode != RANGE:
        return {}
    item = {end: _number(said[f".{end}"]) for end in ("minimum", "maximum") if said[f".{end}"]}
    is_log = field.kind == "number" and said[".spacing"] == "log"
    # Without either end it would be a control of another kind.
    return (item or {"minimum": ""}) | ({"spacing": "log"} if is_log else {})


def _write_goals(document: Table, after: Fields) -> None:
    goals = []
    for i in sorted({int(name.split(".")[1]) for name in after if name.startswith("goal.")}):
        metric, bound = after.get(f"goal.{i}.metric", ""), after.get(f"goal.{i}.bound", "")
        if metric or bound:
            way = "at_most" if after.get(f"goal.{i}.way") == "at_most" else "at_least"
            goals.append({"metric": metric, way: _number(bound)})
    present = document.get("goals")
    if isinstance(present, list):
        goals += present[MOST_ROWS:]
    if isinstance(present, list) and len(present) == len(goals) and all(isinstance(g, MutableMapping) for g in present):
        for goal, wanted in zip(present, goals, strict=True):
            for key in [key for key in goal if key not in wanted]:
                del goal[key]
            for key, value in wanted.items():
                if goal.get(key) != value:
                    goal[key] = value
        return
    document["goals"] = goals


def _charts(after: Fields, before: list[list[str]]) -> list[list[str]]:
    names = sorted(tuple(int(n) for n in name.split(".")[1:]) for name in after if name.startswith("chart."))
    charts: dict[int, list[str]] = {}
    for i, j in names:
        if metric := after[f"chart.{i}.{j}"]:
            charts.setdefault(i, []).append(metric)
    for i, metrics in enumerate(before[:MOST_ROWS]):
        if i in charts:
            charts[i] += metrics[MOST_METRICS:]
    return [*(charts[i] for i in sorted(charts)), *before[MOST_ROWS:]]


def _part(document: Table, name: str) -> Table:
    """A table of the document, made if it isn't there."""
    if not isinstance(document.get(name), MutableMapping):
        document[name] = tomlkit.table() if isinstance(document, tomlkit.TOMLDocument) else {}
    part: Table = document[name]
    return part


def _set(table: Table, name: str, value: Any) -> None:
    """Set a value; an empty one leaves the key out."""
    if value != "":
        table[name] = value
    elif name in table:
        del table[name]


def _inline(item: Mapping[str, Any]) -> Any:
    table = tomlkit.inline_table()
    table.update(item)
    return table


def _setting(world: World, name: str, text: str) -> Any:
    value = read_form_by(world.fields, {name: text})[name]
    # A choice of 1 is another one than that of 1.0 to whatever compares missions.
    return float(value) if world.fields[name].kind == "number" and type(value) is int else value


def _number(text: str) -> Any:
    return read_form_by(_NUMBER, {"n": text})["n"]


def _whole(text: str) -> Any:
    """A whole number, also as people write large ones: 25,600 or 25 600."""
    value = _number("".join(char for char in text if char not in ",_'’" and not char.isspace()))
    return text if isinstance(value, str) else value
