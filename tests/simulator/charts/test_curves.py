"""Line charts as data."""

import json
from typing import Any

import pytest

from simulator.charts.curves import MOST_ROWS, Goal, plain_curve, training_curve, training_table
from simulator.engine import Simulation, parse_setup, simulate
from simulator.labels.candidates import METRICS


def run(**setup: Any) -> Simulation:
    return simulate(parse_setup(setup), [1], history=True)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("steps", [1, 2, 7, 200, 800])
def test_axes_hold_every_point(name: str, steps: int) -> None:
    figure = training_curve(run(steps=steps), (name,), previous=run(steps=33, event="reward_hack"))
    for line in figure.lines:
        for x, y in line.points:
            assert figure.x_ticks.low <= x <= figure.x_ticks.high
            assert figure.y_ticks.low <= y <= figure.y_ticks.high
    assert figure.x_ticks.high == max(steps, 33)
    assert all(tick == int(tick) for tick in figure.x_ticks.values)
    assert len(set(figure.x_ticks.texts())) == len(figure.x_ticks.values)


def test_points_are_the_history() -> None:
    simulation = run(steps=52)
    figure = training_curve(simulation, ("kl",))
    assert [x for x, _ in figure.lines[0].points] == simulation.steps.tolist()
    assert [y for _, y in figure.lines[0].points] == pytest.approx(simulation.history["kl"][0].tolist())
    assert figure.now == f"{simulation.final['kl'][0]:.2f}" and figure.was == ""


def test_previous_run_is_drawn_behind_and_named() -> None:
    figure = training_curve(run(), ("win_rate",), previous=run(steps=100))
    assert [line.is_previous for line in figure.lines] == [True, False]
    assert "previous setup" in figure.summary and figure.was


def test_lines_of_one_chart_look_different() -> None:
    for names in (("quality", "reward_model_score"), ("win_rate", "quality", "entropy", "kl")):
        styles = [line.style for line in training_curve(run(), names).lines]
        assert len(set(styles)) == len(styles)


def test_several_lines_are_named_at_their_ends() -> None:
    data = training_curve(run(), ("quality", "reward_model_score"), previous=run(steps=50)).data
    assert [line["end"] for line in data["lines"]] == ["", "", "True quality", "Reward model"]
    assert [line["end"] for line in training_curve(run(), ("kl",)).data["lines"]] == [""]
    json.dumps(data, allow_nan=False)


def test_a_goal_is_on_the_axis() -> None:
    figure = training_curve(run(), ("win_rate",), goals=[Goal(0.95, "goal 0.950")])
    assert figure.y_ticks.low <= 0.95 <= figure.y_ticks.high
    assert figure.data["goals"] == [{"value": 0.95, "label": "goal 0.950"}]


def test_summary_names_a_peak_inside() -> None:
    assert "highest" in training_curve(run(event="reward_hack", steps=400), ("win_rate",)).summary
    assert "highest" not in training_curve(run(steps=50), ("win_rate",)).summary


def test_long_tables_are_thinned_and_say_so() -> None:
    table = training_table(run(steps=400), tuple(METRICS))
    assert len(table.rows) == MOST_ROWS and table.rows[0][0] == "0" and table.rows[-1][0] == "400"
    assert table.note == f"{MOST_ROWS} of 81 recorded steps, evenly spread."
    assert training_table(run(steps=20), ("kl",)).note == ""
    assert {len(row) for row in table.rows} == {len(table.head)}


def test_plain_curve_over_a_setting() -> None:
    figure = plain_curve(
        ident="steps",
        title="Win rate by steps",
        x=[25, 50, 100, 800],
        lines={"Win rate": [0.5, 0.6, 0.68, 0.46]},
        x_label="training steps",
        is_log=True,
    )
    assert figure.x_ticks.texts() == ["25", "50", "100", "800"]
    assert "highest 0.680 at 100" in figure.summary
    assert figure.table.rows[2] == ("100", "0.680")
    assert figure.data["x"]["log"] is True


def test_curves_need_history() -> None:
    with pytest.raises(ValueError, match="history=True"):
        training_curve(simulate(parse_setup({}), [1]), ("kl",))
