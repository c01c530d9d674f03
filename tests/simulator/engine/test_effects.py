"""What course pages say about this world, measured again.

Every claim is a paired difference over 64 seeds (each seed is another world
and other draws) whose 95 % interval must exclude zero, or the margin the
claim names. Numbers are the ones the specification gives for the same seeds.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest

from simulator.engine import parse_setup, simulate

SEEDS = range(1000, 1064)


@lru_cache(maxsize=8)
def _run(items, history):
    return simulate(parse_setup(dict(items)), SEEDS, history=history)


def at_end(metric="win_rate", **setup):
    """One value per seed after the last step."""
    return _run(tuple(sorted(setup.items())), False).final[metric]


def at_step(step, metric="win_rate", **setup):
    """One value per seed, read off a trace of 800 steps (fewer steps is a prefix)."""
    runs = _run(tuple(sorted({"steps": 800, **setup}.items())), True)
    return runs.history[metric][:, list(runs.steps).index(step)]


def assert_greater(larger, smaller, by=0.0):
    difference = larger - smaller
    margin = 1.96 * difference.std(ddof=1) / np.sqrt(len(difference))
    low, high = difference.mean() - margin, difference.mean() + margin
    assert low > by, f"difference {difference.mean():.4f}, 95 % interval {low:.4f} to {high:.4f}, should exceed {by}"


def assert_rising(series, by=0.0):
    for smaller, larger in pairwise(series):
        assert_greater(larger, smaller, by)


def assert_means(series, expected, tolerance=0.0006):
    """Means equal numbers given with three decimals."""
    assert [float(values.mean()) for values in series] == pytest.approx(expected, abs=tolerance)


# --- a clean reward model ---


def test_more_steps_help_with_diminishing_returns():
    series = [at_step(step) for step in (25, 50, 100, 200, 400, 800)]
    assert_means(series, [0.583, 0.664, 0.778, 0.848, 0.867, 0.874])
    assert_rising(series)
    assert_greater(series[3] - series[2], series[5] - series[4])
    assert_means([at_step(25, "kl"), at_step(800, "kl")], [0.07, 1.97], 0.005)


def test_larger_groups_help_at_equal_steps_with_diminishing_returns():
    series = [at_end(group_size=size) for size in (2, 4, 8, 16, 32)]
    assert_means(series, [0.792, 0.835, 0.848, 0.853, 0.854])
    assert_rising(series)


def test_beta_does_nothing_until_it_holds_the_policy_back():
    series = [at_end(steps=400, beta=beta) for beta in (0, 0.2, 0.4, 0.6, 0.8, 1.2, 2)]
    assert_means(series, [0.867, 0.865, 0.853, 0.811, 0.758, 0.687, 0.618])
    assert abs(series[0].mean() - series[1].mean()) < 0.003
    assert_rising(series[:0:-1])


def test_at_equal_kl_a_leash_beats_stopping_early():
    held = at_end(steps=100, beta=0.8), at_end("kl", steps=100, beta=0.8)
    stopped = at_end(steps=50, beta=0), at_end("kl", steps=50, beta=0)
    assert held[1].mean() == pytest.approx(0.314, abs=0.001)
    assert stopped[1].mean() == pytest.approx(0.294, abs=0.001)
    # The leash is at slightly more KL here; a win rate rises by less than 0.25 per unit of KL.
    allowance = 0.25 * (held[1] - stopped[1])
    assert_greater(held[0] - allowance, stopped[0], 0.005)


def test_dpo_gains_from_samples_and_steps():
    samples = [at_end(method="dpo", samples_per_prompt=n) for n in (2, 4, 8, 16, 32)]
    assert_means(samples, [0.645, 0.763, 0.793, 0.801, 0.809])
    assert_rising(samples[:3])
    assert_greater(samples[4], samples[2])
    steps = [at_step(step, method="dpo") for step in (25, 200, 800)]
    assert_means(steps, [0.614, 0.793, 0.824])
    assert_rising(steps)


def test_dpo_beta_is_flat_and_then_falls():
    series = [at_end(steps=400, method="dpo", beta=beta) for beta in (0.2, 1, 2, 5)]
    assert_means(series, [0.815, 0.768, 0.705, 0.620])
    assert_rising(series[::-1])


def test_dpo_needs_far_fewer_responses_than_grpo():
    dpo = _run((("beta", 0.2), ("method", "dpo"), ("steps", 400)), False)
    grpo = _run((("beta", 0.02), ("group_size", 2)), False)
    assert (dpo.sampled_responses, grpo.sampled_responses) == (320, 3200)
    assert_means([dpo.final["win_rate"], grpo.final["win_rate"]], [0.814, 0.794], 0.002)
    assert_greater(dpo.final["win_rate"], grpo.final["win_rate"])


def test_best_of_n_is_cheap_and_strong_in_a_clean_world():
    assert_greater(at_end(method="best_of_n", samples_per_prompt=16), at_end(method="dpo", samples_per_prompt=16), 0.02)


def test_the_standard_deviation_is_what_makes_grpo_faster_than_its_relatives():
    assert_means([at_end(method="rloo"), at_end(method="reinforce")], [0.820, 0.820], 0.001)
    assert_greater(at_end(), at_end(method="rloo"), 0.02)
    assert_greater(at_end(), at_end(method="dr_grpo"), 0.03)


def test_reinforce_learns_from_single_responses():
    series = [at_step(step, method="reinforce", group_size=1) for step in (400, 800)]
    assert_means(series, [0.840, 0.856])
    assert_greater(series[0], at_end(group_size=2), 0.04)  # both sample 3200 responses


def test_raft_starts_fastest():
    raft, grpo = at_end(method="raft", steps=50), at_end(steps=50)
    assert_means([raft, grpo], [0.736, 0.664])
    assert_greater(raft, grpo, 0.06)


# --- one answer in ten passes ---


def test_share_of_silent_groups_at_the_reference():
    world = _run((("event", "sparse"), ("steps", 1)), False).world
    passing = (world.quality * world.reference_probability).sum(axis=-1)
    assert passing.mean() == pytest.approx(0.099, abs=0.001)
    silent = [float((passing**size + (1 - passing) ** size).mean()) for size in (2, 4, 8, 16, 32, 64)]
    assert silent == pytest.approx([0.832, 0.683, 0.498, 0.297, 0.135, 0.044], abs=0.0006)


def test_small_groups_win_at_an_equal_budget_of_responses():
    pairs = ((50, 32), (100, 16), (200, 8), (400, 4), (800, 2))
    series = [at_end(event="sparse", steps=steps, group_size=size, beta=0.02) for steps, size in pairs]
    assert_means(series, [0.656, 0.817, 0.902, 0.928, 0.933])
    assert_rising(series)


def test_large_groups_win_at_equal_steps():
    series = [at_end(event="sparse", steps=100, group_size=size, beta=0.02) for size in (2, 4, 8, 16, 32)]
    assert_means(series, [0.613, 0.712, 0.778, 0.817, 0.837])
    assert_rising(series)


def test_methods_differ_when_reward_is_sparse():
    ranking = ("online_dpo", "raft", "grpo", "rloo", "dr_grpo")
    series = {name: at_end(event="sparse", method=name, beta=0.02) for name in ranking}
    assert_means(series.values(), [0.925, 0.905, 0.902, 0.758, 0.727])
    assert_greater(series["online_dpo"], series["grpo"], 0.01)
    assert_greater(series["grpo"], series["rloo"], 0.12)
    assert_greater(series["rloo"], series["dr_grpo"], 0.02)


def test_what_was_never_sampled_is_never_learned():
    series = [at_step(step, event="sparse", method="dpo") for step in (200, 400, 800)]
    assert_means(series, [0.709, 0.709, 0.709])
    assert_greater(at_end(event="sparse", method="dpo", samples_per_prompt=32), series[2], 0.1)


# --- one answer fools the reward model ---


def test_the_reward_hack_hump():
    hack = {"event": "reward_hack", "beta": 0.02}
    steps = (0, 25, 50, 75, 100, 125, 150, 200, 300, 400, 800)
    win = [at_step(step, **hack) for step in steps]
    assert_means(win, [0.5, 0.567, 0.627, 0.668, 0.683, 0.675, 0.654, 0.610, 0.553, 0.522, 0.463])
    score = [at_step(step, "reward_model_score", **hack) for step in steps]
    assert_means(score, [0.21, 0.50, 0.79, 1.06, 1.33, 1.58, 1.78, 2.03, 2.23, 2.31, 2.43], 0.006)
    assert_rising(win[:5])
    assert_rising(win[:3:-1])
    assert_greater(win[4], win[10], 0.18)
    assert_rising(score)


def test_a_medium_leash_is_worst_against_the_hack():
    series = [at_end(steps=400, event="reward_hack", beta=beta) for beta in (0, 0.1, 0.4, 0.8, 1.2)]
    assert_means(series, [0.529, 0.489, 0.437, 0.567, 0.582])
    assert_rising(series[2::-1])
    assert_rising(series[2:4], 0.1)


def test_larger_groups_find_the_exploit_sooner():
    series = [at_end(steps=400, event="reward_hack", beta=0.02, group_size=size) for size in (32, 8, 2)]
    assert_means(series, [0.482, 0.522, 0.643])
    assert_rising(series, 0.02)


def test_offline_pairs_shield_against_the_hack():
    offline = at_end(event="reward_hack", method="dpo", samples_per_prompt=32)
    assert_means([offline], [0.768])
    assert_greater(offline, at_end(event="reward_hack", beta=0.02), 0.12)
    long = [at_step(step, event="reward_hack", method="dpo") for step in (200, 800)]
    assert_means(long, [0.712, 0.661])
    assert_greater(long[0], long[1], 0.03)


# --- the reward model likes length ---


def test_length_bias_makes_answers_long_and_no_better():
    biased = {"event": "length_bias"}
    assert_greater(at_end("response_length", **biased), at_end("response_length"), 75)
    assert at_end("response_length", **biased).mean() == pytest.approx(269.4, abs=0.1)
    assert at_end(**biased).mean() < 0.5


def test_the_right_length_penalty_restores_the_clean_run():
    at = [at_end(event="length_bias", length_penalty=penalty) for penalty in (0, 1, 2, 3, 4)]
    assert_rising(at[:4], 0.05)
    assert_greater(at[3], at[4], 0.05)
    assert np.abs(at[3] - at_end()).max() < 1e-9


def test_a_leash_does_not_cure_length_bias():
    strong = at_end(event="length_bias", beta=2)
    assert 0.48 < strong.mean() < 0.52
    assert_greater(at_end(event="length_bias", length_penalty=3), strong, 0.3)


# --- flipped labels ---


def test_flips_are_outweighed_by_samples_steps_and_rdpo():
    flips = {"event": "label_flips", "method": "dpo"}
    samples = [at_end(**flips, samples_per_prompt=n) for n in (4, 8, 16, 32)]
    assert_means(samples, [0.617, 0.688, 0.722, 0.734])
    assert_rising(samples)
    steps = [at_step(step, **flips, samples_per_prompt=16) for step in (200, 800)]
    assert_means(steps, [0.722, 0.788])
    assert_rising(steps)
    rdpo = at_end(event="label_flips", method="rdpo", label_smoothing=0.3, samples_per_prompt=16)
    assert_means([rdpo], [0.782])
    assert_greater(rdpo, samples[2], 0.05)
    assert_greater(at_end(method="dpo", samples_per_prompt=16), samples[2], 0.06)


def test_cdpo_is_slower_at_equal_steps():
    cdpo = at_end(event="label_flips", method="cdpo", label_smoothing=0.3, samples_per_prompt=16)
    assert_means([cdpo], [0.616])
    assert_greater(at_end(event="label_flips", method="dpo", samples_per_prompt=16), cdpo, 0.09)


def test_at_equal_kl_no_pair_loss_repairs_flipped_labels():
    def win_at_kl(target, **setup):
        history = _run(tuple(sorted({"event": "label_flips", "steps": 800, **setup}.items())), True).history
        win, kl = history["win_rate"], history["kl"]
        return float(np.interp(target, kl.mean(axis=0), win.mean(axis=0)))

    found = [
        win_at_kl(0.6, method="dpo", beta=0.1),
        win_at_kl(0.6, method="dpo", beta=0.5),
        win_at_kl(0.6, method="cdpo", beta=0.02, label_smoothing=0.3),
        win_at_kl(0.6, method="rdpo", beta=0.1, label_smoothing=0.3),
        win_at_kl(0.6, method="ipo", beta=0.05),
    ]
    assert found == pytest.approx([0.646, 0.640, 0.645, 0.642, 0.646], abs=0.004)
