"""What each world offers to pages and missions beyond its engine: its words, its figures' order, how a run is shown.

`WORLDS[setup.world]`, or `world_of(setup)`. A new world is one more entry here; pages ask this and name no world.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.engine import CandidateSetup
from simulator.labels import ChoiceLabel, MetricLabel, SettingLabel, candidates, number

Setup = CandidateSetup


@dataclass(frozen=True)
class World:
    """One world.

    `metrics` are those a run ends with, each of which a goal may be about; `training` are known step by step only.
    `deciders` are the settings on whose value it depends which other ones matter, and `fills` the one that sets others
    to its own values when it is chosen, or "". `tiles` are shown with every outcome. `reference` is where the reference
    policy stands by definition.
    """

    name: str
    metrics: Mapping[str, MetricLabel]
    settings: Mapping[str, SettingLabel]
    choices: Mapping[str, Mapping[str, ChoiceLabel]]
    deciders: tuple[str, ...]
    tiles: tuple[str, ...]
    reference: Mapping[str, float]
    training: Mapping[str, MetricLabel]
    fills: str = ""

    def label(self, metric: str) -> MetricLabel:
        """The words of a metric, also of one that is known during training only."""
        return self.metrics.get(metric) or self.training[metric]

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
        ),
    )
}


def world_of(setup: Setup) -> World:
    """The world that a setup belongs to."""
    return WORLDS[setup.world]
