"""An effect with its 95 % interval as a mark beside a line at zero; templates/charts/interval.html draws it."""

from collections.abc import Iterable
from dataclasses import dataclass

from simulator.interval import Interval

WIDTH, HEIGHT = 210, 24
_EDGE = 8.0
_MIDDLE = WIDTH / 2
_THINNEST = 2.0  # px of an interval too narrow to be seen


@dataclass(frozen=True)
class IntervalMark:
    """Pixel geometry: the bar of the interval and the diamond of the mean; zero stands in the middle."""

    start: float
    length: float
    mean: float
    label: str
    zero: float = _MIDDLE
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def right(self) -> int:
        return self.width - 4


def reach_of(intervals: Iterable[Interval]) -> float:
    """The largest distance from zero that any of the intervals has: marks with the same reach share a scale."""
    return max(max(abs(interval.low), abs(interval.high)) for interval in intervals)


def interval_mark(interval: Interval, label: str, reach: float | None = None) -> IntervalMark:
    """Lay out one interval so that `reach`, by default its own, comes to the edge; `label` says it in words."""
    reach = reach_of([interval]) if reach is None else reach
    scale = (_MIDDLE - _EDGE) / reach if reach > 0 else 0.0
    start, end = (_MIDDLE + scale * value for value in (interval.low, interval.high))
    length = max(end - start, _THINNEST)
    mean = _MIDDLE + scale * interval.mean
    return IntervalMark(round(mean - length / 2, 1), round(length, 1), round(mean, 1), label)
