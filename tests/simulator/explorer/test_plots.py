"""What is drawn of a run: fewer points without losing what matters, and rings for runs of any length."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.explorer.plots.ring import CENTER, OUTER, RingMetric, ring
from simulator.explorer.plots.thinning import MOST_POINTS, thinned


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(MOST_POINTS + 1, 3000), st.floats(0, 0.5))
def test_thinning_keeps_ends_extremes_and_what_is_marked(seed: int, count: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=count).cumsum()
    y[rng.random(count) < missing] = np.nan
    x = np.arange(count, dtype=float)
    known = np.flatnonzero(np.isfinite(y))
    marked = rng.choice(known, size=min(3, len(known)), replace=False)
    kept = thinned(x, y, marked)
    assert (np.diff(kept) > 0).all()
    assert {known[0], known[-1], known[np.nanargmax(y[known])], known[np.nanargmin(y[known])], *marked} <= set(kept)
    assert np.isfinite(y[kept]).sum() <= MOST_POINTS + 2 + len(marked)


def test_thinning_leaves_short_lines_alone_and_takes_the_spike_of_a_long_flat_one() -> None:
    assert thinned(np.arange(MOST_POINTS, dtype=float), np.zeros(MOST_POINTS)).tolist() == list(range(MOST_POINTS))
    y = np.zeros(10_000)
    y[[1234, 1300]] = 1.0, 0.5
    kept = set(thinned(np.arange(10_000, dtype=float), y).tolist())
    assert {1234, 1300} <= kept


@pytest.mark.parametrize("updates", [1, 2, 13, 21, 22, 10_000])
def test_a_ring_is_drawn_for_runs_of_any_length(updates: int) -> None:
    places = np.arange(1, updates + 1, dtype=float)
    values = np.sin(places)
    index = thinned(places, values)
    for shown in {1, (updates + 1) // 2, updates}:
        drawn = ring(
            [RingMetric("reward", "Reward", 1, places[index], values[index])], updates, shown, places.astype(int)
        )
        again = ring(
            [RingMetric("reward", "Reward", 1, places[index], values[index])], updates, shown, places.astype(int)
        )
        assert drawn == again
        numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", " ".join(drawn.bands[0].paths) + drawn.needle)]
        assert numbers
        assert np.isfinite(numbers).all()
        assert max(abs(n - CENTER) for n in numbers) <= OUTER + 5
        assert drawn.bands[0].dot is not None


def test_a_ring_has_gaps_where_nothing_is_known_and_a_zero_where_values_have_two_signs() -> None:
    places = np.arange(1.0, 11.0)
    values = np.array([0.5, -0.5, np.nan, np.nan, 0.2, 0.3, np.nan, 0.1, 0.2, 0.3])
    band = ring([RingMetric("gap", "Gap", 1, places, values)], 10, 3, places.astype(int)).bands[0]
    assert len(band.paths) == 3
    assert band.zero_radius is not None
    empty = ring([RingMetric("none", "None", 1, np.empty(0), np.empty(0))], 10, 3, places.astype(int)).bands[0]
    assert empty.paths == ()
    assert empty.dot is None
