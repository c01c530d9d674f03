"""The opening figure: a real run that went wrong, and what it would take to do better."""

import json
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from missions.definition import MissionDefinition, definition_from
from missions.figures import WIDTHS, Meter, budget_meter, seed_plot
from missions.goals import GoalView, graded_goal
from missions.grading import grade
from missions.models import Mission
from missions.seeds import evaluation_seeds
from simulator.charts.bars import BarChart, prompt_bars
from simulator.engine import CandidateSetup, parse_setup
from simulator.runs import visible_run

SEED = 1
# Width of the example's column, so that the text of its figures keeps its size.
COLUMN = 360
# Shown while no mission is loaded that is about a fooled reward model.
FALLBACK = {"event": "reward_hack", "method": "grpo", "steps": 400}


@dataclass(frozen=True)
class Example:
    """The mission the figure is taken from, with its broken start as graded."""

    title: str
    number: int
    definition: MissionDefinition
    goal: GoalView
    cost: int
    meters: dict[str, Meter]
    shorter_steps: int
    shorter_cost: int


@dataclass(frozen=True)
class Opening:
    setup: CandidateSetup
    bars: BarChart
    example: Example | None


def opening_figure() -> Opening:
    """Return the figure; calculated once per process and mission revision."""
    built_in = Mission.objects.filter(source=Mission.Source.BUILT_IN, is_retired=False)
    mission = built_in.filter(definition__setup__event="reward_hack").order_by("position").first()
    if mission is None:
        return _opening(None, "", 0)
    return _opening(json.dumps(mission.definition), mission.title, mission.position)


@lru_cache(maxsize=4)
def _opening(source: str | None, title: str, number: int) -> Opening:
    definition = definition_from(json.loads(source)) if source else None
    setup = definition.start if definition else parse_setup(FALLBACK)
    run = visible_run(setup, SEED)
    assert run.policy is not None and run.world.exploit is not None
    # The prompt on which the policy fell for it most.
    final = run.policy[0, -1]
    prompt = int(np.take_along_axis(final, run.world.exploit[0][:, None], axis=-1)[:, 0].argmax())
    return Opening(setup, prompt_bars(run, prompt), _example(definition, title, number) if definition else None)


def _example(definition: MissionDefinition, title: str, number: int) -> Example:
    setup = definition.start
    verdict = grade(definition, setup, evaluation_seeds())
    shorter = setup.replace(steps=setup.steps // 2)
    return Example(
        title=title,
        number=number,
        definition=definition,
        goal=replace(
            graded_goal(verdict.goals[0], definition.world), plots={"every": seed_plot(verdict.goals[0], COLUMN)}
        ),
        cost=setup.sampled_responses,
        meters={
            name: budget_meter(setup.sampled_responses, definition.budgets, width) for name, width in WIDTHS.items()
        },
        shorter_steps=shorter.steps,
        shorter_cost=shorter.sampled_responses,
    )
