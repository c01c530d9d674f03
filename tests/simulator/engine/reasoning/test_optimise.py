"""Optimisers and schedules, each against its own definition."""

import math

import numpy as np
import pytest

from simulator.engine import parse_setup
from simulator.engine.optimise import OPTIMIZERS, ascend, clip_factor, gradient_norm, learning_rates
from simulator.engine.reasoning.run import Run

GRADIENTS = np.array([[0.3, -2.0, 0.0], [0.1, 0.5, 0.0], [-4.0, 0.0, 0.0]])


def climb(name, rate, factor=1.0):
    parameters, moments = np.zeros(3), np.zeros((2, 3))
    for update, gradient in enumerate(GRADIENTS, start=1):
        ascend(OPTIMIZERS.index(name), parameters, gradient, factor, rate, update, moments[0], moments[1])
    return parameters


def test_adam_is_the_algorithm_of_its_paper():
    expected, first, second = np.zeros(3), np.zeros(3), np.zeros(3)
    for t, gradient in enumerate(0.5 * GRADIENTS, start=1):
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        expected += 0.02 * (first / (1 - 0.9**t)) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)
    assert climb("adam", 0.02, factor=0.5) == pytest.approx(expected, rel=1e-12)
    assert climb("adam", 0.02)[2] == 0.0, "no gradient, no step"


def test_sgd_keeps_nine_tenths_of_its_velocity():
    expected, velocity = np.zeros(3), np.zeros(3)
    for gradient in GRADIENTS:
        velocity = 0.9 * velocity + gradient
        expected += 10.0 * velocity
    assert climb("sgd", 10.0) == pytest.approx(expected)


def test_the_rate_of_prompt_logits_scales_steps_and_not_the_velocity():
    setup = parse_setup({"world": "reasoning", "optimizer": "sgd", "prompt_memory": 0.5, "max_grad_norm": 0})
    run = Run(setup, 0)
    run.train_to(1, measured_from=1)
    moments, logits = run.learner.moments[0], run.learner.logits
    assert np.abs(moments[4:]).max() > 0.0
    # A family's gradient is the sum of its prompts', and so are velocities, if nothing scales them.
    for family in range(4):
        rows = 4 + np.flatnonzero(run.world.family[:32] == family)
        assert moments[rows].sum(axis=0) == pytest.approx(moments[family], abs=1e-15)
        assert logits[rows].sum(axis=0) == pytest.approx(0.5 * logits[family], abs=1e-12)


@pytest.mark.parametrize("norm, limit, factor", [(2.0, 1.0, 0.5), (0.5, 1.0, 1.0), (2.0, 0.0, 1.0), (0.0, 1.0, 1.0)])
def test_long_gradients_are_shortened(norm, limit, factor):
    assert clip_factor(norm, limit) == factor


def test_the_norm_says_when_it_is_not_finite():
    assert gradient_norm(np.array([[3.0, 0.0], [0.0, -4.0]])) == 5.0
    assert not math.isfinite(gradient_norm(np.array([[1.0, np.nan]])))
    assert not math.isfinite(gradient_norm(np.array([[1e200, 1.0]])))


def test_schedules():
    assert learning_rates("constant", 0.3, 0.0, 4) == pytest.approx([0.3] * 4)
    assert learning_rates("linear", 1.0, 0.0, 4) == pytest.approx([1.0, 0.75, 0.5, 0.25])
    assert learning_rates("cosine", 1.0, 0.0, 4) == pytest.approx(
        [(1 + math.cos(math.pi * k / 4)) / 2 for k in range(4)]
    )
    assert learning_rates("linear", 1.0, 0.2, 10) == pytest.approx([0.5, 1.0, *(1 - k / 8 for k in range(8))])
    assert learning_rates("constant", 2.0, 0.3, 10)[:4] == pytest.approx([2 / 3, 4 / 3, 2.0, 2.0])
    with pytest.raises(ValueError, match="sawtooth"):
        learning_rates("sawtooth", 1.0, 0.0, 4)
