"""Pushes as colors: seven bins on a symmetric scale, orange down and purple up, told in thousandths."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulator.charts.table import signed

FloatArray = npt.NDArray[np.float64]

BINS = 3
"""Strengths in either direction; with the neutral one there are 2 x BINS + 1 bins."""
CLAMPED_SHARE = 0.02
"""So many of the strongest pushes, on either side, may lie beyond the color scale."""
THOUSANDTHS = 1000.0


@dataclass(frozen=True)
class Swatch:
    """One bin of the legend: its range of pushes in thousandths, and how many of the shown tokens are in it."""

    bin: int
    range: str
    count: int


def bin_width(pushes: FloatArray) -> float:
    """Width of a bin: the scale ends where few pushes lie beyond it. 0 where nothing is pushed."""
    known = pushes[np.isfinite(pushes)]
    if not known.size or not known.any():
        return 0.0
    low, high = np.quantile(known, [CLAMPED_SHARE, 1 - CLAMPED_SHARE])
    limit = max(abs(low), abs(high)) or np.abs(known).max()
    return float(2 * limit / (2 * BINS + 1))


def bin_of(push: float, width: float) -> int:
    if width == 0 or not np.isfinite(push):
        return 0
    return int(np.clip(np.rint(push / width), -BINS, BINS))


def thousandths(push: float, digits: int = 2) -> str:
    return signed(push * THOUSANDTHS, digits) if np.isfinite(push) else "none"


def bin_range(bin_: int, width: float) -> str:
    """The pushes of a bin, in thousandths."""
    if width == 0:
        return "0" if bin_ == 0 else ""
    digits = max(0, min(4, int(np.ceil(-np.log10(width * THOUSANDTHS))) + 1))
    near, far = ((abs(bin_) + side) * width for side in (-0.5, 0.5))
    if bin_ == 0:
        return f"{thousandths(-far, digits)} to {thousandths(far, digits)}"
    sign = 1 if bin_ > 0 else -1
    if abs(bin_) == BINS:
        return f"{thousandths(sign * near, digits)} or {'more' if bin_ > 0 else 'less'}"
    ends = sorted((sign * near, sign * far))
    return f"{thousandths(ends[0], digits)} to {thousandths(ends[1], digits)}"


def legend(bins: Iterable[int], width: float) -> tuple[Swatch, ...]:
    """The seven bins with their ranges, and how many of the given tokens' bins are each."""
    found = list(bins)
    return tuple(Swatch(bin_, bin_range(bin_, width), found.count(bin_)) for bin_ in range(-BINS, BINS + 1))
