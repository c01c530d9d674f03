"""What a student sees of themselves, and what they may take along."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractUser

from missions.chapters import Chapter, chapter_of, opening_words
from missions.models import Attempt, Draft, Mission, Progress
from missions.opening import missions_for
from missions.outcome import Try, history
from missions.queries import open_missions, progress_rows


@dataclass(frozen=True)
class MissionRecord:
    """One mission with everything the student did there."""

    mission: Mission
    progress: Progress | None
    is_open: bool
    opens_after: str
    chapter: Chapter
    tries: list[Try]

    @property
    def stars(self) -> int:
        return self.progress.best_stars if self.progress else 0


@dataclass(frozen=True)
class OwnPage:
    missions: list[MissionRecord]
    stars: int
    most_stars: int
    passed: int
    built_in: int
    own_passed: int
    tries: int
    responses: int


def own_page(user: AbstractUser) -> OwnPage:
    """Progress and attempts of one student, in few reads however many attempts there are."""
    missions = missions_for(user)
    rows = progress_rows(user)
    opened = open_missions(user, missions, rows)
    attempts: dict[int, list[Attempt]] = {}
    for attempt in Attempt.objects.filter(user=user).select_related("mission").order_by("-number"):
        attempts.setdefault(attempt.mission_id, []).append(attempt)
    shown = {mission.pk for mission in missions}
    retired = {a[0].mission_id: a[0].mission for a in attempts.values() if a[0].mission_id not in shown}
    records = [
        MissionRecord(
            mission=mission,
            progress=rows.get(mission.pk),
            is_open=mission.pk in opened,
            opens_after="" if mission.is_retired or mission.is_own else opening_words(mission, missions),
            chapter=chapter_of(mission),
            tries=history(attempts.get(mission.pk, []), mission.definition["setup"]),
        )
        for mission in (*missions, *retired.values())
    ]
    everything = [attempt for tries in attempts.values() for attempt in tries]
    return OwnPage(
        missions=records,
        # As in the page's head: of the missions that everybody has.
        stars=sum(record.stars for record in records if not record.mission.is_own),
        most_stars=3 * sum(not mission.is_own for mission in missions),
        passed=sum(
            record.progress is not None and record.progress.passed_at is not None
            for record in records
            if not record.mission.is_own
        ),
        built_in=sum(not mission.is_own for mission in missions),
        own_passed=sum(
            record.progress is not None and record.progress.passed_at is not None
            for record in records
            if record.mission.is_own
        ),
        tries=len(everything),
        responses=sum(attempt.sampled_responses for attempt in everything),
    )


# What other parts of the site keep about a student, by the name it has in the export.
_more: dict[str, Callable[[AbstractUser], Any]] = {}


def add_export(name: str, made_by: Callable[[AbstractUser], Any]) -> None:
    """Let every export hold what `made_by` gives, as plain JSON values, under `name`."""
    _more[name] = made_by


def export_of(user: AbstractUser) -> dict[str, Any]:
    """Everything kept about a student, as plain JSON values. The hidden seeds are not the student's and stay out."""
    return {
        "account": {
            "username": user.get_username(),
            "email": user.email,
            "first_name": user.first_name,
            "last_name": user.last_name,
            "date_joined": user.date_joined.isoformat(),
            "last_login": user.last_login.isoformat() if user.last_login else None,
        },
        "progress": [
            {
                "mission": row.mission.slug,
                "unlocked_at": row.unlocked_at.isoformat() if row.unlocked_at else None,
                "passed_at": row.passed_at.isoformat() if row.passed_at else None,
                "best_stars": row.best_stars,
                "fewest_responses": row.fewest_responses,
                "tries": row.tries,
            }
            for row in Progress.objects.filter(user=user).select_related("mission")
        ],
        "attempts": [
            {
                "mission": attempt.mission.slug,
                "mission_revision": attempt.mission_revision,
                "engine_version": attempt.engine_version,
                "number": attempt.number,
                "created_at": attempt.created_at.isoformat(),
                "setup": attempt.setup,
                "display_seed": attempt.display_seed,
                "prediction": attempt.prediction,
                "sampled_responses": attempt.sampled_responses,
                "passed": attempt.passed,
                "stars": attempt.stars,
                "evaluation": attempt.evaluation,
            }
            for attempt in Attempt.objects.filter(user=user).select_related("mission").order_by("created_at", "number")
        ],
        "drafts": [
            {"mission": draft.mission.slug, "fields": draft.fields, "updated_at": draft.updated_at.isoformat()}
            for draft in Draft.objects.filter(user=user).select_related("mission")
        ],
    } | {name: made_by(user) for name, made_by in _more.items()}
