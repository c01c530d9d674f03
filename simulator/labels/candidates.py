"""The words of the ten-answers world."""

from simulator.engine.candidates.events import EVENTS as ENGINE_EVENTS
from simulator.engine.candidates.methods import METHODS as ENGINE_METHODS
from simulator.engine.candidates.world import LENGTH_SPREAD, MEAN_LENGTH, PROMPTS, PROMPTS_PER_STEP
from simulator.labels.parts import ChoiceLabel, MetricLabel, SettingLabel, by_name, number

METRICS: dict[str, MetricLabel] = by_name(
    (
        MetricLabel(
            "win_rate",
            "Win rate",
            3,
            "up",
            "better",
            "worse",
            0.0005,
            "Chance that an answer of the trained policy beats one of the reference policy. The reference has 0.500.",
            turn=0.02,
            rise=0.004,
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
            turn=0.08,
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
            style=2,
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
            style=4,
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
            style=3,
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
)
"""Every metric of the ten-answers world, in the order in which tiles show them."""

TRAINING: dict[str, MetricLabel] = by_name(
    (
        MetricLabel(
            "reward",
            "Reward",
            3,
            None,
            "higher",
            "lower",
            0.0005,
            "Mean reward of a step’s draws: the reward model’s score less any length penalty.",
        ),
        MetricLabel(
            "reward_std",
            "Reward spread",
            3,
            None,
            "wider",
            "narrower",
            0.0005,
            "Standard deviation of the rewards of a prompt’s draws, averaged over the step’s prompts.",
            style=2,
        ),
        MetricLabel(
            "frac_zero_std",
            "Silent groups",
            2,
            None,
            "more",
            "fewer",
            0.005,
            "Share of the step’s prompts whose draws all have the same reward.",
            style=3,
        ),
        MetricLabel(
            "policy_objective",
            "Objective",
            3,
            None,
            "higher",
            "lower",
            0.0005,
            "What the step makes larger, added up over its prompts.",
        ),
        MetricLabel(
            "grad_norm",
            "Gradient norm",
            4,
            None,
            "larger",
            "smaller",
            0.00005,
            "Length of the step’s gradient by all logits of its prompts.",
            style=4,
        ),
    )
)
"""What is measured on the draws and the update of one step, in the order in which it is offered."""

SETTINGS: dict[str, SettingLabel] = by_name(
    (
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
)

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
