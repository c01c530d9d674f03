"""What the reasoning lab shows for one address: everything about the run, the one before it, and one of its steps."""

from typing import Any

from simulator.charts.cost import cost_strip
from simulator.charts.tiles import tiles
from simulator.engine import ReasoningSimulation
from simulator.engine.algorithms import definitions, objective_formula
from simulator.explorer.address import run_address
from simulator.lab.link import Place
from simulator.lab.reasoning import curves, words
from simulator.lab.reasoning.form import deviations, form
from simulator.lab.reasoning.step import step_view
from simulator.labels.reasoning import CHOICES
from simulator.runs import visible_run
from simulator.worlds import WORLDS

__all__ = ["form", "result", "step_result"]


def result(place: Place) -> dict[str, Any]:
    """Tiles, charts, tables, formulas and sentences for one place."""
    setup, previous = place.run.setup, place.previous
    now = visible_run(setup, place.run.seed)
    before = None if previous is None else visible_run(previous.setup, previous.seed)
    world = WORLDS["reasoning"]
    return {
        "place": place,
        "algorithm": CHOICES["algorithm"][setup.algorithm].label,
        "deviations": deviations(setup),
        "comparison": None if before is None or previous is None else words.compare(previous, before, place.run, now),
        "meaningless": words.all_meaningless(setup),
        "diverged": words.diverged(now),
        "diverged_before": "" if before is None else words.diverged(before),
        "tiles": tiles(
            [world.label(name) for name in world.tiles], _final(now), None if before is None else _final(before)
        ),
        "curves": curves.figures(curves.MAIN, now, before),
        "families": curves.figures(curves.BY_FAMILY, now, before),
        "pass_at_k": curves.pass_at_k(now),
        "more": curves.figures(curves.MORE, now, before),
        "exact_table": curves.exact_table(now),
        "step_table": curves.step_table(now),
        "objective": objective_formula(setup),
        "definitions": definitions(setup),
        "step": step_view(place, now),
        "cost": cost_strip(
            setup,
            None if previous is None else previous.setup,
            drawn=int(now.sampled_responses[0]),
            drawn_before=None if before is None else int(before.sampled_responses[0]),
        ),
        "link": place.query(),
        "said": words.said(place, now, before is not None),
        "explorer": explorer_address(place),
    }


def step_result(place: Place) -> dict[str, Any]:
    """The part of a result that changes when another step of the same run is looked at."""
    run = visible_run(place.run.setup, place.run.seed)
    return {
        "place": place,
        "step": step_view(place, run),
        "link": place.query(),
        "explorer": explorer_address(place),
    }


def explorer_address(place: Place) -> str:
    """The explorer at the step, the epoch and the prompt that are looked at, beside the earlier run."""
    setup = place.run.setup
    epoch = place.views.get("epoch", setup.num_iterations)
    size = setup.prompts_per_step // setup.minibatches
    # A minibatch has some of the step's prompts, which the explorer counts within it.
    minibatch, prompt = divmod(place.views.get("prompt", 1) - 1, size)
    update = ((place.views["step"] - 1) * setup.num_iterations + epoch - 1) * setup.minibatches + minibatch + 1
    return run_address(place.run, place.previous, s=update, p=prompt + 1 if "prompt" in place.views else None)


def _final(run: ReasoningSimulation) -> dict[str, float]:
    return {name: float(values[0]) for name, values in run.final.items()}
