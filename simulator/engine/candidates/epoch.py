"""One epoch of a run, looked into: the sweep over all prompts that five steps are parts of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .methods import BASELINE_RATE, SILENT_VARIANCE, BestAnswers, GroupAdvantage, MovingBaseline, PairLoss
from .objective import HeldPairs, Objective
from .sampling import group_draws, reference_draws, visit_order
from .setup import CandidateSetup
from .trace import Trace
from .training import Policy, best_answers, train
from .world import ANSWERS, PROMPTS, PROMPTS_PER_STEP, STEPS_PER_EPOCH, World, load_world

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class Epoch:
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
    usual: FloatArray
    baseline: FloatArray | None
    advantages: FloatArray | None
    target: FloatArray | None
    trace: Trace
    objective: Objective
    value: FloatArray
    rule_pushes: FloatArray
    kl_pushes: FloatArray


def epochs(setup: CandidateSetup, seed: int, count: int, *, only_last: bool = False) -> list[Epoch]:
    """The first epochs, or the last of them, trained in one go.

    Epochs are whole here; a run that ends within one visits fewer of its prompts, and those as here.
    """
    world = load_world([seed], setup.event)
    trace = Trace()
    signal = world.score - setup.length_penalty * world.length
    usual = np.zeros(PROMPTS)
    found: list[Epoch] = []
    done = -1

    def watch(logits: FloatArray) -> None:
        nonlocal done, usual
        if done >= 0 and (not only_last or done == count - 1):
            found.append(looked_at(setup, seed, done, world, trace, logits.copy(), usual))
        if done >= 0 and setup.training.online and trace.counts is not None:
            mean = np.einsum("kn,kn->n", trace.counts.astype(np.float64), signal) / setup.group_size
            usual = usual + BASELINE_RATE * (mean - usual)
        done += 1

    train(setup.replace(steps=count * STEPS_PER_EPOCH), world, watch, trace)
    return found


def looked_at(
    setup: CandidateSetup,
    seed: int,
    number: int,
    world: World,
    kept: Trace,
    new_logits: FloatArray,
    usual: FloatArray,
) -> Epoch:
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
    return Epoch(
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
        usual=usual,
        baseline=trace.baseline,
        advantages=advantages,
        target=target,
        trace=trace,
        objective=objective,
        value=objective(logits),
        rule_pushes=gained / method.rate,
        kl_pushes=kl_pushes,
    )


def columns_of(epoch: Epoch, place: int) -> IntArray:
    """The prompts that the ``place``-th step of an epoch visits."""
    return epoch.order[PROMPTS_PER_STEP * place : PROMPTS_PER_STEP * (place + 1)]


def logits_after(epoch: Epoch, place: int) -> FloatArray:
    """All logits after the ``place``-th step of an epoch, ``(K, P)``."""
    visited = np.zeros(PROMPTS, np.bool_)
    visited[epoch.order[: PROMPTS_PER_STEP * (place + 1)]] = True
    return np.where(visited, epoch.new_logits, epoch.logits)


def measured_in(epoch: Epoch, place: int, columns: IntArray) -> dict[str, float]:
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
