"""What is kept about a person as an author: their missions, to take along. They go with the account."""

from typing import Any

from django.contrib.auth.models import AbstractUser

from missions.models import OwnMission


def own_missions_of(user: AbstractUser) -> list[dict[str, Any]]:
    """Every mission that somebody wrote, as plain JSON values, with the checks they asked for."""
    found = OwnMission.objects.filter(author=user).select_related("mission").prefetch_related("checks")
    return [
        {
            "title": own.title,
            "text": own.text,
            "version": own.version,
            "created_at": own.created_at.isoformat(),
            "changed_at": own.changed_at.isoformat(),
            "published_as": own.mission.slug if own.mission else None,
            "published_revision": own.mission.revision if own.mission else None,
            "published_text": own.published_text,
            "checks": [
                {"asked_at": check.asked_at.isoformat(), "state": check.state, "result": check.result}
                for check in own.checks.all()
            ],
        }
        for own in found
    ]
