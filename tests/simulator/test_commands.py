"""The commands that run a setup and measure the engine."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from simulator.engine import parse_setup, simulate
from simulator.management.commands import benchmark

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs ``simulate`` with a setup and returns ``(exit status, stdout, stderr)``."""

    def call(setup, *arguments):
        text = setup if isinstance(setup, str) else json.dumps(setup)
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        out, err = io.StringIO(), io.StringIO()
        try:
            call_command("simulate", *(arguments or ("-",)), stdout=out, stderr=err)
        except SystemExit as stopped:
            # Arguments are parsed before the command's own streams are set.
            return stopped.code, out.getvalue(), err.getvalue() + capsys.readouterr().err
        return 0, out.getvalue(), err.getvalue()

    return call


def test_one_object_and_nothing_else(run):
    status, out, err = run({"steps": 12, "method": "dpo"}, "-", "--seeds", "3,5-6")
    assert (status, err) == (0, "")
    result = json.loads(out)
    expected = simulate(parse_setup({"steps": 12, "method": "dpo"}), [3, 5, 6])
    assert list(result) == ["engine_version", "setup", "seeds", "sampled_responses", "final"]
    assert result["engine_version"] == "1.0"
    assert parse_setup(result["setup"]) == expected.setup
    assert len(result["setup"]) == 10
    assert result["seeds"] == [3, 5, 6]
    assert result["sampled_responses"] == [320, 320, 320]
    assert result["final"] == {name: values.tolist() for name, values in expected.final.items()}
    assert list(result["final"]) == ["win_rate", "quality", "reward_model_score", "kl", "entropy", "response_length"]


def test_history_starts_after_step_zero(run):
    _, out, _ = run({"steps": 12}, "-", "--seeds=0-1", "--history")
    result = json.loads(out)
    assert [entry["step"] for entry in result["history"]] == [5, 10, 12]
    assert result["history"][-1]["metrics"].keys() == result["final"].keys()
    assert result["history"][-1]["metrics"]["kl"] == pytest.approx(result["final"]["kl"], abs=1e-12)


def test_a_run_of_the_token_world(run):
    setup = {"world": "reasoning", "algorithm": "dapo", "steps": 12}
    status, out, err = run(setup, "-", "--seeds", "4,0")
    assert (status, err) == (0, "")
    result = json.loads(out)
    expected = simulate(parse_setup(setup), [4, 0])
    assert list(result) == ["engine_version", "setup", "seeds", "sampled_responses", "final", "diverged_at"]
    assert parse_setup(result["setup"]) == expected.setup
    assert (result["seeds"], result["diverged_at"]) == ([4, 0], [0, 0])
    assert result["sampled_responses"] == expected.sampled_responses.tolist()
    assert result["final"] == {name: values.tolist() for name, values in expected.final.items()}
    assert {"train_accuracy", "held_out_accuracy", "wrong_response_length", "pass_at_256"} <= result["final"].keys()


def test_history_of_the_token_world(run):
    _, out, _ = run({"world": "reasoning", "steps": 12}, "-", "--seeds=0-1", "--history")
    result = json.loads(out)
    assert [entry["step"] for entry in result["history"]] == list(range(1, 13))
    assert [entry["step"] for entry in result["evaluations"]] == [0, 5, 10, 12]
    assert result["evaluations"][-1]["metrics"] == {
        name: values for name, values in result["final"].items() if name not in ("entropy", "kl")
    }
    assert list(result["history"][0]["metrics"])[:4] == ["reward", "accuracy", "reward_std", "frac_zero_std"]
    assert result["history"][-1]["metrics"]["sampled"] == [768, 768]


def test_what_is_no_number_is_null(run):
    setup = {"world": "reasoning", "algorithm": "grpo", "optimizer": "sgd", "learning_rate": 100, "max_grad_norm": 5}
    _, out, _ = run(setup, "-", "--seeds=0", "--history")
    result = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    diverged = result["diverged_at"][0]
    assert diverged > 1
    assert result["history"][diverged]["metrics"]["ratio_dev"] == [None]
    assert None not in result["final"]["train_accuracy"]


def test_a_log_beside_the_numbers(run, tmp_path):
    setup, path = {"world": "reasoning", "steps": 10, "prompts_per_step": 2, "group_size": 2}, tmp_path / "run.jsonl"
    status, out, err = run(setup, "-", "--canonical", str(path))
    assert (status, json.loads(out)["seeds"]) == (0, [0])
    assert err.splitlines()[-1] == "run.jsonl: 40 of 40 updates" and len(err.splitlines()) == 10
    assert len(path.read_text().splitlines()) == 1 + 40 and list(tmp_path.iterdir()) == [path]
    path.write_text("kept")
    status, out, err = run(setup, "-", "--canonical", str(path))
    assert (status, out, json.loads(err)["error"]["field"], path.read_text()) == (2, "", "canonical", "kept")
    assert run(setup, "-", "--canonical", str(path), "--force")[0] == 0
    assert len(path.read_text().splitlines()) == 1 + 40


def test_a_log_of_answers(run, tmp_path):
    path = tmp_path / "run.json"
    status, _, err = run({"method": "dpo", "steps": 6}, "-", "--canonical", str(path))
    assert (status, err.splitlines()[-1]) == (0, "run.json: 6 of 6 updates")
    log = json.loads(path.read_text())
    assert log["header"]["algorithm"] == "dpo" and len(log["entries"]) == 6
    responses = [response for prompt in log["entries"][5]["prompts"] for response in prompt["responses"]]
    assert len(responses) == 64 and {response["response_length"] for response in responses} == {1}


def test_a_setup_from_a_file(run, tmp_path):
    path = tmp_path / "setup.json"
    path.write_text('{"steps": 5}')
    status, out, _ = run("", str(path))
    assert status == 0
    assert json.loads(out)["seeds"] == [0]


@pytest.mark.parametrize(
    ("setup", "arguments", "field"),
    [
        ({"group_size": 0}, ("-",), "group_size"),
        ({"colour": 1}, ("-",), "colour"),
        ({"world": "moon"}, ("-",), "world"),
        ({"world": "reasoning", "group_size": 33}, ("-",), "group_size"),
        ({"world": "reasoning", "prompts_per_step": 6, "minibatches": 4}, ("-",), "minibatches"),
        ({"world": "reasoning", "dynamic_sampling": 1}, ("-",), "dynamic_sampling"),
        ({"world": "reasoning", "event": "clean"}, ("-",), "event"),
        ("[1]", ("-",), "setup"),
        ("null", ("-",), "setup"),
        ("", ("-",), "setup"),
        ("{", ("-",), "setup"),
        ("{'steps': 5}", ("-",), "setup"),
        ('{"beta": NaN}', ("-",), "setup"),
        ('{"beta": -Infinity}', ("-",), "setup"),
        ('{"beta": 1e999}', ("-",), "beta"),
        ('{"steps": 5, "steps": 6}', ("-",), "steps"),
        ('{"steps": ' + "9" * 5000 + "}", ("-",), "setup"),
        ("[" * 100_000, ("-",), "setup"),
        ({}, ("no/such/file.json",), "setup"),
        ({}, (".",), "setup"),
        ({}, ("-", "--seeds", "x"), "seeds"),
        ({}, ("-", "--seeds", ""), "seeds"),
        ({}, ("-", "--seeds", "3,"), "seeds"),
        ({}, ("-", "--seeds", "-1"), "seeds"),
        ({}, ("-", "--seeds", "7-0"), "seeds"),
        ({}, ("-", "--seeds", "1.5"), "seeds"),
        ({}, ("-", "--seeds", "٣"), "seeds"),
        ({}, ("-", "--seeds", "4294967296"), "seeds"),
        ({}, ("-", "--seeds", "0-4096"), "seeds"),
        ({}, ("-", "--seeds", "0-4000000000"), "seeds"),
        ({}, ("-", "--seeds"), "seeds"),
        ({}, ("-", "--graph", "run.svg"), "arguments"),
        ({"world": "reasoning"}, ("-", "--canonical", "run.jsonl", "--seeds", "0-1"), "seeds"),
        ({"world": "reasoning"}, ("-", "--canonical", "run.csv"), "canonical"),
        ({"world": "reasoning"}, ("-", "--canonical", "no/such/run.json"), "canonical"),
        ({"world": "reasoning"}, ("-", "--canonical", "manage.py/run.json"), "canonical"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_refusals_are_one_line_of_json_and_status_2(run, setup, arguments, field):
    status, out, err = run(setup, *arguments)
    assert (status, out) == (2, "")
    assert err.endswith("\n") and err.count("\n") == 1
    error = json.loads(err)["error"]
    assert error["field"] == field
    assert error["message"].endswith(".")
    assert len(error["message"]) < 200


def test_a_file_that_is_not_text(run, tmp_path):
    path = tmp_path / "setup.json"
    path.write_bytes(b"\xff\xfe\x00")
    status, _, err = run("", str(path))
    assert (status, json.loads(err)["error"]["field"]) == (2, "setup")


def test_from_a_shell():
    def shell(text):
        return subprocess.run(
            [sys.executable, "manage.py", "simulate", "-", "--seeds", "0-1"],
            cwd=ROOT,
            input=text,
            capture_output=True,
            text=True,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        )

    good, bad = shell('{"steps": 5}'), shell('{"steps": 0}')
    assert (good.returncode, bad.returncode, bad.stdout) == (0, 2, "")
    assert json.loads(good.stdout)["seeds"] == [0, 1]
    assert json.loads(bad.stderr) == {
        "error": {"field": "steps", "message": "Steps must be a whole number from 1 to 800."}
    }


def test_benchmark_prints_a_line_per_case(monkeypatch):
    def run():
        return simulate(parse_setup({"steps": 5}), [0])

    monkeypatch.setattr(benchmark, "cases", lambda: [benchmark.Case(benchmark.COMPARED_WITH, run)] * 2)
    out = io.StringIO()
    call_command("benchmark", "--repeats", "2", stdout=out)
    header, first, second = out.getvalue().splitlines()
    assert header.split()[-3:] == ["wall", "CPU", "ratio"]
    wall, cpu, ratio = (float(word) for word in first.split()[-3:])
    assert first.startswith("graded submission")
    assert 0 < wall < 1000 and 0 <= cpu < 1000 and ratio == 1.0
    assert float(second.split()[-1]) > 0


def test_benchmark_cases_run():
    everyday = benchmark.candidate_cases()[:7]
    tokens = [case for case in benchmark.token_cases() if "32 graded" not in case.name or "GSPO" in case.name]
    timings = list(benchmark.measure([*everyday, *tokens], 1))
    assert len(timings) == 13 and all(timing.wall > 0 and timing.cpu > 0 for timing in timings)
