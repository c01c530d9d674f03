"""Writing drafts."""

from collections.abc import Mapping

from django.contrib.auth.models import AbstractUser

from missions.definition import MissionDefinition
from missions.models import Draft, Mission
from missions.submission import fields_to_keep


def save_draft(user: AbstractUser, mission: Mission, definition: MissionDefinition, data: Mapping[str, str]) -> None:
    """Keep what was typed, right or wrong, until it is trained."""
    Draft.objects.update_or_create(user=user, mission=mission, defaults={"fields": fields_to_keep(definition, data)})
