"""The explainer of the ten-answers world: which formula did this, with the numbers of this step and answer in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.engine.candidates.methods import METHODS, Method
from simulator.explorer.candidates.cards import counts_card, step_card, token_card
from simulator.explorer.candidates.compared import compared
from simulator.explorer.candidates.sight import Sight, sight_of
from simulator.explorer.candidates.subject import Subject, subject_of
from simulator.explorer.candidates.words import answer_sentence
from simulator.explorer.exploration import Exploration

DEPARTS = {
    "grpo": "One update a group, so the ratio is 1 and there is nothing to clip. The KL is exact, not estimated from "
    "the draws, and the spread divides by G.",
    "dr_grpo": "One update a group, so the ratio is 1 and there is nothing to clip. An answer is one token, so of Dr. "
    "GRPO's two changes only the spread is left.",
    "rloo": "The KL is beside the rewards, exact; the paper takes it off the reward of each response.",
    "reinforce": "The baseline is a moving average of its own for each prompt.",
    "raft": "One step on the best draws instead of fine-tuning until the end; the pull by the KL is put beside it.",
    "best_of_n": "The same best draw is imitated in every visit; the pull by the KL is put beside it.",
    "dpo": "The gradient is divided by beta, so that a first step is as large for every beta.",
    "online_dpo": "The gradient is divided by beta; all pairs of the group count, and the reward decides each.",
    "cdpo": "The gradient is divided by beta.",
    "rdpo": "The gradient is divided by beta.",
    "ipo": "The gradient is multiplied by beta over 2, so that a first step is as large for every beta.",
}
"""Where the rule of this world is not word by word that of the paper."""

TRL = {
    "dpo": 'DPOTrainer with loss_type="sigmoid"; its gradient is beta times this one.',
    "online_dpo": 'The loss of DPOTrainer with loss_type="sigmoid", on pairs that it would have to draw itself.',
    "cdpo": "Two sigmoid losses of DPOTrainer, one with the label turned around, weighed by the smoothing.",
    "rdpo": 'DPOTrainer with loss_type="robust" and label_smoothing; its gradient is beta times this one.',
    "ipo": 'DPOTrainer with loss_type="ipo"; its gradient is 2 over beta times this one.',
}
"""What has the same gradient in TRL, which is held against it."""


@dataclass(frozen=True)
class Choice:
    """A method to explain or to compare with."""

    name: str
    label: str
    summary: str
    href: str
    is_current: bool
    is_own: bool = False


def why_panel(x: Exploration) -> dict[str, Any]:
    """Everything templates/explorer/candidates/why.html shows."""
    sight = sight_of(x)
    subject = subject_of(x, sight, x.state.alg)
    found: dict[str, Any] = {
        "template": "explorer/candidates/why.html",
        "subject": subject,
        "families": _families(x, subject, sight),
        "versus": _versus(x, subject),
        "said": _said(subject, sight),
        "cards": [make(x, subject) for make in (step_card, token_card, counts_card)],
        "has_token": False,
        "departs": DEPARTS[subject.name],
        "trl": TRL.get(subject.name, ""),
        "alone": x.link(vs=""),
        "compared": None,
        "is_what_if": sight.is_what_if,
    }
    if x.state.vs:
        other = subject_of(x, sight, "" if x.state.vs == sight.setup.method else x.state.vs)
        found["swap"] = x.link(alg="" if other.is_own else other.name, vs=subject.name)
        if other.name != subject.name:
            found["compared"] = compared(sight, subject, other)
        else:
            found["same"] = True
    return found


def _said(subject: Subject, sight: Sight) -> str:
    if subject.record is None:
        return subject.missing
    if sight.chosen is None:
        return subject.method.summary
    if subject.is_own:
        return answer_sentence(sight, sight.chosen)
    return f"With {subject.label}: {answer_sentence(_as(sight, subject), sight.chosen)}"


def _as(sight: Sight, subject: Subject) -> Sight:
    assert subject.record is not None
    return Sight(sight.x, subject.record, sight.b, sight.chosen, sight.setup, sight.stage)


def _families(x: Exploration, subject: Subject, sight: Sight) -> list[tuple[str, list[Choice]]]:
    """The methods by where their draws come from."""
    own = sight.setup.method

    def choice(method: Method) -> Choice:
        return Choice(
            method.name,
            method.label,
            method.summary,
            x.link(alg="" if method.name == own else method.name),
            method.name == subject.name,
            method.name == own,
        )

    return [
        ("fresh groups", [choice(one) for one in METHODS.values() if one.online]),
        ("drawn once", [choice(one) for one in METHODS.values() if not one.online]),
    ]


def _versus(x: Exploration, subject: Subject) -> list[Choice]:
    return [
        Choice(one.name, one.label, one.summary, x.link(vs=one.name), x.state.vs == one.name)
        for one in METHODS.values()
        if one.name != subject.name
    ]
