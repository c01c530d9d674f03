"""The two kinds of missions: answered by training a setup, or by looking at a run."""

from collections.abc import Mapping
from typing import Any

from missions.definition.parts import LOOK, TRAIN, Budgets, DefinitionError, Prediction
from missions.definition.reading import text
from simulator.worlds import World

TRAINING = ("symptom", "curves", "controls", "goals", "pass_rule", "seeds_needed", "budgets", "prediction", "verify")
"""What only a mission has that is answered by training."""


def kind_of(source: Mapping[str, Any]) -> str:
    """Read the kind of a mission. Raises DefinitionError."""
    kind = source.get("kind", TRAIN)
    if kind not in (TRAIN, LOOK):
        raise DefinitionError("kind", f"must be {TRAIN} or {LOOK}")
    if kind == LOOK and "chapter" not in source:
        raise DefinitionError("kind", f"can be {LOOK} only in the catalogue: its questions are made by this site")
    if kind == TRAIN and "look" in source:
        raise DefinitionError("kind", f'must be "{LOOK}" where there is [look]')
    return str(kind)


def generator_of(source: Mapping[str, Any]) -> str:
    """Read what makes a mission's questions. Raises DefinitionError.

    Whether there is one by that name is for missions.looking to say.
    """
    given = source.get("look")
    if not isinstance(given, Mapping) or set(given) != {"generator"}:
        raise DefinitionError("look", "needs the name of a generator, and nothing else")
    return text(given, "generator", "look")


def no_training(world: World) -> dict[str, Any]:
    """What stands in a mission that is not trained where others say how they are graded."""
    return {
        "symptom": "",
        "seeds_needed": None,
        "charts": (),
        "controls": {},
        "goals": (),
        "budgets": Budgets(0, 0, 0),
        "prediction": Prediction(next(iter(world.metrics)), ()),
    }
