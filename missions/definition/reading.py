"""Reading single values out of a parsed mission file; every refusal names the key that is wrong."""

import sys
from collections.abc import Mapping
from typing import Any

from missions.definition.parts import DefinitionError
from simulator.engine import SetupError, parse_setup
from simulator.worlds import Setup

# The most of anything that is listed: hours of grading must not fit in a small file.
LONGEST_LIST = 100
# Databases hold no larger whole numbers everywhere.
LARGEST_WHOLE = 2**31 - 1


def text(source: Mapping[str, Any], key: str, where: str = "") -> str:
    value = source.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DefinitionError(_within(where, key), "must be a text")
    if "\0" in value:
        raise DefinitionError(_within(where, key), "holds the character NUL, which can't be kept")
    return value.strip()


def whole(source: Mapping[str, Any], key: str, where: str = "") -> int:
    value = source.get(key)
    if type(value) is not int or value < 1:
        raise DefinitionError(_within(where, key), "must be a whole number from 1")
    if value > LARGEST_WHOLE:
        raise DefinitionError(_within(where, key), f"must be at most {LARGEST_WHOLE}")
    return value


def _within(where: str, key: str) -> str:
    return f"{where}.{key}".lstrip(".")


def number(value: Any, where: str) -> float:
    # A whole number may be too large to be compared as any number.
    is_number = not isinstance(value, bool) and isinstance(value, int | float) and abs(value) <= sys.float_info.max
    if not is_number:
        raise DefinitionError(where, "must be a number")
    return float(value)


def items(source: Mapping[str, Any], key: str, where: str = "") -> list[Any]:
    value = source.get(key)
    if not isinstance(value, list) or not value:
        raise DefinitionError(_within(where, key), "must be a list that isn't empty")
    if len(value) > LONGEST_LIST:
        raise DefinitionError(_within(where, key), f"has {len(value)} entries; {LONGEST_LIST} are the most")
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
    if "self" in changes:
        raise DefinitionError(f"{where}.self", "is not a setting of this world")
    try:
        return base.replace(**changes)
    except SetupError as error:
        raise DefinitionError(f"{where}.{error.field}", error.message) from error
