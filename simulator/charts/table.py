"""The numbers under a figure, ready to print."""

import re
from dataclasses import dataclass

MINUS = "\u2212"


@dataclass(frozen=True)
class Table:
    """A caption, a head and rows of text; the first cell of a row names it. `note` says what was left out."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def fixed(value: float, digits: int = 3) -> str:
    """A number with a fixed number of decimals, a true minus sign, and never a minus zero."""
    text = f"{float(value):,.{digits}f}"
    if not re.search(r"[1-9]", text):
        return text.lstrip("-")
    return MINUS + text[1:] if text.startswith("-") else text


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign, plus included."""
    text = fixed(value, digits)
    return text if text.startswith(MINUS) or not re.search(r"[1-9]", text) else f"+{text}"
