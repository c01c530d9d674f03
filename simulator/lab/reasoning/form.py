"""The form of the reasoning lab: five controls in the open, every other setting in a group of its own."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from simulator.engine import ReasoningSetup
from simulator.engine.algorithms import PRESETS, SLOTS, choice_of, token_formula
from simulator.engine.formula import Expression
from simulator.lab import form as fields
from simulator.lab.form import FormField
from simulator.lab.link import Place, Reading, Run
from simulator.lab.reasoning import words
from simulator.labels.reasoning import CHOICES, SETTINGS
from simulator.worlds import WORLDS

BASIC = ("steps", "group_size", "learning_rate", "num_iterations")
"""Beside the algorithm, what a beginner needs; the engine's own table has the order of everything else."""

GROUPS = {
    "sampling": (
        "Sampling",
        ("prompts_per_step", "max_completion_length", "dynamic_sampling", "overlong", "overlong_cache"),
    ),
    "advantages": ("Advantage", ("advantage", "gamma", "gae_lambda", "value_learning_rate")),
    "ratio-and-clip": ("Ratio and clip", ("importance_ratio", "clip", "epsilon", "epsilon_high")),
    "adding-up": ("Adding up", ("aggregation",)),
    "kl-penalty": ("KL penalty", ("kl", "kl_in", "beta")),
    "optimization": (
        "Optimizer",
        ("optimizer", "max_grad_norm", "lr_schedule", "warmup_ratio", "minibatches"),
    ),
    "reward": (
        "Reward",
        ("false_negative_rate", "false_positive_rate", "length_coefficient", "format_coefficient"),
    ),
    "world-and-seed": ("World and seed", ("prompt_memory", "train_prompts", "world_seed", "seed")),
}


@dataclass(frozen=True)
class SlotField:
    """A field with the formula of what is chosen in it, where it is a choice of a slot."""

    field: FormField
    formula: Expression | None = None


@dataclass(frozen=True)
class Group:
    """Settings that belong together. `says` names what is chosen, while the group is closed; `note` warns of a choice
    that means nothing beside the others."""

    ident: str
    title: str
    says: str
    is_open: bool
    fields: tuple[SlotField, ...]
    note: str = ""


@dataclass(frozen=True)
class Deviation:
    """A setting in which a setup differs from the algorithm it is called by."""

    label: str
    value: str
    preset: str


def form(reading: Reading) -> dict[str, Any]:
    """The form as it was typed, with messages at its fields and marks where it differs from the earlier run."""
    setup = fields.guide(reading)
    was = fields.earlier(reading)
    return {
        "algorithm": replace(
            fields.field("algorithm", reading, setup, was), help=CHOICES["algorithm"][setup.algorithm].help
        ),
        "algorithm_label": CHOICES["algorithm"][setup.algorithm].label,
        "deviations": deviations(setup),
        "plain": _plain(reading.shown),
        "basic": [fields.field(name, reading, setup, was) for name in BASIC],
        "groups": list(_groups(reading, setup, was)),
        "step": reading.typed.get("step", "") if "step" in reading.errors else "",
        "views": _kept_views(reading),
        "from": reading.shown.query() if reading.shown is not None else "",
    }


def deviations(setup: ReasoningSetup) -> list[Deviation]:
    """Where a setup is not what its algorithm says, among the settings that matter: slots first."""
    preset = PRESETS[setup.algorithm]
    active = setup.active_fields()
    world = WORLDS["reasoning"]
    return [
        Deviation(
            SETTINGS[name].in_sentence,
            world.setting_value(name, active[name]),
            world.setting_value(name, preset[name]),
        )
        for name in (*SLOTS, *(name for name in preset if name not in SLOTS))
        if name in active and active[name] != preset[name]
    ]


def _plain(place: Place | None) -> str:
    """The address of the same run with its algorithm as it is by itself."""
    if place is None:
        return ""
    setup = place.run.setup
    plain = Run(setup.replace(**PRESETS[setup.algorithm]), place.run.seed)
    views = {name: value for name, value in place.views.items() if name != "epoch"}
    return Place(plain, views, None if plain.is_same(place.run) else place.run).query()


def _kept_views(reading: Reading) -> list[tuple[str, str]]:
    """What is looked at, which a new run keeps as far as it has it."""
    place = reading.shown
    if place is None:
        return []
    return [(name, str(value)) for name, value in place.views.items()]


def _groups(reading: Reading, setup: ReasoningSetup, was: dict[str, str]) -> Iterator[Group]:
    active = setup.active_fields()
    for ident, (title, names) in GROUPS.items():
        shown = [name for name in names if name in active or name == "seed" or name in reading.errors]
        group_fields = tuple(_slot_field(name, reading, setup, was) for name in shown)
        yield Group(
            ident=ident,
            title=title,
            says=", ".join(filter(None, (_says(name, setup) for name in shown))),
            is_open=any(slot.field.error or slot.field.was for slot in group_fields),
            fields=group_fields,
            note=words.meaningless(ident, setup),
        )


def _slot_field(name: str, reading: Reading, setup: ReasoningSetup, was: dict[str, str]) -> SlotField:
    if name == "seed":
        return SlotField(fields.seed_field(reading, was))
    field = fields.field(name, reading, setup, was)
    if name not in SLOTS:
        return SlotField(field)
    choice = choice_of(name, getattr(setup, name))
    formula = token_formula(setup) if name == "clip" else choice.equation
    return SlotField(replace(field, help=choice.sentence), formula)


def _says(name: str, setup: ReasoningSetup) -> str:
    """What a closed group says of one of its settings: every choice of a slot, and numbers that were changed."""
    if name == "seed":
        return ""
    world = WORLDS["reasoning"]
    value = getattr(setup, name)
    if name in SLOTS and name not in ("dynamic_sampling", "overlong"):
        return world.setting_value(name, value)
    default = world.fields[name].default_in(setup.to_dict())
    return "" if value == default else f"{SETTINGS[name].in_sentence} {world.setting_value(name, value)}"
