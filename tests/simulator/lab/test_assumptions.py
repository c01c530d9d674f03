"""What the page of assumptions says about the worlds is measured on them."""

import pytest

from simulator.lab.candidates.assumptions import assumptions, measured


def test_measured_worlds() -> None:
    found = measured()
    assert found["reference_entropy"] == pytest.approx(2.06, abs=0.01)
    assert found["best_agrees"] == pytest.approx(74.6, abs=0.1)
    assert found["exploit_favorite"] == pytest.approx(82.0, abs=0.1)
    assert found["pass_rate"] == pytest.approx(0.099, abs=0.001)


def test_the_methods_with_a_kl_term_are_listed() -> None:
    assert assumptions()["leashed"] == "GRPO, Dr. GRPO, RLOO, REINFORCE, RAFT and Best-of-n"
