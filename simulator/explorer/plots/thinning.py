"""Fewer points of a long line, by largest triangles: what the eye would miss least is left out.

Source: Steinarsson, "Downsampling Time Series for Visual Representation" (2013), section 4.2.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

MOST_POINTS = 600

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def thinned(x: FloatArray, y: FloatArray, keep: Iterable[int] = (), most: int = MOST_POINTS) -> IntArray:
    """Indices of the points to draw, in order: all where there are no more than `most`.

    The first, the last, the highest, the lowest and those in `keep` always stay, so a few more than `most` may be left.
    Points without a finite value are left out, but for one between two stretches of a line, so that its gap stays.
    """
    is_finite = np.isfinite(y)
    if len(x) <= most:
        return np.arange(len(x))
    known = np.flatnonzero(is_finite)
    if len(known) <= 2:
        return known
    chosen = known if len(known) <= most else known[_largest_triangles(x[known], y[known], most)]
    gaps = np.flatnonzero(np.diff(is_finite.astype(np.int8)) == -1) + 1
    extremes = [known[np.argmax(y[known])], known[np.argmin(y[known])]]
    marked = [index for index in keep if 0 <= index < len(x)]
    return np.unique(np.concatenate([chosen, extremes, gaps, np.array(marked, dtype=np.int64)]).astype(np.int64))


def _largest_triangles(x: FloatArray, y: FloatArray, most: int) -> IntArray:
    """One point of each of `most` - 2 buckets: the one that spans the largest triangle with its neighbors'."""
    edges = np.linspace(1, len(x) - 1, most - 1).astype(np.int64)
    chosen = [0]
    for low, high, end in zip(edges[:-1], edges[1:], [*edges[2:], len(x)], strict=True):
        if low == high:
            continue
        following = slice(high, max(end, high + 1))
        ax, ay = x[chosen[-1]], y[chosen[-1]]
        cx, cy = x[following].mean(), y[following].mean()
        areas = np.abs((ax - cx) * (y[low:high] - ay) - (ax - x[low:high]) * (cy - ay))
        chosen.append(int(low + areas.argmax()))
    return np.array([*chosen, len(x) - 1])
