"""Compiling everything beforehand, so that nobody waits for a compiler: ``python -m simulator.engine.warm``."""

from __future__ import annotations

from .reasoning.inspection import inspect_step
from .reasoning.run import run
from .reasoning.setup import ReasoningSetup
from .setup import parse_setup


def warm() -> None:
    """Compile all that a run, its evaluation and a look into one of its steps need, or load it from the folder of
    kernels (about half a second; see :mod:`simulator.engine.compiled`).

    The same compiled code serves every setup, so one short run is enough. It is safe to call more than once, and from
    several processes at the same time.
    """
    setup = parse_setup({"world": "reasoning", "steps": 10})
    assert isinstance(setup, ReasoningSetup)
    run(setup, (0,), history=True)
    inspect_step(setup, 0, 1)


if __name__ == "__main__":
    warm()
