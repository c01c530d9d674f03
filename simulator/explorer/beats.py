"""The six stages of one update as a stepper: each with a sentence from the step's own numbers and a question.

What is right is calculated from the step. A question asks for something that its stage does not show yet; views that
follow the stage keep back what comes later.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.explorer.exploration import Exploration
from simulator.explorer.state import ANSWERS, BEATS

WEIGHED = 5
"""The stage from which on everything about a single token is shown."""

KEYS = ANSWERS
"""What addresses call the options of a question, in their order."""


@dataclass(frozen=True)
class Question:
    """A question on what comes next.

    Attributes:
        text: the question.
        options: the answers to choose from, in an order that tells nothing.
        right: the place of the right one, from 0.
        because: why it is the right one, with the step's numbers; shown after any answer.
    """

    text: str
    options: tuple[str, ...]
    right: int
    because: str


@dataclass(frozen=True)
class Stage:
    """One stage: what happens in it, in one sentence, and a question, or None where the step leaves none to ask."""

    sentence: str
    question: Question | None = None


Stages = Callable[[Exploration], Sequence[Stage]]


@dataclass(frozen=True)
class Step:
    """One stop of the stepper."""

    number: int
    label: str
    href: str
    is_on: bool
    is_past: bool


@dataclass(frozen=True)
class Option:
    """One answer. `is_chosen` and `is_right` are False until something was answered."""

    text: str
    href: str
    is_chosen: bool
    is_right: bool


def beats_panel(x: Exploration) -> dict[str, Any]:
    """Everything templates/explorer/beats.html shows; empty for a world without stages. ``said`` is read out; it is ""
    while nothing is stepped through."""
    beat = x.state.beat
    stages = _stages(x)
    if stages is None:
        return {}
    # The stages are of the update and the prompt that are shown, also for somebody who is sent the address.
    at = {"s": x.state.s, "p": x.state.p}
    # A chosen token would tell its push and its weight in the explainer before their stages.
    steps = [
        Step(
            number,
            label,
            x.link(beat=number, **at, **({"r": None, "t": None} if 0 < number < WEIGHED else {})),
            number == beat,
            0 < number < beat,
        )
        for number, label in enumerate(BEATS)
    ]
    found: dict[str, Any] = {"steps": steps, "beat": beat, "label": BEATS[beat], "said": ""}
    if not beat:
        return found
    stage = stages(x)[beat - 1]
    found |= {
        "sentence": stage.sentence,
        "previous": steps[beat - 1] if beat > 1 else None,
        "next": steps[beat + 1] if beat + 1 < len(steps) else None,
        "said": f"Stage {beat}, {BEATS[beat]}. {stage.sentence}",
    }
    return found | _asked(x, stage.question) if stage.question is not None else found


def _asked(x: Exploration, question: Question) -> dict[str, Any]:
    keys = KEYS[: len(question.options)]
    chosen = keys.index(x.state.answer) if len(x.state.answer) == 1 and x.state.answer in keys else None
    is_answered = chosen is not None
    options = [
        Option(text, x.link(answer=key, s=x.state.s, p=x.state.p), i == chosen, is_answered and i == question.right)
        for i, (key, text) in enumerate(zip(keys, question.options, strict=True))
    ]
    found: dict[str, Any] = {"question": question.text, "options": options, "is_answered": is_answered}
    if not is_answered:
        return found
    verdict = "Right." if chosen == question.right else f"Not quite: {question.options[question.right]}."
    return found | {
        "is_right": chosen == question.right,
        "verdict": verdict,
        "because": question.because,
        "said": f"{verdict} {question.because}",
    }


def _stages(x: Exploration) -> Stages | None:
    """The stages of the run's world, or None for a world that has none."""
    name = "simulator.explorer." + ("candidates.beats" if x.world == "candidates" else "inspector.stages")
    if importlib.util.find_spec(name) is None:
        return None
    stages: Stages = importlib.import_module(name).stages
    return stages
