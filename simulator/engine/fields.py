"""What a setup is made of: named fields, their ranges and their error messages.

A field is refused or accepted, never adjusted. Every message is a sentence a
student can act on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias


class SetupError(ValueError):
    """A setup that cannot be run: ``field`` says where, ``message`` says why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(field, message)
        self.field = field
        self.message = message

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


Value: TypeAlias = str | bool | int | float


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a setup.

    ``kind`` is ``choice`` (one of ``choices``), ``boolean``, ``integer`` or
    ``number`` (the last two from ``minimum`` to ``maximum``, ends included;
    an integer in steps of ``multiple``, counted from 0). The default and the
    range may depend on fields that stand earlier in the table:
    ``default_for``, ``minimum_for`` and ``maximum_for`` get the values read so
    far. ``refuse`` gets the value too, and gives the message by which it is
    refused beside them, or None.
    """

    name: str
    label: str
    kind: Literal["choice", "boolean", "integer", "number"]
    default: Value
    minimum: float = 0
    maximum: float = 0
    choices: tuple[str, ...] = ()
    default_for: Callable[[Mapping[str, Any]], Value] | None = None
    minimum_for: Callable[[Mapping[str, Any]], float] | None = None
    maximum_for: Callable[[Mapping[str, Any]], float] | None = None
    multiple: int = 1
    refuse: Callable[[Any, Mapping[str, Any]], str | None] | None = None

    def default_in(self, values: Mapping[str, Any]) -> Value:
        """The default beside the given values of earlier fields."""
        return self.default if self.default_for is None else self.default_for(values)

    def minimum_in(self, values: Mapping[str, Any]) -> float:
        """The smallest value allowed beside the given values of earlier fields."""
        return self.minimum if self.minimum_for is None else self.minimum_for(values)

    def maximum_in(self, values: Mapping[str, Any]) -> float:
        """The largest value allowed beside the given values of earlier fields."""
        return self.maximum if self.maximum_for is None else self.maximum_for(values)

    def read(self, value: Any, values: Mapping[str, Any]) -> Value:
        """The value in the field's own type.

        Raises:
            SetupError: the value has the wrong type or is out of range, or is
                refused beside the values of earlier fields.
        """
        read = self._read(value, values)
        message = None if self.refuse is None else self.refuse(read, values)
        if message is not None:
            raise SetupError(self.name, message)
        return read

    def _read(self, value: Any, values: Mapping[str, Any]) -> Value:
        if self.kind == "boolean":
            if isinstance(value, bool):
                return value
            raise SetupError(self.name, f"{self.label} must be true or false.")
        if self.kind == "choice":
            if isinstance(value, str) and value in self.choices:
                return value
            raise SetupError(self.name, f"{self.label} must be {_listed(self.choices)}.")
        minimum, maximum = self.minimum_in(values), self.maximum_in(values)
        # `min <= value` comes before float(): a JSON integer may be too large for a float.
        if _is_number(value) and minimum <= value <= maximum:
            if self.kind == "number":
                return float(value) + 0.0  # + 0.0 turns -0.0 into 0.0
            if value == int(value) and int(value) % self.multiple == 0:
                return int(value)
        noun = "a whole number" if self.kind == "integer" else "a number"
        if self.multiple > 1:
            noun = f"a multiple of {self.multiple}"
        raise SetupError(self.name, f"{self.label} must be {noun} from {_plain(minimum)} to {_plain(maximum)}.")


def _plain(bound: float) -> str:
    """A bound as one would write it: 0.49, 800, 4294967295."""
    return str(bound) if isinstance(bound, int) else f"{bound:g}"


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, Integral):
        return True
    return isinstance(value, Real) and math.isfinite(value)


def _listed(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return names[0]
    return ", ".join(names[:-1]) + " or " + names[-1]


def check_fields(fields: Mapping[str, Field], mapping: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Read a mapping by a table of fields: ``(values, errors)``.

    Values hold every field, defaults filled in; a refused one holds its
    default, so that later fields can still be judged. Errors hold one message
    per refused key, in the order of the table, unknown keys last.
    """
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, field in fields.items():
        values[name] = field.default_in(values)
        if name in mapping:
            try:
                values[name] = field.read(mapping[name], values)
            except SetupError as error:
                errors[name] = error.message
    for key in mapping:
        if key not in fields:
            errors[str(key)] = f"There is no field named {str(key)[:40]!r} in this setup."
    return values, errors


# ASCII digits only: int() and float() also take "1_000", "٣", "nan" and "infinity".
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")

_BOOLEANS = {"true": True, "on": True, "false": False}


def read_form_by(fields: Mapping[str, Field], form: Mapping[str, str], ignore: Collection[str] = ()) -> dict[str, Any]:
    """Strings of a form or a query as the values of a setup.

    What does not read as a number, or as a boolean (``true``, ``false``, and
    ``on`` as a ticked box sends it), stays the string it was, so that
    :func:`check_fields` refuses it under its field. Spaces around a value are
    dropped. Keys in ``ignore`` (a form's own, not the setup's) are left out.
    """
    values: dict[str, Any] = {}
    for key, raw in form.items():
        if key in ignore:
            continue
        text = raw.strip() if isinstance(raw, str) else raw
        field = fields.get(key)
        if field is None or field.kind == "choice" or not isinstance(text, str):
            values[key] = text
        elif field.kind == "boolean":
            values[key] = _BOOLEANS.get(text, text)
        else:
            values[key] = _read_number(text)
    return values


def _read_number(text: str) -> str | int | float:
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text
