"""Tiles, the cost of a setup, and how numbers are written."""

import pytest

from simulator.charts.cost import WIDTH, cost_strip, cost_words
from simulator.charts.table import fixed, signed
from simulator.charts.tiles import tiles
from simulator.engine import parse_setup
from simulator.labels import number
from simulator.labels.candidates import METHODS, METRICS, SETTINGS

BEFORE = {
    "win_rate": 0.42,
    "quality": -0.14,
    "reward_model_score": 3.63,
    "kl": 1.63,
    "entropy": 0.34,
    "response_length": 276.0,
}
AFTER = {
    "win_rate": 0.796,
    "quality": 1.2,
    "reward_model_score": 1.55,
    "kl": 1.42,
    "entropy": 0.341,
    "response_length": 205.0,
}


def test_a_tile_says_value_difference_and_word() -> None:
    found = {tile.name: tile for tile in tiles(METRICS.values(), AFTER, BEFORE)}
    assert list(found) == list(METRICS)
    assert (found["win_rate"].value, found["win_rate"].difference) == ("0.796", "+0.376")
    assert (found["win_rate"].word, found["win_rate"].tone) == ("better", "good")
    assert (found["reward_model_score"].difference, found["reward_model_score"].word) == ("\u22122.08", "lower")
    assert (found["kl"].word, found["kl"].tone) == ("closer", "")
    assert (found["response_length"].difference, found["response_length"].word) == ("\u221271", "shorter")
    assert (found["entropy"].word, found["entropy"].tone) == ("steady", "")


def test_directions() -> None:
    found = {tile.name: tile for tile in tiles(METRICS.values(), BEFORE, AFTER)}
    assert (found["win_rate"].word, found["win_rate"].tone) == ("worse", "bad")
    assert (found["kl"].word, found["response_length"].word) == ("further", "longer")


def test_without_an_earlier_run_there_is_no_difference() -> None:
    assert {(tile.difference, tile.word, tile.tone) for tile in tiles(METRICS.values(), AFTER)} == {("", "", "")}
    assert [tile.name for tile in tiles([METRICS["kl"]], AFTER)] == ["kl"]


@pytest.mark.parametrize(
    "value, digits, text", [(-0.0001, 3, "0.000"), (-1.5, 2, "\u22121.50"), (12800, 0, "12,800"), (0.5, 3, "0.500")]
)
def test_fixed(value: float, digits: int, text: str) -> None:
    assert fixed(value, digits) == text


def test_signed() -> None:
    assert [signed(x, 2) for x in (0.377, -0.377, 0.001, -0.001)] == ["+0.38", "\u22120.38", "0.00", "0.00"]


def test_cost_in_words() -> None:
    assert cost_words(parse_setup({})) == "200 steps × 8 prompts × 8 responses"
    assert cost_words(parse_setup({"steps": 1, "group_size": 1})) == "1 step × 8 prompts × 1 response"
    assert cost_words(parse_setup({"method": "dpo"})) == "40 prompts × 8 responses, sampled once"


def test_cost_strip_spaces_doublings_evenly() -> None:
    places = [cost_strip(parse_setup({"group_size": size})).x for size in (4, 8, 16)]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.11)
    cheapest = cost_strip(parse_setup({"steps": 1, "group_size": 1}))
    dearest = cost_strip(parse_setup({"steps": 800, "group_size": 64}), parse_setup({}))
    assert 0 <= cheapest.x < dearest.previous_x < dearest.x <= WIDTH
    assert (dearest.total, dearest.previous_total) == (409_600, 12_800)


def test_labels_inside_a_sentence() -> None:
    assert [METRICS[name].in_sentence for name in ("win_rate", "kl")] == ["win rate", "KL"]
    assert [METHODS[name].in_sentence for name in ("grpo", "dr_grpo", "online_dpo")] == [
        "GRPO",
        "Dr. GRPO",
        "online DPO",
    ]


def test_every_field_has_a_label() -> None:
    fields = set(parse_setup({}).to_dict()) - {"world"}
    assert fields | {"seed"} == set(SETTINGS)


@pytest.mark.parametrize("value", [0.05, 0.0, 2.5, 1e-05, 0.123456789012, 200])
def test_numbers_read_back_exactly(value: float) -> None:
    assert float(number(value)) == value and not number(value).endswith(".0")
