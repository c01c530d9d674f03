"""Who stands where on a leaderboard. Pure: stars and responses in, places out."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

RULE_IN_WORDS = (
    "More stars come first. With as many stars, fewer responses do: of each mission with stars, those of the try that "
    "earned most stars with fewest responses, added up. Missions that are answered by looking cost none. Who has as "
    "many of both shares a place, and the next place is counted on from there: 1, 2, 2, 4."
)


@dataclass(frozen=True)
class Best:
    """What somebody reached at a mission: the stars of the best try and, of those with as many, fewest responses."""

    stars: int
    responses: int


@dataclass(frozen=True)
class Standing:
    """A name with what it has: `responses` over the missions with stars, of which there are `missions`."""

    name: str
    stars: int
    missions: int
    responses: int
    is_own: bool = False

    @property
    def rank(self) -> tuple[int, int]:
        """What places are by, smaller first."""
        return -self.stars, self.responses


@dataclass(frozen=True)
class Place:
    """A line of the board; `is_shared` where others have the same place."""

    number: int
    standing: Standing
    is_shared: bool


def standing_of(name: str, bests: Iterable[Best], is_own: bool = False) -> Standing:
    """Add up what somebody reached. Missions without a star count for nothing: trying one never costs a place."""
    starred = [best for best in bests if best.stars]
    return Standing(
        name, sum(best.stars for best in starred), len(starred), sum(best.responses for best in starred), is_own
    )


def places(standings: Iterable[Standing]) -> list[Place]:
    """Everybody with their place, best first; those who share one in the order of their names."""
    ordered = sorted(standings, key=lambda one: (one.rank, one.name.casefold(), one.name))
    sharing = Counter(one.rank for one in ordered)
    first: dict[tuple[int, int], int] = {}
    for number, one in enumerate(ordered, start=1):
        first.setdefault(one.rank, number)
    return [Place(first[one.rank], one, sharing[one.rank] > 1) for one in ordered]
