"""All that the page of a mission to look shows: the question that is open, or an answer and why it was right or not."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.models import AbstractUser

from missions import answers, chapters
from missions.answering import question_for, wrong_answers
from missions.attempts import next_token
from missions.debrief import Debrief, debrief_of
from missions.definition import MissionDefinition
from missions.looking import GENERATORS, Choice, Material
from missions.models import Attempt, Mission, Progress
from missions.outcome import Try, history, run_link
from missions.progress import missions_in_order
from missions.queries import definition_of, tries_of
from simulator.engine import ENGINE_VERSION


@dataclass(frozen=True)
class Asked:
    """The open question as a form: what is looked at, what can be answered, and what a right answer earns."""

    asks: str
    material: Material
    choices: tuple[Choice, ...]
    token: UUID
    stars: int
    chosen: str = ""
    error: str = ""


@dataclass(frozen=True)
class Answered:
    """An answer that was given. `material` is None where an earlier engine made the run."""

    attempt: Attempt
    headline: str
    because: tuple[str, ...]
    stake: str
    material: Material | None
    explorer: str

    @property
    def evaluation(self) -> dict[str, object]:
        return dict(self.attempt.evaluation)


@dataclass(frozen=True)
class LookDesk:
    """Everything on the page below its title; either `asked` or `answered` is there."""

    mission: Mission
    definition: MissionDefinition
    total: int
    asked: Asked | None
    answered: Answered | None
    tries: list[Try]
    progress: Progress | None
    following: Mission | None
    is_opened_now: bool
    opened_chapter: Mission | None
    debrief: Debrief | None

    @property
    def outcome(self) -> Answered | None:
        """By this name pages around a desk ask for the attempt that is shown."""
        return self.answered

    @property
    def chapter(self) -> chapters.Chapter:
        return chapters.chapter_of(self.mission)

    @property
    def is_passed(self) -> bool:
        return self.progress is not None and self.progress.passed_at is not None

    @property
    def opened_chapter_name(self) -> str:
        return chapters.chapter_of(self.opened_chapter).name if self.opened_chapter else ""

    @property
    def shown_try(self) -> Try | None:
        """The row of the history whose answer is shown."""
        return next((row for row in self.tries if self.answered and row.attempt.pk == self.answered.attempt.pk), None)


def look_desk_for(
    user: AbstractUser,
    mission: Mission,
    attempt: Attempt | None = None,
    *,
    opened: Sequence[Mission] = (),
    chosen: str = "",
    error: str = "",
) -> LookDesk:
    """Gather the page: with the answer of `attempt`, or without one with the question that is open to the student."""
    definition = definition_of(mission)
    missions = missions_in_order()
    progress = Progress.objects.filter(user=user, mission=mission).first()
    is_passed = progress is not None and progress.passed_at is not None
    following = chapters.next_in_chapter(mission, missions) if is_passed else None
    tries = progress.tries if progress else 0
    return LookDesk(
        mission=mission,
        definition=definition,
        total=sum(m.chapter == mission.chapter for m in missions),
        asked=None if attempt else _asked(user, mission, definition, tries, chosen, error),
        answered=answered_of(attempt) if attempt else None,
        tries=history(tries_of(user, mission), definition.start.to_dict()),
        progress=progress,
        following=following,
        is_opened_now=following in opened,
        opened_chapter=next((m for m in opened if m.chapter != mission.chapter), None),
        debrief=debrief_of(mission, definition) if is_passed else None,
    )


def answered_of(attempt: Attempt) -> Answered:
    """What the page says about an answer."""
    question = answers.question_of(attempt) if attempt.engine_version == ENGINE_VERSION else None
    return Answered(
        attempt=attempt,
        headline=answers.headline(attempt),
        because=tuple(attempt.evaluation["because"]),
        stake=answers.stake(attempt),
        material=GENERATORS[question.generator].material(question) if question else None,
        explorer=run_link(attempt),
    )


def _asked(
    user: AbstractUser, mission: Mission, definition: MissionDefinition, tries: int, chosen: str, error: str
) -> Asked:
    question = question_for(user, mission, definition, tries)
    generator = GENERATORS[question.generator]
    return Asked(
        asks=generator.asks,
        material=generator.material(question),
        choices=generator.choices(question),
        token=next_token(user, mission, tries),
        stars=answers.stars_after(wrong_answers(user, mission)),
        chosen=chosen,
        error=error,
    )
