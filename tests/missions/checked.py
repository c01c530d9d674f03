"""Missions small enough to be checked within a test, and checks of them."""

from typing import Any

import tomlkit
from django.contrib.auth.models import AbstractBaseUser

from missions.authoring.reading import PLACE
from missions.authoring.saving import begin
from missions.checking import Limits, check_mission
from missions.definition import MissionDefinition, definition_from
from missions.loading import read_catalogue
from missions.models import OwnMission
from missions.seeds import evaluation_seeds, fresh_seeds

CATALOGUE = {entry.definition.slug: entry.definition.source for entry in read_catalogue()}
_KEPT = {
    *("slug", "revision", "title", "aim", "lesson", "story", "curves", "pass_rule", "seeds_needed", "hints"),
    *("setup", "controls", "goals", "budgets", "prediction"),
}
_REASONING = {
    "setup": {
        "world": "reasoning",
        "algorithm": "custom",
        "steps": 10,
        "prompts_per_step": 2,
        "group_size": 4,
        "aggregation": "per_token",
        "num_iterations": 16,
        "learning_rate": 0.3,
        "clip": "none",
    },
    "controls": {"steps": {"choices": [10, 14]}, "clip": {"choices": ["none", "symmetric"]}},
    "goals": [{"metric": "train_accuracy", "at_least": 0.5}],
    "budgets": {"one_star": 200, "two_stars": 100, "three_stars": 90},
}
_CANDIDATES = {
    "controls": {"steps": {"choices": [25, 50, 100]}, "group_size": {"choices": [2, 4, 8]}, "beta": {"locked": "No."}},
}
SMALL = Limits(40, 10, 600.0)


def small(world: str = "candidates", **changes: Any) -> MissionDefinition:
    """A mission of either world that offers few settings, each of them a short run."""
    slug, metric = ("silent-groups", "win_rate") if world == "candidates" else ("stale-data", "train_accuracy")
    offered = _CANDIDATES if world == "candidates" else _REASONING
    return bare(slug, **{"symptom": f"It ends at {{{metric}@start}}.", **offered, **changes})


def bare(slug: str, **changes: Any) -> MissionDefinition:
    """A mission of the catalogue without measured tables, and without the settings that are known to earn stars."""
    source = {key: value for key, value in CATALOGUE[slug].items() if key in _KEPT}
    return definition_from({**source, "symptom": "It fails.", "debrief": "So it goes.", **changes})


def checked(definition: MissionDefinition, limits: Limits = SMALL, **more: Any) -> dict[str, Any]:
    return check_mission(definition, evaluation_seeds(), [fresh_seeds(0)], limits, **more)


def own_mission(author: AbstractBaseUser, world: str = "candidates", **changes: Any) -> OwnMission:
    """A small mission as somebody wrote it, with a comment in its budgets."""
    source = {key: value for key, value in small(world, **changes).source.items() if key not in PLACE}
    text = tomlkit.dumps(source).replace("[budgets]", "[budgets]  # guessed")
    return begin(author, text)
