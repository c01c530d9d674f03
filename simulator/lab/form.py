"""The parts of the lab's form that every world has: fields as they were typed, with their messages and their marks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from simulator.engine import parse_setup, read_form
from simulator.engine.fields import Field, SetupError, check_fields
from simulator.engine.randomness import MAX_SEED
from simulator.lab.changes import changes
from simulator.lab.link import DEFAULT_SEED, Reading
from simulator.lab.rules import value_text
from simulator.labels import ChoiceLabel, number
from simulator.worlds import Setup


@dataclass(frozen=True)
class Choice:
    name: str
    label: str
    help: str
    is_chosen: bool


@dataclass(frozen=True)
class FormField:
    """One field of the form: a number, or with `choices` one of them. `was` is its value in the earlier run."""

    name: str
    label: str
    help: str
    range: str
    value: str
    input_mode: str
    was: str = ""
    error: str = ""
    choices: tuple[Choice, ...] = ()

    @property
    def is_off_list(self) -> bool:
        """What was typed is none of the choices; it stays in the form, beside its error, until it is changed."""
        return bool(self.choices) and not any(choice.is_chosen for choice in self.choices)


def guide(reading: Reading) -> Setup:
    """The setup that decides which fields the form has, also while a value is refused."""
    if reading.place is not None:
        return reading.place.run.setup
    rules = reading.rules
    mapping = read_form({name: text for name, text in reading.typed.items() if name in rules.fields})
    mapping["world"] = rules.name
    errors = check_fields(rules.fields, mapping)[1]
    good = {name: value for name, value in mapping.items() if name not in errors}
    for candidate in (good, rules.base(good)):
        try:
            return parse_setup(candidate)
        except SetupError:
            continue
    return parse_setup({"world": rules.name})


def earlier(reading: Reading) -> dict[str, str]:
    """The values that the fields had in the run before, where they differ."""
    place = reading.place or reading.shown
    if place is None or place.previous is None:
        return {}
    return {change.name: change.before for change in changes(place.previous, place.run)}


def choices(labels: Iterable[ChoiceLabel], chosen: str) -> tuple[Choice, ...]:
    return tuple(Choice(label.name, label.label, label.help, label.name == chosen) for label in labels)


def field(name: str, reading: Reading, setup: Setup, was: Mapping[str, str]) -> FormField:
    """A setting as a field, with the value it has in the run or, while that is refused, the text that was typed."""
    world, spec = reading.rules.world, reading.rules.fields[name]
    error = reading.errors.get(name, "")
    value = value_text(getattr(setup, name))
    if reading.place is None or error:
        value = reading.typed.get(name, value)
    label = world.settings[name]
    options: tuple[Choice, ...] = ()
    if spec.kind == "boolean":
        options = choices((ChoiceLabel("false", "off", ""), ChoiceLabel("true", "on", "")), value)
    elif spec.kind == "choice":
        options = choices(world.choices[name].values(), value)
    return FormField(
        name=name,
        label=label.label,
        help=label.help,
        range="" if options else _range(spec, setup),
        value=value,
        input_mode="numeric" if label.is_whole else "decimal",
        was=was.get(name, ""),
        error=error,
        choices=options,
    )


def _range(spec: Field, setup: Setup) -> str:
    values = setup.to_dict()
    low, high = (number(end) for end in (spec.minimum_in(values), spec.maximum_in(values)))
    return f"{low} to {int(high):,}" if spec.kind == "integer" else f"{low} to {high}"


def seed_field(reading: Reading, was: Mapping[str, str]) -> FormField:
    value = str(reading.place.run.seed) if reading.place is not None else reading.typed.get("seed", str(DEFAULT_SEED))
    label = reading.rules.world.settings["seed"]
    return FormField(
        name="seed",
        label=label.label,
        help=label.help,
        range=f"0 to {MAX_SEED:,}",
        value=value,
        input_mode="numeric",
        was=was.get("seed", ""),
        error=reading.errors.get("seed", ""),
    )
