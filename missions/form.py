"""The setup form of a mission as the page shows it: every control with its value, its help and its error."""

from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from missions.definition import Control, MissionDefinition, Prediction
from missions.figures import WIDTHS, Meter, budget_meter
from missions.seeds import EVALUATION_SEEDS
from missions.submission import Reading, typed_from, written
from simulator.charts.cost import cost_words
from simulator.engine import SetupError
from simulator.worlds import Setup, World, sampled_bounds

PLURAL = {0: "no star", 1: "one star", 2: "two stars", 3: "three stars"}
# Characters of an option that fit into a list beside its label.
LONGEST_BESIDE = 9


@dataclass(frozen=True)
class FieldView:
    """One row of the form."""

    name: str
    label: str
    help: str
    value: str
    value_label: str
    start_label: str
    locked: str
    options: tuple[tuple[str, str], ...]
    minimum: float | None
    maximum: float | None
    is_whole: bool
    error: str

    @property
    def range_text(self) -> str:
        """The ends of a range in words; "" where there is none."""
        return "" if self.minimum is None or self.maximum is None else f"{self.minimum:g} to {self.maximum:g}."

    @property
    def is_wide(self) -> bool:
        """Whether there are words to choose from, which need the whole line, and not numbers."""
        return any(len(text) > LONGEST_BESIDE for _, text in self.options)

    @property
    def is_changed(self) -> bool:
        return self.value_label != self.start_label

    @property
    def is_off_list(self) -> bool:
        """The typed value is none of the choices; it stays in the form, beside its error, until it is changed."""
        return bool(self.options) and self.value not in [value for value, _ in self.options]


@dataclass(frozen=True)
class PredictionView:
    question: str
    options: tuple[tuple[str, str], ...]
    chosen: str
    error: str


@dataclass(frozen=True)
class FormView:
    """The whole form; `cost` is None while the settings don't make a setup.

    `cost` is the most that the setup can cost and `least` the least: they differ where a run decides as it goes how
    much it samples.
    """

    fields: tuple[FieldView, ...]
    seed: str
    prediction: PredictionView
    token: UUID
    cost: int | None
    least: int | None
    arithmetic: str
    stars_at_cost: int
    most_stars: int
    meters: dict[str, Meter]
    errors: dict[str, str]
    seed_count: int = EVALUATION_SEEDS

    @property
    def cost_varies(self) -> bool:
        """Whether the runs decide what they sample; then the cost is known once they have run."""
        return self.cost != self.least

    @property
    def stars_in_words(self) -> str:
        if self.most_stars == self.stars_at_cost:
            return PLURAL[self.stars_at_cost]
        return f"{PLURAL[self.stars_at_cost]} to {PLURAL[self.most_stars]}, depending on what the runs sample"

    @property
    def general_errors(self) -> list[str]:
        """Errors of fields that the page doesn't show."""
        shown = {field.name for field in self.fields} | {"seed", "prediction"}
        return [message for name, message in self.errors.items() if name not in shown]


def form_view(definition: MissionDefinition, reading: Reading, token: UUID) -> FormView:
    """Build the form from what was typed."""
    start = typed_from(definition.start.to_dict())
    shown = [
        control
        for name, control in definition.controls.items()
        if control.locked or name in reading.errors or name in _active(definition, reading)
    ]
    setup, budgets = reading.setup, definition.budgets
    least, most = sampled_bounds(setup) if setup else (None, None)
    return FormView(
        fields=tuple(_field(control, reading, start, definition.world) for control in shown),
        seed=reading.typed["seed"],
        prediction=_prediction(definition.prediction, reading, definition.world),
        token=token,
        cost=most,
        least=least,
        arithmetic=cost_words(setup) if setup else "",
        stars_at_cost=budgets.stars_for(most) if most else 0,
        most_stars=budgets.stars_for(least) if least else 0,
        meters={name: budget_meter(most, budgets, width) for name, width in WIDTHS.items()} if most else {},
        errors=reading.errors,
    )


def prediction_options(prediction: Prediction, world: World) -> list[str]:
    """Name the ranges a prediction chooses from: below 0.60, 0.60 to 0.68, 0.68 or more."""
    digits = world.metrics[prediction.metric].decimals
    cuts = [f"{cut:.{digits}f}" for cut in prediction.cuts]
    middle = [f"{low} to {high}" for low, high in pairwise(cuts)]
    return [f"below {cuts[0]}", *middle, f"{cuts[-1]} or more"]


def _active(definition: MissionDefinition, reading: Reading) -> set[str]:
    """Names of the controls that matter for the settings as typed, valid or not."""
    return set((reading.setup or _guessed(definition, reading)).active_fields())


def _guessed(definition: MissionDefinition, reading: Reading) -> Setup:
    """The start with those typed values that decide which others matter, as far as they can be."""
    setup = definition.start
    for name in definition.world.deciders:
        typed = reading.typed.get(name)
        control = definition.controls.get(name)
        values = {written(value): value for value in control.values()} if control else {}
        if typed in values:
            try:
                setup = setup.replace(**{name: values[typed]})
            except SetupError:
                continue
    return setup


def _field(control: Control, reading: Reading, start: dict[str, str], world: World) -> FieldView:
    name = control.name
    words = world.settings[name]
    value = start[name] if control.locked else reading.typed[name]
    return FieldView(
        name=name,
        label=words.label,
        help=words.help,
        value=value,
        value_label=_words(world, name, value),
        start_label=_words(world, name, start[name]),
        locked=control.locked,
        options=tuple((written(choice), _words(world, name, written(choice))) for choice in control.choices),
        minimum=control.minimum,
        maximum=control.maximum,
        is_whole=not control.spacing,
        error=reading.errors.get(name, ""),
    )


def _words(world: World, name: str, typed: str) -> str:
    """Write a typed value as a student reads it; what is no value stays as typed."""
    try:
        return world.setting_value(name, typed)
    except KeyError:
        return typed


def _prediction(prediction: Prediction, reading: Reading, world: World) -> PredictionView:
    return PredictionView(
        question=f"Where will the {world.metrics[prediction.metric].in_sentence} end?",
        options=tuple((str(i), text) for i, text in enumerate(prediction_options(prediction, world))),
        chosen=reading.typed.get("prediction", ""),
        error=reading.errors.get("prediction", ""),
    )
