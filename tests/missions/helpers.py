"""Attempts without training, and submissions as the page sends them."""

from typing import Any
from uuid import UUID, uuid4

from django.contrib.auth.models import AbstractUser
from django.http import HttpResponse
from django.test import Client

from missions.attempts import Recorded, Submission, next_token, record_attempt
from missions.grading import GoalResult, Verdict
from missions.models import Mission, Progress
from missions.queries import definition_of
from missions.submission import typed_from
from simulator.interval import Interval

HTMX = {"HTTP_HX_REQUEST": "true"}


def verdict_for(mission: Mission, passed: bool, sampled_responses: int) -> Verdict:
    """A verdict as grading would give it, with means just on the wanted side of each goal."""
    definition = definition_of(mission)
    needed = definition.seeds_needed
    met = None if needed is None else needed + 2 if passed else needed - 2
    goals = []
    for goal in definition.goals:
        mean = goal.bound + (0.01 if goal.at_least == passed else -0.01)
        goals.append(GoalResult(goal, Interval(mean, 0.005), (mean - 0.005, mean + 0.005), met, needed))
    metrics = {name: Interval(0.5, 0.01) for name in definition.world.metrics}
    return Verdict(tuple(goals), metrics, definition.budgets, sampled_responses, 32, met, needed)


def record(
    user: AbstractUser,
    mission: Mission,
    *,
    passed: bool,
    sampled_responses: int = 1000,
    token: UUID | None = None,
    prediction: int | None = None,
    **changes: Any,
) -> Recorded:
    """Store an attempt that was never trained; `changes` are settings that differ from the mission's start."""
    submission = Submission(token or uuid4(), definition_of(mission).start.replace(**changes), 1, prediction)
    return record_attempt(user, mission, submission, verdict_for(mission, passed, sampled_responses), 1.0)


def form_of(mission: Mission, user: AbstractUser, setup: Any = None, **changes: str) -> dict[str, str]:
    """The fields that the page would send for a setup (the start, if none is given)."""
    definition = definition_of(mission)
    typed = typed_from((setup or definition.start).to_dict())
    shown = {name: value for name, value in typed.items() if name in definition.controls or name == "seed"}
    shown = {n: v for n, v in shown.items() if n == "seed" or not definition.controls[n].locked}
    row = Progress.objects.filter(user=user, mission=mission).first()
    return shown | {"token": str(next_token(user, mission, row.tries if row else 0))} | changes


def train(
    client: Client, mission: Mission, user: AbstractUser, setup: Any = None, htmx: bool = False, **changes: str
) -> HttpResponse:
    return client.post(
        f"/missions/{mission.slug}/train/", form_of(mission, user, setup, **changes), **(HTMX if htmx else {})
    )
