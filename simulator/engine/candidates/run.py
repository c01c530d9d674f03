"""Running the ten-answers world for many seeds, in blocks that bound the memory."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..results import Simulation, WorldView
from .metrics import METRICS, log_policy, measure
from .setup import CandidateSetup
from .training import train
from .world import ANSWERS, LENGTH_SPREAD, MEAN_LENGTH, PROMPTS, STEPS_PER_EPOCH, World, load_world

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Seeds trained side by side: many make a call cheap, few fit into the cache.
SEEDS_PER_BLOCK = 32
# Logits measured in one go: many recorded steps of one seed, one step of many.
_MEASURED_AT_ONCE = 1 << 17


def run(setup: CandidateSetup, seeds: tuple[int, ...], *, history: bool, policy: bool) -> Simulation:
    """See :func:`simulator.engine.simulate`; the seeds must have been checked."""
    steps = recorded_steps(setup.steps)
    count = len(seeds)
    final = {name: np.empty(count) for name in METRICS}
    over_time = {name: np.empty((count, len(steps))) for name in METRICS} if history else None
    policies = np.empty((count, len(steps), PROMPTS, ANSWERS)) if policy else None
    views = []
    for start in range(0, count, SEEDS_PER_BLOCK):
        part = slice(start, min(start + SEEDS_PER_BLOCK, count))
        world = load_world(seeds[part], setup.event)
        views.append(_view(world))
        recorder = _Recorder(
            world,
            None if over_time is None else {name: a[part] for name, a in over_time.items()},
            None if policies is None else policies[part],
        )
        watch = recorder.watch if history or policy else None
        logits = train(setup, world, watch)
        recorder.flush()
        for name, values in measure(log_policy(logits), world).items():
            final[name][part] = values
    return Simulation(
        setup=setup,
        seeds=np.array(seeds, np.int64),
        sampled_responses=setup.sampled_responses,
        steps=steps,
        final=final,
        history=over_time,
        policy=policies,
        world=_joined(views),
    )


def recorded_steps(steps: int) -> IntArray:
    """0, 5, 10 ... and the last step, also when it ends an incomplete epoch."""
    recorded = np.arange(0, steps + STEPS_PER_EPOCH, STEPS_PER_EPOCH)
    return np.minimum(recorded, steps)


class _Recorder:
    """Collects logits of recorded steps and measures many of them at once."""

    def __init__(self, world: World, history: dict[str, FloatArray] | None, policies: FloatArray | None) -> None:
        self._world = world
        self._history = history
        self._policies = policies
        self._room = max(1, _MEASURED_AT_ONCE // (ANSWERS * world.columns))
        self._waiting: list[FloatArray] = []
        self._done = 0

    def watch(self, logits: FloatArray) -> None:
        self._waiting.append(logits.copy())
        if len(self._waiting) == self._room:
            self.flush()

    def flush(self) -> None:
        if not self._waiting:
            return
        log_probabilities = log_policy(np.stack(self._waiting))  # (records, K, columns)
        records = len(self._waiting)
        part = slice(self._done, self._done + records)
        if self._history is not None:
            for name, values in measure(log_probabilities, self._world).items():
                self._history[name][:, part] = values.T
        if self._policies is not None:
            shape = (records, ANSWERS, len(self._world.seeds), PROMPTS)
            self._policies[:, part] = np.exp(log_probabilities).reshape(shape).transpose(2, 0, 3, 1)
        self._done += records
        self._waiting.clear()


def _view(world: World) -> WorldView:
    def by_seed(array: FloatArray) -> FloatArray:
        shape = (ANSWERS, len(world.seeds), PROMPTS)
        return np.ascontiguousarray(array.reshape(shape).transpose(1, 2, 0))

    return WorldView(
        quality=by_seed(world.quality),
        reference_probability=by_seed(world.reference),
        length=MEAN_LENGTH + LENGTH_SPREAD * by_seed(world.length),
        reward_model_score=by_seed(world.score),
        exploit=world.exploit,
    )


def _joined(views: list[WorldView]) -> WorldView:
    def join(name: str) -> npt.NDArray[np.float64]:
        parts = [getattr(view, name) for view in views]
        joined = parts[0] if len(parts) == 1 else np.concatenate(parts)
        joined.setflags(write=False)
        return np.asarray(joined)

    return WorldView(
        quality=join("quality"),
        reference_probability=join("reference_probability"),
        length=join("length"),
        reward_model_score=join("reward_model_score"),
        exploit=None if views[0].exploit is None else join("exploit").astype(np.int64, copy=False),
    )
