"""Does a check still speak of the mission as it is now?"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from missions.definition import Budgets, MissionDefinition
from missions.evidence import evidence_key
from missions.seeds import digest_of as digest_of_seeds

# Budgets that no mission has: what is left when budgets don't count.
_ANY = Budgets(3, 2, 1)


def digest_of(definition: MissionDefinition, seeds: Sequence[int]) -> str:
    """SHA-256 (hex) of all that decides what a check on these hidden seeds finds.

    It changes with start, controls, goals, rule, budgets, named settings and measured tables, and with the engine; not
    with what the mission tells.
    """
    content = {
        "graded": definition.grading_digest,
        "verify": {str(stars): setup.to_dict() for stars, setup in definition.verify.items()},
        "evidence": evidence_key(definition),
        "seeds": digest_of_seeds(seeds),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def digest_without_budgets(definition: MissionDefinition, seeds: Sequence[int]) -> str:
    """The same for missions that differ in nothing but budgets: what was found can be held against others."""
    return digest_of(replace(definition, budgets=_ANY), seeds)
