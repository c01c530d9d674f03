"""What an answer to a question about a run earned, and how it is told; see missions.looking for the questions.

Pure, apart from reading attempts as they were stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from missions.definition import LOOK
from missions.looking import GENERATORS, Question
from missions.looking.question import label_of
from missions.models import Attempt
from simulator.engine import parse_setup

MOST_STARS = 3
WORDS = {1: "One star", 2: "Two stars", 3: "Three stars"}


@dataclass(frozen=True)
class Answer:
    """A graded answer. Each wrong one before it costs a star, and one star is always left to be had."""

    question: Question
    given: str
    wrong_before: int
    sampled_responses: int = 0

    @property
    def passed(self) -> bool:
        return self.given == self.question.answer

    @property
    def stars(self) -> int:
        return stars_after(self.wrong_before) if self.passed else 0

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as stored with an attempt: enough to show it forever, whatever becomes of the mission."""
        generator = GENERATORS[self.question.generator]
        return {
            "kind": LOOK,
            "generator": generator.name,
            "asks": generator.asks,
            "place": dict(self.question.place),
            "given": self.given,
            "given_label": label_of(generator, self.question, self.given),
            "right": self.question.answer,
            "right_label": label_of(generator, self.question, self.question.answer),
            "because": list(generator.because(self.question)),
            "state": generator.state(self.question),
            "wrong_before": self.wrong_before,
            # What else is said about attempts finds nothing measured here.
            "goals": [],
            "metrics": {},
            "seed_count": 0,
        }


def stars_after(wrong: int) -> int:
    """The stars that a right answer earns after so many wrong ones."""
    return max(1, MOST_STARS - wrong)


def is_answer(attempt: Attempt) -> bool:
    """Whether an attempt is an answer to a question, and not a setup that was trained."""
    return is_answer_evaluation(attempt.evaluation)


def is_answer_evaluation(evaluation: Mapping[str, Any]) -> bool:
    """The same of what is stored with an attempt."""
    return evaluation.get("kind") == LOOK


def question_of(attempt: Attempt) -> Question | None:
    """The question that an attempt answered; None if this version of the site makes no such questions any more."""
    found = attempt.evaluation
    if found["generator"] not in GENERATORS:
        return None
    setup = parse_setup(attempt.setup)
    return Question(found["generator"], setup, attempt.display_seed, found["place"], found["right"])


def headline(attempt: Attempt) -> str:
    if not attempt.passed:
        return "Not this one"
    return WORDS[attempt.stars]


def stake(attempt: Attempt) -> str:
    """Say what comes of it."""
    wrong = attempt.evaluation["wrong_before"]
    if attempt.passed:
        if attempt.stars == MOST_STARS:
            return "The first answer was right. Stars are safe: they never fall."
        before = "one wrong answer" if wrong == 1 else f"{wrong} wrong answers"
        return f"Right, after {before} before it. Stars are safe: they never fall."
    left = WORDS[stars_after(wrong + 1)].lower()
    return f"The next right answer earns {left}. It will be about another run."


def in_few_words(attempt: Attempt) -> str:
    """An answer as a list of tries tells it."""
    found = attempt.evaluation
    if attempt.passed:
        return f"answered {found['given_label']}"
    return f"answered {found['given_label']}, right was {found['right_label']}"
