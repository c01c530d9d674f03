"""Numbers in a mission's prose: written as placeholders, filled in with what was measured.

    {metric@table:row}    the mean of a metric in one row of an evidence table, such as {win_rate@steps:400}
    {metric@start}        the same for the setup the mission starts with

A row is named by its label. Besides the engine's metrics, `sampled_responses` gives what the row's run costs.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_PLACEHOLDER = re.compile(r"\{(?P<metric>[a-z0-9_]+)@(?P<table>[a-z0-9_]+)(?::(?P<row>[^{}@]+))?\}")


@dataclass(frozen=True)
class Placeholder:
    """One number a text asks for; `row` is empty for the start."""

    metric: str
    table: str
    row: str

    def __str__(self) -> str:
        return f"{{{self.metric}@{self.table}{':' + self.row if self.row else ''}}}"


def placeholders_in(text: str) -> list[Placeholder]:
    """Return the placeholders of a text, in order. Raises ValueError when a brace is left that is part of none."""
    if stray := re.search(r"[{}]", _PLACEHOLDER.sub("", text)):
        raise ValueError(f"a {stray.group()} that belongs to no {{metric@table:row}}")
    return [_read(match) for match in _PLACEHOLDER.finditer(text)]


def replace_placeholders(text: str, value_of: Callable[[Placeholder], str]) -> str:
    """Return the text with every placeholder replaced; what replaces it is never read again."""
    return _PLACEHOLDER.sub(lambda match: value_of(_read(match)), text)


def _read(match: re.Match[str]) -> Placeholder:
    return Placeholder(match["metric"], match["table"], match["row"] or "")
