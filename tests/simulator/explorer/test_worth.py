"""Where the explorer opens: an update on which something is to be seen, for every algorithm."""

import numpy as np
import pytest

from simulator.engine import parse_setup
from simulator.engine.algorithms import ALGORITHMS
from simulator.explorer.exploration import explore
from simulator.lab.link import Run


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != "custom"])
def test_a_run_opens_on_a_step_s_last_update_where_tokens_have_moved(algorithm: str) -> None:
    setup = parse_setup({"world": "reasoning", "algorithm": algorithm, "steps": 12, "num_iterations": 3})
    x = explore(Run(setup, 1), [], "/runs/", [])
    update, updates = x.update_in_rollout
    # Updates by turns have the ratios of the first at 1: nothing is clipped there, and J begins anew.
    assert update == updates
    if setup.importance_ratio != "none":
        ratios = np.concatenate([one.numbers["ratio"] for p in x.update.prompts for one in p.responses])
        assert np.abs(ratios - 1).max() > 0
    assert len({spot.place for spot in x.spots}) == len(x.spots)
