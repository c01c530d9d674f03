"""What a run did, in words."""

from typing import Any

import numpy as np
import pytest

from simulator.engine import parse_setup
from simulator.lab.candidates import words
from simulator.lab.changes import Comparison, changes
from simulator.lab.link import Run
from simulator.runs import forget_runs, visible_run


def at(seed: int = 1, **setup: Any) -> Run:
    return Run(parse_setup(setup), seed)


def comparison(before: Run, after: Run) -> Comparison:
    return words.compare(before, visible_run(before.setup, before.seed), after, visible_run(after.setup, after.seed))


def test_length_penalty_in_words() -> None:
    found = comparison(at(event="length_bias"), at(event="length_bias", length_penalty=2.5))
    assert [(c.label, c.before, c.after) for c in found.changes] == [("length penalty", "0", "2.5")]
    text = " ".join(found.effects)
    assert "up by 0.377, to 0.796" in text and "71 tokens shorter" in text and "own score fell by 2.08" in text
    assert not found.warning


def test_another_seed_is_another_world() -> None:
    found = comparison(at(), at(seed=2))
    assert [c.name for c in found.changes] == ["seed"] and "world" in found.warning


def test_another_event_is_said() -> None:
    assert "event is another" in comparison(at(), at(event="sparse")).warning


def test_settings_that_come_with_a_method_are_not_changes_of_their_own() -> None:
    assert [c.name for c in changes(at(), at(method="dpo"))] == ["method", "beta"]
    assert [c.after for c in changes(at(), at(method="dpo", beta=0.05))] == ["DPO"]


def test_cheaper_runs_say_so() -> None:
    assert "It sampled 6,400 fewer responses." in comparison(at(), at(steps=100)).effects


def test_masses_are_means_over_prompts() -> None:
    finished = visible_run(parse_setup({"event": "reward_hack", "steps": 400}), 1)
    found = {mass.label: mass for mass in words.masses(finished)}
    world, last = finished.world, finished.policy[0, -1]
    assert found["exploit"].after == pytest.approx(np.mean([last[p, world.exploit[0, p]] for p in range(40)]))
    assert found["best answer"].before == pytest.approx(
        np.mean([world.reference_probability[0, p, world.quality[0, p].argmax()] for p in range(40)])
    )
    assert "favorite" in words.mass_sentence(list(found.values()))


def test_sparse_world_has_one_best_answer() -> None:
    labels = [mass.label for mass in words.masses(visible_run(parse_setup({"event": "sparse"}), 1))]
    assert labels == ["best answer", "longest answer"]


def test_rows_of_a_prompt() -> None:
    rows = words.answer_rows(visible_run(parse_setup({"event": "reward_hack", "steps": 400}), 1), 2)
    assert [row.rank for row in rows] == list(range(1, 11))
    assert sorted((row.quality for row in rows), reverse=True) == [row.quality for row in rows]
    assert sum(row.after for row in rows) == pytest.approx(1) and sum(row.before for row in rows) == pytest.approx(1)
    assert "best" in rows[0].tags and sum(row.is_exploit for row in rows) == 1
    assert sorted(tag for row in rows for tag in row.tags) == ["best", "exploit", "favorite", "longest"]
    assert "exploit" in words.prompt_sentence(rows)


def test_runs_are_kept_and_forgotten() -> None:
    setup = parse_setup({"steps": 25})
    first = visible_run(setup, 1)
    # label_smoothing means nothing to GRPO, so it is the same run.
    assert visible_run(setup.replace(label_smoothing=0.2), 1) is first
    assert visible_run(setup, 2) is not first
    forget_runs()
    assert visible_run(setup, 1) is not first
