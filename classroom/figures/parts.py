"""What the figures of tries are made of."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What a try came to, each with a mark of its own. Later ones are drawn above earlier ones."""

    MISS = "miss"
    MET = "met"  # the goal, at a cost that earns no star
    STAR = "star"

    @property
    def words(self) -> str:
        return {"miss": "not yet", "met": "goal met, no star", "star": "earned a star"}[self.value]


@dataclass(frozen=True)
class Point:
    """A number of tries that cost as much and reached as much."""

    cost: int
    value: float
    outcome: Outcome
    count: int = 1


@dataclass(frozen=True)
class Level:
    """What is up the side: its name, the goal as a level of it, and where the axis ends if that is given."""

    label: str
    goal_text: str
    bound: float
    at_least: bool
    decimals: int
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class Look:
    """A native size of the figure in px: `text` is its font size and `mark` the radius of a single try."""

    name: str
    width: int
    height: int
    text: float
    mark: float

    @property
    def character(self) -> float:
        """The advance of a character in the figure's fonts."""
        return self.text * 0.61


@dataclass(frozen=True)
class Mark:
    x: float
    y: float
    size: float
    outcome: str
    count: int

    @property
    def top(self) -> float:
        return round(self.y - self.size, 1)

    @property
    def left(self) -> float:
        return round(self.x - self.size, 1)

    @property
    def width(self) -> float:
        return round(2 * self.size, 1)


@dataclass(frozen=True)
class Zone:
    """Costs that earn as many stars, on the side of the goal where it is met.

    `star_xs` are the left edges of the stars that are drawn there, `star_y` their top and `star` their size.
    """

    stars: int
    x: float
    width: float
    star_xs: tuple[float, ...]
    star_y: float
    star: float

    @property
    def star_places(self) -> tuple[str, ...]:
        """As SVG transforms of a star of 26 px."""
        return tuple(f"translate({x:.1f} {self.star_y:.1f}) scale({self.star / 26:.3f})" for x in self.star_xs)
