"""From a student to a question, and from an answer to an attempt.

The question of a student's n-th try follows from who asks and from what the server keeps to itself: a reload or a new
sign-in brings the same one, a neighbor has another, and after an answer there is a new one.
"""

import time
from functools import lru_cache
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AbstractUser

from missions.answers import Answer
from missions.attempts import Recorded, Submission, find_attempt, next_token, record_attempt
from missions.definition import MissionDefinition
from missions.looking import GENERATORS, Question
from missions.looking.chances import Chances
from missions.models import Attempt, Mission, Progress
from missions.queries import definition_of
from simulator.worlds import Setup


class StaleAnswerError(Exception):
    """The question that was answered is no longer the one that is asked."""


class UnknownAnswerError(Exception):
    """What was sent is none of the answers."""


def question_for(user: AbstractUser, mission: Mission, definition: MissionDefinition, tries: int) -> Question:
    """What is asked of a student who has answered `tries` times."""
    name = f"{user.pk}/{mission.slug}/{mission.revision}/{tries}"
    secret = f"{settings.SECRET_KEY}/{settings.EVALUATION_SEED_SALT}"
    return _question(definition.generator, definition.start, secret, name)


@lru_cache(maxsize=512)
def _question(generator: str, base: Setup, secret: str, name: str) -> Question:
    return GENERATORS[generator].find(base, Chances(secret, name))


def wrong_answers(user: AbstractUser, mission: Mission) -> int:
    """How many answers of a student were wrong, of those to the mission as it is now."""
    answered = Attempt.objects.filter(user=user, mission=mission, mission_revision=mission.revision)
    return answered.filter(passed=False).count()


def tries_made(user: AbstractUser, mission: Mission) -> int:
    row = Progress.objects.filter(user=user, mission=mission).only("tries").first()
    return row.tries if row else 0


def submit_answer(user: AbstractUser, mission: Mission, token: UUID, given: str) -> Recorded:
    """Grade an answer and store it as an attempt, or return the attempt that its token already led to.

    Raises StaleAnswerError when the token belongs to no question that is open, UnknownAnswerError for no answer.
    """
    if (attempt := find_attempt(user, token)) is not None:
        return Recorded(attempt, is_new=False)
    started = time.perf_counter()
    tries = tries_made(user, mission)
    # The token says which question was seen: its number is the number of tries, and so is the attempt's.
    if token != next_token(user, mission, tries):
        raise StaleAnswerError
    question = question_for(user, mission, definition_of(mission), tries)
    if given not in [choice.value for choice in GENERATORS[question.generator].choices(question)]:
        raise UnknownAnswerError
    answer = Answer(question, given, wrong_answers(user, mission))
    submission = Submission(token, question.setup, question.seed, None)
    return record_attempt(user, mission, submission, answer, (time.perf_counter() - started) * 1000)
