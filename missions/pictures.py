"""What of a run is shown beside its curves: where the probability went, or what it says token by token."""

from dataclasses import dataclass, replace
from typing import Any

from simulator.charts.bars import rank_bars
from simulator.charts.responses import most_moved_prompt, responses
from simulator.engine import ReasoningSimulation
from simulator.runs import AnySimulation, visible_step

# A response can be as long as the limit; on a mission's page a few are enough to see what the policy does.
MOST_IN_THE_OPEN = 4


@dataclass(frozen=True)
class Picture:
    """A figure with its title and the template that draws it, which finds it as `figure`."""

    title: str
    template: str
    figure: Any


def picture_of(run: AnySimulation) -> Picture:
    """The picture of a run that is looked at (S = 1)."""
    if isinstance(run, ReasoningSimulation):
        step, epoch = run.setup.steps, run.setup.num_iterations
        record = visible_step(run.setup, int(run.seeds[0]), step)
        figure = responses(record, most_moved_prompt(record, epoch), epoch)
        every = (*figure.shown, *figure.more)
        figure = replace(figure, shown=every[:MOST_IN_THE_OPEN], more=every[MOST_IN_THE_OPEN:])
        return Picture(f"Responses in step {step}, the last", "parts/responses.html", figure)
    return Picture("Where the probability went", "charts/bars.html", rank_bars(run))
