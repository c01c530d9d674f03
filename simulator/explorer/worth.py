"""Updates of a run that are worth a look, by rules on its metrics: the first of them is where the explorer opens."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulator.explorer.source import Series, Source

MOST_SPOTS = 5


@dataclass(frozen=True)
class Spot:
    """An update, from 1, and why it is worth a look."""

    place: int
    why: str


def worth_a_look(source: Source) -> tuple[Spot, ...]:
    """The updates that stand out, each once, the most telling first; a run of one update has that one."""
    if not source.updates:
        return ()
    found: dict[int, str] = {}
    total = source.record.header.total_steps
    if total is not None and source.updates < total:
        found[source.updates] = "the last update before the run diverged"
    ends = _last_updates(source)
    for name, why in (
        ("policy_objective", "largest jump of the objective"),
        ("reward", "largest jump of the reward"),
        ("kl", "largest jump of the KL"),
        ("win_rate", "largest change of the win rate"),
    ):
        place = _largest_jump(source.series.get(name), ends)
        if place is not None:
            found.setdefault(place, why)
    place = _largest(source.series.get("grad_norm"))
    if place is not None:
        found.setdefault(place, "largest gradient")
    place = _first_above(source.series.get("clip_fraction"), 0.0)
    if place is not None:
        found.setdefault(place, "first clipped token")
    place = _first_above(source.series.get("frac_zero_std"), 0.0)
    if place is not None:
        found.setdefault(place, "first group of equal rewards")
    if not found:
        found[source.updates] = "the last update"
    return tuple(Spot(place, why) for place, why in list(found.items())[:MOST_SPOTS])


def _known(series: Series | None) -> tuple[np.ndarray, np.ndarray]:
    if series is None:
        return np.empty(0, dtype=np.int64), np.empty(0)
    is_known = np.isfinite(series.values)
    return series.places[is_known], series.values[is_known]


def _last_updates(source: Source) -> npt.NDArray[np.int64]:
    """The places of every step's last update.

    Only these are compared: with new responses every ratio is 1 again, so within a step a metric moves by that alone,
    and on the last update of a step most is to be seen.
    """
    return np.append(np.flatnonzero(np.diff(source.rollouts)), len(source.rollouts) - 1) + 1


def _largest_jump(series: Series | None, ends: npt.NDArray[np.int64]) -> int | None:
    places, values = _known(series)
    is_end = np.isin(places, ends)
    places, values = places[is_end], values[is_end]
    jumps = np.abs(np.diff(values))
    return int(places[1 + jumps.argmax()]) if jumps.size and jumps.max() > 0 else None


def _largest(series: Series | None) -> int | None:
    places, values = _known(series)
    return int(places[values.argmax()]) if values.size and np.ptp(values) > 0 else None


def _first_above(series: Series | None, level: float) -> int | None:
    places, values = _known(series)
    above = np.flatnonzero(values > level)
    return int(places[above[0]]) if above.size else None
