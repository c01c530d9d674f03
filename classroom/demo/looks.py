"""How an invented student answers questions about runs: only the choice is invented, the questions are real."""

import random
from collections.abc import Sequence

from classroom.demo.people import Person
from missions.answers import Answer
from missions.definition import MissionDefinition
from missions.looking import GENERATORS, Question
from missions.looking.chances import Chances

QUESTIONS = 12
"""So many are made of a mission, for the whole class to draw from; each is what a student might be asked."""


def questions_of(definition: MissionDefinition, seed: int) -> list[Question]:
    generator = GENERATORS[definition.generator]
    return [
        generator.find(definition.start, Chances("demo", f"{definition.slug}/{seed}/{n}")) for n in range(QUESTIONS)
    ]


def answers_of(questions: Sequence[Question], person: Person, seed: int) -> list[Answer]:
    """What one person answers, in order: until it is right, or patience is at its end."""
    chance = random.Random(seed)  # noqa: S311
    made: list[Answer] = []
    for question in chance.sample(list(questions), min(len(questions), person.patience)):
        choices = [choice.value for choice in GENERATORS[question.generator].choices(question)]
        # Who sees what is to be seen answers right; others guess, and learn something from having guessed wrong.
        sees = chance.random() < min(0.95, 0.35 + 0.5 * person.insight + 0.15 * len(made))
        made.append(Answer(question, question.answer if sees else chance.choice(choices), len(made)))
        if made[-1].passed:
            break
    return made
