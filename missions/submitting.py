"""From a checked submission to an attempt: graded on the hidden seeds, unless the same run has been graded before."""

import time
from threading import Lock

from django.contrib.auth.models import AbstractUser

from missions.attempts import Recorded, Submission, earlier_verdict, find_attempt, record_attempt
from missions.grading import grade
from missions.models import Mission
from missions.queries import definition_of
from missions.seeds import digest_of, evaluation_seeds

# A lecture hall presses the button at the same time, often on the same setup: of equal runs in this process one is
# graded and the others wait for its row. Different runs that share a lock wait for each other, which harms nothing.
_locks = tuple(Lock() for _ in range(64))


def submit(user: AbstractUser, mission: Mission, submission: Submission) -> Recorded:
    """Grade a submission and store it as an attempt, or return the attempt that its token already led to."""
    if (attempt := find_attempt(user, submission.token)) is not None:
        return Recorded(attempt, is_new=False)
    started = time.perf_counter()
    seeds = evaluation_seeds()
    digest = digest_of(seeds)
    with _locks[int(submission.setup.run_hash[:8], 16) % len(_locks)]:
        verdict = earlier_verdict(mission, submission.setup, digest)
        if verdict is None:
            verdict = grade(definition_of(mission), submission.setup, seeds)
        duration_ms = (time.perf_counter() - started) * 1000
        return record_attempt(user, mission, submission, verdict, duration_ms, digest)
