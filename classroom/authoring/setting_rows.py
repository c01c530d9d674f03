"""The settings of an own mission in its form: what each starts at, and what students may do with it."""

from dataclasses import dataclass

from classroom.authoring.boxes import Box, Options
from missions.authoring.fields import HIDDEN, LIST, LOCKED, RANGE, USUAL, Fields, said, settings_in, tokens
from missions.definition import CHOICES
from simulator.engine import SetupError, parse_setup
from simulator.engine.fields import Field, check_fields, read_form_by
from simulator.labels import number
from simulator.worlds import World

MODES = {
    HIDDEN: "is not shown; it keeps its value",
    LOCKED: "is shown locked, with a reason",
    USUAL: "is open, with the usual values",
    LIST: "is open, with a list of values",
    RANGE: "is open, with a range",
}


@dataclass(frozen=True)
class SettingRow:
    """One setting: what the start sets it to, and what students may do with it."""

    label: str
    help: str
    start: Box
    mode: Box
    reason: Box
    choices: Box
    ticks: tuple[tuple[str, str, bool], ...]
    minimum: Box
    maximum: Box
    spacing: Box
    summary: str
    error: str
    matters: bool

    @property
    def is_open(self) -> bool:
        return bool(self.error)


def setting_rows(world: World, fields: Fields, errors: dict[str, str]) -> tuple[SettingRow, ...]:
    """A row for each setting of the world, in the order of the contract."""
    active = _active(world, fields)
    return tuple(_row(name, world, fields, errors, name in active) for name in settings_in(world))


def _row(name: str, world: World, fields: Fields, errors: dict[str, str], matters: bool) -> SettingRow:
    label, field = world.settings[name], world.fields[name]
    prefix = f"control.{name}"
    error = errors.get(f"start.{name}", "") or errors.get(prefix, "")

    def part(key: str, words: str, hint: str = "", options: Options = ()) -> Box:
        value = fields.get(f"{prefix}{key}", "")
        return Box(f"{prefix}{key}", words, value, hint, options=options, about=label.in_sentence)

    options = _options(name, world, field)
    chosen = tokens(fields.get(f"{prefix}.choices", ""))
    start = Box(
        f"start.{name}",
        "At the start",
        fields.get(f"start.{name}", ""),
        _range(field),
        error,
        1,
        options,
        label.in_sentence,
    )
    usual = ", ".join(number(value) for value in CHOICES[world.name].get(name, ()))
    modes = tuple((mode, f"{words} ({usual})" if mode == USUAL and usual else words) for mode, words in MODES.items())
    return SettingRow(
        label=label.label,
        help=label.help,
        start=start,
        mode=part("", "For students it", options=_modes_for(field, bool(usual), modes, fields.get(prefix, ""))),
        reason=part(".reason", "Reason"),
        choices=part(".choices", "Values", "Separated by commas."),
        ticks=tuple((value, words, value in chosen) for value, words in options) if field.kind == "choice" else (),
        minimum=part(".minimum", "From"),
        maximum=part(".maximum", "To"),
        spacing=part(".spacing", "A blind guess is spread", options=(("linear", "evenly"), ("log", "over magnitudes"))),
        summary=_summary(world, name, fields),
        error=error,
        matters=matters or fields.get(prefix, HIDDEN) != HIDDEN,
    )


def _modes_for(field: Field, has_usual: bool, modes: Options, mode: str) -> Options:
    """The ways in which a setting can be shown; the one that is set stays among them."""
    left_out = set()
    if field.kind in ("choice", "boolean"):
        left_out.add(RANGE)
    if field.kind == "boolean":
        left_out.add(LIST)
    elif not has_usual:
        left_out.add(USUAL)
    return tuple((name, words) for name, words in modes if name not in left_out or name == mode)


def _options(name: str, world: World, field: Field) -> Options:
    if field.kind == "boolean":
        return (("false", "off"), ("true", "on"))
    if field.kind == "choice":
        return tuple((choice.name, choice.label) for choice in world.choices[name].values())
    return ()


def _range(field: Field) -> str:
    if field.kind in ("choice", "boolean"):
        return ""
    return f"{said(field.minimum)} to {field.maximum:,}" if field.kind == "integer" else f"Up to {said(field.maximum)}"


def _active(world: World, fields: Fields) -> set[str]:
    """The settings that matter beside the others, as far as they can be read."""
    given = read_form_by(world.fields, {name: fields.get(f"start.{name}", "") for name in settings_in(world)})
    values, _ = check_fields(world.fields, given)
    try:
        return set(parse_setup(values).active_fields())
    except SetupError:
        return set(settings_in(world))


def _summary(world: World, name: str, fields: Fields) -> str:
    """A setting in one line: "50; open: 25, 50, 100"."""
    start, mode = fields.get(f"start.{name}", ""), fields.get(f"control.{name}", HIDDEN)
    try:
        value = world.setting_value(name, start)
    except KeyError:
        value = start
    words = {HIDDEN: "not shown", LOCKED: "locked", USUAL: "open", LIST: "open", RANGE: "open"}.get(mode, mode)
    if mode == LIST:
        words += f": {fields[f'control.{name}.choices']}"
    if mode == RANGE:
        words += f": {fields[f'control.{name}.minimum']} to {fields[f'control.{name}.maximum']}"
    return f"{value}, {words}"
