"""The hidden seeds are fixed, distinct, and none that a student would type."""

import pytest
from pytest_django import Settings

from missions.evidence import EVIDENCE_SEEDS
from missions.seeds import evaluation_seeds, fresh_seeds


@pytest.mark.parametrize("salt", ["", "a", "a lecture hall of its own"])
def test_hidden_seeds_are_distinct_and_out_of_sight(settings: Settings, salt: str) -> None:
    settings.EVALUATION_SEED_SALT = salt
    seeds = evaluation_seeds()
    assert len(set(seeds)) == 32
    assert all(10_000 <= seed < 2**32 for seed in seeds)
    assert not set(seeds) & set(EVIDENCE_SEEDS)
    assert seeds == evaluation_seeds()


def test_the_salt_changes_every_seed(settings: Settings) -> None:
    product = set(evaluation_seeds())
    settings.EVALUATION_SEED_SALT = "ours"
    assert not product & set(evaluation_seeds())


def test_the_product_has_one_set_forever() -> None:
    # Not the seeds themselves: what is in the tests is in public.
    assert sum(evaluation_seeds()) % 1_000_003 == 623666


def test_fresh_sets_share_nothing_with_each_other_or_the_hidden_seeds() -> None:
    sets = [evaluation_seeds(), *(fresh_seeds(number) for number in range(4))]
    assert len(set().union(*sets)) == 5 * 32
