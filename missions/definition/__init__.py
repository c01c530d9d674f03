"""What a mission is, read from TOML: one parser and one validator for built-in missions and for those to come.

Pure: no database, no request. A definition that parses can be played; whether it can be won, and not by luck, is
what `manage.py verify_missions` proves.
"""

from missions.definition.controls import Control, label_of
from missions.definition.offers import CHOICES
from missions.definition.parsing import STAR_NAMES, definition_from, parse_definition, parse_toml, read_definition
from missions.definition.parts import (
    HERE,
    LOOK,
    START,
    TRAIN,
    Budgets,
    DefinitionError,
    Evidence,
    EvidenceRow,
    Goal,
    MissionDefinition,
    Prediction,
    View,
)
from missions.definition.placeholders import Placeholder, placeholders_in, replace_placeholders

__all__ = [
    "CHOICES",
    "HERE",
    "LOOK",
    "START",
    "STAR_NAMES",
    "TRAIN",
    "Budgets",
    "Control",
    "DefinitionError",
    "Evidence",
    "EvidenceRow",
    "Goal",
    "MissionDefinition",
    "Placeholder",
    "Prediction",
    "View",
    "definition_from",
    "label_of",
    "parse_definition",
    "parse_toml",
    "placeholders_in",
    "read_definition",
    "replace_placeholders",
]
