"""A run that is trained in stages and may be put aside between them: for runs too long to be waited for at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..fields import SetupError
from ..randomness import MAX_SEED
from ..results import ReasoningSimulation
from .run import Block, Checkpoint, Run, evaluate_logits, evaluated_steps, simulation_of
from .setup import ReasoningSetup

FloatArray = npt.NDArray[np.float64]

CHECKPOINT_EVERY = 20
"""Steps between two checkpoints, from which a step of the run is brought back sooner than from the start."""


class StagedRun:
    """One seed with history. It gives the numbers of ``simulate(setup, [seed], history=True)``, however it is divided.

    It may be pickled at any time, and goes on from there.

    Attributes:
        done: steps trained so far.
        checkpoints: every `CHECKPOINT_EVERY` steps, the latest last.
    """

    def __init__(self, setup: ReasoningSetup, seed: int) -> None:
        """Raises SetupError, field ``seed``, for a seed that can't be."""
        if not 0 <= seed <= MAX_SEED:
            raise SetupError("seed", f"The seed must be a whole number from 0 to {MAX_SEED}.")
        self.setup, self.seed = setup, seed
        self.checkpoints: list[Checkpoint] = []
        self._evaluated = evaluated_steps(setup.steps)
        self._evaluations: list[dict[str, FloatArray]] = []
        self._run = Run(setup, seed)

    @property
    def done(self) -> int:
        return self._run.done

    @property
    def is_finished(self) -> bool:
        return len(self._evaluations) == len(self._evaluated)

    def advance(self) -> None:
        """Train the next stage: at most five steps."""
        self._run.train_to(int(self._evaluated[len(self._evaluations)]), measured_from=1)
        self._evaluations.append(evaluate_logits(self.setup, self._run.learner.logits[None, None]))
        if self.done and self.done % CHECKPOINT_EVERY == 0:
            self.checkpoints.append(self._run.checkpoint())

    def simulation(self) -> ReasoningSimulation:
        """What the run found. Raises ValueError while it is not finished."""
        if not self.is_finished:
            raise ValueError("this run is not finished")
        block = Block(
            {
                name: np.concatenate([found[name] for found in self._evaluations], axis=1)
                for name in self._evaluations[0]
            },
            self._run.metrics[None],
            np.array([self._run.sampled_responses]),
            np.array([self._run.diverged_at]),
        )
        return simulation_of(self.setup, (self.seed,), [block], history=True)

    def __getstate__(self) -> dict[str, Any]:
        # Where the training stands, without the arrays that it works in.
        kept = {name: value for name, value in self.__dict__.items() if name != "_run"}
        return kept | {"at": self._run.checkpoint(), "metrics": self._run.metrics}

    def __setstate__(self, state: dict[str, Any]) -> None:
        at, metrics = state.pop("at"), state.pop("metrics")
        self.__dict__.update(state)
        self._run = Run(self.setup, self.seed)
        self._run.resume(at)
        self._run.metrics[...] = metrics
