"""Readings of the token world that need more than a run's metrics: single tokens, and the policy itself.

`of_step(step, measure)` trains every seed again up to a step and measures its record, see
simulator.engine.StepRecord for names and shapes. `of_run(step, measure)` gives `measure` the run
as it stands after a step. Both make one number per seed. What a seed has nothing to measure of, because it sampled no
such response, is not a number there; that seed is left out.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from simulator.engine import StepRecord, inspect_step
from simulator.engine.reasoning.evaluation import evaluate, outcomes_by_prompt
from simulator.engine.reasoning.problems import FAMILIES
from simulator.engine.reasoning.reference import log_probabilities
from simulator.engine.reasoning.run import Run
from simulator.engine.reasoning.world import DONE_OK, START, World, load_world
from simulator.evidence.readings import FloatArray, Reading, Runs

IntArray = npt.NDArray[np.int64]


def of_step(step: int, measure: Callable[[StepRecord], float]) -> Reading:
    """One number from the record of a step."""
    return lambda runs: np.array([measure(inspect_step(runs.setup, seed, step)) for seed in runs.seeds])


def of_run(step: int, measure: Callable[[Run], float]) -> Reading:
    """One number from a run after `step` steps."""
    return lambda runs: np.array([measure(run_after(runs, seed, step)) for seed in runs.seeds])


def of_step_and_policy(step: int, measure: Callable[[StepRecord, FloatArray], float]) -> Reading:
    """One number from a step's record and the policy that sampled it, log-probabilities (P, 6, 12)."""

    def read(runs: Runs) -> FloatArray:
        found = []
        for seed in runs.seeds:
            policy = policy_of(run_after(runs, seed, step - 1))
            found.append(measure(inspect_step(runs.setup, seed, step), policy))
        return np.array(found)

    return read


def run_after(runs: Runs, seed: int, step: int) -> Run:
    """The run of one seed after `step` steps."""
    run = Run(runs.setup, seed)
    if step:
        run.train_to(step, measured_from=step + 1)
    return run


def policy_of(run: Run) -> FloatArray:
    """Log-probabilities (P, 6, 12) of a run's policy as it is now."""
    shared, own = _logits(run)
    logits = run.world.reference_logits + shared[0, run.world.family]
    logits[: run.world.train_prompts] += own[0]
    return log_probabilities(logits)


def _logits(run: Run) -> tuple[FloatArray, FloatArray]:
    """The families' logits (1, 4, 6, 12) and the prompts' own (1, N, 6, 12), as one policy for the evaluation."""
    return run.learner.logits[None, :FAMILIES].copy(), run.learner.logits[None, FAMILIES:].copy()


def world_of_record(record: StepRecord) -> World:
    return load_world(record.setup.train_prompts, record.setup.world_seed)


def solved(run: Run, limit: int) -> FloatArray:
    """Chance of a right response to each train prompt under a length limit, exactly, (N,)."""
    outcomes = outcomes_by_prompt(run.world, *_logits(run), limit)
    return np.asarray(outcomes.right[0, : run.world.train_prompts])


def metric_under_limit(metric: str, limit: int) -> Callable[[Run], float]:
    """A metric of the exact evaluation under another length limit than the run's own."""
    return lambda run: float(evaluate(run.world, *_logits(run), limit)[metric][0])


def success(world: World, log_policy: FloatArray, rows: IntArray, limit: int) -> FloatArray:
    """Chance of a right response from every state of some prompts, (B,), with `t` tokens used, exactly:
    (limit + 1, B, 21)."""
    chances = np.exp(log_policy[rows[:, None], world.context_of[rows]])  # (B, 21, 12)
    following = world.next_state[rows]
    prompts = np.arange(len(rows))[:, None, None]
    values = np.zeros((limit + 1, len(rows), chances.shape[1]))
    values[limit, :, DONE_OK] = 1.0
    for t in range(limit - 1, -1, -1):
        values[t] = (chances * values[t + 1][prompts, following]).sum(axis=-1)
        values[t, :, DONE_OK:] = values[limit, :, DONE_OK:]
    return values


def states_of(world: World, record: StepRecord) -> IntArray:
    """The state before each token of a step's responses and after the last, (B, G, T + 1)."""
    states = np.full((*record.lengths.shape, record.tokens.shape[-1] + 1), START)
    rows = record.prompt_rows[:, None]
    for t in range(record.tokens.shape[-1]):
        is_token = record.tokens[..., t] >= 0
        following = world.next_state[rows, states[..., t], np.maximum(record.tokens[..., t], 0)]
        states[..., t + 1] = np.where(is_token, following, states[..., t])
    return states


def mean_where(values: FloatArray, condition: npt.NDArray[np.bool_]) -> float:
    """The mean of the values where the condition holds; not a number when it holds nowhere."""
    return float(values[condition].mean()) if condition.any() else float("nan")
