"""The numbers in an own mission's texts: measured as those of the catalogue are, unless they are known already."""

from dataclasses import replace
from typing import Any

from django.core.cache import cache

from missions.definition import START, DefinitionError, MissionDefinition, placeholders_in
from missions.evidence import Measurements, evidence_key, measure, setups_measured
from missions.models import Mission
from simulator.worlds import Setup

MOST_UPDATES = 700_000
"""Responses times uses of each over all runs that are measured: some ten seconds on two processors."""

_KEPT = 24 * 3600


def evidence_for(definition: MissionDefinition) -> dict[str, Any]:
    """What `measure` gives for a mission. Raises DefinitionError if that takes too long."""
    key = evidence_key(definition)
    found: dict[str, Any] | None = cache.get(f"evidence-{key}")
    if found is None:
        # A copy of a mission that is played here has its numbers.
        found = Mission.objects.filter(evidence__key=key).values_list("evidence", flat=True).first()
    if found is None:
        refuse_long(definition)
        runs = Measurements(setups_measured(definition))
        runs.run_ahead()
        found = measure(definition, runs)
    cache.set(f"evidence-{key}", found, _KEPT)
    return found


def evidence_before(definition: MissionDefinition) -> dict[str, Any]:
    """As much of it as a page needs before the goal is met: the start only, where the symptom names nothing else."""
    if all(item.table == START for item in placeholders_in(definition.symptom)):
        source = {name: part for name, part in definition.source.items() if name not in ("evidence", "views")}
        return evidence_for(replace(definition, evidence=(), views=(), source=source))
    return evidence_for(definition)


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
