"""Every setting a student could choose, with its chance when choosing blindly.

First the settings that decide which others matter, then each open control that the setup uses, all values alike. Where
that is too much to list, or a control is a range of any numbers, so many choices are drawn instead.
"""

import math
import random
from itertools import product

from missions.definition import MissionDefinition
from simulator.engine import SetupError
from simulator.worlds import Setup

MOST_LISTED = 100_000
DRAWN = 4_000

Choices = list[tuple[float, Setup]]


def blind_choices(definition: MissionDefinition, most_listed: int = MOST_LISTED) -> tuple[Choices, bool]:
    """Settings with their chances, which add up to 1, and whether they are all that can be chosen.

    Where there are more than `most_listed`, they are so many that were drawn.

    Combinations that the engine refuses are left out: nobody can send them.
    """
    controls = [control for control in definition.controls.values() if not control.locked]
    if all(control.is_countable for control in controls):
        count = math.prod(len(control.values()) for control in controls)
        if count <= most_listed:
            return _even(_listed(definition)), True
    return _even(_drawn(definition)), False


def drawn_from(choices: Choices, count: int, seed: int) -> Choices:
    """`count` of the choices, each drawn by its chance; the same ones for the same seed."""
    return random.Random(seed).choices(choices, [chance for chance, _ in choices], k=count)  # noqa: S311


def _even(choices: Choices) -> Choices:
    total = sum(chance for chance, _ in choices)
    return [(chance / total, setup) for chance, setup in choices]


def _listed(definition: MissionDefinition) -> Choices:
    offered = {n: c.values() for n, c in definition.controls.items() if not c.locked}
    deciding = {n: values for n, values in offered.items() if n in definition.world.deciders}
    found: Choices = []
    for decided in product(*deciding.values()):
        chosen = dict(zip(deciding, decided, strict=True))
        base = _changed(definition, definition.start, chosen)
        if base is None:
            continue
        used = base.active_fields()
        values = {n: choices for n, choices in offered.items() if n not in deciding and n in used}
        chance = 1 / math.prod(len(choices) for choices in (*deciding.values(), *values.values()))
        for rest in product(*values.values()):
            setup = _changed(definition, base, dict(zip(values, rest, strict=True)))
            if setup is not None:
                found.append((chance, setup))
    return found


def _drawn(definition: MissionDefinition) -> Choices:
    chances = random.Random(DRAWN)  # noqa: S311
    found: Choices = []
    for _ in range(DRAWN):
        chosen = {n: c.draw(chances.random()) for n, c in definition.controls.items() if not c.locked}
        setup = _changed(definition, definition.start, chosen)
        if setup is not None:
            found.append((1 / DRAWN, setup))
    return found


def _changed(definition: MissionDefinition, base: Setup, chosen: dict[str, object]) -> Setup | None:
    try:
        filled = definition.base_for(chosen) if definition.world.fills in chosen else base
        return filled.replace(**chosen)
    except SetupError:
        return None
