"""How noisy a gradient is: the same policy, many independent batches, the shared parameters' gradient of each.

The noise is tr(Cov) / |E g|²: how many batches one would have to average before noise and signal are equal. It is
estimated in blocks of batches, one number a block; the signal |E g|² is estimated from all batches together.
"""

import numpy as np

from simulator.engine import parse_setup
from simulator.engine.reasoning.problems import FAMILIES
from simulator.engine.reasoning.run import Run
from simulator.evidence.readings import FloatArray, Reading, Runs
from simulator.evidence.tokens import solved

BLOCK = 32


def gradient_noise(step: int) -> Reading:
    """Noise of a setup's on-policy gradient at the policy that PPO has after `step` steps on the first seed; the
    critic is that run's own, the running mean is the exact expected reward."""

    def read(runs: Runs) -> FloatArray:
        gradients = _gradients(runs, _source(runs, step))
        mean = gradients.mean(axis=0)
        total = gradients.var(axis=0, ddof=1).sum()
        signal = (mean**2).sum() - total / len(gradients)
        blocks = gradients.reshape(-1, BLOCK, gradients.shape[-1])
        return np.asarray(blocks.var(axis=1, ddof=1).sum(axis=-1) / signal)

    return read


def _source(runs: Runs, step: int) -> Run:
    setup = parse_setup({"world": "reasoning", "algorithm": "ppo", "world_seed": runs.setup.world_seed})
    source = Run(setup, runs.seeds[0])
    if step:
        source.train_to(step, measured_from=step + 1)
    return source


def _gradients(runs: Runs, source: Run) -> FloatArray:
    """The gradient by the shared parameters of one batch per seed, (N, 288)."""
    expected = solved(source, runs.setup.max_completion_length).mean()
    found = []
    for seed in runs.seeds:
        run = Run(runs.setup, seed)
        run.learner.logits[:] = source.learner.logits
        run.learner.critic[0] = source.learner.critic[0]
        run.learner.baseline[:] = expected
        run.train_to(1, measured_from=2)
        found.append(run.updates.gradient[:FAMILIES].ravel().copy())
    return np.array(found)
