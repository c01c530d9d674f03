"""Algorithms: one choice a slot, and the settings each brings with it.

The slots are the sections in which two algorithms are compared, in this order. Functions that take a ``setup`` take an
algorithm, anything with ``to_dict``, or a mapping of settings; what a mapping leaves out is filled in as in a setup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from .formula import Equation, Expression
from .objective import comparison, formulas
from .objective.choice import Choice, Note
from .objective.comparison import Comparison
from .objective.libraries import note
from .objective.slots import CHOICE_NAMES, CHOICES, SLOT_LABELS, SLOTS, choice_of, code_of

__all__ = [
    "ALGORITHMS",
    "CHOICES",
    "CHOICE_NAMES",
    "PRESETS",
    "SLOTS",
    "SLOT_LABELS",
    "Algorithm",
    "advantage_formula",
    "choice_of",
    "choices_of",
    "code_of",
    "definitions",
    "difference",
    "objective_formula",
    "push_formula",
    "reward_formula",
    "settings_of",
    "token_formula",
    "weight_formula",
]

# Everything an algorithm decides, at its value in the plain default.
_PLAIN: dict[str, Any] = {
    "num_iterations": 4,
    "dynamic_sampling": False,
    "overlong": "none",
    "overlong_cache": 6,
    "advantage": "group_normalized",
    "importance_ratio": "token",
    "clip": "symmetric",
    "epsilon": 0.2,
    "epsilon_high": 0.28,
    "aggregation": "per_response",
    "kl": "none",
    "beta": 0.0,
    "kl_in": "loss",
    "gamma": 1.0,
    "gae_lambda": 0.95,
    "value_learning_rate": 0.05,
}


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A named algorithm.

    Attributes:
        sentence: what it is, in one plain sentence.
        source: the paper that defines it.
        changes: the settings in which it differs from the plain default.
        year: of the paper, 0 for none.
        builds_on: the name of the algorithm that it is an edit of, or empty.
        departs: where the settings here differ from the paper's, and why.
        notes: what libraries do under the same name.
    """

    name: str
    label: str
    sentence: str
    source: str
    changes: Mapping[str, Any] = field(hash=False)
    year: int = 0
    builds_on: str = ""
    departs: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything the algorithm fills in, the same keys for every algorithm."""
        return MappingProxyType(_PLAIN | dict(self.changes))

    def to_dict(self) -> dict[str, Any]:
        """As :attr:`settings`, so that an algorithm can stand wherever a setup can."""
        return dict(self.settings)


_ALL = (
    Algorithm(
        "grpo",
        "GRPO",
        "Compares the responses of a group with each other, and needs no critic.",
        "Shao et al. 2024, DeepSeekMath, arXiv 2402.03300, equation 3",
        {"kl": "k3", "beta": 0.001},
        year=2024,
        builds_on="ppo",
        departs="The paper leaves open how the deviation is taken; beta is set for this world.",
        notes=(
            note("TRL", 'Its GRPOTrainer takes one mean over tokens and no KL by default: loss_type="dapo", beta 0.'),
            note(
                "verl",
                "GRPO of the paper needs adv_estimator=grpo, loss_agg_mode=seq-mean-token-mean, use_kl_loss=True and "
                "kl_loss_type=low_var_kl; one mean over tokens and no KL are its defaults.",
            ),
        ),
    ),
    Algorithm(
        "dapo",
        "DAPO",
        "GRPO with room for rare tokens, only mixed groups, one mean over tokens and a soft length limit.",
        "Yu et al. 2025, arXiv 2503.14476",
        {"dynamic_sampling": True, "overlong": "soft", "clip": "higher", "aggregation": "per_token"},
        year=2025,
        builds_on="grpo",
        departs="The mean is over the tokens of the update, as in the authors' code; the paper has one mean a prompt.",
        notes=(
            note("TRL", 'loss_type="dapo" is the aggregation alone; there is no dynamic sampling.'),
            note("verl", "Each of the four ideas is a switch of its own; the mean over tokens is the default."),
        ),
    ),
    Algorithm(
        "dr_grpo",
        "Dr. GRPO",
        "GRPO without its two divisions: by the spread of the group and by the length of the response.",
        "Liu et al. 2025, arXiv 2503.20783",
        {"advantage": "group_mean", "aggregation": "constant"},
        year=2025,
        builds_on="grpo",
        departs="Divides by the maximum length as the authors' code does; the paper's formula divides by no length.",
        notes=(
            note(
                "TRL", 'loss_type="dr_grpo" changes the aggregation only; the spread stays unless scale_rewards="none".'
            ),
            note("verl", "Two switches: norm_adv_by_std_in_grpo=False and seq-mean-token-sum-norm."),
            note("OpenRLHF", "dr_grpo changes the advantage only."),
        ),
    ),
    Algorithm(
        "ppo",
        "PPO",
        "A critic judges every token, and the clip keeps each update close to the policy that sampled.",
        "Schulman et al. 2017, arXiv 1707.06347, equation 7",
        {"advantage": "gae", "aggregation": "per_token"},
        year=2017,
        builds_on="reinforce",
        departs="No entropy bonus, no clip of the critic's loss and no scaling of advantages.",
        notes=(
            note(
                "TRL",
                "No PPO trainer any more; in version 1.10 KL in the reward with 0.05, critic's loss clipped at 0.2.",
            ),
            note("verl", "lambda 1, and a dual clip at 3 that the paper does not have; no KL by default."),
            note("OpenRLHF", "lambda 1; KL in the reward with 0.01, estimated by k1."),
            note("cleanrl", "gamma 0.99, an entropy bonus of 0.01 and no KL."),
        ),
    ),
    Algorithm(
        "reinforce",
        "REINFORCE",
        "Makes each token likelier by as much as its response was better than usual.",
        "Williams 1992, Machine Learning 8",
        {
            "num_iterations": 1,
            "advantage": "ema_baseline",
            "importance_ratio": "none",
            "clip": "none",
            "aggregation": "per_token",
        },
        year=1992,
        departs="One mean over tokens; the paper sums over the tokens of a response.",
        notes=(
            note("TRL", "Has no plain REINFORCE; RLOOTrainer comes closest."),
            note("verl", "loss_mode=bypass_mode, summed over tokens and averaged over responses."),
            note("OpenRLHF", "Its reinforce is an advantage; the loss is still PPO's clipped ratio."),
        ),
    ),
    Algorithm(
        "rloo",
        "RLOO",
        "Compares each response with the mean of the others in its group.",
        "Kool et al. 2019; Ahmadian et al. 2024, arXiv 2402.14740",
        {"advantage": "leave_one_out", "aggregation": "per_token"},
        year=2024,
        builds_on="reinforce",
        departs=(
            "The paper has neither ratio nor clip, because it samples afresh for every update; it takes a response as "
            "one action and puts a KL into the reward. Here samples are reused behind PPO's clip, as in verl."
        ),
        notes=(
            note("TRL", "A ratio of the whole response without the root by its length, clipped; KL by k1, beta 0.05."),
            note("verl", "Only the advantage: ratio, clip and aggregation are what else is configured."),
            note("OpenRLHF", "KL token by token in the reward, then PPO's loss."),
        ),
    ),
    Algorithm(
        "gspo",
        "GSPO",
        "GRPO with one ratio for the whole response.",
        "Zheng et al. 2025, arXiv 2507.18071",
        {"importance_ratio": "sequence", "clip": "higher", "epsilon": 0.03, "epsilon_high": 0.04},
        year=2025,
        builds_on="grpo",
        departs="Bounds a hundred times wider than the paper's 0.0003 and 0.0004, which are for thousands of tokens.",
        notes=(
            note("TRL", 'importance_sampling_level="sequence" and loss_type="grpo", with small epsilons.'),
            note("verl", "loss_mode=gspo keeps the bounds at 0.2, at which it never clips."),
            note("OpenRLHF", "policy_loss_type=gspo keeps the bounds at 0.2."),
        ),
    ),
    Algorithm(
        "cispo",
        "CISPO",
        "Bounds the weight of a token instead of stopping its gradient.",
        "MiniMax 2025, MiniMax-M1, arXiv 2506.13585",
        {"clip": "cispo", "aggregation": "per_token"},
        year=2025,
        builds_on="dapo",
        departs="Upper bound 1.28, no lower bound.",
        notes=(
            note("TRL", "epsilon_high is the bound itself and not its distance from 1."),
            note("verl", "Bounds on both sides."),
            note("open-instruct", "Upper bound 1 + epsilon high, 1.272 by default."),
        ),
    ),
    Algorithm("custom", "Custom", "The plain default, to choose every slot by hand.", "", {}),
)

ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType({algorithm.name: algorithm for algorithm in _ALL})
"""Every algorithm by its name, in the order in which they are shown; the first is the default."""

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType({algorithm.name: algorithm.settings for algorithm in _ALL})
"""The settings that each algorithm fills in, the same keys each time.

A setting given beside the algorithm overrules it.
"""


class _HasSettings(Protocol):
    def to_dict(self) -> dict[str, Any]: ...


Setup: TypeAlias = _HasSettings | Mapping[str, Any]


def settings_of(setup: Setup) -> dict[str, Any]:
    """The settings of a setup, its algorithm's filled in."""
    given = dict(setup) if isinstance(setup, Mapping) else setup.to_dict()
    return dict(PRESETS[given.get("algorithm", _ALL[0].name)]) | given


def choices_of(setup: Setup) -> dict[str, Choice]:
    """The choice in every slot of a setup."""
    settings = settings_of(setup)
    return {slot: choice_of(slot, settings[slot]) for slot in SLOTS}


def objective_formula(setup: Setup) -> Expression:
    """The whole objective J of an update."""
    return formulas.objective(choices_of(setup), settings_of(setup))


def token_formula(setup: Setup) -> Expression:
    """What one token puts into the objective, before it is weighed."""
    return formulas.token(choices_of(setup), settings_of(setup))


def weight_formula(setup: Setup) -> Expression:
    """What a token weighs in the objective."""
    return formulas.weight(choices_of(setup))


def push_formula(setup: Setup) -> Expression:
    """The derivative of the objective by the log-probability of a token."""
    return formulas.push(choices_of(setup), settings_of(setup))


def advantage_formula(setup: Setup) -> Expression:
    """The advantage of a token."""
    return choices_of(setup)["advantage"].formula


def reward_formula(setup: Setup) -> Expression:
    """What a response is paid."""
    return formulas.reward(choices_of(setup), settings_of(setup))


def definitions(setup: Setup) -> tuple[Equation, ...]:
    """What the symbols of the objective stand for: ratio, advantage, reward, KL."""
    return formulas.where(choices_of(setup), settings_of(setup))


def difference(first: Setup, second: Setup) -> Comparison:
    """What differs between two algorithms or setups, slot by slot."""
    return comparison.compare(choices_of(first), settings_of(first), choices_of(second), settings_of(second))
