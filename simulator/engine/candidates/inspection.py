"""Looking into one step of a run: its prompts, their ten answers, what was drawn, and what the update did with it.

Nothing is stored while a run trains. A step is brought back by training again up to it, with the same functions, and
keeping what its update calculated. An epoch is one sweep over all prompts, so a step is a part of its epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..fields import SetupError
from ..randomness import MAX_SEED
from .methods import SILENT_VARIANCE, BestAnswers, GroupAdvantage, MovingBaseline, PairLoss
from .metrics import log_policy, measure
from .objective import HeldPairs, Objective
from .pairs import flipped_labels
from .sampling import group_draws, reference_draws, visit_order
from .setup import CandidateSetup
from .step_record import AnswerPairs, CandidateStepRecord
from .trace import Trace
from .training import Policy, best_answers, train
from .world import (
    ANSWERS,
    LENGTH_SPREAD,
    MEAN_LENGTH,
    PROMPTS,
    PROMPTS_PER_STEP,
    STEPS_PER_EPOCH,
    World,
    load_world,
)

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def inspect_candidate_step(setup: CandidateSetup, seed: int, step: int) -> CandidateStepRecord:
    """Train one seed again up to ``step`` (from 1) and return all that the step calculated.

    Raises:
        SetupError: field ``seed`` or ``step``, when the run has no such step.
    """
    _check_seed(seed)
    if not 1 <= step <= setup.steps:
        raise SetupError("step", f"The step must be a whole number from 1 to {setup.steps}.")
    epoch, place = divmod(step - 1, STEPS_PER_EPOCH)
    return _record(_epochs(setup, seed, epoch + 1, only_last=True)[0], place)


def inspect_candidate_steps(setup: CandidateSetup, seed: int) -> Iterator[CandidateStepRecord]:
    """All steps of one seed in order, each as `inspect_candidate_step` gives it, in one training.

    Raises:
        SetupError: field ``seed``, when it can't be one.
    """
    _check_seed(seed)
    count = -(-setup.steps // STEPS_PER_EPOCH)
    for epoch in _epochs(setup, seed, count):
        for place in range(min(STEPS_PER_EPOCH, setup.steps - epoch.number * STEPS_PER_EPOCH)):
            yield _record(epoch, place)


def candidate_metrics(setup: CandidateSetup, seed: int) -> dict[str, FloatArray]:
    """The metrics of every step, ``(steps,)`` each, as its record has them.

    Raises:
        SetupError: field ``seed``, when it can't be one.
    """
    _check_seed(seed)
    count = -(-setup.steps // STEPS_PER_EPOCH)
    epochs = _epochs(setup, seed, count)
    places = range(STEPS_PER_EPOCH)
    logits = np.stack([_logits_after(epoch, place) for epoch in epochs for place in places])[: setup.steps]
    found = {name: values[:, 0] for name, values in measure(log_policy(logits), epochs[0].world).items()}
    measured = [_measured(epoch, place, _columns(epoch, place)) for epoch in epochs for place in places]
    names = measured[0]
    return found | {name: np.array([one[name] for one in measured[: setup.steps]]) for name in names}


def _check_seed(seed: int) -> None:
    if not 0 <= seed <= MAX_SEED:
        raise SetupError("seed", f"The seed must be a whole number from 0 to {MAX_SEED}.")


@dataclass(frozen=True, eq=False, slots=True)
class _Epoch:
    """One epoch of one seed. Arrays are ``(K, P)``, or ``(P,)`` where there is one number a prompt."""

    setup: CandidateSetup
    seed: int
    number: int
    world: World
    signal: FloatArray
    order: IntArray
    logits: FloatArray
    new_logits: FloatArray
    draws: IntArray  # (n, P)
    counts: IntArray
    mean: FloatArray
    variance: FloatArray
    silent: BoolArray
    baseline: FloatArray | None
    advantages: FloatArray | None
    target: FloatArray | None
    trace: Trace
    objective: Objective
    value: FloatArray
    rule_pushes: FloatArray
    kl_pushes: FloatArray


def _epochs(setup: CandidateSetup, seed: int, count: int, *, only_last: bool = False) -> list[_Epoch]:
    """The first epochs, or the last of them, trained in one go.

    Epochs are whole here; a run that ends within one visits fewer of its prompts, and those as here.
    """
    world = load_world([seed], setup.event)
    trace = Trace()
    found: list[_Epoch] = []
    done = -1

    def watch(logits: FloatArray) -> None:
        nonlocal done
        if done >= 0 and (not only_last or done == count - 1):
            found.append(_looked_at(setup, seed, done, world, trace, logits.copy()))
        done += 1

    train(setup.replace(steps=count * STEPS_PER_EPOCH), world, watch, trace)
    return found


def _looked_at(
    setup: CandidateSetup, seed: int, number: int, world: World, kept: Trace, new_logits: FloatArray
) -> _Epoch:
    method, rule = setup.training, setup.training.rule
    trace = Trace(kept.logits, kept.gained, kept.probabilities, kept.counts, kept.baseline, kept.pairs)
    logits, gained = trace.logits, trace.gained
    assert logits is not None and gained is not None
    signal = world.score - setup.length_penalty * world.length
    policy = Policy(world)
    policy.set_logits(logits)
    if method.online:
        draws = group_draws(world, policy.probabilities, number, setup.group_size)
    else:
        draws = reference_draws(world, setup.samples_per_prompt)
    counts = np.stack([(draws == k).sum(axis=0) for k in range(ANSWERS)])
    mean = (counts * signal).sum(axis=0) / len(draws)
    variance = (counts * (signal - mean) ** 2).sum(axis=0) / len(draws)

    advantages = target = credit = None
    pairs = None
    if isinstance(rule, GroupAdvantage):
        scale = rule.scale(variance, len(draws))
        scale[variance <= SILENT_VARIANCE] = 0.0
        advantages = (signal - mean) * scale * len(draws)
    elif isinstance(rule, MovingBaseline):
        assert trace.baseline is not None
        advantages = signal - trace.baseline
    elif isinstance(rule, BestAnswers):
        imitated, moving = best_answers(counts.astype(np.uint8), signal, rule)
        target = credit = imitated * moving
    elif isinstance(rule, PairLoss):
        assert trace.pairs is not None
        pairs = HeldPairs(trace.pairs.winner, trace.pairs.loser, trace.pairs.share, rule.weight)
    if advantages is not None:
        credit = counts * advantages / len(draws)

    objective = Objective(world.reference_logits, credit, pairs, setup.beta, setup.label_smoothing)
    kl_pushes = np.zeros_like(logits)
    if method.leash and setup.beta:
        policy.subtract_pull(kl_pushes, logits, setup.beta)
    return _Epoch(
        setup=setup,
        seed=seed,
        number=number,
        world=world,
        signal=signal,
        order=visit_order([seed], number)[0],
        logits=logits,
        new_logits=new_logits,
        draws=draws,
        counts=counts,
        mean=mean,
        variance=variance,
        silent=variance <= SILENT_VARIANCE,
        baseline=trace.baseline,
        advantages=advantages,
        target=target,
        trace=trace,
        objective=objective,
        value=objective(logits),
        rule_pushes=gained / method.rate,
        kl_pushes=kl_pushes,
    )


def _columns(epoch: _Epoch, place: int) -> IntArray:
    """The prompts that the ``place``-th step of an epoch visits."""
    return epoch.order[PROMPTS_PER_STEP * place : PROMPTS_PER_STEP * (place + 1)]


def _logits_after(epoch: _Epoch, place: int) -> FloatArray:
    """All logits after the ``place``-th step of an epoch, ``(K, P)``."""
    visited = np.zeros(PROMPTS, np.bool_)
    visited[epoch.order[: PROMPTS_PER_STEP * (place + 1)]] = True
    return np.where(visited, epoch.new_logits, epoch.logits)


def _measured(epoch: _Epoch, place: int, columns: IntArray) -> dict[str, float]:
    """What is measured on a step's own draws and update; names as in the token world."""
    setup, size = epoch.setup, len(epoch.draws)
    deviation = np.sqrt(epoch.variance[columns] * (size / (size - 1))) if size > 1 else np.zeros(len(columns))
    pushes = (epoch.rule_pushes + epoch.kl_pushes)[:, columns]
    sampled = setup.sampled_responses
    if setup.training.online:
        step = epoch.number * STEPS_PER_EPOCH + place + 1
        sampled = step * PROMPTS_PER_STEP * setup.group_size
    return {
        "reward": float(epoch.mean[columns].mean()),
        "reward_std": float(deviation.mean()),
        "frac_zero_std": float(epoch.silent[columns].mean()),
        "policy_objective": float(epoch.value[columns].sum()),
        "grad_norm": float(np.sqrt((pushes**2).sum())),
        "sampled": float(sampled),
        "lr": setup.training.rate,
    }


def _record(epoch: _Epoch, place: int) -> CandidateStepRecord:
    setup, world, columns = epoch.setup, epoch.world, _columns(epoch, place)

    def by_prompt(array: FloatArray | IntArray) -> npt.NDArray[np.generic]:
        return np.ascontiguousarray(array[..., columns].T)

    def numbers(array: FloatArray) -> FloatArray:
        return by_prompt(array).astype(np.float64, copy=False)

    def if_any(array: FloatArray | None) -> FloatArray | None:
        return None if array is None else numbers(array)

    log_probs = log_policy(epoch.logits)
    measured = _measured(epoch, place, columns)
    metrics = measure(log_policy(_logits_after(epoch, place)), world)
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
    )


def _pairs(epoch: _Epoch, columns: IntArray) -> tuple[AnswerPairs, ...] | None:
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


def _draw_pushes(epoch: _Epoch) -> FloatArray:
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
