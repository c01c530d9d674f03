"""From a text to a mission that is played: each change of what it says is a new revision, and past scores stay."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from missions.authoring.measuring import evidence_for
from missions.authoring.reading import PLACE, Problem, read_text
from missions.definition import DefinitionError
from missions.models import Mission, OwnMission


class NotReadyError(Exception):
    """The text can't be played; `problems` says why."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems


@dataclass(frozen=True)
class Published:
    """What is played now, and the revision before; None if there was none."""

    mission: Mission
    before: int | None

    @property
    def is_changed(self) -> bool:
        return self.before != self.mission.revision


def publish(own: OwnMission) -> Published:
    """Make the text what is played. Nobody is shown it by that. Raises NotReadyError.

    Attempts say by which revision they were graded, so what was earned before stays as it is.
    """
    read = read_text(own.text, own.slug)
    if read.definition is None:
        raise NotReadyError(read.problems)
    try:
        # Seconds of computing: before the transaction, which keeps others from writing.
        evidence = evidence_for(read.definition)
    except DefinitionError as error:
        raise NotReadyError((Problem(error.where, error.message, None),)) from error
    with transaction.atomic():
        row = OwnMission.objects.select_for_update().get(pk=own.pk)
        mission = row.mission
        before = mission.revision if mission else None
        if mission is None:
            mission = Mission(source=Mission.Source.OWN, slug=row.slug, revision=1)
        elif _said(mission.definition) != _said(read.definition.source):
            mission.revision += 1
        definition = read_text(own.text, own.slug, mission.revision).definition
        assert definition is not None
        mission.title, mission.evidence, mission.is_retired = definition.title, evidence, False
        mission.definition, mission.grading_digest = dict(definition.source), definition.grading_digest
        mission.save()
        OwnMission.objects.filter(pk=row.pk).update(mission=mission, published_text=own.text)
    own.mission, own.published_text = mission, own.text
    return Published(mission, before)


def retire(own: OwnMission) -> None:
    """Show it to nobody any more. Tries and stars stay, and publishing it brings it back."""
    Mission.objects.filter(pk=own.mission_id).update(is_retired=True)
    if own.mission is not None:
        own.mission.is_retired = True


def _said(source: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in source.items() if key not in PLACE}
