"""The words for settings, metrics, events and methods, the same on every page.

`METRICS["win_rate"].label`, `SETTINGS["beta"].help`, `EVENTS["sparse"].label`, `METHODS["dpo"].label`. Names of events
and methods come from the engine, so that a page can't call a method something else than what trains.
"""

import re
from dataclasses import dataclass
from typing import Literal

from simulator.engine.candidates.events import EVENTS as ENGINE_EVENTS
from simulator.engine.candidates.methods import METHODS as ENGINE_METHODS
from simulator.engine.candidates.world import LENGTH_SPREAD, MEAN_LENGTH, PROMPTS, PROMPTS_PER_STEP


@dataclass(frozen=True)
class MetricLabel:
    """How a metric is called, written and judged.

    `better` is the direction that is good in every world, or None where it depends on what one wants. `up` and `down`
    are the words for a rise and a fall; a change smaller than `steady` (same unit as the metric) is called steady.
    """

    name: str
    label: str
    decimals: int
    better: Literal["up", "down"] | None
    up: str
    down: str
    steady: float
    help: str
    unit: str = ""

    @property
    def axis(self) -> str:
        """The label with its unit, for an axis."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def in_sentence(self) -> str:
        """The label as it stands inside a sentence: "win rate", but "KL"."""
        return in_sentence(self.label)


@dataclass(frozen=True)
class SettingLabel:
    name: str
    label: str
    help: str
    is_whole: bool = False

    @property
    def in_sentence(self) -> str:
        return in_sentence(self.label)


@dataclass(frozen=True)
class ChoiceLabel:
    name: str
    label: str
    help: str

    @property
    def in_sentence(self) -> str:
        return in_sentence(self.label)


def in_sentence(label: str) -> str:
    """Write a label as it stands inside a sentence: "win rate", but "KL"."""
    # Acronyms and "Dr. GRPO" keep their capitals.
    is_plain_word = re.fullmatch(r"[A-Z][a-z-]+", label.split(" ")[0])
    return label[:1].lower() + label[1:] if is_plain_word else label


METRICS: dict[str, MetricLabel] = {
    metric.name: metric
    for metric in (
        MetricLabel(
            "win_rate",
            "Win rate",
            3,
            "up",
            "better",
            "worse",
            0.0005,
            "Chance that an answer of the trained policy beats one of the reference policy. The reference has 0.500.",
        ),
        MetricLabel(
            "quality",
            "True quality",
            2,
            "up",
            "better",
            "worse",
            0.005,
            "Expected quality of an answer. Training never sees it.",
        ),
        MetricLabel(
            "reward_model_score",
            "Reward model",
            2,
            None,
            "higher",
            "lower",
            0.005,
            "Expected score of an answer by the reward model, before any length penalty.",
        ),
        MetricLabel(
            "response_length",
            "Mean length",
            0,
            None,
            "longer",
            "shorter",
            0.5,
            "Expected length of an answer.",
            unit="tokens",
        ),
        MetricLabel(
            "kl",
            "KL",
            2,
            None,
            "further",
            "closer",
            0.005,
            "How far the policy has moved from the reference policy, averaged over prompts.",
            unit="nats",
        ),
        MetricLabel(
            "entropy",
            "Entropy",
            2,
            None,
            "wider",
            "narrower",
            0.005,
            "How evenly the policy spreads over the ten answers. 0 means one answer has everything.",
            unit="nats",
        ),
    )
}
"""Every metric of the ten-answers world, in the order in which tiles show them."""

SETTINGS: dict[str, SettingLabel] = {
    setting.name: setting
    for setting in (
        SettingLabel("event", "Event", "What is unusual about this world."),
        SettingLabel("method", "Method", "How the policy learns."),
        SettingLabel("steps", "Steps", f"Each visits {PROMPTS_PER_STEP} of the {PROMPTS} prompts.", is_whole=True),
        SettingLabel("group_size", "Group size", "Responses sampled per prompt and step.", is_whole=True),
        SettingLabel("samples_per_prompt", "Samples per prompt", "Drawn once from the reference.", is_whole=True),
        SettingLabel("beta", "Beta", "Pull toward the reference policy."),
        SettingLabel(
            "length_penalty",
            "Length penalty",
            f"Taken off the reward for every {LENGTH_SPREAD:.0f} tokens above {MEAN_LENGTH:.0f}.",
        ),
        SettingLabel("label_smoothing", "Label smoothing", "Share of labels the loss takes to be wrong."),
        SettingLabel("flip_rate", "Flip rate", "Share of preference labels that are wrong."),
        SettingLabel("seed", "Seed", "Decides the world and every draw.", is_whole=True),
    )
}

EVENTS: dict[str, ChoiceLabel] = {
    event.name: ChoiceLabel(event.name, event.label, event.summary) for event in ENGINE_EVENTS.values()
}

METHODS: dict[str, ChoiceLabel] = {
    method.name: ChoiceLabel(method.name, method.label, method.summary) for method in ENGINE_METHODS.values()
}


def setting_value(name: str, value: object) -> str:
    """Write a setting's value as a student reads it: "GRPO", "0.05", "Reward hack"."""
    if name == "method":
        return METHODS[str(value)].label
    if name == "event":
        return EVENTS[str(value)].label
    return number(value)


def number(value: object) -> str:
    """Write a setting's number exactly, without a trailing ".0": it reads back as the same number."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
