"""Changing one control of a run never reshuffles what another one has drawn."""

import numpy as np
import pytest

from simulator.engine import inspect_step, parse_setup, simulate

DEFAULT = {"world": "reasoning", "algorithm": "custom"}


def first_step(**changes):
    """The responses of the first step, by visit, prompt and place in the group; those of thrown away groups too."""
    step = inspect_step(parse_setup(DEFAULT | changes), 5, 1)
    responses = {}
    for b, i in np.ndindex(step.lengths.shape):
        key = (int(step.visits[b]), int(step.prompt_ids[b]), i)
        responses[key] = tuple(step.tokens[b, i, : step.lengths[b, i]].tolist())
    return responses


@pytest.mark.parametrize(
    "changes",
    [
        {"group_size": 16},
        {"prompts_per_step": 16},
        {"learning_rate": 0.3},
        {"num_iterations": 16},
        {"minibatches": 4},
        {"clip": "none"},
        {"advantage": "gae"},
        {"kl": "k3", "beta": 0.5},
        {"optimizer": "sgd"},
        {"steps": 120},
        {"false_negative_rate": 0.3},
        {"dynamic_sampling": True},
    ],
    ids=str,
)
def test_the_same_responses(changes):
    mine, other = first_step(), first_step(**changes)
    shared = mine.keys() & other.keys()
    assert len(shared) >= (8 if "dynamic_sampling" in changes else 64)
    assert all(mine[key] == other[key] for key in shared)


def test_a_shorter_limit_cuts_the_same_responses_off():
    mine, other = first_step(), first_step(max_completion_length=10)
    assert mine.keys() == other.keys()
    assert all(other[key] == mine[key][:10] for key in mine)
    assert any(len(mine[key]) > 10 for key in mine)


@pytest.mark.parametrize("algorithm", ["dapo", "ppo", "reinforce"])
def test_fewer_steps_are_a_prefix(algorithm):
    setup = parse_setup(DEFAULT | {"algorithm": algorithm, "steps": 30})
    long, short = (simulate(setup.replace(steps=steps), [2], history=True) for steps in (30, 14))
    for name, values in short.history.items():
        assert np.array_equal(values, long.history[name][:, :14], equal_nan=True), name
    for name, values in short.evaluations.items():
        assert np.array_equal(values[:, :3], long.evaluations[name][:, :3], equal_nan=True), name


@pytest.mark.parametrize("history", [True, False])
def test_a_seed_gives_the_same_numbers_whichever_others_run_beside_it(history):
    setup = parse_setup(DEFAULT | {"algorithm": "dapo", "steps": 12})
    alone, among = (simulate(setup, seeds, history=history) for seeds in ([7], [3, 7, 2**32 - 1, *range(40)]))
    for name, values in alone.final.items():
        assert values[0] == among.final[name][1], name
    assert alone.sampled_responses[0] == among.sampled_responses[1]
    if history:
        assert all(np.array_equal(values[0], among.history[name][1]) for name, values in alone.history.items())


@pytest.mark.parametrize("algorithm", ["grpo", "dapo", "ppo", "gspo"])
def test_being_measured_changes_nothing(algorithm):
    """Groups that can't move the policy are left out where nobody measures them."""
    setup = parse_setup(DEFAULT | {"algorithm": algorithm, "steps": 40})
    watched, unwatched = simulate(setup, [1, 2], history=True), simulate(setup, [1, 2])
    for name, values in watched.final.items():
        assert np.array_equal(values, unwatched.final[name]), name
