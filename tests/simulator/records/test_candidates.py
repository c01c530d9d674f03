"""A run of the ten-answers world as a record and as a log: the objective comes out of the log's own numbers."""

import numpy as np
import pytest

from simulator.engine import parse_setup, simulate
from simulator.engine.candidates.methods import METHODS
from simulator.records import CandidateRun, open_canonical, record_of, write_canonical


def log_sigmoid(x):
    return -np.logaddexp(0, -x)


def pair_objective(responses, method, beta, smoothing):
    """The mean over the pairs of one prompt, from its draws' rewards and log-probabilities."""
    gain = [float((one.numbers["log_probs"] - one.numbers["ref_log_probs"])[0]) for one in responses]
    values = []
    for i, first in enumerate(responses):
        for j, second in enumerate(responses[:i]):
            if first.reward == second.reward:
                continue
            x = gain[i] - gain[j] if first.reward > second.reward else gain[j] - gain[i]
            right, wrong = log_sigmoid(beta * x) / beta, log_sigmoid(-beta * x) / beta
            values.append(
                {
                    "cdpo": (1 - smoothing) * right + smoothing * wrong,
                    "rdpo": ((1 - smoothing) * right - smoothing * wrong) / (1 - 2 * smoothing),
                    "ipo": -0.5 * beta * (x - 0.5 / beta) ** 2,
                }.get(method, right)
            )
    return np.mean(values) if values else 0.0


@pytest.mark.parametrize("method", METHODS)
def test_a_log_reads_back_and_gives_the_objective(method, tmp_path):
    setup = parse_setup({"method": method, "steps": 8, "beta": 0.2})
    record = record_of(setup, 4)
    assert isinstance(record, CandidateRun)
    assert write_canonical(record, tmp_path / "run.jsonl") == 8
    log = open_canonical(tmp_path / "run.jsonl")
    assert log.header == record.header
    assert log.steps() == record.steps()
    for update in log.updates():
        ours = record.update(update.step)
        assert update.metrics == ours.metrics
        assert (update.is_first, update.sampled_at, update.epoch, update.epochs) == (
            *(ours.is_first, ours.sampled_at, ours.epoch, ours.epochs),
        )
        objective = 0.0
        for prompt, own in zip(update.prompts, ours.prompts, strict=True):
            assert [one.text for one in prompt.responses] == [one.text for one in own.responses]
            numbers = [one.numbers for one in prompt.responses]
            if setup.training.leash:
                terms = [one["weight"] * one.get("advantages", 1.0) * one["log_probs"] for one in numbers]
                objective += float(np.sum(terms))
            else:
                objective += pair_objective(prompt.responses, method, 0.2, setup.label_smoothing)
        objective -= log.header.hparams["kl_coef"] * update.metrics["policy_kl"]
        assert objective == pytest.approx(update.metrics["policy_objective"], abs=1e-9)


@pytest.mark.parametrize("method", ["grpo", "dpo"])
def test_metrics_are_those_of_the_run(method):
    setup = parse_setup({"method": method, "steps": 12})
    record, run = record_of(setup, 9), simulate(setup, [9], history=True)
    found = record.metrics()
    for name, values in run.history.items():
        steps, ours = found[name]
        assert steps == list(range(12))
        assert [ours[step - 1] for step in run.steps[1:]] == values[0, 1:].tolist()
    # What every update has, all updates have.
    last = record.update(11).metrics
    assert {name: values[-1] for name, (_, values) in found.items()} == {name: last[name] for name in found}


def test_there_is_no_update_beyond_the_last():
    record = record_of(parse_setup({"steps": 3}), 1)
    assert record.update(2).step == 2
    for step in (-1, 3):
        with pytest.raises(LookupError):
            record.update(step)


def test_a_verifier_says_what_is_right():
    update = record_of(parse_setup({"event": "sparse"}), 1).update(0)
    responses = [one for prompt in update.prompts for one in prompt.responses]
    assert {one.correct for one in responses} == {True, False}
    assert all(one.reward == one.correct for one in responses)
    assert record_of(parse_setup({}), 1).update(0).prompts[0].responses[0].correct is None
