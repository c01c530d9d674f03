"""Columns and seeds that many claims share."""

from collections.abc import Iterator
from typing import Any

from simulator.evidence.claim import Arm, Column, arm
from simulator.evidence.readings import evaluated, final, mean_over
from simulator.labels import candidates, reasoning

# Seeds of the evidence alone: missions, their texts and their grading use others.
ANSWER_SEEDS = range(3000, 3064)
TOKEN_SEEDS = range(3000, 3032)


def metric(name: str) -> Column:
    """A metric of the ten-answers world at the end of the run."""
    label = candidates.METRICS[name]
    return Column(name, label.label, final(name), label.decimals, label.unit)


WIN, KL, SCORE, LENGTH = metric("win_rate"), metric("kl"), metric("reward_model_score"), metric("response_length")


def at_end(name: str, decimals: int | None = None) -> Column:
    """A metric of the token world at the end of the run."""
    label = reasoning.METRICS[name]
    return Column(name, label.label, final(name), label.decimals if decimals is None else decimals, label.unit)


def after(name: str, step: int) -> Column:
    """A metric of the token world's evaluation after some steps."""
    label = reasoning.METRICS[name]
    return Column(f"{name}_{step}", f"{label.label}, step {step}", evaluated(name, step), label.decimals, label.unit)


def over(name: str, first: int = 1, last: int | None = None, decimals: int | None = None) -> Column:
    """A metric of the token world's steps, averaged over some of them."""
    label = reasoning.TRAINING.get(name) or reasoning.METRICS[name]
    when = "mean of all steps" if last is None else f"step {first}" if first == last else f"steps {first} to {last}"
    reading = mean_over(name, first, last)
    places = label.decimals if decimals is None else decimals
    suffix = "" if last is None else f"_{last}"
    return Column(f"{name}{suffix}", f"{label.label}, {when}", reading, places, label.unit)


TRAIN, HELD_OUT = at_end("train_accuracy"), at_end("held_out_accuracy")


def tokens(name: str, label: str, /, **settings: Any) -> Arm:
    """An arm of the token world: the plain defaults unless an algorithm is named."""
    return arm(name, label, **({"world": "reasoning", "algorithm": "custom"} | settings))


def in_worlds(numbers: range, name: str, label: str, /, **settings: Any) -> Iterator[Arm]:
    """The same arm in several worlds: "name" in world 0, "name-w1" in world 1 …"""
    for number in numbers:
        tail = (f"-w{number}", f", world {number}") if number else ("", "")
        yield tokens(name + tail[0], label + tail[1], **settings, world_seed=number)
