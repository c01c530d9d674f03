"""From one setting to others that a student could choose."""

import math
import random
from typing import Any

from missions.definition import Control, MissionDefinition
from simulator.engine import SetupError
from simulator.worlds import Setup

MOST_VALUES = 10
"""Of a control that offers more, so many are tried one at a time, spread over what it offers."""


def open_controls(definition: MissionDefinition) -> list[Control]:
    """The controls that a student can change."""
    return [control for control in definition.controls.values() if not control.locked]


def moved(definition: MissionDefinition, setup: Setup, name: str, value: Any) -> Setup | None:
    """The setup with one control at another value; None where the mission or the engine refuses that.

    The control that fills in others brings them with it, as on the student's page.
    """
    try:
        if name == definition.world.fills:
            filled = definition.world.filled_names
            kept = {c.name: getattr(setup, c.name) for c in open_controls(definition) if c.name not in {name, *filled}}
            found = definition.base_for({name: value}).replace(**kept)
        else:
            found = setup.replace(**{name: value})
    except SetupError:
        return None
    return None if definition.check(found) else found


def spread_values(control: Control) -> list[Any]:
    """Values of a control from one end to the other: all it offers, or MOST_VALUES of them."""
    if control.is_countable:
        values = control.values()
        if len(values) <= MOST_VALUES:
            return list(values)
        return [values[round(place * (len(values) - 1) / (MOST_VALUES - 1))] for place in range(MOST_VALUES)]
    low, high = control.values()
    inner = (control.draw(place / (MOST_VALUES - 1)) for place in range(1, MOST_VALUES - 1))
    return list(dict.fromkeys([low, *inner, high]))


def near(control: Control, value: Any, chances: random.Random) -> Any:
    """Another value of a control close to this one: the next ones of a list, some per cent of a long range."""
    reach = chances.choice((0.02, 0.06, 0.15)) * chances.choice((-1, 1))
    if control.is_countable:
        values = control.values()
        step = max(1, round(abs(reach) * len(values)))
        place = values.index(value) if value in values else 0
        return values[min(max(place + (step if reach > 0 else -step), 0), len(values) - 1)]
    low, high = control.values()
    is_log = control.spacing == "log"
    place = math.log(value / low) / math.log(high / low) if is_log else (value - low) / (high - low)
    return control.draw(min(max(place + reach, 0.0), 0.999))


def changed_at_random(definition: MissionDefinition, setup: Setup, chances: random.Random) -> Setup | None:
    """The setup with one to three of its open controls at other values, mostly near ones."""
    found: Setup | None = setup
    for _ in range(chances.choice((1, 1, 1, 2, 2, 3))):
        assert found is not None
        active = found.active_fields()
        controls = [c for c in open_controls(definition) if c.name in active or c.name in definition.world.deciders]
        if not controls:
            return None
        control = chances.choice(controls)
        is_near = chances.random() < 0.7 and not any(isinstance(value, str | bool) for value in control.values())
        value = getattr(found, control.name)
        to = near(control, value, chances) if is_near else control.draw(chances.random())
        found = moved(definition, found, control.name, to)
        if found is None:
            return None
    return found
