"""The engine's advantages and rewards against those of TRL's trainers."""

import numpy as np
import pytest
from trl.rewards import get_soft_overlong_punishment

from simulator.engine.objective import advantage
from simulator.engine.objective.sampling import OVERLONG_SOFT, overlong_reward

from . import harness
from .batches import make
from .engine_side import advantages_of

BATCHES = [make(seed, groups=6, group_size=size) for size in (2, 4, 16) for seed in range(2)]
TRL_OFFSET = 1e-4


def _theirs(batch, float64=True, **options):
    drive = harness.grpo(batch.rows, batch.group_size, **options)
    return drive.prepare(batch, float64)["advantages"].double().numpy()


def test_group_normalized_with_the_offset_of_trl(agree, monkeypatch):
    # The compiled function holds the engine's offset; the Python function it was compiled from reads this one.
    monkeypatch.setattr(advantage, "DEVIATION_OFFSET", TRL_OFFSET)
    for batch in BATCHES:
        ours = advantages_of(batch, "group_normalized", advantage.group_advantages.py_func)
        agree("group_normalized with TRL's offset 1e-4", ours, _theirs(batch))


def test_group_normalized_differs_from_trl_by_the_offset_alone(agree):
    for batch in BATCHES:
        ours, theirs = advantages_of(batch, "group_normalized"), _theirs(batch)
        groups = batch.rewards.reshape(-1, batch.group_size)
        deviation = np.repeat(groups.std(axis=1, ddof=1), batch.group_size)
        predicted = (deviation + TRL_OFFSET) / (deviation + advantage.DEVIATION_OFFSET)
        agree("group_normalized over TRL's, as the offsets say", ours, theirs * predicted)


def test_the_offset_hardly_matters_for_right_and_wrong():
    """One right answer among 8, the narrowest spread of its group size: three in ten thousand."""
    batch = make(1, groups=1, group_size=8)
    batch.rewards[:] = np.arange(8) == 3
    ratio = advantages_of(batch, "group_normalized") / _theirs(batch)
    assert ratio == pytest.approx(1 + 2.8e-4, abs=1e-5)


def test_group_mean(agree):
    for batch in BATCHES:
        agree("group_mean", advantages_of(batch, "group_mean"), _theirs(batch, scale_rewards="none"))


def test_leave_one_out(agree):
    for batch in BATCHES:
        drive = harness.rloo(batch.rows, batch.group_size, beta=0.0)
        theirs = drive.prepare(batch)["advantages"].numpy()
        agree("leave_one_out, against RLOOTrainer", advantages_of(batch, "leave_one_out"), theirs)


@pytest.mark.parametrize(
    ("choice", "scale"), [("group_normalized", "group"), ("group_mean", "none"), ("leave_one_out", "none")]
)
def test_groups_of_one_and_equal_rewards_teach_nothing(choice, scale):
    for batch in (make(1, groups=8, group_size=1), make(2, case="all_equal")):
        assert not advantages_of(batch, choice).any()
        # In float64 the mean of equal rewards may be off by a last digit, which 1e-4 below it magnifies.
        assert np.abs(_theirs(batch, scale_rewards=scale)).max() < 1e-11


def test_rewards_of_filtered_responses_stay_in_the_statistics(agree):
    for batch in BATCHES[2:4]:
        assert batch.truncated.any()
        assert not batch.truncated.all()
        theirs = _theirs(batch, scale_rewards="none", mask_truncated_completions=True)
        agree("group_mean, truncated responses filtered", advantages_of(batch, "group_mean"), theirs)


@pytest.mark.parametrize("cache", [1, 3, 6, 24])
def test_soft_overlong_punishment(agree, cache):
    longest = 24
    punish = get_soft_overlong_punishment(max_completion_len=longest, soft_punish_cache=cache)
    theirs = np.array(punish(completion_ids=[[1] * length for length in range(1, longest + 1)]))
    for cut_off in (False, True):
        ours = [
            overlong_reward(OVERLONG_SOFT, length, cut_off and length == longest, longest, cache)
            for length in range(1, longest + 1)
        ]
        agree("soft overlong punishment", np.array(ours), theirs)
