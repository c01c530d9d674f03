"""The tries of a class at one mission, in two queries: who tried which run, and what each run came to.

Training is deterministic, so that tries with the same setup share a run, which is read and judged once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import groupby
from typing import Any

from django.db.models import QuerySet

from missions.definition import Goal, MissionDefinition
from missions.models import Attempt, Mission
from simulator.engine import parse_setup
from simulator.worlds import Setup

MOST_TRIES = 10_000
"""So many tries are read, the latest; pages say where there are more."""


@dataclass(frozen=True, eq=False)
class Run:
    """A setup as it was trained and graded under the mission's present goals and budgets.

    `key` is that of an attempt that made it. `means` has the mean of each goal's metric over the hidden seeds, `met`
    whether each goal holds, `seeds_passed` is None under the rule of means, and `predicted` is the index of the range
    that a right prediction names, or None.
    """

    key: int
    raw: Mapping[str, Any]
    run_hash: str
    sampled_responses: int
    passed: bool
    stars: int
    means: tuple[float, ...]
    met: tuple[bool, ...]
    seeds_passed: int | None
    predicted: int | None

    @cached_property
    def setup(self) -> Setup:
        return parse_setup(self.raw)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings that matter for this run, with their values."""
        return self.setup.active_fields()


@dataclass(frozen=True, slots=True)
class Try:
    """One try by somebody; `number` is 1 for their first at this mission."""

    user: int
    number: int
    prediction: int | None
    run: Run


@dataclass(frozen=True)
class ClassTries:
    """Tries in the order of persons and numbers; `is_cut` says that there are more than were read."""

    mission: Mission
    definition: MissionDefinition
    tries: tuple[Try, ...]
    is_cut: bool = False

    @cached_property
    def runs(self) -> dict[Run, list[Try]]:
        """Each run with the tries that made it, those with most tries first."""
        found: dict[Run, list[Try]] = {}
        for one in self.tries:
            found.setdefault(one.run, []).append(one)
        return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))

    @cached_property
    def by_person(self) -> list[list[Try]]:
        return [list(group) for _, group in groupby(self.tries, key=lambda one: one.user)]

    @property
    def people(self) -> int:
        return len(self.by_person)


def tries_at(
    mission: Mission, definition: MissionDefinition, users: QuerySet[Any, Any], since: datetime | None = None
) -> ClassTries:
    """What `users` tried at a mission as it is now; tries graded under earlier goals or budgets are left out."""
    asked = Attempt.objects.filter(mission=mission, mission_revision=mission.revision, user__in=users)
    if since is not None:
        asked = asked.filter(created_at__gte=since)
    columns = ("pk", "user_id", "number", "prediction", "run_hash", "engine_version", "seeds_digest")
    rows = list(asked.order_by("-pk").values_list(*columns)[: MOST_TRIES + 1])
    is_cut = len(rows) > MOST_TRIES
    rows = rows[:MOST_TRIES]
    firsts: dict[Any, int] = {}
    for pk, *_, run_hash, version, digest in rows:
        firsts.setdefault(_run_key(pk, run_hash, version, digest), pk)
    runs = _runs(definition, firsts.values())
    tries = [
        Try(user, number, prediction, runs[firsts[_run_key(pk, *rest)]]) for pk, user, number, prediction, *rest in rows
    ]
    tries.sort(key=lambda one: (one.user, one.number))
    return ClassTries(mission, definition, tuple(tries), is_cut)


def _run_key(pk: int, run_hash: str, version: str, digest: str) -> Any:
    """What tries of one run have in common; without hash or digest nothing is known to be the same."""
    return (run_hash, version, digest) if run_hash and digest else pk


def _runs(definition: MissionDefinition, keys: Iterable[int]) -> dict[int, Run]:
    """The runs behind attempts, by the attempts' keys. Of an evaluation, only what is asked here is read."""
    asked = definition.prediction
    goals = [f"evaluation__goals__{place}__mean" for place in range(len(definition.goals))]
    columns = ("pk", "setup", "run_hash", "sampled_responses", "passed", "stars", "evaluation__seeds_passed")
    rows = Attempt.objects.filter(pk__in=list(keys)).values_list(
        *columns, f"evaluation__metrics__{asked.metric}__mean", *goals
    )
    return {
        pk: Run(
            pk,
            setup,
            run_hash,
            cost,
            passed,
            stars,
            tuple(means),
            _met(definition.goals, means),
            seeds_passed,
            None if predicted is None else asked.answer(predicted),
        )
        for pk, setup, run_hash, cost, passed, stars, seeds_passed, predicted, *means in rows
    }


def _met(goals: Sequence[Goal], means: Sequence[float]) -> tuple[bool, ...]:
    return tuple(goal.is_met(mean) for goal, mean in zip(goals, means, strict=True))
