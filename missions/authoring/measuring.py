"""The numbers in an own mission's texts: measured as those of the catalogue are, unless they are known already."""

import json
from dataclasses import replace
from typing import Any

from django.core.cache import cache

from missions.definition import START, DefinitionError, MissionDefinition, placeholders_in
from missions.evidence import Measurements, evidence_key, measure, setups_measured
from missions.models import Mission
from missions.seeing import NothingToSeeError, looks_of, unmet
from simulator.worlds import Setup

MOST_UPDATES = 700_000
"""Responses times uses of each over all runs that are measured: some ten seconds on two processors."""

_KEPT = 24 * 3600


def evidence_for(definition: MissionDefinition) -> dict[str, Any]:
    """What `measure` gives for a mission. Raises DefinitionError if that takes too long or makes no sense."""
    key = evidence_key(definition)
    found: dict[str, Any] | None = cache.get(f"evidence-{key}")
    if found is None:
        # A copy of a mission that is played here has its numbers.
        found = Mission.objects.filter(evidence__key=key).values_list("evidence", flat=True).first()
    if found is None:
        refuse_long(definition)
        runs = Measurements(setups_measured(definition))
        runs.run_ahead()
        found = _held(definition, runs)
    cache.set(f"evidence-{key}", found, _KEPT)
    return found


def evidence_before(definition: MissionDefinition) -> dict[str, Any]:
    """As much of it as a page needs before the goal is met: the start only, where the symptom names nothing else."""
    if all(item.table == START for item in placeholders_in(definition.symptom)):
        source = {name: part for name, part in definition.source.items() if name not in ("evidence", "views")}
        return evidence_for(replace(definition, evidence=(), views=(), source=source))
    return evidence_for(definition)


def _held(definition: MissionDefinition, runs: Measurements) -> dict[str, Any]:
    """Measure, and see that every text that asks for numbers finds them."""
    try:
        found = measure(definition, runs)
        # A run that diverges has no numbers, and databases hold none that is no number.
        json.dumps(found, allow_nan=False)
    except NothingToSeeError as error:
        raise DefinitionError("views", f"lead to nothing: {error}") from error
    except ValueError as error:
        raise DefinitionError("setup", "or a measured table has a run that leaves the finite numbers") from error
    try:
        looks_of(definition, found)
    except LookupError as error:
        raise DefinitionError("views", f"ask for {error}, which is not known there") from error
    for view, at in zip(definition.views, found.get("views", []), strict=False):
        if wrong := unmet(view, at["facts"]):
            raise DefinitionError("views", f"expect what isn’t so: {'; '.join(wrong)}")
    return found


def refuse_long(definition: MissionDefinition) -> None:
    """Raise DefinitionError if the measurements take too long."""
    updates = sum(_updates(setup) for setup in setups_measured(definition))
    if updates > MOST_UPDATES:
        raise DefinitionError(
            "evidence",
            f"takes runs of {updates:,} responses times uses to measure; {MOST_UPDATES:,} are the most, so leave out "
            "rows, or choose shorter runs",
        )


def _updates(setup: Setup) -> int:
    product = 1
    for name in ("steps", "prompts_per_step", "group_size", "num_iterations"):
        product *= getattr(setup, name, 1)
    return product
