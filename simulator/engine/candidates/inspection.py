"""Looking into one step of a run: its prompts, their ten answers, what was drawn, and what the update did with it.

Nothing is stored while a run trains. A step is brought back by training again up to it, with the same functions, and
keeping what its update calculated.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..fields import SetupError
from ..randomness import MAX_SEED
from .epoch import Epoch, columns_of, epochs, logits_after, looked_at, measured_in
from .methods import PairLoss
from .metrics import log_policy, measure
from .pairs import flipped_labels
from .setup import CandidateSetup
from .step_record import AnswerPairs, CandidateStepRecord
from .trace import Trace
from .training import Policy, group_push, offline_update
from .world import LENGTH_SPREAD, MEAN_LENGTH, PROMPTS, STEPS_PER_EPOCH

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def inspect_candidate_step(setup: CandidateSetup, seed: int, step: int) -> CandidateStepRecord:
    """Train one seed again up to ``step`` (from 1) and return all that the step calculated.

    Raises:
        SetupError: field ``seed`` or ``step``, when the run has no such step.
    """
    return step_record(inspect_epoch(setup, seed, step), step)


def inspect_epoch(setup: CandidateSetup, seed: int, step: int) -> Epoch:
    """The epoch that a step belongs to, for whoever looks at several of its steps.

    Raises:
        SetupError: as `inspect_candidate_step`.
    """
    _check_seed(seed)
    if not 1 <= step <= setup.steps:
        raise SetupError("step", f"The step must be a whole number from 1 to {setup.steps}.")
    return epochs(setup, seed, (step - 1) // STEPS_PER_EPOCH + 1, only_last=True)[0]


def step_record(epoch: Epoch, step: int) -> CandidateStepRecord:
    """One step of an epoch; it must be one of its five."""
    return _record(epoch, step - 1 - epoch.number * STEPS_PER_EPOCH)


def step_otherwise(epoch: Epoch, step: int, other: CandidateSetup) -> CandidateStepRecord:
    """A step of an epoch as another method, or another beta or label smoothing, would have made it: at the same policy,
    with the same draws.

    A moving baseline has followed the mean signals of the run's own groups.

    Raises:
        SetupError: names the field by which the other setup would draw or pay otherwise.
    """
    setup = epoch.setup
    if other.training.online != setup.training.online:
        raise SetupError("method", "One of the two draws fresh groups, the other once from the reference.")
    size = "group_size" if setup.training.online else "samples_per_prompt"
    for field in ("event", "length_penalty", "flip_rate", size):
        if getattr(other, field) != getattr(setup, field):
            raise SetupError(field, "With another value the draws or their rewards would be others.")
    world, logits, trace = epoch.world, epoch.logits, Trace()
    if other.training.online:
        policy = Policy(world)
        policy.set_logits(logits)
        counts = epoch.counts.astype(np.uint8)
        change = group_push(other, world, epoch.signal, policy, trace, epoch.usual)(logits, counts)
        trace.keep(logits, change, policy.probabilities, counts)
        if other.training.leash and other.beta:
            policy.subtract_pull(change, logits, other.training.rate * other.beta)
    else:
        change = offline_update(other, world, epoch.signal, trace)(logits)
    changed = looked_at(other, epoch.seed, epoch.number, world, trace, logits + change, epoch.usual)
    return step_record(changed, step)


def inspect_candidate_steps(setup: CandidateSetup, seed: int) -> Iterator[CandidateStepRecord]:
    """All steps of one seed in order, each as `inspect_candidate_step` gives it, in one training.

    Raises:
        SetupError: field ``seed``, when it can't be one.
    """
    _check_seed(seed)
    count = -(-setup.steps // STEPS_PER_EPOCH)
    for epoch in epochs(setup, seed, count):
        for place in range(min(STEPS_PER_EPOCH, setup.steps - epoch.number * STEPS_PER_EPOCH)):
            yield _record(epoch, place)


def candidate_metrics(setup: CandidateSetup, seed: int) -> dict[str, FloatArray]:
    """The metrics of every step, ``(steps,)`` each, as its record has them.

    Raises:
        SetupError: field ``seed``, when it can't be one.
    """
    _check_seed(seed)
    count = -(-setup.steps // STEPS_PER_EPOCH)
    every = [(epoch, place) for epoch in epochs(setup, seed, count) for place in range(STEPS_PER_EPOCH)]
    logits = np.stack([logits_after(epoch, place) for epoch, place in every])[: setup.steps]
    found = {name: values[:, 0] for name, values in measure(log_policy(logits), every[0][0].world).items()}
    measured = [measured_in(epoch, place, columns_of(epoch, place)) for epoch, place in every]
    names = measured[0]
    return found | {name: np.array([one[name] for one in measured[: setup.steps]]) for name in names}


def _check_seed(seed: int) -> None:
    if not 0 <= seed <= MAX_SEED:
        raise SetupError("seed", f"The seed must be a whole number from 0 to {MAX_SEED}.")


def _record(epoch: Epoch, place: int) -> CandidateStepRecord:
    setup, world, columns = epoch.setup, epoch.world, columns_of(epoch, place)

    def by_prompt(array: FloatArray | IntArray) -> npt.NDArray[np.generic]:
        return np.ascontiguousarray(array[..., columns].T)

    def numbers(array: FloatArray) -> FloatArray:
        return by_prompt(array).astype(np.float64, copy=False)

    def if_any(array: FloatArray | None) -> FloatArray | None:
        return None if array is None else numbers(array)

    log_probs = log_policy(epoch.logits)
    measured = measured_in(epoch, place, columns)
    metrics = measure(log_policy(logits_after(epoch, place)), world)
    return CandidateStepRecord(
        setup=setup,
        seed=epoch.seed,
        step=epoch.number * STEPS_PER_EPOCH + place + 1,
        sampled_responses=int(measured["sampled"]),
        metrics={name: float(values[0]) for name, values in metrics.items()} | measured,
        prompts=columns,
        visits=np.full(len(columns), epoch.number),
        quality=numbers(world.quality),
        score=numbers(world.score),
        signal=numbers(epoch.signal),
        length=MEAN_LENGTH + LENGTH_SPREAD * numbers(world.length),
        exploit=None if world.exploit is None else world.exploit[0, columns],
        ref_log_probs=numbers(world.log_reference),
        log_probs=numbers(log_probs),
        new_log_probs=numbers(log_policy(epoch.new_logits)),
        learning_rate=setup.training.rate,
        draws=by_prompt(epoch.draws).astype(np.int64, copy=False),
        counts=by_prompt(epoch.counts).astype(np.int64, copy=False),
        mean=numbers(epoch.mean),
        deviation=np.sqrt(numbers(epoch.variance)),
        silent=epoch.silent[columns],
        baseline=if_any(epoch.baseline),
        advantages=if_any(epoch.advantages),
        target=if_any(epoch.target),
        pairs=_pairs(epoch, columns),
        draw_pushes=numbers(_draw_pushes(epoch)),
        objective=numbers(epoch.value),
        kl=numbers(epoch.objective.kl(log_probs)),
        rule_pushes=numbers(epoch.rule_pushes),
        kl_pushes=numbers(epoch.kl_pushes),
        moved=numbers(epoch.new_logits - epoch.logits),
    )


def _pairs(epoch: Epoch, columns: IntArray) -> tuple[AnswerPairs, ...] | None:
    kept = epoch.trace.pairs
    if kept is None:
        return None
    values = epoch.objective.pair_values(epoch.logits)
    signal = epoch.signal.ravel()
    differ = epoch.signal[:, None] > epoch.signal[None, :]
    totals = (epoch.counts[:, None] * epoch.counts[None, :] * differ).sum(axis=(0, 1))
    found = []
    for column in columns:
        of_prompt = np.flatnonzero(kept.winner % PROMPTS == column)
        winner, loser = kept.winner[of_prompt], kept.loser[of_prompt]
        found.append(
            AnswerPairs(
                winner=winner // PROMPTS,
                loser=loser // PROMPTS,
                number=np.rint(kept.share[of_prompt] * totals[column]).astype(np.int64),
                flipped=signal[winner] < signal[loser],
                margin=kept.margin[of_prompt],
                weight=kept.weight[of_prompt],
                value=values[of_prompt],
            )
        )
    return tuple(found)


def _draw_pushes(epoch: Epoch) -> FloatArray:
    """Derivative of the objective without its KL by the log-probability of each draw, ``(n, P)``.

    The draws of one answer together have what the answer has; of pairs, each draw has those that it is in.
    """
    if epoch.objective.credit is not None:
        share = np.divide(epoch.objective.credit, epoch.counts, out=np.zeros_like(epoch.logits), where=epoch.counts > 0)
        return np.take_along_axis(share, epoch.draws, axis=0)
    setup, rule = epoch.setup, epoch.setup.training.rule
    assert isinstance(rule, PairLoss)
    size = len(epoch.draws)
    signals = np.take_along_axis(epoch.signal, epoch.draws, axis=0)
    gains = np.take_along_axis(epoch.logits - epoch.world.reference_logits, epoch.draws, axis=0)
    later, earlier = np.tril_indices(size, -1)
    sign = np.sign(signals[earlier] - signals[later])
    if not setup.training.online and setup.flip_rate > 0:
        flipped = flipped_labels(epoch.world, np.arange(len(later)), setup.flip_rate)
        sign = np.where(flipped, -sign, sign)
    weight = rule.weight(sign * (gains[earlier] - gains[later]), setup.beta, setup.label_smoothing)
    total = np.abs(sign).sum(axis=0)
    force = np.divide(sign * weight, total, out=np.zeros_like(weight), where=total > 0)
    pushes = np.zeros(epoch.draws.shape)
    np.add.at(pushes, earlier, force)
    np.subtract.at(pushes, later, force)
    return pushes
