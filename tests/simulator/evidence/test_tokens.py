"""Readings that look at tokens and policies agree with what the engine calculates in other ways."""

import dataclasses

import numpy as np
import pytest

from simulator.engine import inspect_step, parse_setup, simulate
from simulator.engine.reasoning.world import DONE_OK, START
from simulator.evidence.credit import agreement, finds_decisive, true_advantages
from simulator.evidence.noise import BLOCK, gradient_noise
from simulator.evidence.ratios import ratio_spread
from simulator.evidence.readings import Runs, evaluated, final, mean_over
from simulator.evidence.tokens import (
    metric_under_limit,
    of_run,
    of_step,
    policy_of,
    run_after,
    solved,
    states_of,
    success,
    world_of_record,
)

SETUP = parse_setup({"world": "reasoning", "algorithm": "ppo", "steps": 10})
RUNS = Runs(SETUP, range(3000, 3002))
STEP = 8


def test_success_is_what_the_engine_evaluates() -> None:
    run = run_after(RUNS, 3000, 10)
    rows = np.arange(run.world.train_prompts)
    chances = success(run.world, policy_of(run), rows, 24)
    assert chances[0, :, START] == pytest.approx(solved(run, 24), abs=1e-12)
    assert solved(run, 24).mean() == pytest.approx(RUNS.plain.final["train_accuracy"][0], abs=1e-12)
    assert solved(run, 6).mean() < solved(run, 24).mean()
    lengths = of_run(10, metric_under_limit("wrong_response_length", 24))(RUNS)
    assert lengths == pytest.approx(final("wrong_response_length")(RUNS), abs=1e-9)


def test_states_end_where_the_engine_says() -> None:
    record = inspect_step(SETUP, 3000, STEP)
    states = states_of(world_of_record(record), record)
    assert np.array_equal(states[..., -1] == DONE_OK, record.is_correct)
    assert np.array_equal(states[..., -1] < DONE_OK, record.is_truncated)


def test_true_advantages_add_up_to_the_outcome() -> None:
    record = inspect_step(SETUP, 3000, STEP)
    run = run_after(RUNS, 3000, STEP - 1)
    true = np.nansum(true_advantages(record, policy_of(run)), axis=-1)
    assert record.is_correct - true == pytest.approx(solved(run, 24)[record.prompt_rows][:, None] + 0 * true, abs=1e-12)
    assert np.array_equal(np.isnan(true_advantages(record, policy_of(run))), record.tokens < 0)
    perfect = dataclasses.replace(record, advantages=true_advantages(record, policy_of(run)))
    assert finds_decisive(perfect, policy_of(run)) == 1
    assert agreement(perfect, policy_of(run)) == pytest.approx(1)


def test_readings_of_history() -> None:
    traced = simulate(SETUP, [3000, 3001], history=True)
    assert traced.history is not None and traced.evaluations is not None
    assert mean_over("entropy", 2, 3)(RUNS) == pytest.approx(traced.history["entropy"][:, 1:3].mean(axis=1))
    assert mean_over("entropy", 6)(RUNS) == pytest.approx(final("entropy")(RUNS))
    assert np.array_equal(evaluated("train_accuracy", 5)(RUNS), traced.evaluations["train_accuracy"][:, 1])
    with pytest.raises(LookupError):
        evaluated("train_accuracy", 7)(RUNS)


def test_noise_is_blind_to_scale_and_falls_with_a_baseline() -> None:
    plain = {"world": "reasoning", "algorithm": "custom", "num_iterations": 1, "aggregation": "constant"}
    seeds = range(3000, 3000 + 2 * BLOCK)
    none, mean, others = (
        gradient_noise(20)(Runs(parse_setup(plain | {"advantage": advantage}), seeds))
        for advantage in ("none", "group_mean", "leave_one_out")
    )
    assert none.shape == (2,) and mean == pytest.approx(others)
    assert (none > mean).all() and (mean > 0).all()


def test_ratios_are_one_before_the_first_update() -> None:
    once = parse_setup({"world": "reasoning", "algorithm": "custom", "num_iterations": 1})
    assert of_step(2, ratio_spread(2, 24, True))(Runs(once, [3000])) == pytest.approx(0)
    assert np.isnan(of_step(2, ratio_spread(25, 30, True))(Runs(once, [3000]))).all()
