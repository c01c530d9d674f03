"""What a setup samples: the arithmetic in words, and a strip on which every doubling is equally wide."""

import math
from dataclasses import dataclass

from simulator.engine.candidates.setup import FIELDS
from simulator.engine.candidates.world import PROMPTS, PROMPTS_PER_STEP
from simulator.engine.reasoning.setup import FIELDS as REASONING_FIELDS
from simulator.engine.reasoning.setup import ReasoningSetup
from simulator.worlds import Setup

WIDTH = 272
LEFT, RIGHT = 6.0, WIDTH - 6.0


@dataclass(frozen=True)
class CostStrip:
    """Positions in px on a log scale from the cheapest to the dearest setup there is.

    `is_drawn` says that the total is not known before the run.
    """

    total: int
    words: str
    x: float
    previous_x: float | None
    previous_total: int | None
    ticks: tuple[tuple[float, str], ...]
    is_drawn: bool = False
    width: int = WIDTH


def cost_words(setup: Setup) -> str:
    """How the number of sampled responses comes about, without the total: "200 steps × 8 prompts × 8 responses"."""
    if isinstance(setup, ReasoningSetup):
        prompts = f"{setup.prompts_per_step}"
        if setup.most_rounds > 1:
            prompts += f" to {setup.most_rounds * setup.prompts_per_step}"
        return f"{_count(setup.steps, 'step')} × {prompts} prompts × {_count(setup.group_size, 'response')}"
    if setup.training.online:
        return f"{_count(setup.steps, 'step')} × {PROMPTS_PER_STEP} prompts × {_count(setup.group_size, 'response')}"
    return f"{PROMPTS} prompts × {_count(setup.samples_per_prompt, 'response')}, sampled once"


def cost_strip(
    setup: Setup, previous: Setup | None = None, drawn: int | None = None, drawn_before: int | None = None
) -> CostStrip:
    """The strip for one setup, with the place of an earlier one.

    `drawn` is what a run did sample, where dynamic sampling decides that on the way, and `drawn_before` the same of the
    earlier run.
    """
    total = setup.sampled_responses if drawn is None else drawn
    before = drawn_before if previous is None or drawn_before is not None else previous.sampled_responses
    assert total is not None
    return CostStrip(
        total=total,
        words=cost_words(setup),
        x=_place(total, setup),
        previous_x=None if before is None else _place(before, setup),
        previous_total=before,
        ticks=tuple((_place(10**power, setup), f"{10**power:,}" if power % 2 else "") for power in (1, 2, 3, 4, 5)),
        is_drawn=setup.sampled_responses is None,
    )


def _place(count: int, setup: Setup) -> float:
    low, high = (math.log(end) for end in _range(setup))
    return round(LEFT + (RIGHT - LEFT) * (math.log(max(count, 1)) - low) / (high - low), 1)


def _range(setup: Setup) -> tuple[float, float]:
    """A range of responses that all setups of a world lie in, and the ticks 10 to 100,000."""
    if isinstance(setup, ReasoningSetup):
        most = max(REASONING_FIELDS["train_prompts"].maximum, REASONING_FIELDS["prompts_per_step"].maximum)
        return 10, REASONING_FIELDS["steps"].maximum * most * REASONING_FIELDS["group_size"].maximum
    return PROMPTS_PER_STEP, FIELDS["steps"].maximum * PROMPTS_PER_STEP * FIELDS["group_size"].maximum


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
