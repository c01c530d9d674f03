"""Where the lab opens a setup."""

from urllib.parse import urlencode

from django.urls import reverse

from simulator.evidence.claim import Arm
from simulator.lab.rules import value_text
from simulator.worlds import world_of


def lab_address(arm: Arm, seed: int) -> str:
    """The lab's address of one of an arm's runs: path and query string, with what is not at its default."""
    pairs = [(name, value_text(value)) for name, value in arm.settings.items() if name != "world"]
    return f"{reverse(world_of(arm.setup).lab)}?{urlencode([*pairs, ('seed', seed)])}"
