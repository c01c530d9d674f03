"""What the run that is shown tells about a try that missed its goal: where it turned, or that it was still rising."""

from missions.goals import goal_results, world_for
from missions.models import Attempt
from simulator.charts.table import fixed
from simulator.runs import AnySimulation, trace
from simulator.worlds import World


def observations(attempt: Attempt, run: AnySimulation) -> list[str]:
    """Sentences about the display seed's run, each calculated from its history (S = 1)."""
    world = world_for(attempt)
    said = _turn(run, world)
    for result in goal_results(attempt):
        if result.met:
            continue
        goal, metric = result.goal, world.metrics[result.goal.metric]
        found = trace(run, goal.metric)
        values = found.values[0]
        if not goal.at_least and values[-1] > goal.bound:
            crossed = int((values > goal.bound).argmax())
            if crossed:
                bound = fixed(goal.bound, metric.decimals)
                said.append(f"On your seed {metric.in_sentence} passed {bound} at step {found.steps[crossed]:,}.")
        elif goal.at_least and metric.rise is not None and not said and len(values) > 10:
            tenth = max(1, len(values) // 10)
            if values[-1] - values[-1 - tenth] > metric.rise:
                said.append(f"On your seed the {metric.in_sentence} was still rising when training stopped.")
    return said


def _turn(run: AnySimulation, world: World) -> list[str]:
    """The first metric that fell from its best by more than a run's own noise."""
    for metric in world.metrics.values():
        if metric.turn is None:
            continue
        found = trace(run, metric.name)
        values = found.values[0]
        best = int(values.argmax())
        if best > 0 and values[best] - values[-1] > metric.turn:
            turned = f"On your seed {metric.in_sentence} peaked at step {found.steps[best]:,} and fell from there."
            return [turned + _fooled(run, best)]
    return []


def _fooled(run: AnySimulation, best: int) -> str:
    """What the reward model said meanwhile, in a world that has one."""
    if "reward_model_score" not in (run.history or {}):
        return ""
    score = trace(run, "reward_model_score").values[0]
    return " The reward model’s score went on rising." if score[-1] > score[best] + 0.1 else ""
