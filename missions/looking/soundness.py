"""Proof that questions are sound: beyond doubt for whoever reads them, and not won by always answering the same.

Pure: a definition in, plain results out.
"""

from collections import Counter
from dataclasses import dataclass, field

from missions.definition import MissionDefinition
from missions.looking import GENERATORS
from missions.looking.chances import Chances

MOST_OFTEN = 2.0
"""How often an answer may be the right one at most, as a multiple of its even share."""


@dataclass(frozen=True)
class LookReport:
    """So many questions were made; `right` says how often each answer was the right one."""

    definition: MissionDefinition
    asked: int
    right: Counter[str]
    problems: list[str] = field(default_factory=list)

    @property
    def constant(self) -> float:
        """The share of questions that always giving the best one answer would get right."""
        return max(self.right.values()) / self.asked


def verify_look(definition: MissionDefinition, count: int) -> LookReport:
    """Make `count` questions of a mission to look, for students that don't exist, and check them."""
    generator = GENERATORS[definition.generator]
    report = LookReport(definition, count, Counter())
    values: list[str] = []
    for number in range(count):
        try:
            question = generator.find(definition.start, Chances("soundness", f"{definition.slug}/{number}"))
        except LookupError as error:
            report.problems.append(f"question {number}: {error}")
            continue
        report.right[question.answer] += 1
        values = [choice.value for choice in generator.choices(question)]
        if generator.read(question) != {question.answer}:
            report.problems.append(f"question {number} can be read in more than one way")
    if missing := [value for value in values if not report.right[value]]:
        report.problems.append(f"never the right answer: {', '.join(missing)}")
    if values and report.constant > MOST_OFTEN / len(values):
        report.problems.append(f"one constant answer is right {report.constant:.0%} of the time")
    return report
