"""How much a check may do."""

from dataclasses import dataclass

from simulator.worlds import World

FRESH_SETS = {"candidates": 4, "reasoning": 2}
"""So many other sets of seeds a setting has to hold on; in the second world a run takes ten times as long."""


@dataclass(frozen=True)
class Limits:
    """Most settings that the search may grade, most of each budget's blind choices, and most seconds for it all."""

    settings: int
    blind: int
    seconds: float


_SETTINGS = {"candidates": 400, "reasoning": 200}
# Where none of so many passes, at most 1.5 % and 3.7 % of those that fit do (95 %, one-sided).
_BLIND = {"candidates": 200, "reasoning": 80}


def limits_for(world: World, seconds: float = 600.0) -> Limits:
    """What a check of a mission in this world may do, within so many seconds."""
    return Limits(_SETTINGS[world.name], _BLIND[world.name], seconds)
