"""Which seeds decide: the hidden ones a mission is graded on, and fresh ones to check it against.

A student chooses the seed of the run that is shown; these are never shown, logged or exported, so that nobody can
tune a setup to them.
"""

import hashlib
from collections.abc import Iterator, Sequence

from django.conf import settings

EVALUATION_SEEDS = 32

# Seeds a student might well type, and those used to choose the missions' goals.
FIRST_ALLOWED = 10_000


def evaluation_seeds() -> tuple[int, ...]:
    """Return the hidden seeds, distinct, from 10000 to 2**32 - 1.

    They follow from EVALUATION_SEED_SALT: an installation with a salt of its own has seeds of its own, and should run
    `manage.py verify_missions` once.
    """
    return _first(f"evaluation/{settings.EVALUATION_SEED_SALT}")


def digest_of(seeds: Sequence[int]) -> str:
    """SHA-256 (hex) of a set of seeds: tells two sets apart, and gives neither away."""
    return hashlib.sha256(f"unipo-missions/seeds/{','.join(map(str, seeds))}".encode()).hexdigest()


def fresh_seeds(number: int) -> tuple[int, ...]:
    """Return another set of as many seeds, the same on every installation: is a mission sound beyond the hidden set?"""
    return _first(f"fresh/{number}")


def _first(name: str) -> tuple[int, ...]:
    seeds: dict[int, None] = {}
    for seed in _stream(name):
        seeds[seed] = None
        if len(seeds) == EVALUATION_SEEDS:
            return tuple(seeds)
    raise AssertionError("the stream has no end")


def _stream(name: str) -> Iterator[int]:
    index = 0
    while True:
        digest = hashlib.sha256(f"unipo-missions/{name}/{index}".encode()).digest()
        seed = int.from_bytes(digest[:4], "big")
        if seed >= FIRST_ALLOWED:
            yield seed
        index += 1
