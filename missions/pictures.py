"""What of a run is shown beside its curves: in the ten-answers world, where the probability went."""

from dataclasses import dataclass
from typing import Any

from simulator.charts.bars import rank_bars
from simulator.runs import AnySimulation


@dataclass(frozen=True)
class Picture:
    """A figure with its title and the template that draws it; `figure` is what the template expects."""

    title: str
    template: str
    figure: Any


def picture_of(run: AnySimulation) -> Picture:
    """The picture of a run that is looked at (S = 1)."""
    return Picture("Where the probability went", "charts/bars.html", rank_bars(run))
