"""What each world offers to pages and missions beyond its engine: its words, its figures' order, how a run is shown.

`WORLDS[setup.world]`, or `world_of(setup)`. A new world is one more entry here; pages ask this and name no world.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.engine.algorithms import PRESETS
from simulator.engine.candidates.world import STEPS_PER_EPOCH
from simulator.engine.setup import WORLDS as ENGINE_WORLDS
from simulator.engine.setup import Field, Setup, parse_setup
from simulator.labels import ChoiceLabel, MetricLabel, SettingLabel, candidates, number, reasoning

__all__ = ["WORLDS", "Setup", "World", "sampled_bounds", "world_of"]


@dataclass(frozen=True)
class World:
    """One world.

    `metrics` are those a run ends with, each of which a goal may be about; `training` are known step by step only, and
    `stepwise` only to who looks into the steps one by one.
    `deciders` are the settings on whose value it depends which other ones matter, and `fills` the one that sets others
    to its own values when it is chosen, or "". `tiles` are shown with every outcome, the first ones where there is room
    for few. `reference` is where the reference policy stands by definition. Of runs of a whole number of epochs, each
    `epoch` steps long, the shorter is an exact prefix of the longer; 0 where it is not. `lab` is the name of the lab's
    address.
    """

    name: str
    metrics: Mapping[str, MetricLabel]
    settings: Mapping[str, SettingLabel]
    choices: Mapping[str, Mapping[str, ChoiceLabel]]
    deciders: tuple[str, ...]
    tiles: tuple[str, ...]
    reference: Mapping[str, float]
    training: Mapping[str, MetricLabel]
    lab: str
    fills: str = ""
    epoch: int = 0
    stepwise: Mapping[str, MetricLabel] = field(default_factory=dict)

    @property
    def fields(self) -> Mapping[str, Field]:
        """Every key of a setup, as the engine reads it."""
        return ENGINE_WORLDS[self.name].fields

    @property
    def filled_names(self) -> frozenset[str]:
        """The settings that one fills in."""
        return frozenset(next(iter(PRESETS.values()))) if self.fills else frozenset()

    def filled(self, setup: Setup, value: str) -> Setup:
        """`setup` with the setting that fills in others at `value`, and those as it fills them in."""
        kept = {name: kept for name, kept in setup.to_dict().items() if name not in PRESETS.get(value, ())}
        return parse_setup(kept | {self.fills: value})

    def label(self, metric: str) -> MetricLabel:
        """The words of a metric, also of one that is known during training only, or step by step."""
        return self.metrics.get(metric) or self.training.get(metric) or self.stepwise[metric]

    def setting_value(self, name: str, value: object) -> str:
        """Write a setting's value as a student reads it: "GRPO", "0.05", "Reward hack", "on"."""
        if name in self.choices:
            return self.choices[name][str(value)].label
        if isinstance(value, bool) or value in ("true", "false"):
            return "on" if value in (True, "true") else "off"
        return number(value)


WORLDS: dict[str, World] = {
    world.name: world
    for world in (
        World(
            name="candidates",
            metrics=candidates.METRICS,
            settings=candidates.SETTINGS,
            choices={"event": candidates.EVENTS, "method": candidates.METHODS},
            deciders=("method",),
            tiles=("win_rate", "quality", "reward_model_score", "response_length", "kl"),
            # Exact by definition; the other metrics differ from seed to seed.
            reference={"win_rate": 0.5, "kl": 0.0},
            training={},
            lab="lab",
            epoch=STEPS_PER_EPOCH,
            stepwise=candidates.TRAINING,
        ),
        World(
            name="reasoning",
            metrics=reasoning.METRICS,
            settings=reasoning.SETTINGS,
            choices=reasoning.CHOICES,
            deciders=("algorithm", "overlong", "advantage", "importance_ratio", "clip", "kl"),
            tiles=(
                *("train_accuracy", "held_out_accuracy", "response_length", "entropy", "kl", "wrong_response_length"),
            ),
            reference={"kl": 0.0},
            training=reasoning.TRAINING,
            lab="lab_reasoning",
            fills="algorithm",
        ),
    )
}


def world_of(setup: Setup) -> World:
    """The world that a setup belongs to."""
    return WORLDS[setup.world]


def sampled_bounds(setup: Setup) -> tuple[int, int]:
    """The fewest and the most responses that a run may sample; equal where that is known in advance."""
    if setup.sampled_responses is not None:
        return setup.sampled_responses, setup.sampled_responses
    return setup.steps * setup.prompts_per_step * setup.group_size, setup.most_sampled_responses
