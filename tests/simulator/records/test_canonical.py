"""A run's log holds the numbers of the run, reconciles with its formulas, and reads back as it was written."""

import json
import math

import numpy as np
import pytest

from simulator.engine import SetupError, parse_setup, simulate
from simulator.records import RecordError, SimulatedRun, open_canonical, write_canonical

SMALL = {"world": "reasoning", "steps": 10, "prompts_per_step": 4, "group_size": 4, "num_iterations": 2}
RUNS = {
    "grpo": {"algorithm": "grpo", "beta": 0.04, "minibatches": 2},
    "dapo": {"algorithm": "dapo"},
    "masked": {"algorithm": "dapo", "overlong": "filter", "max_completion_length": 6},
    "ppo": {"algorithm": "ppo", "kl": "k3", "beta": 0.05, "kl_in": "reward"},
    "gspo": {"algorithm": "gspo"},
    "dr_grpo": {"algorithm": "dr_grpo"},
    "cispo": {"algorithm": "cispo", "minibatches": 2},
}


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Each run's record and its log, read back."""
    folder, found = tmp_path_factory.mktemp("logs"), {}
    for name, changes in RUNS.items():
        record = SimulatedRun(parse_setup(SMALL | {"learning_rate": 0.1} | changes), 3)
        write_canonical(record, folder / f"{name}.jsonl")
        found[name] = record, open_canonical(folder / f"{name}.jsonl")
    return found


def objective_of(update, hparams, log_probs):
    """J from the log's log-probabilities, rewards and settings alone, and the terms of its tokens."""
    low, high = np.broadcast_to(hparams["clip_eps"], 2)
    every = [response for prompt in update.prompts for response in prompt.responses]
    tokens = sum(response.length for response in every if not response.masked)
    total, terms = 0.0, []
    for response, now in zip(every, log_probs, strict=True):
        old, ref, advantage = (response.numbers[name] for name in ("old_log_probs", "ref_log_probs", "advantages"))
        log_ratio = now - old
        if hparams["importance_ratio"] == "sequence":
            log_ratio = np.full(len(now), log_ratio.mean())
        ratio = np.exp(log_ratio)
        if hparams["clip"] == "cispo":
            bounded = np.minimum(np.exp(response.numbers["log_probs"] - old), 1 + high)
            term = bounded * advantage * now
        else:
            term = np.minimum(ratio * advantage, np.clip(ratio, 1 - low, 1 + high) * advantage)
        if hparams["kl"] == "k3" and hparams["kl_in"] == "loss":
            term = term - hparams["kl_coef"] * (np.exp(ref - now) - (ref - now) - 1)
        divisor = {
            "per_response": len(every) * response.length,
            "per_token": tokens,
            "constant": len(every) * hparams["max_completion_length"],
        }[hparams["aggregation"]]
        terms.append((ratio, term))
        total += 0.0 if response.masked else term.sum() / divisor
    return total, terms


@pytest.mark.parametrize("name", RUNS)
def test_the_log_reconciles(logs, name):
    _, log = logs[name]
    clipped = 0
    for update in log.updates():
        every = [response for prompt in update.prompts for response in prompt.responses]
        log_probs = [response.numbers["log_probs"] for response in every]
        total, terms = objective_of(update, log.header.hparams, log_probs)
        assert update.metrics["policy_objective"] == pytest.approx(total, abs=1e-9)
        weighed = sum((r.numbers["weight"] * r.numbers["token_objective"]).sum() for r in every)
        assert weighed == pytest.approx(total, abs=1e-9)
        for response, (ratio, term) in zip(every, terms, strict=True):
            assert response.numbers["ratio"] == pytest.approx(ratio, abs=1e-9)
            assert response.numbers["token_objective"] == pytest.approx(term, abs=1e-9)
            # Where no KL is charged, the log has k3 all the same.
            if log.header.hparams["kl"] in ("k3", "none") and log.header.hparams["kl_in"] == "loss":
                gap = response.numbers["ref_log_probs"] - response.numbers["log_probs"]
                assert response.numbers["token_kl"] == pytest.approx(np.exp(gap) - gap - 1, abs=1e-9)
            clipped += (response.numbers["clip_state"] >= 2).sum()
    assert clipped, "a run whose clip does nothing shows nothing about it"


@pytest.mark.parametrize("name", ["grpo", "masked", "gspo", "dr_grpo"])
def test_advantages_follow_from_the_rewards_of_the_group(logs, name):
    _, log = logs[name]
    for update in log.updates():
        for prompt in update.prompts:
            rewards = np.array([response.reward for response in prompt.responses])
            expected = rewards - rewards.mean()
            if log.header.hparams["advantage"] == "group_normalized":
                expected = expected / (rewards.std(ddof=1) + 1e-6)
            assert [response.advantage for response in prompt.responses] == pytest.approx(expected, abs=1e-9)


def test_advantages_of_the_critic_follow_from_its_values(logs):
    _, log = logs["ppo"]
    gamma, decay = log.header.hparams["gamma"], log.header.hparams["gae_lambda"]
    for response in (r for update in log.updates() for prompt in update.prompts for r in prompt.responses):
        values, rewards = response.numbers["values"], response.numbers["rewards"]
        errors = rewards + gamma * np.append(values[1:], 0.0) - values
        for t in range(response.length):
            expected = sum(error * (gamma * decay) ** k for k, error in enumerate(errors[t:]))
            assert response.numbers["advantages"][t] == pytest.approx(expected, abs=1e-9)
            assert response.numbers["returns"][t] == pytest.approx(expected + values[t], abs=1e-9)
        assert rewards.sum() == pytest.approx(response.reward, abs=1e-9)


@pytest.mark.parametrize("name", RUNS)
def test_push_is_the_derivative_of_the_objective(logs, name):
    record, log = logs[name]
    update = record.update(3)
    every = [response for prompt in update.prompts for response in prompt.responses]
    log_probs = [response.numbers["log_probs"] for response in every]
    for i, response in enumerate(every[:6]):
        for t in range(response.length):
            sides = []
            for move in (1e-6, -1e-6):
                moved = [values.copy() for values in log_probs]
                moved[i][t] += move
                sides.append(objective_of(update, log.header.hparams, moved)[0])
            assert response.numbers["push"][t] == pytest.approx((sides[0] - sides[1]) / 2e-6, abs=1e-8)


def assert_same(mine, theirs, *, is_charged=True):
    assert (mine.step, mine.is_first, mine.sampled_at, mine.epoch) == (
        theirs.step,
        theirs.is_first,
        theirs.sampled_at,
        theirs.epoch,
    )
    assert mine.metrics == pytest.approx(theirs.metrics, abs=0, nan_ok=True)
    for one, other in zip(mine.prompts, theirs.prompts, strict=True):
        assert one.text == other.text
        for a, b in zip(one.responses, other.responses, strict=True):
            for field in ("id", "reward", "text", "length", "ids", "strings", "correct", "truncated", "masked"):
                assert getattr(a, field) == getattr(b, field)
            assert a.advantage == pytest.approx(b.advantage, abs=0, nan_ok=True)
            assert a.numbers.keys() == b.numbers.keys()
            for name in a.numbers.keys() - ({"token_kl"} if not is_charged else set()):
                assert np.array_equal(a.numbers[name], b.numbers[name], equal_nan=True)


@pytest.mark.parametrize("name", ["grpo", "masked", "ppo"])
def test_it_reads_back_as_it_was_written(logs, name, tmp_path):
    record, log = logs[name]
    write_canonical(record, tmp_path / "run.json")
    for again in (log, open_canonical(tmp_path / "run.json")):
        assert again.header == record.header
        for mine, theirs in zip(record.updates(), again.updates(), strict=True):
            assert_same(mine, theirs, is_charged=record.header.hparams["kl"] != "none")
        assert_same(again.update(5), record.update(5), is_charged=record.header.hparams["kl"] != "none")
        with pytest.raises(LookupError):
            again.update(1000)


def test_it_is_the_run(logs):
    record, log = logs["grpo"]
    history = simulate(record.setup, [3], history=True).history
    first = [update for update in log.updates() if update.is_first]
    assert len(first) == 10 and log.header.total_steps == 40
    for name in ("reward", "entropy", "kl", "response_length"):
        assert [update.metrics[name] for update in first] == history[name][0].tolist()
    steps, rewards = log.metrics()["reward"]
    assert steps == list(range(40)) and rewards[::4] == history["reward"][0].tolist()
    update = log.update(6)
    assert (update.sampled_at, update.epoch, update.epochs, len(update.prompts)) == (4, 2, 2, 2)
    assert any(r.masked for u in logs["masked"][1].updates() for p in u.prompts for r in p.responses)


def test_the_names_are_those_of_the_format(logs, tmp_path):
    write_canonical(logs["ppo"][0], tmp_path / "run.json")
    log = json.loads((tmp_path / "run.json").read_text(), parse_constant=pytest.fail)
    names = {"task", "dataset", "reward_strategy", "algorithm", "totalSteps", "model_name", "reference_model_name"}
    assert log.keys() == {"header", "entries"} and log["header"].keys() == names | {"hparams"}
    assert {"gamma", "clip_eps", "kl_coef", "learning_rate", "group_size"} <= log["header"]["hparams"].keys()
    entry = log["entries"][0]
    assert entry.keys() == {"step", "is_first_step_after_rollout_phase", "metrics", "batch", "prompts"}
    assert {"policy_objective", "policy_loss", "reward", "reward_std", "kl", "clip_fraction"} <= entry["metrics"].keys()
    response = entry["prompts"][0]["responses"][0]
    assert {"id", "reward", "advantage", "response_text", "response_length", "tokens"} <= response.keys()
    numbers = {"log_probs", "old_log_probs", "ref_log_probs", "values", "advantages", "returns", "rewards"}
    ours = {"ratio", "clip_state", "weight", "push"}
    assert response["tokens"].keys() == numbers | ours | {"ids", "strings", "token_kl", "token_objective"}
    assert {len(values) for values in response["tokens"].values()} == {response["response_length"]}


def test_a_run_that_diverged_ends_early(tmp_path):
    changes = {"optimizer": "sgd", "learning_rate": 100, "max_grad_norm": 5, "algorithm": "grpo", "num_iterations": 4}
    setup = parse_setup({"world": "reasoning", "steps": 20} | changes)
    assert simulate(setup, [0]).diverged_at[0] > 1
    record = SimulatedRun(setup, 0)
    written = write_canonical(record, tmp_path / "run.jsonl")
    assert 0 < written < record.header.total_steps
    assert len(list(open_canonical(tmp_path / "run.jsonl").updates())) == written


def test_answers_chosen_whole_have_no_tokens():
    with pytest.raises(SetupError, match="whole"):
        SimulatedRun(parse_setup({}), 0)


def test_logs_of_other_programs(tmp_path):
    path = tmp_path / "x"
    responses = [{"reward": None, "tokens": {"strings": ["a", "b"], "prob": [0.5, 0]}}]
    blueprint = {"prompts": [{"prompt": "p", "responses": responses}]}
    log = {"header": {"algorithm": "GRPO"}, "blueprint": blueprint, "entries": [{"step": 0}, {"step": 5}]}
    path.write_text(json.dumps(log))
    update = open_canonical(path).update(5)
    (response,) = update.prompts[0].responses
    assert math.isnan(response.reward) and not update.is_first and response.length == 2
    assert response.numbers["log_probs"] == pytest.approx([math.log(0.5), math.nan], nan_ok=True)


HEAD = '{"type": "header", "algorithm": "grpo"}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x"),
        ("[1]", "x: must be an object"),
        ("{}", "x, line 1, algorithm: must be there"),
        ('{"header": {\n"a": 1 // note\n}}', "x, line 2, column 8: not valid JSON"),
        ('{"header": {"algorithm": "a"}, "entries": 3}', "x: a log is an object"),
        ('{"header": {"algorithm": 3}, "entries": []}', "x, header, algorithm: must be a text"),
        (HEAD + "{", "x, line 2, column 2: not valid JSON"),
        (HEAD + "\n3", "x, line 3: must be an object"),
        (HEAD + '{"step": NaN}', "x, line 2: NaN is not a JSON number"),
        (HEAD + "[" * 100_000, "x, line 2: not valid JSON"),
        (HEAD + '{"step": ' + "9" * 5000 + "}", "x, line 2: not valid JSON"),
        (HEAD + '{"metrics": {}}', "x, line 2, step: must be there"),
        (HEAD + '{"step": true}', "x, line 2, step: must be a whole number"),
        (HEAD + '{"step": 1}\n{"step": 1}', "x, line 3, step: must be larger than 1"),
        (HEAD + '{"step": 1, "metrics": {"kl": "0"}}', "x, line 2, metrics.kl: must be a number"),
        (HEAD + '{"step": 1, "metrics": {"kl": 1e999}}', "x, line 2, metrics.kl: must be a number"),
        (HEAD + '{"step": 1, "prompts": [{"responses": {}}]}', "x, line 2, prompts[0], responses: must be an array"),
        (
            HEAD + '{"step": 1, "prompts": [{"responses": [{"tokens": {"ids": [1], "ratio": [1, 2]}}]}]}',
            "x, line 2, prompts[0].responses[0].tokens: the arrays must be equally long",
        ),
        (HEAD + '{"step": "\xff"}', "x, line 2: not UTF-8 text"),
        (HEAD + '{"step": 1, "prompts": [{"prompt": "\\uD800"}]}', "x, line 2: not UTF-8 text"),
    ],
    ids=range(20),
)
def test_what_is_wrong_and_where(text, message, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(RecordError) as refused:
        list(open_canonical(path).updates())
    assert str(refused.value).startswith(message) and len(str(refused.value)) < 200


def test_sizes_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("simulator.records.reading.MAX_LINE_BYTES", 60)
    monkeypatch.setattr("simulator.records.reading.MAX_JSON_BYTES", 80)
    path = tmp_path / "x"
    path.write_text(HEAD + '{"step": 1, "note": "' + "a" * 60 + '"}')
    with pytest.raises(RecordError, match="line 2: must not be longer"):
        list(open_canonical(path).updates())
    path.write_text('{"header": {"algorithm": "a"},\n "entries": [' + " " * 80 + "]}")
    with pytest.raises(RecordError, match="must not be larger"):
        open_canonical(path)
    with pytest.raises(RecordError, match="cannot be read"):
        open_canonical(tmp_path / "none")


def test_a_log_is_whole_or_not_there(logs, tmp_path):
    def stop(written):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_canonical(logs["grpo"][0], tmp_path / "run.json", stop)
    assert list(tmp_path.iterdir()) == []
