"""The one entry point: a setup and seeds in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import overload

import numpy as np
import numpy.typing as npt

from .candidates.run import run as run_candidates
from .candidates.setup import CandidateSetup
from .fields import SetupError
from .randomness import MAX_SEED
from .reasoning.run import run as run_reasoning
from .reasoning.setup import ReasoningSetup
from .results import ReasoningSimulation, Simulation

Seeds = Sequence[int] | npt.NDArray[np.integer]


@overload
def simulate(setup: CandidateSetup, seeds: Seeds, *, history: bool = False, policy: bool = False) -> Simulation: ...


@overload
def simulate(
    setup: ReasoningSetup, seeds: Seeds, *, history: bool = False, policy: bool = False
) -> ReasoningSimulation: ...


def simulate(
    setup: CandidateSetup | ReasoningSetup, seeds: Seeds, *, history: bool = False, policy: bool = False
) -> Simulation | ReasoningSimulation:
    """Run a setup once per seed.

    Deterministic: the same setup and seed give the same numbers, whichever
    other seeds run beside them. With ``history`` metrics are kept at every
    recorded step; without it they are calculated once, at the end. With
    ``policy`` the ten-answers world also keeps all probabilities (3.2 kB per
    seed and recorded step); the token world has none to keep.

    Raises:
        SetupError: field ``seeds``, when there are none or one of them is not a
            whole number from 0 to 2**32 - 1.
    """
    checked = check_seeds(seeds)
    if isinstance(setup, CandidateSetup):
        return run_candidates(setup, checked, history=history, policy=policy)
    return run_reasoning(setup, checked, history=history)


def check_seeds(seeds: Seeds) -> tuple[int, ...]:
    """The seeds as plain integers.

    Raises:
        SetupError: as :func:`simulate`.
    """
    message = f"Seeds must be whole numbers from 0 to {MAX_SEED}, and at least one."
    if isinstance(seeds, str | bytes) or not hasattr(seeds, "__iter__"):
        raise SetupError("seeds", message)
    checked = []
    for seed in seeds:
        if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= int(seed) <= MAX_SEED:
            raise SetupError("seeds", message)
        checked.append(int(seed))
    if not checked:
        raise SetupError("seeds", message)
    return tuple(checked)
