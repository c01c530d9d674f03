"""Reading setups: from JSON-like mappings and from forms, for every world."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, TypeAlias

from .candidates.setup import FIELDS as CANDIDATE_FIELDS
from .candidates.setup import CandidateSetup
from .fields import Field, SetupError, check_fields, read_form_by
from .reasoning.setup import FIELDS as REASONING_FIELDS
from .reasoning.setup import ReasoningSetup

__all__ = [
    "DEFAULT_WORLD",
    "WORLDS",
    "Field",
    "Setup",
    "SetupError",
    "WorldSetup",
    "check_setup",
    "parse_setup",
    "read_form",
]

DEFAULT_WORLD = "candidates"

Setup: TypeAlias = CandidateSetup | ReasoningSetup
"""A setup of any world."""


class WorldSetup(NamedTuple):
    """How a world reads its setups: its fields, ``world`` included, and what they make."""

    fields: Mapping[str, Field]
    make: Callable[..., Setup]


WORLDS: dict[str, WorldSetup] = {
    CandidateSetup.world: WorldSetup(CANDIDATE_FIELDS, CandidateSetup),
    ReasoningSetup.world: WorldSetup(REASONING_FIELDS, ReasoningSetup),
}


def parse_setup(mapping: Mapping[str, Any]) -> Setup:
    """The setup a mapping describes; missing keys take their defaults.

    Raises:
        SetupError: for the first field that is refused.
    """
    values, errors = _read(mapping)
    for field, message in errors.items():
        raise SetupError(field, message)
    return WORLDS[values.pop("world")].make(**values)


def check_setup(mapping: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with a mapping: one message per field, empty when all is well."""
    return _read(mapping)[1]


def read_form(form: Mapping[str, str], *, ignore: Collection[str] = ()) -> dict[str, Any]:
    """Strings of a form or a query, as a mapping for :func:`check_setup` and
    :func:`parse_setup`.

    Never raises: a string that is not a number is passed on as it is and is
    refused there, with its field's message. An empty string is such a string;
    leave a key out to get its default. ``ignore`` names keys that belong to
    the form and not to the setup.
    """
    return read_form_by(_fields_of(form) or {}, form, ignore)


def _fields_of(mapping: Mapping[str, Any]) -> Mapping[str, Field] | None:
    world = mapping.get("world", DEFAULT_WORLD)
    known = WORLDS.get(world.strip()) if isinstance(world, str) else None
    return None if known is None else known.fields


def _read(mapping: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    if not isinstance(mapping, Mapping):
        return {}, {"setup": "A setup must be an object of names and values."}
    fields = _fields_of(mapping)
    if fields is None:
        # Without a world there are no fields to judge the other keys by.
        return {}, {"world": f"World must be {' or '.join(WORLDS)}."}
    return check_fields(fields, mapping)
