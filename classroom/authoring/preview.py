"""An own mission as students will see it, and real tries that are stored nowhere."""

import time
from uuid import uuid4

from django.contrib.auth.models import AbstractUser
from django.urls import reverse
from django.utils import timezone

from missions.attempts import Submission, attempt_of
from missions.authoring.measuring import evidence_before, evidence_for
from missions.authoring.publishing import NotReadyError
from missions.authoring.reading import Problem, read_text
from missions.definition import DefinitionError, MissionDefinition
from missions.desk import Addresses, Desk, Record, desk_for
from missions.grading import grade
from missions.models import Mission, OwnMission, Progress
from missions.progress import standing_of
from missions.seeds import evaluation_seeds
from missions.submission import Reading, typed_from


def unstored_mission(own: OwnMission) -> Mission:
    """The text as a mission with its numbers, not stored. Raises NotReadyError."""
    definition = _definition(own)
    mission = Mission(
        source=Mission.Source.OWN,
        slug=own.slug,
        revision=definition.revision,
        title=definition.title,
        definition=dict(definition.source),
        grading_digest=definition.grading_digest,
    )
    mission.evidence = _measured(definition, is_passed=False)
    return mission


def preview_desk(
    user: AbstractUser, own: OwnMission, mission: Mission, typed: dict[str, str] | None, reading: Reading | None = None
) -> Desk:
    """The page before any try; the form holds `typed`, else the start."""
    typed = typed or typed_from(_definition(own).start.to_dict())
    record = Record([], None)
    return desk_for(user, mission, typed, reading=reading, record=record, addresses=addresses_of(own))


def preview_try(user: AbstractUser, own: OwnMission, mission: Mission, submission: Submission) -> Desk:
    """Train and grade a setup as a student's try is, and show what comes out. Nothing is stored."""
    definition, started = _definition(own), time.perf_counter()
    verdict = grade(definition, submission.setup, evaluation_seeds())
    passed_ms = (time.perf_counter() - started) * 1000
    attempt = attempt_of(
        user, mission, 1, submission, verdict, at=timezone.now(), duration_ms=passed_ms, seeds_digest=""
    )
    if verdict.passed:
        mission.evidence = _measured(definition, is_passed=True)
    progress = Progress(user=user, mission=mission)
    standing_of([attempt]).write_to(progress)
    return desk_for(
        user,
        mission,
        typed_from(submission.setup.to_dict(), submission.display_seed),
        attempt,
        record=Record([attempt], progress),
        addresses=addresses_of(own),
    )


def addresses_of(own: OwnMission) -> Addresses:
    """The addresses of the preview's parts."""
    names = ("preview_own_mission", "draft_own_mission_preview", "train_own_mission_preview")
    return Addresses(*(reverse(name, args=[own.public_id]) for name in names))


def submission_of(reading: Reading) -> Submission | None:
    """What was typed as a submission; None if it holds errors. No token is asked for, since nothing is stored."""
    if reading.setup is None:
        return None
    return Submission(uuid4(), reading.setup, reading.seed, reading.prediction)


def _definition(own: OwnMission) -> MissionDefinition:
    read = read_text(own.text, own.slug)
    if read.definition is None:
        raise NotReadyError(read.problems)
    return read.definition


def _measured(definition: MissionDefinition, is_passed: bool) -> dict[str, object]:
    try:
        return evidence_for(definition) if is_passed else evidence_before(definition)
    except DefinitionError as error:
        raise NotReadyError((Problem(error.where, error.message, None),)) from error
