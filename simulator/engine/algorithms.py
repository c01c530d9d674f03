"""Algorithms: one choice a slot, and the settings each brings with it.

The slots are the sections in which two algorithms are compared, in this order.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_NAMES: dict[str, tuple[str, ...]] = {
    "overlong": ("none", "filter", "soft"),
    "advantage": ("group_normalized", "group_mean", "leave_one_out", "ema_baseline", "gae", "none"),
    "importance_ratio": ("token", "sequence", "none"),
    "clip": ("symmetric", "higher", "cispo", "none"),
    "aggregation": ("per_response", "per_token", "constant"),
    "kl": ("none", "k1", "k2", "k3"),
}

CHOICE_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(_NAMES)
"""The names that each slot of choices takes, in the order in which they are shown.

The seventh slot, `dynamic_sampling`, is true or false.
"""

SLOTS: tuple[str, ...] = ("dynamic_sampling", *_NAMES)
"""Every slot under its key in a setup, in the order in which algorithms are compared."""


def code_of(slot: str, value: str | bool) -> int:
    """The integer by which the compiled functions of a slot know a choice.

    Raises:
        KeyError: no such slot.
        ValueError: the slot has no such choice.
    """
    if slot == "dynamic_sampling":
        return int(value)
    return CHOICE_NAMES[slot].index(str(value))


# Everything an algorithm decides, at its value in the plain default.
_PLAIN: dict[str, Any] = {
    "num_iterations": 4,
    "dynamic_sampling": False,
    "overlong": "none",
    "overlong_cache": 6,
    "advantage": "group_normalized",
    "importance_ratio": "token",
    "clip": "symmetric",
    "epsilon": 0.2,
    "epsilon_high": 0.28,
    "aggregation": "per_response",
    "kl": "none",
    "beta": 0.0,
    "kl_in": "loss",
    "gamma": 1.0,
    "gae_lambda": 0.95,
    "value_learning_rate": 0.05,
}

_CHANGES: dict[str, dict[str, Any]] = {
    "grpo": {"kl": "k3", "beta": 0.001},
    "dapo": {"dynamic_sampling": True, "overlong": "soft", "clip": "higher", "aggregation": "per_token"},
    "dr_grpo": {"advantage": "group_mean", "aggregation": "constant"},
    "ppo": {"advantage": "gae", "aggregation": "per_token"},
    "reinforce": {
        "num_iterations": 1,
        "advantage": "ema_baseline",
        "importance_ratio": "none",
        "clip": "none",
        "aggregation": "per_token",
    },
    "rloo": {"advantage": "leave_one_out", "aggregation": "per_token"},
    "gspo": {"importance_ratio": "sequence", "clip": "higher", "epsilon": 0.03, "epsilon_high": 0.04},
    "cispo": {"clip": "cispo", "aggregation": "per_token"},
    "custom": {},
}

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {name: MappingProxyType(_PLAIN | changes) for name, changes in _CHANGES.items()}
)
"""The settings that each algorithm fills in, the same keys each time.

A setting given beside the algorithm overrules it.
"""
