"""Which settings are worth having: none that is as cheap is safer, and none that is as safe is cheaper."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from missions.checking.runs import Graded

Item = TypeVar("Item")


def pareto_front(items: Iterable[Item], cost: Callable[[Item], float], worth: Callable[[Item], float]) -> list[Item]:
    """Return the items that no other beats: less cost and at least the worth, or more worth at no more cost.

    They come by rising cost, which is also by rising worth; of items alike in both, the first given.
    """
    front: list[Item] = []
    for item in sorted(items, key=lambda item: (cost(item), -worth(item))):
        if not front or worth(item) > worth(front[-1]):
            front.append(item)
    return front


def front_of(tried: Iterable[Graded]) -> list[Graded]:
    """The settings that pass, on the front of sampled responses and safety."""
    return pareto_front((one for one in tried if one.passed), lambda one: one.cost, lambda one: one.strength)
