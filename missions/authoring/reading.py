"""Reading the text of an own mission: what it makes, or all that is wrong with it, line by line."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from missions.definition import DefinitionError, MissionDefinition, parse_toml, read_definition
from missions.definition.lines import line_of
from missions.models.own import LONGEST_TITLE, OWN_SLUG

LONGEST_TEXT = 64 * 1024
"""Bytes; the longest mission of the catalogue has a tenth of it."""

PLACE = ("slug", "revision", "chapter", "position")
"""What a file of the catalogue says about its place there; own missions get these from the server."""

MOST_PROBLEMS = 50
_LONGEST_MESSAGE = 300


@dataclass(frozen=True)
class Problem:
    """Something that is wrong; `line` is None where a part is missing altogether."""

    where: str
    message: str
    line: int | None

    def __str__(self) -> str:
        at = f"Line {self.line}: " if self.line else ""
        about = "The file " if self.where == "file" else f"{self.where}: "
        return f"{at}{about}{self.message}"


@dataclass(frozen=True)
class Read:
    """A text as it was read. `source` is None if it is no TOML; `definition` exactly if there are problems."""

    source: Mapping[str, Any] | None
    definition: MissionDefinition | None
    problems: tuple[Problem, ...]

    @property
    def is_valid(self) -> bool:
        return self.definition is not None

    @property
    def title(self) -> str:
        """What the text calls the mission; "" where it says nothing usable."""
        title = (self.source or {}).get("title")
        return " ".join(title.replace("\0", "").split())[:LONGEST_TITLE] if isinstance(title, str) else ""

    @property
    def ignored(self) -> tuple[str, ...]:
        """What it says about a place in the catalogue, which means nothing here."""
        return tuple(key for key in PLACE if key in (self.source or {}))


@lru_cache(maxsize=64)
def read_text(text: str, slug: str = f"{OWN_SLUG}draft", revision: int = 1) -> Read:
    """Read the text of an own mission, which is to have this slug and revision. Raises nothing, whatever it says."""
    if len(text.encode(errors="replace")) > LONGEST_TEXT:
        too_long = f"is longer than {LONGEST_TEXT // 1024} KB"
        return Read(None, None, (Problem("file", too_long, None),))
    try:
        source = parse_toml(text)
    except DefinitionError as error:
        return Read(None, None, (_problem(text, error),))
    own = {key: value for key, value in source.items() if key not in PLACE} | {"slug": slug, "revision": revision}
    definition, errors = read_definition(own)
    problems = sorted((_problem(text, error) for error in errors[:MOST_PROBLEMS]), key=lambda one: one.line or 0)
    if len(errors) > MOST_PROBLEMS:
        problems.append(Problem("file", f"has {len(errors) - MOST_PROBLEMS} more things to put right", None))
    return Read(source, definition, tuple(problems))


def decoded(content: bytes) -> str:
    """The text of an uploaded file. Raises DefinitionError if it is none."""
    if len(content) > LONGEST_TEXT:
        raise DefinitionError("file", f"is longer than {LONGEST_TEXT // 1024} KB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DefinitionError("file", f"is not written in UTF-8 (at line {line})") from error
    if "\0" in text:
        raise DefinitionError(
            "file", f"holds the character NUL (at line {text[: text.index(chr(0))].count(chr(10)) + 1})"
        )
    return text


def _problem(text: str, error: DefinitionError) -> Problem:
    message = error.message if len(error.message) <= _LONGEST_MESSAGE else f"{error.message[:_LONGEST_MESSAGE]}…"
    return Problem(error.where[:100], message, line_of(text, error))
