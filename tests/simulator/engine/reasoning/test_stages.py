"""A run in stages is the same run."""

import pickle

import numpy as np
import pytest

from simulator.engine import SetupError, inspect_step, parse_setup, simulate
from simulator.engine.reasoning.stages import CHECKPOINT_EVERY, StagedRun


@pytest.mark.parametrize("algorithm", ["dapo", "ppo", "reinforce"])
def test_put_aside_and_taken_up_again_it_gives_the_same_numbers(algorithm):
    setup = parse_setup({"world": "reasoning", "algorithm": algorithm, "steps": 43, "minibatches": 2})
    staged = StagedRun(setup, 3)
    while not staged.is_finished:
        staged.advance()
        staged = pickle.loads(pickle.dumps(staged))
    found, whole = staged.simulation(), simulate(setup, [3], history=True)
    for mine, theirs in ((found.history, whole.history), (found.evaluations, whole.evaluations)):
        assert mine.keys() == theirs.keys()
        assert all(np.array_equal(mine[name], theirs[name], equal_nan=True) for name in mine)
    assert found.final == whole.final and found.sampled_responses == whole.sampled_responses
    assert [checkpoint.step for checkpoint in staged.checkpoints] == [20, 40]


def test_a_step_is_the_same_from_a_checkpoint():
    setup = parse_setup({"world": "reasoning", "algorithm": "ppo", "steps": 50})
    staged = StagedRun(setup, 0)
    while not staged.is_finished:
        staged.advance()
    for step in (1, CHECKPOINT_EVERY, CHECKPOINT_EVERY + 1, 50):
        from_start, from_checkpoint = (inspect_step(setup, 0, step, known) for known in ((), staged.checkpoints))
        assert np.array_equal(from_start.pushes, from_checkpoint.pushes, equal_nan=True)
        assert from_start.texts == from_checkpoint.texts and from_start.metrics == from_checkpoint.metrics


def test_what_can_not_be():
    setup = parse_setup({"world": "reasoning"})
    with pytest.raises(SetupError, match="seed"):
        StagedRun(setup, -1)
    with pytest.raises(ValueError, match="not finished"):
        StagedRun(setup, 0).simulation()
