"""Runs that are looked at are kept, within bounds, and long ones are trained a little at a time."""

import numpy as np
import pytest
from django.core.cache import caches

from simulator import runs
from simulator.engine import parse_setup, simulate
from simulator.kept import Kept, size_of

SETUP = parse_setup({"world": "reasoning", "steps": 25})


@pytest.fixture(autouse=True)
def nothing_kept():
    runs.forget_runs()
    yield
    runs.forget_runs()


def test_the_oldest_goes_when_room_is_short():
    kept = Kept[np.ndarray](1000)
    for key in "abc":
        kept.put(key, np.zeros(50))
    assert kept.get("a") is None and kept.get("b") is not None and kept.bytes == 800
    kept.put("c", np.zeros(25))
    kept.put("d", np.zeros(50))
    assert kept.bytes == 1000 and kept.get("b") is not None
    kept.put("too large", np.zeros(126))
    assert kept.get("too large") is None and kept.bytes == 1000


def test_a_run_of_either_world_has_a_size():
    candidates = simulate(parse_setup({"steps": 100}), [1], history=True, policy=True)
    assert size_of(candidates) > candidates.policy.nbytes
    reasoning = simulate(SETUP, [1], history=True)
    assert size_of(reasoning) > len(reasoning.history) * reasoning.history["kl"].nbytes


def test_whoever_is_asked_next_goes_on_where_the_last_one_stopped(monkeypatch):
    monkeypatch.setattr(runs, "AT_A_TIME", 0.0)
    seen = []
    while (progress := runs.train_for_a_while([(SETUP, 1)])) is not None:
        seen.append((progress.done, progress.steps))
        runs._runs.clear()  # another process has not seen the run
    assert seen == [(0, 25), (5, 25), (10, 25), (15, 25), (20, 25)]
    found = runs.visible_run(SETUP, 1)
    assert found.final == simulate(SETUP, [1]).final


def test_two_runs_are_one_progress(monkeypatch):
    monkeypatch.setattr(runs, "AT_A_TIME", 0.0)
    pair = [(SETUP, 1), (parse_setup({"steps": 50}), 1), (SETUP, 2)]
    seen = []
    while (progress := runs.train_for_a_while(pair)) is not None:
        seen.append(progress.done)
    assert seen == sorted(seen) and seen[-1] < 50


def test_a_short_run_leaves_no_file():
    assert runs.train_for_a_while([(SETUP, 1)]) is None
    assert caches["runs"].get(f"{SETUP.run_hash}-1") is None


def test_without_a_place_to_keep_it_a_run_is_trained_to_its_end(monkeypatch):
    def refuse(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(runs, "AT_A_TIME", 0.0)
    monkeypatch.setattr(caches["runs"], "set", refuse)
    assert runs.train_for_a_while([(SETUP, 1)]) is None


def test_a_step_is_inspected_once():
    first = runs.visible_step(SETUP, 1, 22)
    assert runs.visible_step(SETUP, 1, 22) is first and first.step == 22
