"""Where the lab opens a setup."""

from typing import Any

from django.urls import reverse

from simulator.lab.link import Run
from simulator.worlds import world_of


def lab_address(setup: Any, seed: int) -> str:
    """The lab's address of a run: path and query string."""
    return f"{reverse(world_of(setup).lab)}?{Run(setup, seed).query()}"
