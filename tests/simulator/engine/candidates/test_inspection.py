"""Looking into a step of the ten-answers world: it is the step that trained, and its pushes are the gradients."""

import time

import numpy as np
import pytest

from simulator.engine import SetupError, parse_setup, simulate
from simulator.engine.candidates.epoch import epochs
from simulator.engine.candidates.events import EVENTS
from simulator.engine.candidates.inspection import (
    candidate_metrics,
    inspect_candidate_step,
    inspect_candidate_steps,
    inspect_epoch,
    step_otherwise,
    step_record,
)
from simulator.engine.candidates.methods import METHODS

STEP = 1e-5
EVERY = [(method, event) for method in METHODS for event in EVENTS]


def _setup(method, event="clean", **values):
    # 13 steps end within an epoch; a length penalty makes signal and score differ.
    return parse_setup({"method": method, "event": event, "steps": 13, "beta": 0.3, "length_penalty": 0.5} | values)


@pytest.mark.parametrize("method", METHODS)
def test_replaying_every_step_gives_the_run_to_the_bit(method):
    setup = _setup(method, "label_flips")
    run = simulate(setup, [7], history=True, policy=True)
    policy = run.policy[0, 0].copy()
    for record in inspect_candidate_steps(setup, 7):
        assert (np.exp(record.log_probs) == policy[record.prompts]).all()
        policy[record.prompts] = np.exp(record.new_log_probs)
        if record.step in run.steps:
            place = int(np.flatnonzero(run.steps == record.step)[0])
            assert (policy == run.policy[0, place]).all()
            for name, values in run.history.items():
                assert record.metrics[name] == values[0, place], name
    assert record.step == 13
    assert record.sampled_responses == run.sampled_responses


@pytest.mark.parametrize(("method", "event"), EVERY)
def test_pushes_are_the_gradient_of_the_objective(method, event):
    for beta in (0.0, 0.3):
        epoch = epochs(_setup(method, event, beta=beta), 5, 3, only_last=True)[0]
        pushes = epoch.rule_pushes + epoch.kl_pushes
        for k in range(10):
            up, down = epoch.logits.copy(), epoch.logits.copy()
            up[k] += STEP
            down[k] -= STEP
            slope = (epoch.objective(up) - epoch.objective(down)) / (2 * STEP)
            assert pushes[k] == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize(("method", "event"), EVERY)
def test_a_step_adds_up(method, event):
    setup = _setup(method, event, group_size=6, samples_per_prompt=12)
    record = inspect_candidate_step(setup, 3, 12)
    epoch = epochs(setup, 3, 3, only_last=True)[0]
    # What was listed one by one is what training counted.
    if epoch.trace.counts is not None:
        assert (epoch.trace.counts == epoch.counts).all()
    # The logits moved by the learning rate times the push.
    assert (record.moved == (epoch.new_logits - epoch.logits)[:, record.prompts].T).all()
    assert record.learning_rate * record.pushes == pytest.approx(record.moved, abs=1e-12)
    # The draws of one answer push together what the answer is pushed, but for what the softmax takes from all.
    by_draw = np.zeros_like(record.pushes)
    for b, draws in enumerate(record.draws):
        np.add.at(by_draw[b], draws, record.draw_pushes[b])
    spread = np.exp(record.log_probs) * by_draw.sum(axis=1, keepdims=True)
    assert record.rule_pushes == pytest.approx(by_draw - spread, abs=1e-12)
    assert record.pushes.sum(axis=1) == pytest.approx(np.zeros(8), abs=1e-12)
    if record.pairs is not None:
        for b, pairs in enumerate(record.pairs):
            differ = record.signal[b][record.draws[b]][:, None] > record.signal[b][record.draws[b]][None, :]
            assert pairs.total == differ.sum()
            if pairs.total:
                assert record.objective[b] == pytest.approx((pairs.number * pairs.value).sum() / pairs.total)
            is_flipped = setup.flip_rate > 0 and not setup.training.online
            assert pairs.flipped.any() <= is_flipped
    if event == "reward_hack":
        assert (record.exploit == simulate(setup, [3]).world.exploit[0][record.prompts]).all()
    assert record.silent.sum() == sum(np.ptp(s[d]) == 0 for s, d in zip(record.signal, record.draws, strict=True))


def test_a_silent_group_moves_nothing_but_the_leash():
    record = inspect_candidate_step(parse_setup({"event": "sparse", "group_size": 2, "beta": 0.4}), 1, 12)
    assert 0 < record.silent.sum() < 8
    assert not record.rule_pushes[record.silent].any()
    assert record.kl_pushes[record.silent].any()
    assert record.rule_pushes[~record.silent].any(axis=1).all()


@pytest.mark.parametrize("method", ["grpo", "dpo"])
def test_one_step_is_the_same_alone_and_among_all(method):
    setup = _setup(method)
    every = list(inspect_candidate_steps(setup, 2))
    found = candidate_metrics(setup, 2)
    for step in (1, 5, 6, 13):
        record = inspect_candidate_step(setup, 2, step)
        assert (record.pushes == every[step - 1].pushes).all()
        assert (record.draws == every[step - 1].draws).all()
        assert record.metrics == every[step - 1].metrics
        assert record.metrics == {name: values[step - 1] for name, values in found.items()}


@pytest.mark.parametrize(
    ("seed", "step", "field"), [(1, 0, "step"), (1, 14, "step"), (-1, 1, "seed"), (2**32, 1, "seed")]
)
def test_what_is_no_step_is_refused(seed, step, field):
    with pytest.raises(SetupError) as error:
        inspect_candidate_step(_setup("grpo"), seed, step)
    assert error.value.field == field


def test_a_late_step_of_the_longest_run_comes_quickly():
    setup = parse_setup({"steps": 800})
    inspect_candidate_step(setup, 1, 800)
    start = time.perf_counter()
    inspect_candidate_step(setup, 1, 799)
    assert time.perf_counter() - start < 0.25  # 25 ms on a quiet core


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("other", METHODS)
def test_another_method_has_the_same_draws(method, other):
    epoch = inspect_epoch(_setup(method, "label_flips"), 7, 11)
    own = step_record(epoch, 11)
    if METHODS[method].online != METHODS[other].online:
        with pytest.raises(SetupError):
            step_otherwise(epoch, 11, epoch.setup.replace(method=other))
        return
    found = step_otherwise(epoch, 11, epoch.setup.replace(method=other))
    assert found.setup.method == other
    assert (found.draws == own.draws).all() and (found.log_probs == own.log_probs).all()
    # The method itself comes out as it trained; any other pushes otherwise.
    assert (found.pushes == own.pushes).all() == (method == other)
    if method == other:
        assert (found.new_log_probs == own.new_log_probs).all()


def test_what_draws_or_pays_otherwise_is_another_step():
    epoch = inspect_epoch(_setup("grpo"), 7, 11)
    for changes in ({"group_size": 9}, {"length_penalty": 0.0}, {"event": "sparse"}):
        with pytest.raises(SetupError):
            step_otherwise(epoch, 11, epoch.setup.replace(**changes))
    own, loose = step_record(epoch, 11), step_otherwise(epoch, 11, epoch.setup.replace(beta=0.0))
    assert (loose.rule_pushes == own.rule_pushes).all() and own.kl_pushes.any() and not loose.kl_pushes.any()
