"""Texts that several parts of the explainer share."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.records import Response

_STAND_INS = {"<eos>": "⟨end⟩", "": "⟨empty⟩", " ": "␠", "\n": "↵"}


def token_text(response: Response, place: int) -> str:
    """What a token says, with something to see in place of what can't be seen."""
    if place >= len(response.strings):
        return f"token {place + 1}"
    text = response.strings[place]
    return _STAND_INS.get(text, text.replace("\n", "↵"))


def listed(words: Sequence[str]) -> str:
    """Words in a row: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 token", "3 tokens"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
