"""Writing attempts: one submission is one row, and its progress and unlock are written with it or not at all."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from django.contrib.auth.models import AbstractUser
from django.db import IntegrityError, transaction
from django.utils import timezone

from missions.answers import Answer
from missions.chapters import opened_by
from missions.grading import Verdict
from missions.models import Attempt, Draft, Mission, Progress
from missions.progress import Standing, first_unlocked_at, missions_in_order
from simulator.engine import ENGINE_VERSION
from simulator.worlds import Setup

# Names submission tokens among all UUIDs; any fixed value does.
TOKENS = UUID("6b0f6c0e-4a53-4f3c-9c6e-1f1f0d6a7e21")


@dataclass(frozen=True)
class Submission:
    """What a student sends to be graded, already checked."""

    token: UUID
    setup: Setup
    display_seed: int
    prediction: int | None


@dataclass(frozen=True)
class Recorded:
    """The attempt a submission led to, and the missions it opened.

    `is_new` is False when the same submission had been graded before.
    """

    attempt: Attempt
    is_new: bool
    opened: tuple[Mission, ...] = ()


def next_token(user: AbstractUser, mission: Mission, tries: int) -> UUID:
    """The token of a student's next submission.

    It follows from how many tries there are: a reload, Back and a second tab carry the same one, and the next one
    starts only when this one has been graded.
    """
    return uuid5(TOKENS, f"{user.pk}/{mission.pk}/{tries}")


def find_attempt(user: AbstractUser, token: UUID) -> Attempt | None:
    """The attempt this token already led to."""
    return Attempt.objects.filter(user=user, submission_token=token).select_related("mission").first()


def earlier_verdict(mission: Mission, setup: Setup, seeds_digest: str) -> Verdict | None:
    """What the same run earned before, at this mission as it is now and on the same hidden seeds; by whomever.

    Training is deterministic, so grading it again would give the same to the last digit.
    """
    same = Attempt.objects.filter(mission=mission, run_hash=setup.run_hash, mission_revision=mission.revision)
    same = same.filter(engine_version=ENGINE_VERSION, seeds_digest=seeds_digest)
    found = same.order_by("pk").values("evaluation", "sampled_responses").first()
    return Verdict.from_dict(found["evaluation"], found["sampled_responses"]) if found and seeds_digest else None


def attempt_of(
    user: AbstractUser,
    mission: Mission,
    number: int,
    submission: Submission,
    verdict: Verdict | Answer,
    *,
    at: datetime,
    duration_ms: float,
    seeds_digest: str,
) -> Attempt:
    """The row of a graded submission, or of an answer about a run, not stored yet."""
    return Attempt(
        user=user,
        mission=mission,
        number=number,
        submission_token=submission.token,
        created_at=at,
        mission_revision=mission.revision,
        engine_version=ENGINE_VERSION,
        run_hash=submission.setup.run_hash,
        seeds_digest=seeds_digest,
        setup=submission.setup.to_dict(),
        display_seed=submission.display_seed,
        prediction=submission.prediction,
        evaluation=verdict.to_dict(),
        sampled_responses=verdict.sampled_responses,
        passed=verdict.passed,
        stars=verdict.stars,
        duration_ms=duration_ms,
    )


def record_attempt(
    user: AbstractUser,
    mission: Mission,
    submission: Submission,
    verdict: Verdict | Answer,
    duration_ms: float,
    seeds_digest: str = "",
) -> Recorded:
    """Store a graded submission, or return the attempt that its token already led to.

    With `seeds_digest`, of the seeds it was graded on, the same run needs no grading when it is sent again.
    """
    try:
        return _record(user, mission, submission, verdict, duration_ms, seeds_digest)
    except IntegrityError:
        # The same token won elsewhere between our look and our insert.
        attempt = find_attempt(user, submission.token)
        if attempt is None:
            raise
        return Recorded(attempt, is_new=False)


@transaction.atomic
def _record(
    user: AbstractUser,
    mission: Mission,
    submission: Submission,
    verdict: Verdict | Answer,
    duration_ms: float,
    seeds_digest: str,
) -> Recorded:
    missions = missions_in_order()
    Progress.objects.get_or_create(
        user=user, mission=mission, defaults={"unlocked_at": first_unlocked_at(user, mission, missions)}
    )
    # Submissions of one student to one mission go one after the other. PostgreSQL locks the row; SQLite has no row
    # locks, but there every transaction here holds the write lock from its start (see DATABASES in the settings).
    progress = Progress.objects.select_for_update().get(user=user, mission=mission)
    if (attempt := find_attempt(user, submission.token)) is not None:
        return Recorded(attempt, is_new=False)
    attempt = attempt_of(
        user,
        mission,
        progress.tries + 1,
        submission,
        verdict,
        at=timezone.now(),
        duration_ms=duration_ms,
        seeds_digest=seeds_digest,
    )
    attempt.save(force_insert=True)
    Standing.of(progress).after(attempt).write_to(progress)
    progress.save()
    opened = _unlock_after(user, mission, missions, attempt) if attempt.passed else ()
    # What was typed is now on record as an attempt.
    Draft.objects.filter(user=user, mission=mission).delete()
    return Recorded(attempt, is_new=True, opened=opened)


def _unlock_after(
    user: AbstractUser, mission: Mission, missions: list[Mission], attempt: Attempt
) -> tuple[Mission, ...]:
    """Open what this pass opens; return those missions that were not open before."""
    passed = set(Progress.objects.filter(user=user).exclude(passed_at=None).values_list("mission_id", flat=True))
    return tuple(m for m in opened_by(mission, missions, passed) if _unlock(user, m, attempt))


def _unlock(user: AbstractUser, mission: Mission, attempt: Attempt) -> bool:
    row, is_new = Progress.objects.get_or_create(
        user=user, mission=mission, defaults={"unlocked_at": attempt.created_at}
    )
    return is_new or bool(Progress.objects.filter(pk=row.pk, unlocked_at=None).update(unlocked_at=attempt.created_at))
