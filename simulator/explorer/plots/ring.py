"""A run as rings, one a metric, clockwise from the top: the shape of a run at a glance.

Values are read off the lines and the table; the ring shows that things move together, or apart.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin

import numpy as np
import numpy.typing as npt

from simulator.charts.scale import round_ticks

FloatArray = npt.NDArray[np.float64]

SIZE = 392
CENTER = SIZE / 2
INNER, OUTER = 74.0, 178.0
BAND_INNER, BAND_OUTER = 60.0, 65.0
GAP = 0.04
"""Radians left open at the top: the last step does not lead back to the first."""
RING_GAP = 8.0
FINEST = 0.035
"""Radians between the points of a curve; a straight line further than this would cut the corner."""
MOST_BANDS = 120


@dataclass(frozen=True)
class Band:
    """One metric: its areas as paths, the two circles of its scale with their values, and where it stands now."""

    name: str
    label: str
    style: int
    paths: tuple[str, ...]
    behind: tuple[str, ...]
    low_radius: float
    high_radius: float
    zero_radius: float | None
    low_text: str
    high_text: str
    low_y: float
    high_y: float
    dot: tuple[float, float] | None


@dataclass(frozen=True)
class Ring:
    """Everything templates/explorer/ring.html draws; the center's words come from the page."""

    bands: tuple[Band, ...]
    rollouts: tuple[tuple[str, str], ...]
    needle: str
    pointer: str
    start_angle: float
    size: int = SIZE
    center: float = CENTER


@dataclass(frozen=True)
class RingMetric:
    """What one ring shows: places from 1, values, and those of a second run behind it."""

    name: str
    label: str
    style: int
    places: FloatArray
    values: FloatArray
    behind: tuple[FloatArray, FloatArray] | None = None


def ring(metrics: Sequence[RingMetric], updates: int, shown: int, rollouts: npt.NDArray[np.int64]) -> Ring:
    """Draw the metrics of a run of `updates` updates, with a needle at update `shown`, from 1."""
    height = (OUTER - INNER) / len(metrics) - RING_GAP
    bands = tuple(
        _band(metric, OUTER - i * (height + RING_GAP) - height, height, updates, shown)
        for i, metric in enumerate(metrics)
    )
    at = angle(shown, updates)
    return Ring(
        bands=bands,
        rollouts=_rollouts(rollouts, updates),
        needle=f"M{_point(INNER - 14, at)}L{_point(OUTER + 4, at)}",
        pointer=f"M{_point(OUTER + 6, at)}L{_point(OUTER + 16, at - 0.03)}L{_point(OUTER + 16, at + 0.03)}z",
        start_angle=GAP / 2,
    )


def angle(place: float, updates: int) -> float:
    """The angle of an update, clockwise from the top, in radians."""
    share = (place - 1) / (updates - 1) if updates > 1 else 0.5
    return GAP / 2 + (2 * pi - GAP) * share


def _band(metric: RingMetric, base: float, height: float, updates: int, shown: int) -> Band:
    every = metric.values if metric.behind is None else np.concatenate([metric.values, metric.behind[1]])
    known = every[np.isfinite(every)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if 0 <= low < 0.35 * high:
        low = 0.0
    ticks = round_ticks(low, high)
    texts = ticks.texts()
    zero = min(max(0.0, ticks.low), ticks.high) if ticks.low < 0 < ticks.high else ticks.low

    scale = height / (ticks.high - ticks.low)
    foot = base - scale * ticks.low

    def radius(value: float) -> float:
        return foot + scale * value

    def paths(places: FloatArray, values: FloatArray, floor: float | None) -> tuple[str, ...]:
        return _shape(places.tobytes(), values.tobytes(), floor, foot, scale, updates)

    now = float(np.interp(shown, metric.places, metric.values)) if metric.places.size else np.nan
    floor = radius(zero)
    return Band(
        name=metric.name,
        label=metric.label,
        style=metric.style,
        paths=paths(metric.places, metric.values, floor),
        behind=() if metric.behind is None else paths(*metric.behind, None),
        low_radius=base,
        high_radius=base + height,
        zero_radius=floor if ticks.low < 0 < ticks.high else None,
        low_text=texts[0],
        high_text=texts[-1],
        low_y=round(CENTER - base - 1, 1),
        high_y=round(CENTER - base - height + 10, 1),
        dot=_at(radius(now), angle(shown, updates)) if np.isfinite(now) else None,
    )


def _stretches(places: FloatArray, values: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """The parts of a line between its gaps."""
    cuts = np.flatnonzero(np.diff(np.isfinite(values).astype(np.int8)) != 0) + 1
    parts = zip(np.split(places, cuts), np.split(values, cuts), strict=True)
    return [(x, y) for x, y in parts if x.size and np.isfinite(y[0])]


def _dense(x: FloatArray, y: FloatArray, updates: int) -> tuple[FloatArray, FloatArray]:
    """Angles and values, close enough for straight lines between them; a single point becomes a short stretch."""
    angles = np.array([angle(place, updates) for place in x])
    if len(x) == 1:
        half = (2 * pi - GAP) / 2 if updates == 1 else 0.02
        angles, y = np.array([max(angles[0] - half, GAP / 2), angles[0] + half]), np.repeat(y, 2)
    count = max(2, int((angles[-1] - angles[0]) / FINEST))
    every = np.unique(np.concatenate([angles, np.linspace(angles[0], angles[-1], count)]))
    return every, np.interp(every, angles, y)


@lru_cache(maxsize=128)
def _shape(
    places: bytes, values: bytes, floor: float | None, base: float, scale: float, updates: int
) -> tuple[str, ...]:
    """The paths of a metric: areas from a circle, or lines without one. Where one looks does not change them."""
    paths = []
    for x, y in _stretches(np.frombuffer(places), np.frombuffer(values)):
        angles, dense = _dense(x, y, updates)
        outward = "L".join(map(_point, (base + scale * dense).tolist(), angles.tolist()))
        back = "" if floor is None else "L" + "L".join(_point(floor, at) for at in angles[::-1].tolist()) + "z"
        paths.append(f"M{outward}{back}")
    return tuple(paths)


def _rollouts(rollouts: npt.NDArray[np.int64], updates: int) -> tuple[tuple[str, str], ...]:
    """Arcs in two greys by turns: one a batch of responses, or several together where there are very many."""
    last = int(rollouts[-1])
    together = max(1, -(-last // MOST_BANDS))
    groups = (rollouts - 1) // together
    edges = [0, *(np.flatnonzero(np.diff(groups)) + 1), updates]
    step = (2 * pi - GAP) / max(updates, 1)
    found = []
    for i, (low, high) in enumerate(itertools.pairwise(edges)):
        begins, ends = GAP / 2 + low * step, GAP / 2 + high * step
        large = int(ends - begins > pi)
        found.append(
            (
                "ab"[i % 2],
                f"M{_point(BAND_INNER, begins)}A{BAND_INNER:g} {BAND_INNER:g} 0 {large} 1 {_point(BAND_INNER, ends)}"
                f"L{_point(BAND_OUTER, ends)}A{BAND_OUTER:g} {BAND_OUTER:g} 0 {large} 0 {_point(BAND_OUTER, begins)}z",
            )
        )
    return tuple(found)


def _at(radius: float, at: float) -> tuple[float, float]:
    return round(CENTER + radius * sin(at), 1), round(CENTER - radius * cos(at), 1)


def _point(radius: float, at: float) -> str:
    return f"{CENTER + radius * sin(at):.1f} {CENTER - radius * cos(at):.1f}"
