"""Own missions as their author sees them: how far each is, and what is wrong."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models.fields.json import KT

from classroom.models import Publication
from missions.authoring.fields import world_in
from missions.authoring.reading import Read, read_text
from missions.checking.digest import digest_of
from missions.models import Check, OwnMission
from missions.seeds import evaluation_seeds

_SAID = {
    "asked_digest": KT("result__asked__digest"),
    "asked_problems": KT("result__asked__problems"),
    "proposed_digest": KT("result__proposed__digest"),
    "proposed_problems": KT("result__proposed__problems"),
    "text_problems": KT("result__text_problems"),
}
WORLD_NAMES = {"candidates": "Ten answers", "reasoning": "Reasoning"}


@dataclass(frozen=True)
class Standing:
    """One own mission. `check` is the latest; `findings` are what a finished one says of the text as it is, if any."""

    own: OwnMission
    read: Read
    check: Check | None
    findings: tuple[str, ...] | None
    courses: tuple[str, ...]

    @property
    def is_checked(self) -> bool:
        """Whether a finished check is of the text as it is."""
        return self.findings is not None

    @property
    def world(self) -> str:
        return world_in(self.read.source or {}).name

    @property
    def world_name(self) -> str:
        return WORLD_NAMES.get(self.world, self.world)

    @property
    def state(self) -> str:
        """Where it stands: "draft", "published", "changed" since it was, or "retired"."""
        if self.own.mission is None:
            return "draft"
        if self.own.mission.is_retired:
            return "retired"
        return "published" if self.own.is_published_as_it_is else "changed"


def standing_of(own: OwnMission) -> Standing:
    """How one mission stands."""
    return _standings([own])[0]


def standings_of(user: AbstractBaseUser) -> list[Standing]:
    """How all missions of an author stand, the latest changed first; in few queries however many there are."""
    found = OwnMission.objects.filter(author=user.pk).select_related("mission").defer("mission__evidence")
    return _standings(list(found))


def _standings(missions: Sequence[OwnMission]) -> list[Standing]:
    keys = [own.pk for own in missions]
    checks: dict[int, list[Check]] = {}
    # Of a result, which is long, what speaks of the budgets asked for, or of those proposed and since taken.
    found = Check.objects.filter(own_mission__in=keys).annotate(**_SAID)
    for check in found.defer("result", "source"):
        checks.setdefault(check.own_mission_id, []).append(check)
    courses: dict[int, list[str]] = {}
    played = [own.mission_id for own in missions if own.mission_id is not None]
    for publication in Publication.objects.filter(mission__in=played).select_related("course"):
        courses.setdefault(publication.mission_id, []).append(str(publication.course))
    return [_standing(own, checks.get(own.pk, []), courses.get(own.mission_id or 0, [])) for own in missions]


def _standing(own: OwnMission, checks: Sequence[Check], courses: Sequence[str]) -> Standing:
    read = read_text(own.text)
    return Standing(own, read, checks[0] if checks else None, _findings(read, checks), tuple(courses))


def _findings(read: Read, checks: Sequence[Check]) -> tuple[str, ...] | None:
    finished = [check for check in checks if check.state == Check.State.FINISHED]
    if not finished or read.definition is None:
        return None
    digest = digest_of(read.definition, evaluation_seeds())
    for check in finished:
        said = vars(check)
        for part in ("asked", "proposed"):
            if digest == said[f"{part}_digest"]:
                lists = (said[f"{part}_problems"], said["text_problems"])
                return tuple(text for found in lists if found for text in json.loads(found) or ())
    return None
