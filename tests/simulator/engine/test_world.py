"""Random numbers and worlds: bit for bit what every other implementation makes."""

import numpy as np
import pytest

from simulator.engine import parse_setup, randomness, simulate
from simulator.engine.candidates import sampling, world
from simulator.engine.candidates.events import EVENTS

from . import reference


@pytest.mark.parametrize(
    ("seed", "stream", "counter", "expected"),
    [
        (0, 1, 0, 658618523),
        (0, 1, 1, 3445383165),
        (1, 7, 0, 4076672167),
        (7, 8, 12345, 3922694187),
        (1000, 7, 262143, 647600495),
    ],
)
def test_hash_check_values(seed, stream, counter, expected):
    assert randomness.hashes([seed], stream, [counter]).tolist() == [[expected]]
    assert reference.hash32(seed, stream, counter) == expected


def test_uniforms_lie_strictly_inside_the_unit_interval():
    extremes = np.array([0, 2**32 - 1], np.uint32)
    assert ((extremes + 0.5) * 2.0**-32 > 0).all()
    assert ((extremes + 0.5) * 2.0**-32 < 1).all()
    uniform = randomness.uniforms(range(20), 7, range(1000))
    assert uniform.shape == (20, 1000)
    assert uniform.mean() == pytest.approx(0.5, abs=0.01)


def test_thresholds_decide_like_uniforms():
    generator = np.random.default_rng(5)
    probability = np.concatenate([generator.random(500), [0.0, 1e-12, 0.5, 1 - 2**-33, 1.0, 1 + 1e-15]])
    edges = np.empty(probability.shape, np.uint32)
    randomness.thresholds(probability, edges, np.empty_like(probability))
    near = (probability * 2**32).astype(np.int64)
    for offset in (-2, -1, 0, 1, 2):
        hashed = np.clip(near + offset, 0, 2**32 - 2).astype(np.uint32)
        assert ((hashed < edges) == ((hashed + 0.5) * 2.0**-32 < probability)).all()


def test_first_visits_of_seed_zero():
    first = np.flatnonzero(sampling.visited_in_rest([0], 0, 1))
    assert sorted(first) == sorted([38, 16, 22, 18, 3, 12, 11, 35])


def test_world_of_seed_zero():
    runs = simulate(parse_setup({"steps": 1}), [0])
    loaded = world.load_world([0], "clean")
    assert runs.world.quality[0, 0] == pytest.approx(
        [-1.053641, -0.042842, -0.623499, 1.668563, 0.269716, 0.227991, -1.088993, -0.613131, -1.542350, 0.755690],
        abs=5e-7,
    )
    assert loaded.reference_logits[:, 0] == pytest.approx(
        [-0.176273, 0.000486, 0.358991, -0.448970, 0.759773, 0.544804, 0.483314, -0.673990, -0.960885, -0.354677],
        abs=5e-7,
    )
    assert runs.world.length[0, 0] == pytest.approx(
        [272.5465, 138.7046, 250.1584, 205.8613, 167.7562, 155.5897, 243.4248, 248.1139, 167.5397, 187.0352],
        abs=5e-5,
    )
    assert runs.world.reward_model_score[0, 0] == pytest.approx(
        [-1.068812, -0.697114, -0.865277, 1.824840, 1.209261, 0.520146, -1.495422, -0.766163, -1.557884, 0.591765],
        abs=5e-7,
    )


@pytest.mark.parametrize("event", EVENTS)
def test_worlds_equal_the_plain_loops_to_the_bit(event):
    loaded = world.load_world([3, 9], event)
    for column, (seed, prompt) in {5: (3, 5), 40 + 39: (9, 39)}.items():
        quality, logits, length, score, exploit = reference.make_prompt(seed, event, prompt)
        assert loaded.quality[:, column].tolist() == quality
        assert loaded.reference_logits[:, column].tolist() == logits
        assert loaded.length[:, column].tolist() == length
        assert loaded.score[:, column].tolist() == score
        if event == "reward_hack":
            assert loaded.exploit[column // 40, prompt] == exploit
        else:
            assert loaded.exploit is None


def test_a_sparse_world_has_one_passing_answer_per_prompt():
    view = simulate(parse_setup({"event": "sparse", "steps": 1}), [4, 5]).world
    assert (view.quality.sum(axis=-1) == 1).all()
    assert (view.reward_model_score == view.quality).all()


def test_worlds_are_read_only_and_shared_safely():
    view = simulate(parse_setup({"event": "reward_hack", "steps": 1}), [4, 5]).world
    for array in (view.quality, view.reference_probability, view.length, view.reward_model_score, view.exploit):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0
    with pytest.raises(ValueError, match="read-only"):
        world.load_world([4], "clean").quality[0, 0] = 0


def test_the_cache_is_bounded_and_changes_nothing():
    world.clear_cache()
    before = world.load_world([7, 7, 8], "clean")
    world.load_world(range(10_000, 10_000 + world.CACHED_WORLDS + 20), "clean")
    assert len(world._cache) == world.CACHED_WORLDS
    after = world.load_world([7, 7, 8], "clean")
    assert (before.quality == after.quality).all()
    assert (after.quality[:, :40] == after.quality[:, 40:80]).all()
    world.clear_cache()


def test_what_the_specification_says_about_worlds():
    loaded = world.load_world(range(1000, 1064), "clean")
    entropy = -(loaded.reference * loaded.log_reference).sum(axis=0).mean()
    assert entropy == pytest.approx(2.06, abs=0.01)
    assert np.corrcoef(loaded.quality.ravel(), loaded.score.ravel())[0, 1] == pytest.approx(0.963, abs=0.002)
    assert np.corrcoef(loaded.quality.ravel(), loaded.length.ravel())[0, 1] == pytest.approx(-0.28, abs=0.01)
    agree = loaded.quality.argmax(axis=0) == loaded.score.argmax(axis=0)
    assert agree.mean() == pytest.approx(0.746, abs=0.001)
