"""One step of a run in the reasoning lab: which step, which of its prompts, and what its responses looked like."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.charts.responses import most_moved_prompt, prompt_lines, responses
from simulator.engine import ReasoningSimulation
from simulator.lab.link import Place
from simulator.runs import visible_step


@dataclass(frozen=True)
class Jump:
    """A step that is worth a look, why, and its address."""

    step: int
    why: str
    query: str


def step_view(place: Place, run: ReasoningSimulation) -> dict[str, Any]:
    """Everything templates/lab/reasoning/step.html shows."""
    setup, step = place.run.setup, place.views["step"]
    record = visible_step(setup, place.run.seed, step)
    epoch = place.views.get("epoch", setup.num_iterations)
    prompt = place.views.get("prompt", most_moved_prompt(record, epoch))
    return {
        "step": step,
        "steps": setup.steps,
        "epoch": epoch,
        "epochs": range(1, setup.num_iterations + 1),
        "prompts": prompt_lines(record),
        "is_prompt_open": "prompt" not in place.views,
        "figure": responses(record, prompt, epoch),
        # The prompts of another step are others, so its most pushed one is shown.
        "previous": place.query(step=step - 1, prompt=None) if step > 1 else "",
        "next": place.query(step=step + 1, prompt=None) if step < setup.steps else "",
        "hidden": place.pairs(step=None, prompt=None, epoch=None),
        "jumps": _jumps(place, run),
        "discarded": len(record.discarded),
    }


def _jumps(place: Place, run: ReasoningSimulation) -> list[Jump]:
    """Steps that stand out, without the one that is shown; the earliest reason for each."""
    assert run.history is not None
    found = {}
    diverged = int(run.diverged_at[0])
    if diverged:
        found[diverged] = "the run diverges"
    for metric, why in (("grad_norm", "largest gradient"), ("clip_fraction", "most clipped tokens")):
        values = np.nan_to_num(run.history[metric][0])
        if values.any():
            found.setdefault(int(run.steps[values.argmax()]), why)
    found.setdefault(1, "the first")
    found.setdefault(place.run.setup.steps, "the last")
    return [
        Jump(step, why, place.query(step=step, prompt=None))
        for step, why in sorted(found.items())
        if step != place.views["step"]
    ]
