"""A field of the form of an own mission, and which field shows which part of the text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from missions.authoring.reading import Problem

Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Box:
    """One field of the form. With `options` it is a list to choose from; with more than one row, a longer text.

    `about` says to a screen reader which of several fields with the same label it is.
    """

    name: str
    label: str
    value: str
    help: str = ""
    error: str = ""
    rows: int = 1
    options: Options = ()
    about: str = ""

    @property
    def id(self) -> str:
        return id_of(self.name)

    @property
    def is_off_list(self) -> bool:
        return bool(self.options) and self.value not in [value for value, _ in self.options]


def id_of(name: str) -> str:
    """The id of a field in the page."""
    return "f-" + name.replace(".", "-")


def field_of(where: str) -> str:
    """The field that a part of the text is shown in; "" if the form doesn't show it."""
    if where in ("curves", "pass_rule", "seeds_needed", "goals", "budgets", "prediction", "hints"):
        return {
            "curves": "chart.0.0",
            "pass_rule": "rule",
            "seeds_needed": "rule.needed",
            "goals": "goal.0.metric",
            "budgets": "budget.one_star",
            "prediction": "prediction.metric",
            "hints": "hint.0",
        }[where]
    if where in ("title", "aim", "story", "symptom", "lesson", "debrief"):
        return where
    for pattern, name in (
        (r"setup\.([a-z_]+)", "start.{}"),
        (r"controls\.([a-z_]+)(?:\..*)?", "control.{}"),
        (r"goals\[(\d+)\](?:\..*)?", "goal.{}.metric"),
        (r"budgets\.([a-z_]+)", "budget.{}"),
        (r"prediction\.(metric|cuts)(?:.*)?", "prediction.{}"),
    ):
        if match := re.fullmatch(pattern, where):
            return name.format(match[1])
    return ""


def errors_by_field(problems: Iterable[Problem]) -> dict[str, str]:
    """What is wrong with each field; under "" what no field shows."""
    found: dict[str, str] = {}
    for problem in problems:
        name = field_of(problem.where)
        found[name] = f"{found[name]} Also: {problem.message}" if name in found else f"It {problem.message}."
    return found
