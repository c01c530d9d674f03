"""Final values beside those of an earlier run: value, difference, and one word for it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from simulator.charts.table import fixed, signed
from simulator.labels import MetricLabel


@dataclass(frozen=True)
class Tile:
    """One metric. `tone` is "good" or "bad" only for metrics with a good direction; the word says it too."""

    name: str
    label: str
    help: str
    unit: str
    value: str
    difference: str = ""
    word: str = ""
    tone: Literal["good", "bad", ""] = ""


def tiles(
    metrics: Iterable[MetricLabel], final: Mapping[str, float], previous: Mapping[str, float] | None = None
) -> list[Tile]:
    """Tiles for some metrics, in the given order; differences where there is something to compare with."""
    return [_tile(m, final[m.name], previous.get(m.name) if previous else None) for m in metrics]


def change_word(metric: MetricLabel, difference: float) -> str:
    """One word for a change: "better", "closer", "steady"."""
    if abs(difference) < metric.steady:
        return "steady"
    return metric.up if difference > 0 else metric.down


def _tile(metric: MetricLabel, value: float, previous: float | None) -> Tile:
    text = fixed(value, metric.decimals)
    if previous is None:
        return Tile(metric.name, metric.label, metric.help, metric.unit, text)
    difference = value - previous
    word = change_word(metric, difference)
    tone: Literal["good", "bad", ""] = ""
    if word != "steady" and metric.better is not None:
        tone = "good" if (difference > 0) == (metric.better == "up") else "bad"
    return Tile(
        metric.name, metric.label, metric.help, metric.unit, text, signed(difference, metric.decimals), word, tone
    )
