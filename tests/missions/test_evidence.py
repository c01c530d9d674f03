"""What texts claim is what the engine measures, once, and in the form the prose needs."""

import numpy as np
import pytest

from missions import evidence
from missions.definition import definition_from
from missions.evidence import (
    EVIDENCE_SEEDS,
    Measurements,
    evidence_key,
    measure,
    number_text,
    paragraphs,
    render,
    setups_measured,
)
from missions.loading import read_catalogue
from simulator.engine import parse_setup, simulate
from simulator.interval import Interval
from simulator.worlds import WORLDS

METRICS = WORLDS["candidates"].metrics
MISSIONS = {entry.definition.slug: entry.definition for entry in read_catalogue()}
SEEDS = (1, 2, 3)


@pytest.mark.parametrize("method", ["grpo", "rdpo"])
def test_steps_read_off_a_longer_run_are_the_steps_of_a_shorter_one(method: str) -> None:
    setups = [parse_setup({"method": method, "steps": steps, "flip_rate": 0.1}) for steps in (5, 20, 57, 60, 65)]
    shared = Measurements(setups, SEEDS)
    for setup in setups:
        alone = simulate(setup, SEEDS).final
        for metric in METRICS:
            np.testing.assert_array_equal(shared.of(setup)[metric], alone[metric])


def test_a_run_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []
    monkeypatch.setattr(evidence, "simulate", lambda *args, **options: ran.append(args) or simulate(*args, **options))
    setups = [parse_setup({"steps": steps}) for steps in (5, 10, 15, 20)]
    runs = Measurements(setups, SEEDS)
    for setup in (*setups, *setups, setups[0].replace(samples_per_prompt=4)):
        runs.of(setup)
    assert [setup.steps for setup, _ in ran] == [20]


def test_evidence_is_the_mean_over_its_own_seeds_with_the_interval() -> None:
    definition = MISSIONS["silent-groups"]
    found = measure(definition)
    row = found["tables"]["groups"]["rows"][0]
    values = simulate(definition.start.replace(group_size=2), EVIDENCE_SEEDS).final["win_rate"]
    expected = Interval.of(values)
    assert row["label"] == "2" and row["value"] == 2 and row["sampled_responses"] == 1_600
    assert row["metrics"]["win_rate"]["mean"] == pytest.approx(expected.mean, abs=1e-6)
    assert row["metrics"]["win_rate"]["half_width"] == pytest.approx(expected.half_width, abs=1e-6)
    assert set(row["metrics"]) == set(METRICS)
    assert found["start"]["metrics"]["win_rate"]["mean"] == row["metrics"]["win_rate"]["mean"]
    text = render("From {win_rate@start} to {win_rate@groups:32}.", found, definition.world)
    assert (
        text
        == f"From {expected.mean:.3f} to {found['tables']['groups']['rows'][-1]['metrics']['win_rate']['mean']:.3f}."
    )
    assert "{" not in render(definition.symptom + definition.debrief, found, definition.world)


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("win_rate", 0.68349, "0.683"),
        ("quality", -0.068, "−0.07"),
        ("quality", -0.0004, "0.00"),
        ("kl", 1.9649, "1.96"),
        ("response_length", 268.6, "269"),
        ("sampled_responses", 12_800, "12,800"),
    ],
)
def test_numbers_are_written_as_the_prose_writes_them(metric: str, value: float, text: str) -> None:
    assert number_text(WORLDS["candidates"], metric, value) == text


def stored(mean: float) -> dict:
    row = {"label": "40", "sampled_responses": 6_400, "metrics": {"win_rate": {"mean": mean, "half_width": 0.01}}}
    return {"start": row, "tables": {"steps": {"rows": [row]}}}


def test_text_that_is_filled_in_is_not_read_again() -> None:
    text = "{win_rate@steps:40} of {sampled_responses@start}, 100% {0} %s \\1"
    assert render(text, stored(0.5), WORLDS["candidates"]) == "0.500 of 6,400, 100% {0} %s \\1"


def test_a_missing_number_is_an_error_not_a_gap() -> None:
    for text in ("{win_rate@steps:41}", "{win_rate@beta:40}", "{kl@start}"):
        with pytest.raises(LookupError):
            render(text, stored(0.5), WORLDS["candidates"])


def test_paragraphs_end_at_blank_lines() -> None:
    assert paragraphs("\nOne\nline.\n \n\nTwo.\n") == ["One line.", "Two."]


def test_the_key_follows_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = MISSIONS["stop-while-you-are-ahead"]
    before = evidence_key(definition)
    same = definition_from({**definition.source, "story": "Another story.", "revision": 2})
    assert evidence_key(same) == before
    tables = [{**definition.source["evidence"][0], "values": [25, 400, 100, 800]}, *definition.source["evidence"][1:]]
    assert evidence_key(definition_from({**definition.source, "evidence": tables, "debrief": "None."})) != before
    monkeypatch.setattr(evidence, "ENGINE_VERSION", "another")
    assert evidence_key(definition) != before


def test_missions_announce_every_setup_they_show() -> None:
    definition = MISSIONS["offline-shield"]
    assert len(setups_measured(definition)) == 1 + sum(len(table.rows) for table in definition.evidence)
    assert definition.start in setups_measured(definition)
