"""The slots and their choices, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .advantage import ADVANTAGES
from .aggregation import AGGREGATIONS
from .choice import Choice
from .clip import CLIPS
from .divergence import DIVERGENCES
from .ratio import RATIOS
from .sampling import OVERLONG, SAMPLING

CHOICES: Mapping[str, Mapping[str, Choice]] = MappingProxyType(
    {
        choices[0].slot: MappingProxyType({choice.name: choice for choice in choices})
        for choices in (SAMPLING, OVERLONG, ADVANTAGES, RATIOS, CLIPS, AGGREGATIONS, DIVERGENCES)
    }
)
"""Every choice by slot and name."""

SLOTS: tuple[str, ...] = tuple(CHOICES)
"""Every slot under its key in a setup, in the order in which algorithms are compared."""

SLOT_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "dynamic_sampling": "Sampling",
        "overlong": "Cut-off responses",
        "advantage": "Advantage",
        "importance_ratio": "Ratio",
        "clip": "Clip",
        "aggregation": "Aggregation",
        "kl": "KL to the reference",
    }
)

CHOICE_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {slot: tuple(choices) for slot, choices in CHOICES.items() if slot != "dynamic_sampling"}
)
"""The names that each slot of choices takes, in the order in which they are shown.

The seventh slot, `dynamic_sampling`, is true or false.
"""


def choice_of(slot: str, value: str | bool) -> Choice:
    """The choice that a setup's value of a slot means.

    Raises:
        KeyError: no such slot, or no such choice.
    """
    return CHOICES[slot][str(value).lower()]


def code_of(slot: str, value: str | bool) -> int:
    """The integer by which the compiled functions of a slot know a choice.

    Raises:
        KeyError: no such slot, or no such choice.
    """
    return choice_of(slot, value).code
