"""Running the token world: one training per seed, measured and evaluated on the way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..optimise import learning_rates
from ..results import ReasoningSimulation
from .evaluation import EVALUATION_METRICS, evaluate
from .metrics import STEP_METRICS, SUMS
from .problems import FAMILIES
from .setup import ReasoningSetup
from .training import train_steps
from .vocabulary import CONTEXTS, TOKENS
from .workspace import DIVERGED_AT, SAMPLED, UPDATES, Learner, new_batch, new_learner, new_rollout, new_updates, plan_of
from .world import load_world

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

EVALUATED_EVERY = 5
# Policies that are evaluated in one go are few enough to bound the memory.
SEEDS_PER_BLOCK = 32
AVERAGED_AT_THE_END = {"entropy": 5, "kl": 5}
"""Metrics of steps that a run also ends with: as the mean over so many last steps."""

FINAL_METRICS = (*EVALUATION_METRICS, *AVERAGED_AT_THE_END)


class Checkpoint(NamedTuple):
    """All that the rest of a training depends on, after `step` steps."""

    step: int
    learner: Learner


class Run:
    """The training of one seed, as far as it has got.

    Attributes:
        learner: policy and critic now.
        rollout: what the last step sampled.
        batch: what the last step trained on.
        updates: what its last update calculated; after :meth:`record` what all of its updates did.
        updates_made: how many updates, and `groups` how many sampled groups, the recorded step has.
        metrics: ``(steps, M)``, in the order of `STEP_METRICS`; not numbers for steps that were not measured.
    """

    def __init__(self, setup: ReasoningSetup, seed: int) -> None:
        self.setup, self.seed = setup, seed
        self.world = load_world(setup.train_prompts, setup.world_seed)
        self.plan = plan_of(setup)
        self.updates_per_step = setup.num_iterations * setup.minibatches
        self.learning_rates = learning_rates(
            setup.lr_schedule, setup.learning_rate, setup.warmup_ratio, setup.steps * self.updates_per_step
        )
        self.learner = new_learner(self.world)
        self.rollout = new_rollout(self.plan)
        self.batch = new_batch(self.plan)
        self.updates = new_updates(self.plan, self.world)
        self.metrics = np.full((setup.steps, len(STEP_METRICS)), np.nan)
        self.updates_made = self.groups = 0
        self.done = 0
        self._sums = np.zeros(SUMS)

    def train_to(self, step: int, measured_from: int) -> None:
        """Train up to and including `step`; steps from `measured_from` on are measured."""
        train_steps(
            self.done + 1,
            step,
            self.seed,
            self.plan,
            self.world,
            self.learning_rates,
            self.learner,
            self.rollout,
            self.batch,
            self.updates,
            measured_from,
            self.metrics,
            self._sums,
        )
        self.done = step

    def checkpoint(self) -> Checkpoint:
        """A copy of where the training stands."""
        return Checkpoint(self.done, Learner._make(array.copy() for array in self.learner))

    def resume(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint of the same setup and seed; steps before it have no metrics."""
        for mine, kept in zip(self.learner, checkpoint.learner, strict=True):
            mine[...] = kept
        self.done = checkpoint.step

    def record(self, step: int) -> None:
        """Train up to and including `step`, and keep all that its updates calculate."""
        self.train_to(step - 1, measured_from=step)
        self.updates = new_updates(self.plan, self.world, self.updates_per_step)
        updates, sampled = int(self.learner.counts[UPDATES]), self.sampled_responses
        self.train_to(step, measured_from=step)
        self.updates_made = int(self.learner.counts[UPDATES]) - updates
        self.groups = (self.sampled_responses - sampled) // self.setup.group_size

    @property
    def diverged_at(self) -> int:
        """The step whose update had no finite result, or 0."""
        return int(self.learner.counts[DIVERGED_AT])

    @property
    def sampled_responses(self) -> int:
        """Responses sampled so far, those that dynamic sampling threw away included."""
        return int(self.learner.counts[SAMPLED])


def run(setup: ReasoningSetup, seeds: tuple[int, ...], *, history: bool) -> ReasoningSimulation:
    """See :func:`simulator.engine.simulate`; the seeds must have been checked."""
    blocks = [
        _run_block(setup, seeds[start : start + SEEDS_PER_BLOCK], history)
        for start in range(0, len(seeds), SEEDS_PER_BLOCK)
    ]
    return simulation_of(setup, seeds, blocks, history=history)


def simulation_of(
    setup: ReasoningSetup, seeds: tuple[int, ...], blocks: list[Block], *, history: bool
) -> ReasoningSimulation:
    """Put blocks of seeds together."""
    evaluations = {name: np.concatenate([block.evaluations[name] for block in blocks]) for name in EVALUATION_METRICS}
    by_step = np.concatenate([block.metrics for block in blocks])
    names = tuple(STEP_METRICS)
    final = {name: values[:, -1].copy() for name, values in evaluations.items()}
    for name, last in AVERAGED_AT_THE_END.items():
        final[name] = by_step[:, -last:, names.index(name)].mean(axis=1)
    return ReasoningSimulation(
        setup=setup,
        seeds=np.array(seeds, np.int64),
        sampled_responses=np.concatenate([block.sampled for block in blocks]),
        diverged_at=np.concatenate([block.diverged_at for block in blocks]),
        final=final,
        steps=np.arange(1, setup.steps + 1),
        history={name: by_step[:, :, i].copy() for i, name in enumerate(names)} if history else None,
        evaluated_steps=evaluated_steps(setup.steps),
        evaluations=evaluations if history else None,
    )


class Block(NamedTuple):
    """Some seeds, run."""

    evaluations: dict[str, FloatArray]  # (S, E), of the final policy alone without history
    metrics: FloatArray  # (S, steps, M)
    sampled: IntArray  # (S,)
    diverged_at: IntArray  # (S,)


def _run_block(setup: ReasoningSetup, seeds: tuple[int, ...], history: bool) -> Block:
    evaluated = evaluated_steps(setup.steps) if history else np.array([setup.steps])
    measured_from = 1 if history else setup.steps - max(AVERAGED_AT_THE_END.values()) + 1
    world = load_world(setup.train_prompts, setup.world_seed)
    logits = np.empty((len(seeds), len(evaluated), FAMILIES + world.train_prompts, CONTEXTS, TOKENS))
    metrics = np.empty((len(seeds), setup.steps, len(STEP_METRICS)))
    sampled, diverged_at = np.empty(len(seeds), np.int64), np.empty(len(seeds), np.int64)
    for s, seed in enumerate(seeds):
        one = Run(setup, seed)
        for e, step in enumerate(evaluated):
            one.train_to(int(step), measured_from=measured_from)
            logits[s, e] = one.learner.logits
        metrics[s] = one.metrics
        sampled[s], diverged_at[s] = one.sampled_responses, one.diverged_at
    return Block(evaluate_logits(setup, logits), metrics, sampled, diverged_at)


def evaluate_logits(setup: ReasoningSetup, logits: FloatArray) -> dict[str, FloatArray]:
    """The exact metrics of some policies, ``(S, E)`` each, from their logits ``(S, E, 4 + N, 6, 12)``."""
    flat = logits.reshape(-1, *logits.shape[2:])
    values = evaluate(
        load_world(setup.train_prompts, setup.world_seed),
        np.ascontiguousarray(flat[:, :FAMILIES]),
        np.ascontiguousarray(flat[:, FAMILIES:]),
        setup.max_completion_length,
    )
    return {name: array.reshape(logits.shape[:2]) for name, array in values.items()}


def evaluated_steps(steps: int) -> IntArray:
    """0, 5, 10 ... and the last step."""
    return np.minimum(np.arange(0, steps + EVALUATED_EVERY, EVALUATED_EVERY), steps)
