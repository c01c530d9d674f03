"""The built-in missions as rows, with evidence measured on few seeds: the texts are complete, and tests stay quick."""

from typing import Any

import pytest

from missions.loading import read_catalogue
from missions.models import Mission

# Enough for every placeholder; what the numbers are is checked elsewhere.
FEW_SEEDS = (1000, 1001)


@pytest.fixture(scope="session")
def mission_rows() -> list[dict[str, Any]]:
    from missions.evidence import Measurements, measure, setups_measured

    definitions = [entry.definition for entry in read_catalogue()]
    runs = Measurements((setup for definition in definitions for setup in setups_measured(definition)), FEW_SEEDS)
    return [
        {
            "slug": definition.slug,
            "chapter": definition.chapter,
            "position": definition.position,
            "revision": definition.revision,
            "title": definition.title,
            "definition": dict(definition.source),
            "grading_digest": definition.grading_digest,
            "evidence": measure(definition, runs, with_views=False),
        }
        for definition in definitions
    ]


@pytest.fixture
def missions(db: None, mission_rows: list[dict[str, Any]]) -> list[Mission]:
    """All missions of chapter one, in order."""
    return Mission.objects.bulk_create([Mission(**row) for row in mission_rows])
