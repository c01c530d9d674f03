"""Reading single values out of a parsed mission file; every refusal names the key that is wrong."""

import math
from collections.abc import Mapping
from typing import Any

from missions.definition.parts import DefinitionError
from simulator.engine import SetupError, parse_setup
from simulator.worlds import Setup


def text(source: Mapping[str, Any], key: str) -> str:
    value = source.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DefinitionError(key, "must be a text")
    return value.strip()


def whole(source: Mapping[str, Any], key: str) -> int:
    value = source.get(key)
    if type(value) is not int or value < 1:
        raise DefinitionError(key, "must be a whole number from 1")
    return value


def number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise DefinitionError(where, "must be a number")
    return float(value)


def items(source: Mapping[str, Any], key: str, where: str = "") -> list[Any]:
    value = source.get(key)
    if not isinstance(value, list) or not value:
        raise DefinitionError(f"{where}.{key}".lstrip("."), "must be a list that isn't empty")
    return value


def table(source: Any, key: str, where: str) -> dict[str, Any]:
    value = source.get(key) if isinstance(source, Mapping) else None
    if not isinstance(value, dict):
        raise DefinitionError(f"{where}.{key}", "must be a table")
    return value


def setup_from(value: Any, where: str) -> Setup:
    if not isinstance(value, Mapping):
        raise DefinitionError(where, "must be a table")
    try:
        return parse_setup(value)
    except SetupError as error:
        raise DefinitionError(f"{where}.{error.field}", error.message) from error


def changed(base: Setup, changes: Any, where: str) -> Setup:
    """The base with some settings changed; all others stay, also those whose default depends on a changed one."""
    if not isinstance(changes, Mapping):
        raise DefinitionError(where, "must be a table")
    try:
        return base.replace(**changes)
    except SetupError as error:
        raise DefinitionError(f"{where}.{error.field}", error.message) from error
