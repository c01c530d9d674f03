"""Value and gradient of the objective against an independent one, for every combination of choices."""

from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW, TIE, UNCLIPPED

from . import reference
from .batch import BASELINE, CACHE, GAE_LAMBDA, GAMMA, GROUP_SIZE, LENGTHS, LIMIT, VERIFIED, Case, cases, compute

STEP = 1e-30


def derivative(case, i, t):
    """Of the independent objective by one log-probability, by a complex step: exact to rounding."""
    moved = list(case.log_probs[i])
    moved[t] += STEP * 1j
    return reference.share(case, i, moved).imag / STEP


def test_every_combination_has_the_value_and_the_gradient_of_the_formulas(record_property):
    count, worst_value, worst_push = 0, 0.0, 0.0
    for case in cases():
        result = compute(case)
        worst_value = max(worst_value, abs(result.objective - reference.objective(case)))
        summed = sum(float(arrays["weight"] @ arrays["objective"]) for arrays in result.responses)
        assert abs(summed - result.objective) < 1e-14
        for i, arrays in enumerate(result.responses):
            for t, push in enumerate(arrays["push"]):
                worst_push = max(worst_push, abs(push - derivative(case, i, t)))
        count += 1
    record_property("worst error of the objective", float(worst_value))
    record_property("worst error of a push", float(worst_push))
    assert count == 6 * 3 * 4 * 3 * 4 * 3
    assert worst_value < 1e-14, worst_value
    assert worst_push < 1e-14, worst_push


def test_the_batch_has_every_clip_state():
    states = {int(state) for arrays in compute(Case()).responses for state in arrays["clip_state"]}
    assert states == {TIE, UNCLIPPED, CLIPPED_HIGH, CLIPPED_LOW}
    sequence = compute(Case(advantage="none", ratio="sequence"))
    assert CLIPPED_HIGH in {int(state) for arrays in sequence.responses for state in arrays["clip_state"]}


def test_advantages_and_rewards_are_those_of_the_formulas():
    for overlong in ("none", "filter", "soft"):
        for method in ("group_normalized", "group_mean", "leave_one_out", "ema_baseline", "gae", "none"):
            case = Case(advantage=method, overlong=overlong)
            rewards = [
                verified + reference.overlong_reward(overlong, length, cut, LIMIT, CACHE)
                for verified, length, cut in zip(VERIFIED, LENGTHS, case.truncated, strict=True)
            ]
            assert case.rewards == rewards
            expected = reference.advantages_of(
                method, rewards, GROUP_SIZE, BASELINE, case.values, GAMMA, GAE_LAMBDA, LENGTHS
            )
            for row, wanted in zip(case.advantages, expected, strict=True):
                assert max(abs(a - b) for a, b in zip(row, wanted, strict=True)) < 1e-14
