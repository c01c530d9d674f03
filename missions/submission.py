"""Reading what a student typed on a mission page: draft, POST or an earlier try, into a setup or clear messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from missions.attempts import Submission
from missions.definition import MissionDefinition
from simulator.engine import SetupError, check_setup, parse_setup, read_form
from simulator.worlds import Setup

LARGEST_SEED = 2**32 - 1
# Longer than any honest value; what is longer is cut before it is stored as a draft.
LONGEST_FIELD = 40
# Fields of the form that are not settings.
STALE_PAGE = "This page was out of date. It is fresh again now; press Train once more."
OWN_FIELDS = ("seed", "prediction", "token", "had_errors", "csrfmiddlewaretoken")


@dataclass(frozen=True)
class Reading:
    """The form as typed, the setup it stands for (None while something is wrong) and one message per wrong field."""

    typed: dict[str, str]
    setup: Setup | None
    seed: int
    prediction: int | None
    errors: dict[str, str] = field(default_factory=dict)


def typed_from(setup: Mapping[str, Any], seed: int = 1) -> dict[str, str]:
    """Write a setup the way a form would hold it."""
    return {name: written(value) for name, value in setup.items() if name != "world"} | {"seed": str(seed)}


def written(value: Any) -> str:
    """One value of a setup the way a form holds it: 0.05, grpo, true."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def fields_to_keep(definition: MissionDefinition, data: Mapping[str, str]) -> dict[str, str]:
    """Pick what a draft keeps of a POST: this mission's own fields, each cut to a sensible length."""
    names = {*definition.controls, "seed", "prediction"}
    # PostgreSQL's JSON can't hold the character NUL.
    return {name: str(data[name]).replace("\0", "")[:LONGEST_FIELD] for name in names if name in data}


def read_fields(definition: MissionDefinition, data: Mapping[str, str]) -> Reading:
    """Read form fields against a mission; fields that are missing stand at the start setting.

    Where one setting fills in others, those stand at what the chosen one fills in.
    """
    given = {name: value for name, value in data.items() if name not in OWN_FIELDS}
    start = typed_from(_base(definition, given).to_dict())
    typed = start | {name: str(data[name]) for name in (*given, "seed", "prediction") if name in data}
    errors: dict[str, str] = {}
    for name in given:
        if name not in definition.world.fields or name == "world":
            errors[name[:LONGEST_FIELD]] = f"There is no setting called {name[:LONGEST_FIELD]!r}."
    settings = {name: typed[name] for name in definition.start.to_dict() if name in typed}
    settings["world"] = definition.world.name
    setup = _read_setup(definition, settings, errors)
    seed = _read_seed(typed.get("seed", "1"), errors)
    prediction = _read_prediction(definition, typed.get("prediction", ""), errors)
    return Reading(typed, None if errors else setup, seed, prediction, errors)


def read_submission(definition: MissionDefinition, data: Mapping[str, str]) -> tuple[Submission | None, Reading]:
    """Read a POST to be graded; the submission is None when the reading holds errors."""
    reading = read_fields(definition, data)
    try:
        token = UUID(data.get("token", ""))
    except ValueError:
        reading.errors["token"] = STALE_PAGE
        return None, reading
    if reading.setup is None:
        return None, reading
    return Submission(token, reading.setup, reading.seed, reading.prediction), reading


def filled_in(definition: MissionDefinition, data: Mapping[str, str]) -> dict[str, str]:
    """The open controls that the typed value of the setting that fills in others sets, as it sets them."""
    opened = {name for name, control in definition.controls.items() if not control.locked}
    base = typed_from(_base(definition, data).to_dict())
    return {name: text for name, text in base.items() if name in opened & definition.world.filled_names}


def _base(definition: MissionDefinition, given: Mapping[str, str]) -> Setup:
    try:
        return definition.base_for(given)
    except SetupError:
        return definition.start


def _read_setup(definition: MissionDefinition, settings: Mapping[str, str], errors: dict[str, str]) -> Setup | None:
    values = read_form(settings)
    try:
        setup = parse_setup(values)
    except SetupError:
        # Judge all fields, not only the first that is wrong.
        errors.update({name: message for name, message in check_setup(values).items() if name not in errors})
        return None
    errors.update(definition.check(setup))
    return setup


def _read_seed(text: str, errors: dict[str, str]) -> int:
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= LARGEST_SEED:
        return int(text)
    errors["seed"] = f"Your seed must be a whole number from 0 to {LARGEST_SEED:,}."
    return 1


def _read_prediction(definition: MissionDefinition, text: str, errors: dict[str, str]) -> int | None:
    if not text:
        return None
    if text.isascii() and text.isdigit() and len(text) < 3 and int(text) <= len(definition.prediction.cuts):
        return int(text)
    errors["prediction"] = "Choose one of the answers, or none."
    return None
