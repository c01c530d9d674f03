"""What holds for every setup."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine import SetupError, parse_setup, simulate
from simulator.engine.candidates import pairs, sampling, training, world
from simulator.engine.candidates.events import EVENTS
from simulator.engine.candidates.methods import METHODS, MovingBaseline

ONLINE = [name for name, method in METHODS.items() if method.online]


@st.composite
def setups(draw):
    method = draw(st.sampled_from(list(METHODS)))
    return {
        "event": draw(st.sampled_from(list(EVENTS))),
        "method": method,
        "steps": draw(st.integers(1, 40)),
        "group_size": draw(st.integers(METHODS[method].smallest_group, 10)),
        "samples_per_prompt": draw(st.integers(2, 10)),
        "beta": draw(st.floats(0, 5)),
        "length_penalty": draw(st.floats(0, 4)),
        "label_smoothing": draw(st.floats(0, 0.49)),
        "flip_rate": draw(st.floats(0, 0.5)),
    }


@settings(max_examples=40, deadline=None)
@given(setups(), st.integers(1, 40))
def test_fewer_steps_is_an_exact_prefix(setup, more):
    short = simulate(parse_setup(setup), [1, 2], history=True)
    long = simulate(parse_setup(setup | {"steps": setup["steps"] + more}), [1, 2], history=True, policy=True)
    whole = setup["steps"] // 5 + 1  # recorded steps before an incomplete epoch
    for name, values in short.history.items():
        assert (values[:, :whole] == long.history[name][:, :whole]).all()


@settings(max_examples=40, deadline=None)
@given(setups())
def test_seeds_run_side_by_side_as_they_run_alone(setup):
    seeds = [5, 4_294_967_295, 5, 77]
    together = simulate(parse_setup(setup), seeds, history=True, policy=True)
    for i, seed in enumerate(seeds):
        alone = simulate(parse_setup(setup), [seed], history=True, policy=True)
        assert (together.policy[i] == alone.policy[0]).all()
        for name in together.final:
            assert together.final[name][i] == alone.final[name][0]
            assert (together.history[name][i] == alone.history[name][0]).all()


@pytest.mark.parametrize("method", METHODS)
def test_many_seeds_run_in_blocks_as_they_run_alone(method):
    setup = parse_setup({"method": method, "event": "reward_hack", "steps": 13, "flip_rate": 0.2})
    together = simulate(setup, range(70), history=True, policy=True)
    for i in (0, 31, 32, 69):
        alone = simulate(setup, [i], history=True, policy=True)
        assert (together.policy[i] == alone.policy[0]).all()
        assert (together.world.exploit[i] == alone.world.exploit[0]).all()
        assert (together.world.quality[i] == alone.world.quality[0]).all()
        for name in together.final:
            assert together.final[name][i] == alone.final[name][0]
            assert (together.history[name][i] == alone.history[name][0]).all()
    assert not together.world.exploit.flags.writeable


@settings(max_examples=40, deadline=None)
@given(setups())
def test_shapes_start_and_end_of_a_trace(setup):
    runs = simulate(parse_setup(setup), [3, 4, 5], history=True, policy=True)
    steps = setup["steps"]
    assert runs.steps.tolist() == sorted({*range(0, steps, 5), steps})
    assert runs.policy.shape == (3, len(runs.steps), 40, 10)
    assert runs.policy.sum(axis=-1) == pytest.approx(1, abs=1e-12)
    assert runs.history["win_rate"][:, 0] == pytest.approx(0.5, abs=1e-12)
    assert runs.history["kl"][:, 0] == pytest.approx(0, abs=1e-12)
    assert runs.policy[:, 0] == pytest.approx(runs.world.reference_probability, abs=1e-15)
    bare = simulate(parse_setup(setup), [3, 4, 5])
    assert (bare.history, bare.policy) == (None, None)
    for name, values in runs.history.items():
        assert values.shape == (3, len(runs.steps))
        assert values[:, -1] == pytest.approx(runs.final[name], abs=1e-12)
        assert (bare.final[name] == runs.final[name]).all()
    quality = (runs.policy[:, -1] * runs.world.quality).sum(axis=-1).mean(axis=-1)
    assert quality == pytest.approx(runs.final["quality"], abs=1e-12)
    length = (runs.policy[:, -1] * runs.world.length).sum(axis=-1).mean(axis=-1)
    assert length == pytest.approx(runs.final["response_length"], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(setups(), setups())
def test_fields_that_do_not_apply_change_neither_numbers_nor_hash(setup, other):
    first = parse_setup(setup)
    inactive = {key: other[key] for key in setup if key not in first.active_fields()}
    second = first.replace(**inactive)
    assert first.run_hash == second.run_hash
    assert first.sampled_responses == second.sampled_responses
    one, two = simulate(first, [9]), simulate(second, [9])
    assert all(one.final[name] == two.final[name] for name in one.final)


@pytest.mark.parametrize("seeds", [[1, 2], [0]])
def test_smaller_groups_hold_the_first_draws(seeds):
    small = [hashes.copy() for hashes in sampling.GroupHashes(seeds, 3, 50)]
    large = [hashes.copy() for hashes in sampling.GroupHashes(seeds, 64, 50)]
    assert len(small) == len(large) == 50
    assert all((a == b[:3]).all() for a, b in zip(small, large, strict=True))


def test_fewer_samples_are_the_first_samples():
    loaded = world.load_world([1, 2], "clean")
    assert (sampling.reference_draws(loaded, 5) == sampling.reference_draws(loaded, 64)[:5]).all()


def test_pairs_keep_their_flips_when_samples_are_added():
    loaded = world.load_world([1, 2, 3], "clean")
    # Draw number i is answer i, so that answers name draws.
    draws = np.repeat(np.arange(10)[:, None], loaded.columns, axis=1)
    few, many = pairs._flips(loaded, draws[:6], 0.3), pairs._flips(loaded, draws, 0.3)
    assert (few[:6, :6] == many[:6, :6]).all()
    assert many[np.triu_indices(10, 1)].mean() == pytest.approx(0.3, abs=0.02)


def test_counts_are_the_draws_counted():
    generator = np.random.default_rng(2)
    probabilities = generator.dirichlet(np.full(10, 0.3), 80).T
    for draws in (1, 5, 64):
        hashes = generator.integers(0, 2**32 - 2, (draws, 80), dtype=np.uint32)
        counter = sampling.Counter(80, draws)
        counter._part = min(counter._part, 7)  # several parts, as for many columns
        counts = counter.count(probabilities, hashes)
        uniform = (hashes + 0.5) * 2.0**-32
        answers = np.minimum((uniform[:, None] >= np.cumsum(probabilities, axis=0)).sum(axis=1), 9)
        assert (counts == [(answers == k).sum(axis=0) for k in range(10)]).all()


@pytest.mark.parametrize("method", ONLINE)
def test_silent_groups_move_nothing(method):
    setup = parse_setup({"method": method, "group_size": 6, "beta": 0})
    loaded = world.load_world([1], "clean")
    signal = np.full_like(loaded.score, 0.1)  # six times 0.1, over 6, need not be 0.1
    policy = training.Policy(loaded)
    policy.set_logits(loaded.reference_logits)
    counts = np.zeros(signal.shape, np.uint8)
    counts[:3] = 2
    change = training.group_push(setup, loaded, signal, policy)(loaded.reference_logits.copy(), counts)
    if isinstance(METHODS[method].rule, MovingBaseline):
        assert (change != 0).any()  # the baseline has not caught up yet
    else:
        assert (change == 0).all()


@pytest.mark.parametrize("method", [name for name in ONLINE if METHODS[name].smallest_group == 1])
def test_a_group_of_one_is_silent(method):
    runs = simulate(parse_setup({"method": method, "group_size": 1, "beta": 0.3, "steps": 23}), [1])
    moved = not np.isclose(runs.final["kl"][0], 0, atol=1e-12)
    assert moved == (method == "reinforce")


CORNERS = [
    {"beta": 0, "length_penalty": 0, "label_smoothing": 0, "flip_rate": 0},
    {"beta": 5, "length_penalty": 4, "label_smoothing": 0.49, "flip_rate": 0.5},
]


@pytest.mark.parametrize("corner", CORNERS, ids=["small", "large"])
@pytest.mark.parametrize("event", ["length_bias", "sparse"])
@pytest.mark.parametrize("method", METHODS)
def test_corners_of_the_ranges_stay_finite(method, event, corner):
    # Few draws let one pair take every update: with beta 5 IPO's margin grows ninefold at each.
    for draws in (2, 64):
        sizes = {"steps": 800, "group_size": draws, "samples_per_prompt": draws}
        runs = simulate(parse_setup({"method": method, "event": event, **corner, **sizes}), [0], history=True)
        assert all(np.isfinite(values).all() for values in runs.history.values())
        assert (runs.history["win_rate"] >= 0).all() and (runs.history["win_rate"] <= 1).all()
        assert (runs.history["kl"] > -1e-12).all()
        assert (runs.history["entropy"] > -1e-12).all()


def test_the_largest_setups_stay_within_memory():
    largest = {"steps": 40, "group_size": 64, "samples_per_prompt": 64, "event": "label_flips"}
    for method in ("grpo", "online_dpo", "rdpo"):
        tracemalloc.start()
        simulate(parse_setup({"method": method, **largest}), range(100))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 64_000_000, method


@pytest.mark.parametrize("seeds", [[], [-1], [2**32], [1.0], [True], ["1"], "12", 3, None, [None]])
def test_bad_seeds_are_refused(seeds):
    with pytest.raises(SetupError) as refused:
        simulate(parse_setup({}), seeds)
    assert refused.value.field == "seeds"


def test_seeds_may_be_an_array():
    setup = parse_setup({"steps": 5})
    runs = simulate(setup, np.array([3, 4], np.uint32))
    assert runs.seeds.tolist() == [3, 4]
    assert (runs.final["kl"] == simulate(setup, range(3, 5)).final["kl"]).all()


def test_the_engine_needs_no_web_framework():
    code = (
        "import sys, simulator.engine as e\n"
        "e.simulate(e.parse_setup({'steps': 5}), [0])\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'django', 'missions', 'classroom', 'unipo_site'}))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
