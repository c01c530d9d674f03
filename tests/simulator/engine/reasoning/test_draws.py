"""Random numbers of the token world."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.randomness import MAX_SEED
from simulator.engine.reasoning.draws import hkey, mix, uniform, unit

MASK = 2**64 - 1


def plain_hash(*keys):
    """The definition, in Python's unbounded integers."""
    state = 0
    for key in keys:
        bits = (state + (key + 1) * 0x9E3779B97F4A7C15) & MASK
        bits = ((bits ^ bits >> 30) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ bits >> 27) * 0x94D049BB133111EB) & MASK
        state = bits ^ bits >> 31
    return state


def test_golden():
    assert uniform(1) == 0.43152799704850997
    assert uniform(3, 0, 5, 2) == 0.499720600640684


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, MAX_SEED), min_size=4, max_size=4))
def test_draws_are_what_the_definition_says(keys):
    assert hkey(*keys) == plain_hash(*keys)
    assert unit(np.uint64(hkey(*keys))) == uniform(*keys) == (plain_hash(*keys) >> 11) / 2**53
    assert 0 <= uniform(*keys) < 1
    assert mix(np.uint64(hkey(*keys)), 7) == plain_hash(*keys, 7)


def test_draws_are_uniform():
    draws = np.array([[uniform(3, 0, visit, t) for t in range(64)] for visit in range(64)])
    counts = np.histogram(draws, bins=16, range=(0, 1))[0]
    chi_square = ((counts - 256) ** 2 / 256).sum()
    assert chi_square < 37.7  # the 99.9% point with 15 degrees of freedom
    assert abs(np.corrcoef(draws[:, :-1].ravel(), draws[:, 1:].ravel())[0, 1]) < 0.05
