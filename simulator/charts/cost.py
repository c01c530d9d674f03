"""What a setup samples: the arithmetic in words, and a strip on which every doubling is equally wide."""

import math
from dataclasses import dataclass

from simulator.engine import CandidateSetup
from simulator.engine.candidates.setup import FIELDS
from simulator.engine.candidates.world import PROMPTS, PROMPTS_PER_STEP

WIDTH = 272
LEFT, RIGHT = 6.0, WIDTH - 6.0


@dataclass(frozen=True)
class CostStrip:
    """Positions in px on a log scale from the cheapest to the dearest setup there is."""

    total: int
    words: str
    x: float
    previous_x: float | None
    previous_total: int | None
    ticks: tuple[tuple[float, str], ...]
    width: int = WIDTH


def cost_words(setup: CandidateSetup) -> str:
    """How the number of sampled responses comes about, without the total: "200 steps × 8 prompts × 8 responses"."""
    if setup.training.online:
        return f"{_count(setup.steps, 'step')} × {PROMPTS_PER_STEP} prompts × {_count(setup.group_size, 'response')}"
    return f"{PROMPTS} prompts × {_count(setup.samples_per_prompt, 'response')}, sampled once"


def cost_strip(setup: CandidateSetup, previous: CandidateSetup | None = None) -> CostStrip:
    """The strip for one setup, with the place of an earlier one."""
    before = None if previous is None else previous.sampled_responses
    return CostStrip(
        total=setup.sampled_responses,
        words=cost_words(setup),
        x=_place(setup.sampled_responses),
        previous_x=None if before is None else _place(before),
        previous_total=before,
        ticks=tuple((_place(10**power), f"{10**power:,}" if power % 2 else "") for power in (1, 2, 3, 4, 5)),
    )


def _place(count: int) -> float:
    low = math.log(PROMPTS_PER_STEP)
    high = math.log(FIELDS["steps"].maximum * PROMPTS_PER_STEP * FIELDS["group_size"].maximum)
    return round(LEFT + (RIGHT - LEFT) * (math.log(count) - low) / (high - low), 1)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
