"""The compiled functions at their edges: ties, signs, silent groups, groups of one, everything cut off."""

import math

import numpy as np
import pytest

from simulator.engine.algorithms import code_of
from simulator.engine.objective.advantage import group_advantages, next_baseline
from simulator.engine.objective.aggregation import response_weight
from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW, TIE, UNCLIPPED, surrogate
from simulator.engine.objective.divergence import estimate
from simulator.engine.objective.sampling import is_masked, keeps_group, overlong_reward

from .batch import Case, compute

GROUP_METHODS = ("group_normalized", "group_mean", "leave_one_out")


def advantages(method, rewards, baseline=0.0):
    found = np.full(len(rewards), np.nan)
    group_advantages(code_of("advantage", method), np.array(rewards), baseline, found)
    return found


def at(clip, ratio, advantage, ratio_kind="token"):
    """Value, slope and clip state at bounds of 0.8 and 1.5."""
    codes = code_of("importance_ratio", ratio_kind), code_of("clip", clip)
    return surrogate(*codes, 0.2, 0.5, ratio, math.log(0.3), advantage)


@pytest.mark.parametrize(
    ("clip", "ratio", "advantage", "slope", "state"),
    [
        ("symmetric", 1.0, 2.0, 2.0, TIE),
        ("symmetric", 1 + 0.2, 1.0, 1.2, TIE),
        ("symmetric", 1 - 0.2, -1.0, -0.8, TIE),
        ("symmetric", math.nextafter(1.2, 2), 1.0, 0.0, CLIPPED_HIGH),
        ("symmetric", math.nextafter(0.8, 0), -1.0, 0.0, CLIPPED_LOW),
        ("symmetric", 1.4, -1.0, -1.4, UNCLIPPED),
        ("symmetric", 0.5, 1.0, 0.5, UNCLIPPED),
        ("symmetric", 3.0, 0.0, 0.0, TIE),
        ("higher", 1.4, 1.0, 1.4, TIE),
        ("higher", 1.6, 1.0, 0.0, CLIPPED_HIGH),
        ("higher", 0.7, -1.0, 0.0, CLIPPED_LOW),
        ("cispo", 1.6, 1.0, 1.5, CLIPPED_HIGH),
        ("cispo", 1.6, -1.0, -1.5, CLIPPED_HIGH),
        ("cispo", 0.1, -1.0, -0.1, TIE),
        ("none", 9.0, 1.0, 9.0, TIE),
    ],
)
def test_clip_sides(clip, ratio, advantage, slope, state):
    _, found_slope, found_state = at(clip, ratio, advantage)
    assert found_slope == pytest.approx(slope, abs=1e-12)
    assert found_state == state


@pytest.mark.parametrize("clip", ["symmetric", "higher", "cispo", "none"])
def test_without_a_ratio_no_clip_acts(clip):
    assert at(clip, 9.0, 2.0, "none") == (2.0 * math.log(0.3), 2.0, TIE)


def test_an_overflown_ratio_is_no_nan_without_an_advantage():
    assert at("none", math.inf, 0.0) == (0.0, 0.0, TIE)
    assert at("symmetric", math.inf, 1.0) == (1.2, 0.0, CLIPPED_HIGH)


def test_reinforce_pushes_tokens_of_good_responses_up_although_their_objective_is_negative():
    case = Case(advantage="ema_baseline", ratio="none", clip="none", aggregation="per_token")
    for reward, arrays in zip(case.rewards, compute(case).responses, strict=True):
        good = reward > 0.3  # the baseline of the batch
        assert all((push > 0) == good for push in arrays["push"])
        assert all((term < 0) == good for term in arrays["objective"])


@pytest.mark.parametrize("method", GROUP_METHODS)
@pytest.mark.parametrize("rewards", [[0.1] * 7, [1 / 3] * 3, [0.0] * 4, [-1.0, -1.0], [0.7]])
def test_equal_rewards_and_groups_of_one_teach_exactly_nothing(method, rewards):
    assert advantages(method, rewards).tolist() == [0.0] * len(rewards)


def test_a_group_of_one_teaches_against_a_baseline():
    assert advantages("ema_baseline", [1.0], 0.25).tolist() == [0.75]
    assert advantages("none", [0.7]).tolist() == [0.7]
    assert next_baseline(0.0, 0.5) == pytest.approx(0.05)


def test_advantages_of_one_right_answer_in_eight():
    one = [1.0] + [0.0] * 7
    assert advantages("group_normalized", one)[0] == pytest.approx(2.4749, abs=5e-5)
    assert advantages("group_mean", one)[0] == 0.875
    assert advantages("leave_one_out", one)[0] == 1.0


@pytest.mark.parametrize("aggregation", ["per_response", "per_token", "constant"])
def test_when_all_are_cut_off_and_filtered_nothing_is_pushed(aggregation):
    result = compute(Case(aggregation=aggregation, overlong="filter", truncated=(True,) * 6, kl="k3"))
    assert result.objective == 0.0
    for arrays in result.responses:
        assert arrays["push"].tolist() == [0.0] * len(arrays["push"])
        assert arrays["weight"].tolist() == [0.0] * len(arrays["weight"])
        assert np.isfinite(np.array([arrays[name] for name in ("ratio", "objective", "token_kl")])).all()


@pytest.mark.parametrize("ratio", ["token", "sequence"])
def test_an_overflown_response_without_weight_adds_nothing(ratio):
    case = Case(ratio=ratio, clip="none", overlong="filter", kl="k3")
    case.log_probs[2] = [0.0] * 5
    case.old_log_probs[2] = case.ref_log_probs[2] = [-800.0] * 5
    result = compute(case)
    assert math.isfinite(result.objective)
    assert np.isinf(result.responses[2]["ratio"]).all()
    assert result.responses[2]["push"].tolist() == [0.0] * 5


def test_weights():
    weights = [response_weight(code_of("aggregation", name), 4, 5, 12, 20) for name in ("per_response", "constant")]
    assert weights == [1 / 20, 1 / 80]
    assert response_weight(code_of("aggregation", "per_token"), 4, 5, 12, 20) == 1 / 12
    assert response_weight(code_of("aggregation", "per_token"), 4, 5, 0, 20) == 0.0


def test_kl_is_exactly_zero_where_the_policies_agree():
    for name in ("none", "k1", "k2", "k3"):
        assert estimate(code_of("kl", name), -0.3, -0.3)[0] == 0.0
    for name in ("k2", "k3"):
        assert estimate(code_of("kl", name), -0.3, -0.3)[1] == 0.0
        assert estimate(code_of("kl", name), -0.3, -0.3 + 1e-9)[0] > 0.0


def test_sampling_edges():
    assert [keeps_group(1, count, 3) for count in range(4)] == [False, True, True, False]
    assert [keeps_group(0, count, 3) for count in range(4)] == [True] * 4
    soft, hard = code_of("overlong", "soft"), code_of("overlong", "filter")
    assert [overlong_reward(soft, length, False, 24, 6) for length in (17, 18, 21, 24)] == [0.0, 0.0, -0.5, -1.0]
    assert overlong_reward(soft, 24, True, 24, 6) == -1.0
    assert overlong_reward(hard, 24, True, 24, 6) == 0.0
    assert [is_masked(hard, cut) for cut in (True, False)] == [True, False]
    assert not is_masked(soft, True)
