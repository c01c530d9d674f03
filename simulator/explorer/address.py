"""Addresses of runs in the explorer, for pages that lead there."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from simulator.explorer.state import ExplorerState
from simulator.lab.link import Run


def pairs_of(run: Run) -> list[tuple[str, str]]:
    """A run as the explorer's addresses name it."""
    return [("world", run.setup.world), *run.pairs()]


def run_address(run: Run, second: Run | None = None, **view: Any) -> str:
    """The address of a run, at a view given by the fields of `ExplorerState`, and beside another run."""
    if second is not None:
        view["run2"] = urlencode(pairs_of(second))
    return f"{reverse('run')}?{urlencode([*pairs_of(run), *ExplorerState(**view).pairs()])}"
