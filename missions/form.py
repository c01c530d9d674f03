"""The setup form of a mission as the page shows it: every control with its value, its help and its error."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import UUID

from missions.definition import Control, MissionDefinition, Prediction
from missions.figures import WIDTHS, Meter, budget_meter
from missions.seeds import EVALUATION_SEEDS
from missions.submission import Reading, typed_from
from simulator.charts.cost import cost_words
from simulator.labels.candidates import METRICS, SETTINGS, setting_value

PLURAL = {0: "no star", 1: "one star", 2: "two stars", 3: "three stars"}


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
    minimum: int | None
    maximum: int | None
    error: str

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
    """The whole form; `cost` is None while the settings don't make a setup."""

    fields: tuple[FieldView, ...]
    seed: str
    prediction: PredictionView
    token: UUID
    cost: int | None
    arithmetic: str
    stars_at_cost: int
    meters: dict[str, Meter]
    errors: dict[str, str]
    seed_count: int = EVALUATION_SEEDS

    @property
    def stars_in_words(self) -> str:
        return PLURAL[self.stars_at_cost]

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
    setup = reading.setup
    return FormView(
        fields=tuple(_field(control, reading, start) for control in shown),
        seed=reading.typed["seed"],
        prediction=_prediction(definition.prediction, reading),
        token=token,
        cost=setup.sampled_responses if setup else None,
        arithmetic=cost_words(setup) if setup else "",
        stars_at_cost=definition.budgets.stars_for(setup.sampled_responses) if setup else 0,
        meters={
            name: budget_meter(setup.sampled_responses, definition.budgets, width) for name, width in WIDTHS.items()
        }
        if setup
        else {},
        errors=reading.errors,
    )


def prediction_options(prediction: Prediction) -> list[str]:
    """Name the ranges a prediction chooses from: below 0.60, 0.60 to 0.68, 0.68 or more."""
    digits = METRICS[prediction.metric].decimals
    cuts = [f"{cut:.{digits}f}" for cut in prediction.cuts]
    middle = [f"{low} to {high}" for low, high in pairwise(cuts)]
    return [f"below {cuts[0]}", *middle, f"{cuts[-1]} or more"]


def _active(definition: MissionDefinition, reading: Reading) -> set[str]:
    """Names of the controls that matter for the method as typed, valid or not."""
    setup = reading.setup
    if setup is None:
        method = reading.typed.get("method", definition.start.method)
        try:
            setup = definition.start.replace(method=method)
        except ValueError:
            setup = definition.start
    return set(setup.active_fields())


def _field(control: Control, reading: Reading, start: dict[str, str]) -> FieldView:
    name = control.name
    words = SETTINGS[name]
    value = start[name] if control.locked else reading.typed[name]
    return FieldView(
        name=name,
        label=words.label,
        help=words.help,
        value=value,
        value_label=_words(name, value),
        start_label=_words(name, start[name]),
        locked=control.locked,
        options=tuple((_typed(choice), _words(name, _typed(choice))) for choice in control.choices),
        minimum=control.minimum,
        maximum=control.maximum,
        error=reading.errors.get(name, ""),
    )


def _typed(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _words(name: str, typed: str) -> str:
    """Write a typed value as a student reads it; what is no value stays as typed."""
    try:
        return setting_value(name, typed)
    except KeyError:
        return typed


def _prediction(prediction: Prediction, reading: Reading) -> PredictionView:
    return PredictionView(
        question=f"Where will the {METRICS[prediction.metric].in_sentence} end?",
        options=tuple((str(i), text) for i, text in enumerate(prediction_options(prediction))),
        chosen=reading.typed.get("prediction", ""),
        error=reading.errors.get("prediction", ""),
    )
