"""The one entry point: a setup and seeds in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np
import numpy.typing as npt

from .candidates.run import run as run_candidates
from .candidates.setup import CandidateSetup
from .fields import SetupError
from .randomness import MAX_SEED
from .results import Simulation

# How each world runs a setup of its own.
_RUN = {CandidateSetup.world: run_candidates}


def simulate(
    setup: CandidateSetup,
    seeds: Sequence[int] | npt.NDArray[np.integer],
    *,
    history: bool = False,
    policy: bool = False,
) -> Simulation:
    """Run a setup once per seed.

    Deterministic: the same setup and seed give the same numbers, whichever
    other seeds run beside them. With ``history`` metrics are kept at every
    recorded step, with ``policy`` also all probabilities (3.2 kB per seed and
    recorded step); without them metrics are calculated once, at the end.

    Raises:
        SetupError: field ``seeds``, when there are none or one of them is not a
            whole number from 0 to 2**32 - 1.
    """
    return _RUN[setup.world](setup, check_seeds(seeds), history=history, policy=policy)


def check_seeds(seeds: Sequence[int] | npt.NDArray[np.integer]) -> tuple[int, ...]:
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
