"""What the run that is shown tells about a try that missed its goal: where it turned, or that it was still rising."""

from missions.models import Attempt
from missions.outcome import goal_results
from simulator.charts.table import fixed
from simulator.engine import Simulation
from simulator.labels.candidates import METRICS

# A turn counts when it takes this much off what had been reached; less is within a run's own noise.
TURN = {"win_rate": 0.02, "quality": 0.08}
# Still rising: at least this much over the last tenth of training.
RISE = {"win_rate": 0.004}


def observations(attempt: Attempt, run: Simulation) -> list[str]:
    """Sentences about the display seed's run, each calculated from its history (S = 1)."""
    assert run.history is not None
    history = {name: values[0] for name, values in run.history.items()}
    said = []
    for name in ("win_rate", "quality"):
        best = int(history[name].argmax())
        fall = history[name][best] - history[name][-1]
        if best > 0 and fall > TURN[name]:
            score = history["reward_model_score"]
            climbed = " The reward model’s score went on rising." if score[-1] > score[best] + 0.1 else ""
            turned = f"On your seed {METRICS[name].in_sentence} peaked at step {run.steps[best]:,} and fell from there."
            said.append(turned + climbed)
            break
    for result in goal_results(attempt):
        goal, metric = result.goal, METRICS[result.goal.metric]
        if result.met:
            continue
        values = history[goal.metric]
        if not goal.at_least and values[-1] > goal.bound:
            crossed = int((values > goal.bound).argmax())
            if crossed:
                bound = fixed(goal.bound, metric.decimals)
                said.append(f"On your seed {metric.in_sentence} passed {bound} at step {run.steps[crossed]:,}.")
        elif goal.metric in RISE and not said and len(values) > 10:
            tenth = max(1, len(values) // 10)
            if values[-1] - values[-1 - tenth] > RISE[goal.metric]:
                said.append(f"On your seed the {metric.in_sentence} was still rising when training stopped.")
    return said
