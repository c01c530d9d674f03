"""Axes and label placing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.charts.scale import place_labels, round_ticks, thin

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(numbers, numbers, st.integers(2, 10))
def test_ticks_cover_the_range_evenly(low: float, high: float, intervals: int) -> None:
    ticks = round_ticks(low, high, intervals)
    low, high = min(low, high), max(low, high)
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    assert ticks.low <= low + slack and ticks.high >= high - slack
    gaps = [b - a for a, b in zip(ticks.values, ticks.values[1:], strict=False)]
    assert all(gap > 0 for gap in gaps) and max(gaps) - min(gaps) < 1e-6 * max(1.0, max(gaps))
    assert 2 <= len(ticks.values) <= intervals + 3


@given(numbers, numbers)
def test_tick_texts_differ_and_read_back_as_their_values(low: float, high: float) -> None:
    ticks = round_ticks(low, high)
    texts = ticks.texts()
    assert len(set(texts)) == len(texts)
    for value, text in zip(ticks.values, texts, strict=True):
        read = float(text.replace(",", "").replace("\u2212", "-"))
        assert read == pytest.approx(value, abs=1e-9 * max(1.0, abs(value)))


@pytest.mark.parametrize("low, high", [(0, 0), (math.nan, 1), (0, math.inf), (2, 1), (1e-13, 1.1e-13)])
def test_a_broken_range_still_gets_an_axis(low: float, high: float) -> None:
    ticks = round_ticks(low, high)
    assert all(map(math.isfinite, ticks.values)) and ticks.high > ticks.low


def test_ticks_are_round() -> None:
    assert round_ticks(0, 0.47).texts() == ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]
    assert round_ticks(-0.9, 1.1, 4).texts()[0] == "\u22121.0"
    assert round_ticks(0, 1.0).values == (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@given(st.integers(1, 500), st.integers(2, 60))
def test_thinning_keeps_both_ends(count: int, at_most: int) -> None:
    kept = thin(count, at_most)
    assert kept[0] == 0 and kept[-1] == count - 1
    assert len(kept) == min(count, at_most) and kept == sorted(set(kept))


@given(st.lists(st.floats(0, 200), min_size=10, max_size=10), st.lists(st.booleans(), min_size=10, max_size=10))
def test_labels_never_cover_each_other(tops: list[float], wanted: list[bool]) -> None:
    centers = [22.0 * i for i in range(10)]
    shown = place_labels(centers, tops, wanted, 29, 13)
    drawn = [i for i in range(10) if shown[i]]
    assert all(wanted[i] for i in drawn)
    assert all(
        abs(centers[i] - centers[j]) >= 29 or abs(tops[i] - tops[j]) >= 13 for i in drawn for j in drawn if i != j
    )
    if any(wanted):
        # The tallest bar that wants a label always has one.
        assert shown[min((i for i in range(10) if wanted[i]), key=lambda i: tops[i])]
