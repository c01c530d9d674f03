"""Runs that the inspector's tests look at, small enough to be trained in a moment."""

from typing import Any

from simulator.engine import parse_setup
from simulator.explorer.exploration import Exploration, explore
from simulator.explorer.exploration import _resolved as resolved
from simulator.explorer.source import read_source
from simulator.lab.link import Run
from simulator.records import RunRecord

SMALL = {"world": "reasoning", "steps": 12, "prompts_per_step": 4, "group_size": 4, "learning_rate": 0.2}


def run(**changes: Any) -> Run:
    return Run(parse_setup(SMALL | changes), 1)


def at(found: Run, second: Run | None = None, **view: Any) -> Exploration:
    """A view of a run."""
    pairs = [(key, str(value)) for key, value in view.items()]
    return explore(found, pairs, "/runs/", [("world", "reasoning"), *found.pairs()], second)


def log(record: RunRecord, **view: Any) -> Exploration:
    """A view of a log that was opened."""
    pairs = [(key, str(value)) for key, value in view.items()]
    return resolved(read_source(record), pairs, "/logs/1/", [], None, None)
