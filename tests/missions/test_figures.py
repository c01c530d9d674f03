"""Figures stay inside their frames and in the right order, whatever the numbers."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from missions.definition import Budgets, Goal
from missions.figures import TRAIL_HEIGHTS, budget_meter, seed_plot, trail
from missions.grading import GoalResult
from simulator.interval import Interval

costs = st.integers(8, 500_000)
budgets = st.lists(st.integers(40, 100_000), min_size=3, max_size=3, unique=True).map(
    lambda three: Budgets(*sorted(three, reverse=True))
)


@given(costs, budgets, st.sampled_from([296, 384]))
def test_the_needle_stands_in_the_zone_that_decides(cost: int, limits: Budgets, width: int) -> None:
    meter = budget_meter(cost, limits, width)
    middles = [x for x, _ in meter.labels]
    assert all(after - before >= 45.9 for before, after in pairwise(middles))
    assert middles[0] >= 22
    assert middles[-1] <= width - 22
    assert [zone.stars for zone in meter.zones] == [3, 2, 1, 0]
    assert math.isclose(sum(zone.width for zone in meter.zones), width, abs_tol=0.5)
    assert 0 < meter.needle < width
    zone = next(zone for zone in meter.zones if zone.stars == limits.stars_for(cost))
    # Drawn positions are rounded to 0.1 px, and the needle is kept 6 px inside the figure.
    assert zone.x - 6.2 <= meter.needle <= zone.x + zone.width + 6.2
    for zone in meter.zones:
        assert all(zone.x <= x and x + 15 <= zone.x + zone.width + 1 for x in zone.star_x)


values = st.lists(st.floats(0, 3, allow_nan=False), min_size=1, max_size=32)


@given(values, st.floats(0, 3, allow_nan=False), st.booleans(), st.sampled_from([296, 360, 560]))
def test_a_goal_s_seeds_stay_in_the_figure(drawn: list[float], bound: float, at_least: bool, width: int) -> None:
    mean = sum(drawn) / len(drawn)
    result = GoalResult(Goal("kl", bound, at_least), Interval(mean, 0.01), tuple(sorted(drawn)))
    plot = seed_plot(result, width)
    assert len(plot.dots) == len(drawn)
    for x, y in plot.dots:
        assert 0 <= x <= width and 0 <= y <= 60
    assert 0 <= plot.goal <= width and 0 <= plot.mean <= width
    assert plot.band_width >= 1
    # The picture and the verdict must agree on which side of the goal the mean is.
    if abs(mean - bound) > 0.02:
        assert (plot.mean > plot.goal) == (mean > bound)
    positions = [x for x, _ in plot.ticks]
    assert positions == sorted(set(positions)) and len(positions) >= 2


@given(st.lists(st.booleans(), min_size=0, max_size=20))
def test_the_trail_has_a_piece_to_every_stop(done: list[bool]) -> None:
    road = trail(done)
    rows = math.ceil(len(done) / len(TRAIL_HEIGHTS))
    full_rows = len(done) // len(TRAIL_HEIGHTS)
    assert len(road.pieces) == len(done) + full_rows
    assert len(road.floors) == rows
    assert len(road.hills) <= rows


def test_the_road_behind_is_solid_and_the_road_ahead_is_not() -> None:
    road = trail([True, True, False, False])
    assert [piece.is_done for piece in road.pieces] == [True, True, False, False]
    assert len(road.hills) == 1
