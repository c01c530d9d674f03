"""The words of the reasoning world."""

from simulator.engine.algorithms import ALGORITHMS
from simulator.engine.algorithms import CHOICES as ENGINE_CHOICES
from simulator.labels.parts import ChoiceLabel, MetricLabel, SettingLabel, by_name

FAMILIES = {"sums": "sums", "carries": "carries", "chains": "chains", "words": "word problems"}


def _accuracy(name: str, label: str, help: str, style: int, turn: float | None = None) -> MetricLabel:
    return MetricLabel(
        name, label, 3, "up", "better", "worse", 0.0005, help, style=style, scale="accuracy", turn=turn, rise=0.01
    )


def _by_family(name: str, label: str, prompts: str) -> tuple[MetricLabel, ...]:
    return tuple(
        _accuracy(f"{name}_{family}", f"{label}, {words}", f"{label} on {prompts} of the family {words}.", style)
        for style, (family, words) in enumerate(FAMILIES.items(), 1)
    )


def _length(name: str, label: str, help: str, style: int = 4) -> MetricLabel:
    return MetricLabel(
        name, label, 2, None, "longer", "shorter", 0.005, help, unit="tokens", style=style, scale="length"
    )


def _pass_at(k: int, name: str, label: str, prompts: str) -> MetricLabel:
    help = f"Chance that at least one of {k} responses is right, averaged over {prompts}."
    return _accuracy(f"{name}{k}", f"{label}{k}", help, 1)


TRIES = (1, 4, 16, 64, 256)

METRICS: dict[str, MetricLabel] = by_name(
    (
        _accuracy("train_accuracy", "Train accuracy", "Chance of a right response to a prompt trained on.", 1, 0.03),
        _accuracy("held_out_accuracy", "Held-out accuracy", "The same for prompts that training never sees.", 2, 0.03),
        MetricLabel(
            "generalization_gap",
            "Generalization gap",
            3,
            "down",
            "wider",
            "narrower",
            0.0005,
            "Train accuracy less held-out accuracy: what was learned by heart.",
            style=3,
        ),
        _length("response_length", "Mean length", "Expected tokens of a response, the end included."),
        _length("right_response_length", "Length when right", "Expected tokens of a right response.", 1),
        _length("wrong_response_length", "Length when wrong", "Expected tokens of a wrong response.", 2),
        MetricLabel(
            "truncated",
            "Truncated",
            3,
            "down",
            "more often",
            "less often",
            0.0005,
            "Chance that a response is cut off at the length limit.",
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
            "How undecided the policy is about the next token, averaged over the tokens of a step.",
            unit="nats",
        ),
        MetricLabel(
            "kl",
            "KL",
            2,
            None,
            "further",
            "closer",
            0.005,
            "How far the policy has moved from the reference policy, averaged over the tokens of a step.",
            unit="nats",
            style=3,
        ),
        MetricLabel(
            "guess_share",
            "Guesses",
            3,
            None,
            "more often",
            "less often",
            0.0005,
            "Chance that a response guesses the answer without working it out.",
            style=4,
        ),
        *_by_family("train_accuracy", "Train accuracy", "prompts trained on"),
        *_by_family("held_out_accuracy", "Held-out accuracy", "held-out prompts"),
        *(_pass_at(k, "pass_at_", "Pass@", "prompts trained on") for k in TRIES),
        *(_pass_at(k, "held_out_pass_at_", "Held-out pass@", "held-out prompts") for k in TRIES),
    )
)
"""Every metric that a run ends with, calculated and not sampled, in the order in which tables show them."""

TRAINING: dict[str, MetricLabel] = by_name(
    (
        MetricLabel("reward", "Reward", 3, None, "higher", "lower", 0.0005, "Mean reward of a step's responses."),
        _accuracy("accuracy", "Right responses", "Share of a step’s sampled responses that are right.", 1),
        MetricLabel(
            "reward_std",
            "Reward spread",
            3,
            None,
            "wider",
            "narrower",
            0.0005,
            "Standard deviation of the rewards in a group, averaged over groups.",
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
            "Share of groups whose rewards are all equal. They teach a group method nothing.",
            style=3,
        ),
        _length("length_wrong", "Sampled length when wrong", "Mean tokens of the wrong responses of a step.", 2),
        MetricLabel(
            "policy_objective", "Objective", 3, None, "higher", "lower", 0.0005, "What a step’s first updates maximize."
        ),
        MetricLabel(
            "grad_norm",
            "Gradient norm",
            4,
            None,
            "larger",
            "smaller",
            0.00005,
            "Length of the gradient in a step’s first epoch, before it is clipped.",
            style=4,
        ),
        MetricLabel(
            "kl_k1",
            "KL, estimated by k1",
            3,
            None,
            "further",
            "closer",
            0.0005,
            "Mean log-ratio of the sampled tokens to the reference.",
            unit="nats",
            style=1,
        ),
        MetricLabel(
            "kl_k3",
            "KL, estimated by k3",
            3,
            None,
            "further",
            "closer",
            0.0005,
            "An estimate from the sampled tokens that is never negative.",
            unit="nats",
            style=2,
        ),
        MetricLabel(
            "clip_fraction",
            "Clipped tokens",
            3,
            None,
            "more",
            "fewer",
            0.0005,
            "Share of tokens whose gradient the clip takes away, averaged over a step’s updates.",
            style=2,
        ),
        MetricLabel(
            "importance_sampling_ratio",
            "Importance ratio",
            3,
            None,
            "higher",
            "lower",
            0.0005,
            "Probability of a sampled token now, divided by what it was when it was sampled; mean over a step.",
            style=4,
        ),
        MetricLabel(
            "ratio_dev",
            "Ratio’s distance from 1",
            3,
            None,
            "further",
            "closer",
            0.0005,
            "How far the policy being trained has moved from the one that sampled; mean over tokens and updates.",
            style=4,
        ),
        MetricLabel(
            "dynamic_sampling_pass_rate",
            "Groups kept",
            2,
            None,
            "more",
            "fewer",
            0.005,
            "Share of the sampled groups with both right and wrong responses.",
        ),
        MetricLabel("sampled", "Responses so far", 0, None, "more", "fewer", 0.5, "Thrown-away ones included."),
        MetricLabel("lr", "Learning rate", 4, None, "higher", "lower", 0.00005, "At a step’s first update."),
    )
)
"""Metrics of a single training step, measured on its own samples; never graded."""

SETTINGS: dict[str, SettingLabel] = by_name(
    (
        SettingLabel("algorithm", "Algorithm", "Sets the design choices below; each can be changed."),
        SettingLabel("steps", "Steps", "Each samples responses, then trains on them.", is_whole=True),
        SettingLabel("prompts_per_step", "Prompts per step", "Questions asked in each step.", is_whole=True),
        SettingLabel("group_size", "Group size", "Responses sampled per prompt and step.", is_whole=True),
        SettingLabel(
            "max_completion_length", "Longest response", "Tokens after which a response is cut off.", is_whole=True
        ),
        SettingLabel("num_iterations", "Epochs per step", "How often a step’s responses are used.", is_whole=True),
        SettingLabel("minibatches", "Minibatches", "Updates that each epoch is divided into.", is_whole=True),
        SettingLabel("learning_rate", "Learning rate", "Size of an update."),
        SettingLabel("lr_schedule", "Schedule", "How the learning rate falls."),
        SettingLabel("warmup_ratio", "Warm-up", "Share of the updates over which the learning rate rises."),
        SettingLabel("optimizer", "Optimizer", "Turns gradients into updates."),
        SettingLabel("max_grad_norm", "Gradient limit", "Longer gradients are shortened to this; 0 is off."),
        SettingLabel(
            "prompt_memory", "Prompt memory", "How fast a prompt’s private parameters learn, beside the shared ones."
        ),
        SettingLabel("dynamic_sampling", "Dynamic sampling", "Throw groups away that are all right or all wrong."),
        SettingLabel("overlong", "Truncated responses", "What becomes of responses that hit the limit."),
        SettingLabel(
            "overlong_cache",
            "Penalty zone",
            "Tokens before the limit over which the reward falls.",
            is_whole=True,
        ),
        SettingLabel("advantage", "Advantage", "What a reward is compared with."),
        SettingLabel("importance_ratio", "Importance ratio", "Corrects for reusing responses."),
        SettingLabel("clip", "Clip", "Where a token’s push ends when the policy has moved."),
        SettingLabel("epsilon", "Epsilon", "Distance of the clip’s bounds from 1; with two bounds, of the lower."),
        SettingLabel("epsilon_high", "Upper epsilon", "Distance of the upper bound from 1."),
        SettingLabel("aggregation", "Aggregation", "How much a token weighs in the sum."),
        SettingLabel("kl", "KL penalty", "How the distance from the reference is charged."),
        SettingLabel("beta", "Beta", "Pull toward the reference policy."),
        SettingLabel("kl_in", "KL goes into", "Where the penalty is charged."),
        SettingLabel("gamma", "Gamma", "How much a reward counts one token earlier."),
        SettingLabel("gae_lambda", "Lambda", "How far back the critic’s surprise is spread: 1 is all the way."),
        SettingLabel("value_learning_rate", "Critic’s learning rate", "Size of an update of the critic."),
        SettingLabel("false_negative_rate", "Right marked wrong", "Chance that a right response gets no reward."),
        SettingLabel("false_positive_rate", "Wrong marked right", "Chance that a wrong response gets the reward."),
        SettingLabel("length_coefficient", "Length charge", "Taken off the reward of a response at the limit."),
        SettingLabel("format_coefficient", "Reward for ending", "Added to the reward of every response that ends."),
        SettingLabel("train_prompts", "Train prompts", "Questions to learn from.", is_whole=True),
        SettingLabel("world_seed", "World", "Decides the questions and the reference policy.", is_whole=True),
        SettingLabel("seed", "Seed", "Decides every draw.", is_whole=True),
    )
)

_CHOICES: dict[str, tuple[ChoiceLabel, ...]] = {
    "lr_schedule": (
        ChoiceLabel("constant", "Constant", "Stays as it is."),
        ChoiceLabel("linear", "Linear", "Falls evenly to 0."),
        ChoiceLabel("cosine", "Cosine", "Falls to 0, slowly at both ends."),
    ),
    "optimizer": (
        ChoiceLabel("adam", "Adam", "Scales each parameter’s update by its recent gradients."),
        ChoiceLabel("sgd", "SGD", "Follows the gradient with momentum; needs rates of 10 to 100 here."),
    ),
    "kl_in": (
        ChoiceLabel("loss", "The loss", "Charged on every token, with a gradient."),
        ChoiceLabel("reward", "The reward", "Taken off the reward, without a gradient."),
    ),
}

CHOICES: dict[str, dict[str, ChoiceLabel]] = {
    "algorithm": {name: ChoiceLabel(name, found.label, found.sentence) for name, found in ALGORITHMS.items()},
    **{
        slot: {name: ChoiceLabel(name, found.label, found.sentence) for name, found in choices.items()}
        for slot, choices in ENGINE_CHOICES.items()
        if slot != "dynamic_sampling"  # a switch: it is on or off
    },
    **{setting: by_name(labels) for setting, labels in _CHOICES.items()},
}
"""What each choice of a setting is called."""
