"""What a simulation returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .candidates.setup import CandidateSetup
from .reasoning.setup import ReasoningSetup

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class WorldView:
    """The answers that a run trains on; every array is read-only.

    Attributes:
        quality: hidden quality, ``(S, P, K)``.
        reference_probability: the reference policy, ``(S, P, K)``.
        length: tokens, ``(S, P, K)``.
        reward_model_score: the reward model's score without any length
            penalty, ``(S, P, K)``.
        exploit: the index of the answer that fools the reward model,
            ``(S, P)``, or None in an event without one.
    """

    quality: FloatArray
    reference_probability: FloatArray
    length: FloatArray
    reward_model_score: FloatArray
    exploit: IntArray | None


@dataclass(frozen=True, eq=False, slots=True)
class Simulation:
    """What :func:`simulator.engine.simulate` found.

    Attributes:
        setup: the setup that ran.
        seeds: ``(S,)``.
        sampled_responses: responses one run samples (the same for every seed).
        steps: the recorded steps, ``(E + 1,)``: 0, 5, 10 ... and the last one.
        final: metrics after the last step, ``(S,)`` each.
        history: metrics at every recorded step, ``(S, E + 1)`` each, or None.
        policy: probabilities at every recorded step, ``(S, E + 1, P, K)``, or None.
        world: the answers, ``(S, P, K)``.

    Win rate, KL (nats), entropy (nats) and response length (tokens) are exact.
    """

    setup: CandidateSetup
    seeds: IntArray
    sampled_responses: int
    steps: IntArray
    final: dict[str, FloatArray]
    history: dict[str, FloatArray] | None
    policy: FloatArray | None
    world: WorldView


@dataclass(frozen=True, eq=False, slots=True)
class ReasoningSimulation:
    """What :func:`simulator.engine.simulate` found in the token world.

    Attributes:
        setup: the setup that ran.
        seeds: ``(S,)``.
        sampled_responses: responses each run sampled, those that dynamic sampling threw away included, ``(S,)``.
        diverged_at: the step in which an update had no finite result, or 0, ``(S,)``. Training stopped there, and the
            policy from before that update was kept, which is finite.
        final: metrics after the last step, ``(S,)`` each. All are exact for the final policy, but for ``entropy`` and
            ``kl``, which are means over the last five steps of the exact values where the run's samples went. All are
            finite, but for the length of right (or wrong) responses when they can't occur any more.
        steps: ``(N,)``: 1 to the number of steps.
        history: the metrics of `STEP_METRICS` in every step, ``(S, N)`` each, or None. Not a number where a metric has
            no meaning: the length of wrong responses when there are none, what updates do once a run has diverged.
        evaluated_steps: ``(E,)``: 0, 5, 10 ... and the last one.
        evaluations: the exact metrics after those steps, ``(S, E)`` each, or None without history.
    """

    setup: ReasoningSetup
    seeds: IntArray
    sampled_responses: IntArray
    diverged_at: IntArray
    final: dict[str, FloatArray]
    steps: IntArray
    history: dict[str, FloatArray] | None
    evaluated_steps: IntArray
    evaluations: dict[str, FloatArray] | None
