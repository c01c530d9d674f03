"""The invented students: names, and how each of them goes about a mission. Pure, and the same for the same seed."""

import random
from dataclasses import dataclass

FIRST = (
    *("Ada", "Amir", "Anouk", "Bao", "Clara", "Dario", "Elif", "Emre", "Farah", "Finn", "Gita", "Hana", "Ines"),
    *("Jakub", "Joana", "Kenji", "Lena", "Lior", "Maya", "Milan", "Nadia", "Noor", "Oskar", "Paulo", "Priya", "Quinn"),
    *("Rania", "Rui", "Sana", "Sofia", "Tariq", "Tess", "Uma", "Viktor", "Wanda", "Yara", "Yusuf", "Zoe"),
)
LAST = (
    *("Abreu", "Ahmadi", "Bauer", "Castro", "Chen", "Demir", "Dubois", "Eriksen", "Fischer", "Garcia", "Haddad"),
    *("Ito", "Jansen", "Kaya", "Khan", "Kowalski", "Laine", "Mehta", "Moreau", "Nguyen", "Novak", "Okafor", "Oliveira"),
    *("Park", "Petrov", "Rossi", "Sato", "Silva", "Singh", "Tan", "Vega", "Weber", "Yilmaz", "Zhang"),
)


@dataclass(frozen=True)
class Person:
    """`insight` is the chance of a step in the right direction, `patience` how many tries without a gain they make,
    `ambition` the chance to go on after a pass, and `reach` how much of the term they take part in (all but `patience`
    from 0 to 1)."""

    username: str
    name: str
    number: str
    section: str
    insight: float
    patience: int
    ambition: float
    reach: float


def people(count: int, seed: int) -> list[Person]:
    """So many different students. Raises ValueError when there are not enough names."""
    chance = random.Random(seed)  # noqa: S311
    pairs = [(first, last) for first in FIRST for last in LAST]
    if count > len(pairs):
        raise ValueError(f"At most {len(pairs)} students.")
    found = []
    for place, (first, last) in enumerate(chance.sample(pairs, count)):
        found.append(
            Person(
                username=f"demo-{first}-{last}".lower(),
                name=f"{last}, {first}",
                number=f"{4_100_000 + chance.randrange(90_000)}",
                section="AB"[place % 2],
                insight=chance.betavariate(3, 2.2),
                patience=chance.randint(5, 14),
                ambition=chance.betavariate(3, 2),
                # Most come to the end, a few stop early.
                reach=min(1.0, chance.betavariate(5, 1.1) + 0.1),
            )
        )
    return found
