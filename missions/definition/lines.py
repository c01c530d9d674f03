"""On which line of a mission file each key stands, so that what is wrong can be found."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from missions.definition.parts import DefinitionError

_AT_LINE = re.compile(r"at line (\d+)")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# In this order: three quotes open a longer text, one or two don't.
_STRINGS = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|'
    r"'''.*?'{3,5}|"
    r'"(?:\\.|[^"\\\n])*"|'
    r"'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]*")


def line_of(text: str, error: DefinitionError) -> int | None:
    """The line, from 1, that an error about this text is about; None where what is wrong is that something is missing.

    Text that is no TOML at all has the line in the error's own words.
    """
    if error.where == "file":
        found = _AT_LINE.search(error.message)
        return int(found[1]) if found else len(text.splitlines()) or 1
    lines, where = lines_of(text), error.where
    while where:
        if where in lines:
            return lines[where]
        where = where[: max(where.rfind("."), where.rfind("["), 0)]
    return None


@lru_cache(maxsize=4)
def lines_of(text: str) -> dict[str, int]:
    """The line of every key of a valid TOML document: {"evidence[1].rows[0].label": 73, ...}; {} if it isn't valid."""
    scanner = _Scanner(text)
    try:
        scanner.scan()
    except (IndexError, AssertionError, RecursionError):
        return {}
    return scanner.lines


class _Scanner:
    """Reads over a document that a real parser has found to be valid, and notes where keys stand."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.at = 0
        self.lines: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        self._ends = [match.start() for match in re.finditer("\n", self.text)]

    def scan(self) -> None:
        table = ""
        self._skip(_BLANK)
        while self.at < len(self.text):
            if self.text.startswith("[[", self.at):
                self.at += 2
                start = self.at
                *parents, last = self._key()
                self.at += 2
                path = self._path("", [*parents, last], is_header=True)
                self.counts[path] = self.counts.get(path, -1) + 1
                table = f"{path}[{self.counts[path]}]"
                self._note(path, start)
                self._note(table, start)
            elif self.text[self.at] == "[":
                self.at += 1
                start = self.at
                table = self._path("", self._key())
                self.at += 1
                self._note(table, start)
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _pair(self, table: str) -> None:
        start = self.at
        path = self._path(table, self._key())
        assert self.text[self.at] == "="
        self.at += 1
        self._skip(_SPACE)
        self._note(path, start)
        self._value(path)

    def _value(self, path: str) -> None:
        opening = self.text[self.at]
        if opening not in "[{":
            self._skip(_STRINGS if opening in "\"'" else _SCALAR)
            return
        self.at += 1
        closing = "]" if opening == "[" else "}"
        for number in self._entries(closing):
            if opening == "{":
                self._pair(path)
            else:
                self._note(f"{path}[{number}]", self.at)
                self._value(f"{path}[{number}]")

    def _entries(self, closing: str) -> Iterator[int]:
        number = 0
        self._skip(_BLANK)
        while self.text[self.at] != closing:
            yield number
            number += 1
            self._skip(_BLANK)
            if self.text[self.at] == ",":
                self.at += 1
                self._skip(_BLANK)
        self.at += 1

    def _key(self) -> list[str]:
        parts = []
        while True:
            self._skip(_SPACE)
            start = self.at
            if self.text[start] in "\"'":
                self._skip(_STRINGS)
                parts.append(self.text[start + 1 : self.at - 1])
            else:
                self._skip(_BARE)
                assert self.at > start
                parts.append(self.text[start : self.at])
            self._skip(_SPACE)
            if self.text[self.at] != ".":
                return parts
            self.at += 1

    def _path(self, table: str, parts: list[str], is_header: bool = False) -> str:
        """The full name of a key; inside a list of tables that headers make, it is the last of them that is meant."""
        path = table
        for place, part in enumerate(parts):
            path = f"{path}.{part}".lstrip(".")
            is_last = place == len(parts) - 1
            if path in self.counts and not (is_header and is_last):
                path = f"{path}[{self.counts[path]}]"
        return path

    def _note(self, path: str, at: int) -> None:
        if path not in self.lines:
            self.lines[path] = bisect_left(self._ends, at) + 1

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
