"""The claims of the two explaining pages still hold."""

import pytest

from simulator.lab.candidates.assumptions import assumptions, measured
from simulator.lab.evidence import Effect, folklore


@pytest.fixture(scope="module")
def effects() -> dict[str, Effect]:
    return {effect.name: effect for effect in folklore()}


def wins(effect: Effect) -> list[float]:
    return [arm.means[0] for arm in effect.arms]


def test_independent_noise_does_not_over_optimize(effects: dict[str, Effect]) -> None:
    clean, clean_long, hack, hack_long = wins(effects["noise"])
    assert clean_long > clean and hack_long < hack - 0.1
    scores = [arm.means[1] for arm in effects["noise"].arms]
    assert scores[3] > scores[2]


def test_length_penalty_beats_beta(effects: dict[str, Effect]) -> None:
    weak, medium, strong, penalty = wins(effects["length"])
    assert max(weak, medium, strong) < 0.51 and penalty > 0.8


def test_smoothing_and_beta_do_not_repair_flips(effects: dict[str, Effect]) -> None:
    plain, smoothed, strong, more, robust = wins(effects["flips"])
    assert smoothed < plain - 0.05 and strong < plain - 0.05 and more > plain and robust > plain + 0.03


def test_small_groups_win_at_equal_responses(effects: dict[str, Effect]) -> None:
    scarce, large, many_small = wins(effects["groups"])
    assert scarce < large < many_small
    assert effects["groups"].arms[1].texts[-1] == effects["groups"].arms[2].texts[-1]


def test_medium_beta_is_the_worst_against_the_exploit(effects: dict[str, Effect]) -> None:
    none, weak, medium, strong = wins(effects["leash"])
    assert medium < weak < none < strong


def test_measured_worlds() -> None:
    found = measured()
    assert found["reference_entropy"] == pytest.approx(2.06, abs=0.01)
    assert found["best_agrees"] == pytest.approx(74.6, abs=0.1)
    assert found["exploit_favorite"] == pytest.approx(82.0, abs=0.1)
    assert found["pass_rate"] == pytest.approx(0.099, abs=0.001)


def test_the_methods_with_a_kl_term_are_listed() -> None:
    assert assumptions()["leashed"] == "GRPO, Dr. GRPO, RLOO, REINFORCE, RAFT and Best-of-n"
