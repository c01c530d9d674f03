"""Training: logits per prompt, moved by a method's rule.

Prompts share nothing, so the order of visits inside an epoch does not matter
and a whole epoch (five steps, every prompt once) of all seeds is one sweep
over arrays ``(K, columns)``. It equals the step-by-step loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import assert_never

import numpy as np
import numpy.typing as npt

from .methods import (
    SILENT_VARIANCE,
    BestAnswers,
    GroupAdvantage,
    Method,
    MovingBaseline,
    PairLoss,
)
from .pairs import OfflinePairs, OnlinePairs
from .sampling import Counter, GroupHashes, reference_draws, visited_in_rest
from .setup import CandidateSetup
from .trace import Trace
from .world import ANSWERS, STEPS_PER_EPOCH, World

FloatArray = npt.NDArray[np.float64]
UInt8Array = npt.NDArray[np.uint8]
BoolArray = npt.NDArray[np.bool_]

Watch = Callable[[FloatArray], None]


def train(setup: CandidateSetup, world: World, watch: Watch | None = None, trace: Trace | None = None) -> FloatArray:
    """Train from the reference policy and return the final logits, ``(K, columns)``.

    ``watch`` is called with the logits at the start and after every epoch,
    also after a last, incomplete one; it must copy what it wants to keep.
    With ``trace`` every update is kept there, until the next one, before
    ``watch`` is called.
    """
    method = setup.training
    logits = world.reference_logits.copy()
    signal = world.score - setup.length_penalty * world.length
    update = _online(setup, world, signal, trace) if method.online else offline_update(setup, world, signal, trace)
    if watch is not None:
        watch(logits)
    for visited in _epochs(setup, world):
        change = update(logits)
        if visited is not None:
            change *= visited
        logits += change
        if watch is not None:
            watch(logits)
    return logits


Update = Callable[[FloatArray], FloatArray]
"""From logits to the change of logits; the result is a buffer that is used again."""


def _epochs(setup: CandidateSetup, world: World) -> Iterator[BoolArray | None]:
    """Per epoch: which columns it visits, or None for all of them."""
    full, rest = divmod(setup.steps, STEPS_PER_EPOCH)
    for _ in range(full):
        yield None
    if rest:
        yield visited_in_rest(world.seeds, full, rest)


class Policy:
    """Probabilities of the current logits, and the pull back to the reference."""

    def __init__(self, world: World) -> None:
        self._reference_logits = world.reference_logits
        self.probabilities = np.empty_like(world.reference_logits)
        self._work = np.empty_like(world.reference_logits)
        self._row = np.empty(world.columns)

    def set_logits(self, logits: FloatArray) -> None:
        p, row = self.probabilities, self._row
        np.maximum.reduce(logits, axis=0, out=row)
        np.subtract(logits, row, out=p)
        np.exp(p, out=p)
        np.add.reduce(p, axis=0, out=row)
        np.divide(p, row, out=p)

    def subtract_pull(self, change: FloatArray, logits: FloatArray, strength: float) -> None:
        """``change -= strength * gradient of KL(policy || reference)`` by the logits.

        The gradient is ``p_k (log p_k - log ref_k - KL)``. With ``d`` the
        logits' distance from the reference logits it equals
        ``p_k (d_k - sum_j p_j d_j)``: the normalizers cancel.
        """
        work, row = self._work, self._row
        distance = np.subtract(logits, self._reference_logits, out=work)
        np.einsum("kn,kn->n", self.probabilities, distance, out=row)
        np.subtract(distance, row, out=work)
        np.multiply(work, self.probabilities, out=work)
        np.multiply(work, strength, out=work)
        np.subtract(change, work, out=change)


def _online(setup: CandidateSetup, world: World, signal: FloatArray, trace: Trace | None) -> Update:
    method, size = setup.training, setup.group_size
    policy = Policy(world)
    counter = Counter(world.columns, size)
    epochs = -(-setup.steps // STEPS_PER_EPOCH)
    hashes = iter(GroupHashes(world.seeds, size, epochs))
    push = group_push(setup, world, signal, policy, trace)

    def update(logits: FloatArray) -> FloatArray:
        policy.set_logits(logits)
        counts = counter.count(policy.probabilities, next(hashes))
        change = push(logits, counts)
        if trace is not None:
            trace.keep(logits, change, policy.probabilities, counts)
        if method.leash and setup.beta:
            policy.subtract_pull(change, logits, method.rate * setup.beta)
        return change

    return update


GroupPush = Callable[[FloatArray, UInt8Array], FloatArray]
"""From logits and counts to the learning rate times the rule's ``g``."""


def group_push(
    setup: CandidateSetup,
    world: World,
    signal: FloatArray,
    policy: Policy,
    trace: Trace | None = None,
    baseline: FloatArray | None = None,
) -> GroupPush:
    """The rule of an online method. A moving baseline starts at ``baseline``, or at 0."""
    method, size, rule = setup.training, setup.group_size, setup.training.rule
    if isinstance(rule, GroupAdvantage):
        return _advantage_push(method, rule, size, signal)
    if isinstance(rule, MovingBaseline):
        start = np.zeros(signal.shape[1]) if baseline is None else baseline.copy()
        return _baseline_push(method, rule, size, signal, policy, trace, start)
    if isinstance(rule, BestAnswers):
        return _imitation_push(method, rule, signal, policy)
    if isinstance(rule, PairLoss):
        return OnlinePairs(setup, rule, world, signal, None if trace is None else trace.keep_pairs).push
    assert_never(rule)


def _advantage_push(method: Method, rule: GroupAdvantage, size: int, signal: FloatArray) -> GroupPush:
    counts, centered, change = (np.empty_like(signal) for _ in range(3))

    def push(logits: FloatArray, drawn: UInt8Array) -> FloatArray:
        counts[...] = drawn
        mean = np.einsum("kn,kn->n", counts, signal)
        mean /= size
        np.subtract(signal, mean, out=centered)
        np.multiply(counts, centered, out=change)
        variance = np.einsum("kn,kn->n", change, centered)
        variance /= size
        scale: FloatArray = method.rate * rule.scale(variance, size)
        scale[variance <= SILENT_VARIANCE] = 0.0
        return np.multiply(change, scale, out=change)

    return push


def _baseline_push(
    method: Method,
    rule: MovingBaseline,
    size: int,
    signal: FloatArray,
    policy: Policy,
    trace: Trace | None,
    baseline: FloatArray,
) -> GroupPush:
    counts, work, change = (np.empty_like(signal) for _ in range(3))

    def push(logits: FloatArray, drawn: UInt8Array) -> FloatArray:
        if trace is not None:
            trace.keep_baseline(baseline)
        counts[...] = drawn
        above = np.einsum("kn,kn->n", counts, signal)
        above /= size
        above -= baseline
        np.subtract(signal, baseline, out=change)
        np.multiply(counts, change, out=change)
        np.multiply(change, method.rate / size, out=change)
        np.multiply(policy.probabilities, method.rate * above, out=work)
        np.subtract(change, work, out=change)
        # The last, incomplete epoch may move baselines of prompts it does not
        # visit; nothing reads them any more.
        np.add(baseline, rule.rate * above, out=baseline)
        return change

    return push


def _imitation_push(method: Method, rule: BestAnswers, signal: FloatArray, policy: Policy) -> GroupPush:
    change = np.empty_like(signal)

    def push(logits: FloatArray, drawn: UInt8Array) -> FloatArray:
        target, moving = best_answers(drawn, signal, rule)
        np.subtract(target, policy.probabilities, out=change)
        np.multiply(change, method.rate * moving, out=change)
        return change

    return push


def best_answers(counts: UInt8Array, signal: FloatArray, rule: BestAnswers) -> tuple[FloatArray, BoolArray]:
    """The distribution to imitate, ``(K, columns)``, and which columns have one."""
    drawn = counts > 0
    best = np.where(drawn, signal, -np.inf).max(axis=0)
    worst = np.where(drawn, signal, np.inf).min(axis=0)
    is_best = drawn & (signal == best)
    if rule.share_draws:
        target = (counts * is_best).astype(np.float64)
        target /= target.sum(axis=0)
    else:
        target = np.zeros_like(signal)
        np.put_along_axis(target, is_best.argmax(axis=0)[None], 1.0, axis=0)
    return target, best > worst


def offline_update(setup: CandidateSetup, world: World, signal: FloatArray, trace: Trace | None) -> Update:
    """One visit of all prompts by an offline method, again and again with the same draws."""
    method, rule = setup.training, setup.training.rule
    draws = reference_draws(world, setup.samples_per_prompt)
    if isinstance(rule, PairLoss):
        pairs = OfflinePairs(setup, rule, world, signal, draws, None if trace is None else trace.keep_pairs)

        def change_by_pairs(logits: FloatArray) -> FloatArray:
            change = pairs.change(logits)
            if trace is not None:
                trace.keep(logits, change)
            return change

        return change_by_pairs
    if not isinstance(rule, BestAnswers):
        raise TypeError(f"{method.name} has no offline rule")

    counts = np.stack([(draws == k).sum(axis=0) for k in range(ANSWERS)]).astype(np.uint8)
    policy = Policy(world)
    push = _imitation_push(method, rule, signal, policy)

    def update(logits: FloatArray) -> FloatArray:
        policy.set_logits(logits)
        change = push(logits, counts)
        if trace is not None:
            trace.keep(logits, change, policy.probabilities, counts)
        if setup.beta:
            policy.subtract_pull(change, logits, method.rate * setup.beta)
        return change

    return update
