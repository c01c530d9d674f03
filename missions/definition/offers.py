"""The controls of a mission file."""

from collections.abc import Mapping
from typing import Any

from missions.definition.controls import Control, can_be_log
from missions.definition.parts import DefinitionError
from missions.definition.reading import changed, items, number, text, whole
from simulator.worlds import Setup, World, world_of

# What a control offers unless a mission says otherwise. Coarse on purpose: a list is quicker on a phone than a
# keyboard, and the chance of winning by luck is computed over exactly these values.
CHOICES: dict[str, dict[str, tuple[Any, ...]]] = {
    "candidates": {
        "steps": (25, 50, 75, 100, 125, 150, 200, 300, 400, 800),
        "group_size": (2, 3, 4, 6, 8, 12, 16, 32),
        "samples_per_prompt": (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64),
        "beta": (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.2),
        "length_penalty": (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0),
        "label_smoothing": (0.1, 0.2, 0.3, 0.4),
    },
    "reasoning": {
        "steps": (10, 15, 20, 25, 30, 40, 50, 60, 80, 100),
        "prompts_per_step": (2, 4, 8, 16, 32),
        "group_size": (2, 4, 6, 8, 12, 16),
        "max_completion_length": (6, 7, 8, 9, 10, 12, 16, 24),
        "num_iterations": (1, 2, 4, 8, 16),
        "learning_rate": (0.01, 0.02, 0.03, 0.04, 0.06, 0.1, 0.2, 0.3),
        "max_grad_norm": (0.0, 0.1, 0.3, 1.0),
        "prompt_memory": (0.0, 0.25, 0.5, 1.0, 2.0),
        "overlong_cache": (2, 3, 4, 6),
        "gae_lambda": (0.0, 0.5, 0.7, 0.9, 0.95, 1.0),
        "value_learning_rate": (0.01, 0.03, 0.05, 0.1, 0.2),
        "epsilon": (0.1, 0.2, 0.3),
        "epsilon_high": (0.2, 0.28, 0.4, 0.5, 0.6, 0.8),
        "beta": (0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0),
    },
}

# No setting of either world takes more values; each one is tried against the world when a file is read.
WIDEST_RANGE = 1000


def controls_from(value: Any, start: Setup) -> dict[str, Control]:
    """Read the controls of a mission, in the order of the contract. Raises DefinitionError."""
    world = world_of(start)
    if not isinstance(value, Mapping) or not value:
        raise DefinitionError("controls", "must list the settings this mission shows")
    order = [name for name in start.to_dict() if name != "world"]
    for name in value:
        if name not in order:
            raise DefinitionError(f"controls.{name}", "is not a setting of this world")
    controls = {}
    # In the order of the contract: JSON in a database need not keep that of the file.
    for name in sorted(value, key=order.index):
        where, item = f"controls.{name}", value[name]
        if not isinstance(item, Mapping) or set(item) - {"locked", "choices", "minimum", "maximum", "spacing"}:
            raise DefinitionError(where, "takes locked, choices, or minimum and maximum")
        controls[name] = _control(name, item, world, where)
        for choice in controls[name].values():
            changed(start, {name: choice}, where)
    return controls


def _control(name: str, item: Mapping[str, Any], world: World, where: str) -> Control:
    if "locked" in item:
        if len(item) > 1:
            raise DefinitionError(where, "can't be locked and offer values")
        return Control(name, locked=text(item, "locked", where))
    kind = world.fields[name].kind
    if "minimum" in item or "maximum" in item:
        if "choices" in item:
            raise DefinitionError(where, "takes choices, or a minimum below a maximum")
        return _range_of_numbers(name, item, where) if kind == "number" else _range_of_whole(name, item, where)
    if "spacing" in item:
        raise DefinitionError(where, "has a spacing and no range")
    offered = (False, True) if kind == "boolean" else CHOICES[world.name].get(name, ())
    choices = tuple(items(item, "choices", where)) if "choices" in item else offered
    if not choices:
        raise DefinitionError(where, "needs choices, a range, or the reason why it is locked")
    if not all(isinstance(choice, str | int | float) for choice in choices):
        raise DefinitionError(f"{where}.choices", "must be a list of settings")
    if len(set(choices)) != len(choices):
        raise DefinitionError(where, "lists a choice twice")
    return Control(name, choices=choices)


def _range_of_whole(name: str, item: Mapping[str, Any], where: str) -> Control:
    low, high = whole(item, "minimum", where), whole(item, "maximum", where)
    if low >= high or "spacing" in item:
        raise DefinitionError(where, "takes choices, or a minimum below a maximum")
    if high - low >= WIDEST_RANGE:
        raise DefinitionError(where, f"ranges over more than {WIDEST_RANGE} whole numbers")
    return Control(name, minimum=low, maximum=high)


def _range_of_numbers(name: str, item: Mapping[str, Any], where: str) -> Control:
    low, high = (number(item.get(end), f"{where}.{end}") for end in ("minimum", "maximum"))
    spacing = item.get("spacing", "linear")
    if low >= high:
        raise DefinitionError(where, "takes choices, or a minimum below a maximum")
    if spacing not in ("linear", "log") or (spacing == "log" and not can_be_log(low, high)):
        raise DefinitionError(where, 'has a spacing of "linear", or of "log" when it starts above 0')
    return Control(name, minimum=low, maximum=high, spacing=spacing)
