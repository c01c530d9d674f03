"""What is kept: missions and what happens in them, and the missions that people who teach write themselves."""

from missions.models.own import Check, OwnMission
from missions.models.played import Attempt, Draft, Mission, Progress

__all__ = ["Attempt", "Check", "Draft", "Mission", "OwnMission", "Progress"]
