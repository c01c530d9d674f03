"""What a run of the reasoning world did, in words: against the run before it."""

from collections.abc import Iterator

from simulator.charts.table import fixed, signed
from simulator.engine import ReasoningSetup, ReasoningSimulation
from simulator.engine.algorithms import choice_of
from simulator.engine.objective.advantage import GROUP_MEAN, GROUP_NORMALIZED, LEAVE_ONE_OUT
from simulator.lab.changes import Comparison, changes
from simulator.lab.link import Place, Run
from simulator.labels.reasoning import METRICS

OF_A_GROUP = (GROUP_NORMALIZED, GROUP_MEAN, LEAVE_ONE_OUT)
"""Advantages that compare the responses of a group with each other."""

# Smaller changes are real, since both runs share their draws, but not worth a sentence.
WORTH_SAYING = {"wrong_response_length": 0.1, "kl": 0.05}


def compare(before: Run, old: ReasoningSimulation, after: Run, new: ReasoningSimulation) -> Comparison:
    """What changed between two runs and what it did."""
    return Comparison(changes(before, after), list(_effects(old, new)), _warning(before, after))


def _warning(before: Run, after: Run) -> str:
    old, new = before.setup, after.setup
    if (old.world_seed, old.train_prompts) != (new.world_seed, new.train_prompts):
        return "The questions are others, so accuracies before and after are not of the same thing."
    if before.seed != after.seed:
        return "The seed is another, so every draw is too: what you see is not your setting’s doing alone."
    return ""


def _effects(old: ReasoningSimulation, new: ReasoningSimulation) -> Iterator[str]:
    for name in ("train_accuracy", "held_out_accuracy"):
        yield _moved(name, old, new)
    length = _final(new, "wrong_response_length") - _final(old, "wrong_response_length")
    if abs(length) >= WORTH_SAYING["wrong_response_length"]:
        yield f"Wrong responses are {fixed(abs(length), 2)} tokens {'longer' if length > 0 else 'shorter'}."
    kl = _final(new, "kl") - _final(old, "kl")
    if abs(kl) >= WORTH_SAYING["kl"]:
        yield f"The policy ends {'further from' if kl > 0 else 'closer to'} the reference (KL {signed(kl, 2)})."
    responses = int(new.sampled_responses[0] - old.sampled_responses[0])
    if responses:
        yield f"It sampled {abs(responses):,} {'more' if responses > 0 else 'fewer'} responses."


def _moved(name: str, old: ReasoningSimulation, new: ReasoningSimulation) -> str:
    metric = METRICS[name]
    change, reached = _final(new, name) - _final(old, name), fixed(_final(new, name))
    if abs(change) < metric.steady:
        return f"{metric.label} stays at {reached}."
    return f"{metric.label} is {'up' if change > 0 else 'down'} by {fixed(abs(change))}, to {reached}."


def _final(run: ReasoningSimulation, name: str) -> float:
    return float(run.final[name][0])


def diverged(run: ReasoningSimulation) -> str:
    """Where training broke down, or ""."""
    step = int(run.diverged_at[0])
    if not step:
        return ""
    return (
        f"This run diverged in step {step}: an update was no longer a finite number. From there on the policy stayed "
        f"as it was, and what you see below is that policy."
    )


def said(place: Place, run: ReasoningSimulation, is_compared: bool) -> str:
    """One sentence for screen readers after a change."""
    trained = "Trained again" if is_compared else "Trained"
    reached = fixed(_final(run, "train_accuracy"))
    words = f"{trained}: train accuracy {reached}, held out {fixed(_final(run, 'held_out_accuracy'))}."
    step = int(run.diverged_at[0])
    return f"{words} It diverged in step {step}." if step else words


def meaningless(group: str, setup: ReasoningSetup) -> str:
    """What makes a choice in a group of settings mean nothing beside the others, or ""."""
    if group == "advantages" and setup.group_size == 1 and choice_of("advantage", setup.advantage).code in OF_A_GROUP:
        return "A group of one has nothing to compare with: every advantage is 0, and nothing is learned."
    if group == "sampling" and setup.dynamic_sampling and setup.group_size == 1:
        return "A group of one is never mixed, so dynamic sampling keeps none."
    is_clipped = setup.importance_ratio != "none" and setup.clip != "none"
    if group == "ratio-and-clip" and is_clipped and setup.num_iterations * setup.minibatches == 1:
        return "With one update per step every ratio is 1, so the clip never acts."
    if group == "kl-penalty" and setup.kl != "none" and setup.beta == 0:
        return "Beta is 0, so the penalty has no effect."
    return ""


def all_meaningless(setup: ReasoningSetup) -> list[str]:
    """Every choice of a run that means nothing beside the others: a closed group must not be what hides it."""
    groups = ("advantages", "sampling", "ratio-and-clip", "kl-penalty")
    return [says for group in groups if (says := meaningless(group, setup))]
