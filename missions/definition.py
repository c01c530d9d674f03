"""What a mission is, read from TOML: one parser and one validator for built-in missions and for those to come.

Pure: no database, no request. A definition that parses can be played; whether it can be won, and not by luck, is
what `manage.py verify_missions` proves.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.engine import CandidateSetup, SetupError, parse_setup

METRICS = ("win_rate", "quality", "reward_model_score", "kl", "entropy", "response_length")

# What a control offers unless a mission says otherwise. Coarse on purpose: a list is quicker on a phone than a
# keyboard, and the chance of winning by luck is computed over exactly these values.
CHOICES: dict[str, tuple[Any, ...]] = {
    "steps": (25, 50, 75, 100, 125, 150, 200, 300, 400, 800),
    "group_size": (2, 3, 4, 6, 8, 12, 16, 32),
    "samples_per_prompt": (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64),
    "beta": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.2, 2.0),
    "length_penalty": (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0),
    "label_smoothing": (0.1, 0.2, 0.3, 0.4),
}
STAR_NAMES = {1: "one_star", 2: "two_stars", 3: "three_stars"}


class DefinitionError(ValueError):
    """A mission file says something that can't be played; `where` names the key."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where
        self.message = message


@dataclass(frozen=True)
class Control:
    """One setting a mission shows: locked with a reason, or open with a list or a whole-number range."""

    name: str
    locked: str = ""
    choices: tuple[Any, ...] = ()
    minimum: int | None = None
    maximum: int | None = None

    def values(self) -> tuple[Any, ...]:
        """Every value a student may choose; empty when locked."""
        if self.locked:
            return ()
        if self.choices:
            return self.choices
        assert self.minimum is not None and self.maximum is not None
        return tuple(range(self.minimum, self.maximum + 1))

    def refuse(self, value: Any, start: Any) -> str:
        """Say why `value` can't be chosen here, or return "" when it can."""
        if self.locked:
            return "" if value == start else f"This control is locked. {self.locked}"
        if self.choices:
            if value in self.choices:
                return ""
            return "Choose one of " + ", ".join(_short(choice) for choice in self.choices) + "."
        assert self.minimum is not None and self.maximum is not None
        if isinstance(value, int) and self.minimum <= value <= self.maximum:
            return ""
        return f"Must be a whole number from {self.minimum} to {self.maximum}."


@dataclass(frozen=True)
class Goal:
    """One condition on the mean of a metric over the hidden evaluation seeds."""

    metric: str
    bound: float
    at_least: bool

    def is_met(self, mean: float) -> bool:
        return mean >= self.bound if self.at_least else mean <= self.bound

    def to_dict(self) -> dict[str, Any]:
        return {"metric": self.metric, "at_least" if self.at_least else "at_most": self.bound}


@dataclass(frozen=True)
class Budgets:
    """Most sampled responses a pass may cost for each number of stars."""

    one: int
    two: int
    three: int

    def stars_for(self, sampled_responses: int) -> int:
        """Stars a pass at this cost earns: 0 to 3."""
        return sum(sampled_responses <= budget for budget in (self.one, self.two, self.three))

    def to_dict(self) -> dict[str, int]:
        return {"one_star": self.one, "two_stars": self.two, "three_stars": self.three}


@dataclass(frozen=True)
class Prediction:
    """An optional question asked before training; the cuts divide the metric's range into answers."""

    metric: str
    cuts: tuple[float, ...]

    def answer(self, value: float) -> int:
        """Index of the range that holds `value`."""
        return sum(value >= cut for cut in self.cuts)


@dataclass(frozen=True)
class Evidence:
    """A measurement behind the debrief: one setting varied, everything else fixed, on seeds of its own.

    The numbers are computed when missions are loaded, never written down.
    """

    name: str
    title: str
    vary: str
    values: tuple[Any, ...]
    base: CandidateSetup
    metrics: tuple[str, ...]

    def setup_for(self, value: Any) -> CandidateSetup:
        return self.base.replace(**{self.vary: value})


@dataclass(frozen=True)
class MissionDefinition:
    slug: str
    revision: int
    chapter: int
    position: int
    title: str
    aim: str
    lesson: str
    story: str
    symptom: str
    curves: tuple[str, ...]
    start: CandidateSetup
    controls: Mapping[str, Control]
    goals: tuple[Goal, ...]
    budgets: Budgets
    hints: tuple[str, ...]
    prediction: Prediction
    debrief: str
    evidence: tuple[Evidence, ...]
    verify: Mapping[int, CandidateSetup]
    source: Mapping[str, Any]

    @property
    def grading_digest(self) -> str:
        """Changes exactly when something changes that decides who passes and with how many stars."""
        graded = {
            "start": self.start.to_dict(),
            "controls": {name: [c.locked != "", list(c.values())] for name, c in sorted(self.controls.items())},
            "goals": [goal.to_dict() for goal in self.goals],
            "budgets": self.budgets.to_dict(),
        }
        return hashlib.sha256(json.dumps(graded, sort_keys=True).encode()).hexdigest()

    def check(self, setup: CandidateSetup) -> dict[str, str]:
        """Return what this mission forbids about a setup, one message per field; empty when it may be trained."""
        start, chosen = self.start.to_dict(), setup.to_dict()
        active = set(setup.active_fields())
        errors = {}
        for name, value in chosen.items():
            control = self.controls.get(name)
            if control is None:
                if value != start[name] and name in active:
                    errors[name] = "This mission keeps this setting as it is."
            elif (control.locked or name in active) and (message := control.refuse(value, start[name])):
                errors[name] = message
        return errors


def parse_definition(text: str) -> MissionDefinition:
    """Read one mission from TOML. Raises DefinitionError naming the key that is wrong."""
    try:
        source = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError("file", f"is not valid TOML ({error})") from error
    return definition_from(source)


def definition_from(source: Mapping[str, Any]) -> MissionDefinition:
    """Build a mission from a parsed TOML table. Raises DefinitionError naming the key that is wrong."""
    known = {
        *("slug", "revision", "chapter", "position", "title", "aim", "lesson", "story", "symptom", "curves"),
        *("setup", "controls", "goals", "budgets", "hints", "prediction", "debrief", "evidence", "verify"),
    }
    for key in source:
        if key not in known:
            raise DefinitionError(key, "is not a part of a mission")
    start = _setup(source.get("setup", {}), "setup")
    controls = _controls(source.get("controls", {}), start)
    goals = tuple(_goal(item, f"goals[{i}]") for i, item in enumerate(_list(source, "goals")))
    hints = tuple(_list(source, "hints"))
    if len(hints) != 2 or not all(isinstance(hint, str) and hint for hint in hints):
        raise DefinitionError("hints", "must be two texts")
    curves = tuple(_list(source, "curves"))
    for metric in curves:
        _metric(metric, "curves")
    slug = _text(source, "slug")
    if not all(part.isalnum() and part.islower() for part in slug.split("-")):
        raise DefinitionError("slug", "must be lower-case words joined by hyphens")
    definition = MissionDefinition(
        slug=slug,
        revision=_whole(source, "revision"),
        chapter=_whole(source, "chapter"),
        position=_whole(source, "position"),
        title=_text(source, "title"),
        aim=_text(source, "aim"),
        lesson=_text(source, "lesson"),
        story=_text(source, "story"),
        symptom=_text(source, "symptom"),
        curves=curves,
        start=start,
        controls=controls,
        goals=goals,
        budgets=_budgets(source.get("budgets", {})),
        hints=hints,
        prediction=_prediction(source.get("prediction", {})),
        debrief=_text(source, "debrief"),
        evidence=tuple(_evidence(item, f"evidence[{i}]") for i, item in enumerate(_list(source, "evidence"))),
        verify={n: _setup(start.to_dict() | _table(source.get("verify", {}), name, "verify"), f"verify.{name}")
                for n, name in STAR_NAMES.items()},
        source=source,
    )
    if errors := definition.check(start):
        raise DefinitionError("setup", f"the start can't be chosen with these controls: {errors}")
    for n, setup in definition.verify.items():
        if errors := definition.check(setup):
            raise DefinitionError(f"verify.{STAR_NAMES[n]}", f"can't be chosen with these controls: {errors}")
    return definition


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _text(source: Mapping[str, Any], key: str) -> str:
    value = source.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DefinitionError(key, "must be a text")
    return value.strip()


def _whole(source: Mapping[str, Any], key: str) -> int:
    value = source.get(key)
    if type(value) is not int or value < 1:
        raise DefinitionError(key, "must be a whole number from 1")
    return value


def _list(source: Mapping[str, Any], key: str) -> list[Any]:
    value = source.get(key)
    if not isinstance(value, list) or not value:
        raise DefinitionError(key, "must be a list that isn't empty")
    return value


def _table(source: Any, key: str, where: str) -> dict[str, Any]:
    value = source.get(key) if isinstance(source, Mapping) else None
    if not isinstance(value, dict):
        raise DefinitionError(f"{where}.{key}", "must be a table")
    return value


def _metric(value: Any, where: str) -> str:
    if value not in METRICS:
        raise DefinitionError(where, f"must be one of {', '.join(METRICS)}")
    return str(value)


def _setup(value: Any, where: str) -> CandidateSetup:
    if not isinstance(value, Mapping):
        raise DefinitionError(where, "must be a table")
    try:
        return parse_setup(value)
    except SetupError as error:
        raise DefinitionError(f"{where}.{error.field}", error.message) from error


def _controls(value: Any, start: CandidateSetup) -> dict[str, Control]:
    if not isinstance(value, Mapping) or not value:
        raise DefinitionError("controls", "must list the settings this mission shows")
    controls = {}
    for name, item in value.items():
        where = f"controls.{name}"
        if name not in start.to_dict() or name == "world":
            raise DefinitionError(where, "is not a setting of this world")
        if not isinstance(item, Mapping) or set(item) - {"locked", "choices", "minimum", "maximum"}:
            raise DefinitionError(where, "takes locked, choices, or minimum and maximum")
        if locked := item.get("locked"):
            controls[name] = Control(name, locked=str(locked))
        elif "minimum" in item:
            controls[name] = Control(name, minimum=_whole(item, "minimum"), maximum=_whole(item, "maximum"))
        else:
            choices = tuple(item.get("choices", CHOICES.get(name, ())))
            if not choices:
                raise DefinitionError(where, "needs choices, a range, or the reason why it is locked")
            controls[name] = Control(name, choices=choices)
    return controls


def _goal(item: Any, where: str) -> Goal:
    if not isinstance(item, Mapping) or len({"at_least", "at_most"} & set(item)) != 1:
        raise DefinitionError(where, "needs a metric and one of at_least, at_most")
    at_least = "at_least" in item
    bound = item["at_least" if at_least else "at_most"]
    if isinstance(bound, bool) or not isinstance(bound, int | float):
        raise DefinitionError(where, "needs a number as its bound")
    return Goal(_metric(item.get("metric"), where), float(bound), at_least)


def _budgets(value: Any) -> Budgets:
    if not isinstance(value, Mapping):
        raise DefinitionError("budgets", "must be a table")
    budgets = Budgets(*(_whole(value, name) for name in STAR_NAMES.values()))
    if not budgets.one > budgets.two > budgets.three:
        raise DefinitionError("budgets", "must shrink from one_star to three_stars")
    return budgets


def _prediction(value: Any) -> Prediction:
    if not isinstance(value, Mapping):
        raise DefinitionError("prediction", "must be a table")
    cuts = tuple(float(cut) for cut in _list(value, "cuts"))
    if list(cuts) != sorted(set(cuts)):
        raise DefinitionError("prediction.cuts", "must rise")
    return Prediction(_metric(value.get("metric"), "prediction.metric"), cuts)


def _evidence(item: Any, where: str) -> Evidence:
    if not isinstance(item, Mapping):
        raise DefinitionError(where, "must be a table")
    evidence = Evidence(
        name=_text(item, "name"),
        title=_text(item, "title"),
        vary=_text(item, "vary"),
        values=tuple(_list(item, "values")),
        base=_setup(item.get("setup", {}), f"{where}.setup"),
        metrics=tuple(_metric(metric, f"{where}.metrics") for metric in _list(item, "metrics")),
    )
    for value in evidence.values:
        try:
            evidence.setup_for(value)
        except (SetupError, TypeError) as error:
            raise DefinitionError(f"{where}.values", f"{value!r} can't be set: {error}") from error
    return evidence
