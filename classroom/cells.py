"""Cells of CSV files: safe to open in a spreadsheet, and the same again when they are read back.

A text that starts with = + - @ or a control character may be run as a formula (CWE-1236). A leading apostrophe keeps
it a text; one more apostrophe than was there before, so that reading back takes exactly one away.
"""

import re
import unicodedata

_RISKY = re.compile(r"'*[=+\-@\t\r\n]")
# Characters that can't be seen but turn what follows around, or hide in a name.
_INVISIBLE = re.compile("[\u200b\u202a-\u202e\u2060-\u2069\ufeff]")


def safe_cell(text: str) -> str:
    """A text as it is written into a CSV file. Numbers are not texts and stay as they are."""
    return f"'{text}" if _RISKY.match(text) else text


def read_cell(cell: str) -> str:
    """What a cell of a CSV file says: in one line, without invisible characters and the apostrophe of `safe_cell`."""
    if cell.startswith("'") and _RISKY.match(cell):
        cell = cell[1:]
    cell = _INVISIBLE.sub("", unicodedata.normalize("NFC", cell))
    cell = "".join(" " if unicodedata.category(character) == "Cc" else character for character in cell)
    return " ".join(cell.split())
