"""What an address asks of the progress grid: order, filters, columns; and the addresses that ask for a little else."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

LONGEST_SEARCH = 100
SHOWN = {
    "": "all",
    "stuck": "stuck",
    "new": "not started",
    "inactive": "inactive",
    "active": "active now",
}
"""Values of `show` and how they are called; the rules are in classroom.grid.rows."""
BY_NAME = "name"
COLUMNS = (BY_NAME, "stars", "points", "active", "stuck")
"""What rows can be sorted by, beside the slugs of missions."""


@dataclass(frozen=True)
class Asked:
    """An order and filters. What an address gets wrong is left out: it is nobody's typing."""

    sort: str = BY_NAME
    is_reversed: bool = False
    show: str = ""
    search: str = ""
    section: str = ""
    points: bool = False

    @classmethod
    def read(cls, params: QueryDict) -> "Asked":
        sort = params.get("sort", "")
        show = params.get("show", "")
        return cls(
            sort=sort.removeprefix("-")[:LONGEST_SEARCH] or BY_NAME,
            is_reversed=sort.startswith("-"),
            show=show if show in SHOWN else "",
            search=_line(params.get("q", "")),
            section=_line(params.get("section", "")),
            points="points" in params,
        )

    @property
    def is_filtered(self) -> bool:
        return bool(self.show or self.search or self.section)

    @property
    def sort_value(self) -> str:
        """The order as the address says it; empty for the usual one."""
        value = f"{'-' if self.is_reversed else ''}{self.sort}"
        return "" if value == BY_NAME else value

    def query(self, **changes: Any) -> str:
        """The query of the address that asks for this with some changes; "?" where nothing is asked."""
        asked = replace(self, **changes)
        parts = {"show": asked.show, "q": asked.search, "section": asked.section, "sort": asked.sort_value}
        said = {name: value for name, value in parts.items() if value} | ({"points": "1"} if asked.points else {})
        return f"?{urlencode(said)}"

    def sorted_by(self, column: str) -> str:
        """The query that sorts by a column; by the other end if it is sorted by that already."""
        return self.query(sort=column, is_reversed=self.sort == column and not self.is_reversed)


def _line(typed: str) -> str:
    return " ".join(typed.replace("\0", "").split())[:LONGEST_SEARCH]
