"""The ten answers as bars."""

import itertools
from typing import Any

import numpy as np
import pytest

from simulator.charts.bars import LABEL_HEIGHT, MOST_FRAMES, best_first, prompt_bars, rank_bars
from simulator.engine import Simulation, parse_setup, simulate
from simulator.engine.candidates.events import EVENTS


def run(policy: bool = True, **setup: Any) -> Simulation:
    return simulate(parse_setup(setup), [1], history=True, policy=policy)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("steps", [1, 3, 200])
def test_bars_hold_all_probability(event: str, steps: int) -> None:
    simulation = run(event=event, steps=steps)
    for chart in (rank_bars(simulation), prompt_bars(simulation, 39)):
        assert chart.reference.sum() == pytest.approx(1)
        assert chart.frames.sum(axis=-1) == pytest.approx(1)
        assert chart.frames[0] == pytest.approx(chart.reference)
        assert (chart.values == chart.frames[-1]).all()
        assert (chart.marked_frames <= chart.frames + 1e-12).all()
        assert chart.steps[0] == 0 and chart.steps[-1] == steps and len(chart.steps) <= MOST_FRAMES
        assert (chart.pointer is None) is (event != "reward_hack")


def test_rank_bars_average_over_prompts() -> None:
    """The same numbers, the slow way."""
    simulation = run(event="reward_hack", steps=60)
    world, last = simulation.world, simulation.policy[0, -1]
    expected, exploit = np.zeros(10), np.zeros(10)
    for prompt in range(40):
        for rank, answer in enumerate(sorted(range(10), key=lambda k, p=prompt: -world.quality[0, p, k])):
            expected[rank] += last[prompt, answer] / 40
            exploit[rank] += last[prompt, answer] / 40 * (answer == world.exploit[0, prompt])
    chart = rank_bars(simulation)
    assert chart.values == pytest.approx(expected)
    assert chart.marked == pytest.approx(exploit)


def test_one_prompt_marks_only_the_exploit() -> None:
    simulation = run(event="reward_hack", steps=100)
    chart = prompt_bars(simulation, 2)
    order = best_first(simulation, 2)
    assert order[chart.pointer] == simulation.world.exploit[0, 2]
    assert chart.marked[chart.pointer] == chart.values[chart.pointer]
    assert np.delete(chart.marked, chart.pointer) == pytest.approx(0)


@pytest.mark.parametrize("setup", [{}, {"steps": 800, "beta": 0}, {"event": "reward_hack"}, {"event": "sparse"}])
def test_geometry_stays_inside_the_figure(setup: dict[str, Any]) -> None:
    simulation = run(**setup)
    for chart in (rank_bars(simulation), prompt_bars(simulation, 0)):
        for drawing in chart.drawings:
            for i, slot in enumerate(drawing.slots):
                assert slot.bar_height == pytest.approx(chart.values[i] * drawing.scale, abs=0.1)
                assert slot.bar_y + slot.bar_height == pytest.approx(drawing.zero, abs=0.11)
                assert slot.reference_y >= 10 and slot.bar_y >= 10
                assert drawing.left <= slot.reference_x
                assert slot.reference_x + slot.reference_width <= drawing.right
                assert slot.marked_height <= slot.bar_height + 0.1
                assert slot.text_y - LABEL_HEIGHT >= 0
            edges = [(s.reference_x, s.reference_x + s.reference_width) for s in drawing.slots]
            assert all(a[1] <= b[0] for a, b in itertools.pairwise(edges))
            # No frame of the animation leaves the axis.
            assert chart.frames.max() * drawing.scale <= drawing.zero - 10


def test_labels_in_every_size_are_apart() -> None:
    for steps in (1, 25, 100):
        for drawing in rank_bars(run(steps=steps)).drawings:
            texts = [(s.text_x, s.text_y) for s in drawing.slots if s.has_text]
            assert texts
            assert all(
                abs(a[0] - b[0]) >= drawing.label_width - 0.1 or abs(a[1] - b[1]) >= LABEL_HEIGHT - 0.1
                for i, a in enumerate(texts)
                for b in texts[:i]
            )


def test_a_collapsed_policy_has_finite_bars() -> None:
    chart = rank_bars(run(method="dpo", steps=800, samples_per_prompt=2, beta=0))
    assert np.isfinite(chart.frames).all()
    assert all(np.isfinite([s.bar_y, s.bar_height]).all() for d in chart.drawings for s in d.slots)


def test_data_and_table_agree_with_the_bars() -> None:
    chart = rank_bars(run(event="reward_hack"))
    assert chart.data["steps"] == list(chart.steps)
    assert chart.data["values"][-1] == pytest.approx(chart.values, abs=5e-5)
    assert [row[2] for row in chart.table.rows] == [f"{value:.3f}" for value in chart.values]
    assert len(chart.table.head) == 4
    assert rank_bars(run()).data["marked"] is None
    assert len(rank_bars(run()).table.head) == 3


def test_words_fit_the_event() -> None:
    assert rank_bars(run(event="sparse")).left_word == "the one that passes"
    assert rank_bars(run()).right_word == "worst answer"
    assert "exploit" in rank_bars(run(event="reward_hack")).summary
    assert "over 1 step." in rank_bars(run(steps=1)).summary


def test_bars_need_probabilities() -> None:
    with pytest.raises(ValueError, match="policy=True"):
        rank_bars(run(policy=False))
