"""Chances that follow from who asks: the same student sees the same question again, and the neighbor another."""

import hashlib
import hmac
from collections.abc import Sequence
from typing import TypeVar

from missions.seeds import FIRST_ALLOWED
from simulator.engine.randomness import MAX_SEED

Thing = TypeVar("Thing")


class Chances:
    """A stream of numbers that follows from a secret and a name; without the secret none of them can be guessed."""

    def __init__(self, secret: str, name: str) -> None:
        self._secret, self._name, self._drawn = secret.encode(), name, 0

    def below(self, count: int) -> int:
        """A whole number from 0, below `count`, all alike."""
        assert count > 0
        message = f"unipo-missions/looking/{self._name}/{self._drawn}".encode()
        self._drawn += 1
        digest = hmac.new(self._secret, message, hashlib.sha256).digest()
        # 64 bits: what is left over makes no difference that anybody could measure.
        return int.from_bytes(digest[:8], "big") % count

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def one_of(self, things: Sequence[Thing]) -> Thing:
        return things[self.below(len(things))]

    def some_of(self, things: Sequence[Thing], count: int) -> list[Thing]:
        """So many different ones, in an order by chance."""
        left = list(things)
        return [left.pop(self.below(len(left))) for _ in range(count)]

    def seed(self) -> int:
        """The seed of a run, beyond those that somebody might type."""
        return self.between(FIRST_ALLOWED, MAX_SEED)
