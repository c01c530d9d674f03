"""Training methods: one object per method, which the trainer runs and pages may print.

Arrays have the layout ``(K, columns)`` with one column per prompt and seed.
Notation: ``N_k`` how often answer ``k`` was drawn in a group of ``G``, ``s_k``
its training signal, ``m`` the group's mean signal, ``p_k`` its probability.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

# A variance this small is rounding: every drawn answer has the same signal.
SILENT_VARIANCE = 1e-20
DEVIATION_OFFSET = 1e-6
BASELINE_RATE = 0.2

ONLINE_RATE = 0.5
OFFLINE_RATE = 1.0


@dataclass(frozen=True, slots=True)
class GroupAdvantage:
    """Policy gradient on a group: ``g_k = N_k (s_k - m) * scale``.

    ``scale`` gets the population variance of the group's signals, one value
    per column, and the group size. Silent groups, in which every signal is the
    same, move nothing.
    """

    scale: Callable[[FloatArray, int], FloatArray]


@dataclass(frozen=True, slots=True)
class MovingBaseline:
    """REINFORCE: ``g_k = N_k (s_k - b) / G - p_k (m - b)``.

    The baseline ``b`` belongs to the prompt, starts at 0 and follows the mean
    signal after each visit: ``b += rate * (m - b)``.
    """

    rate: float


@dataclass(frozen=True, slots=True)
class BestAnswers:
    """Imitation: ``g_k = t_k - p_k`` where ``t`` spreads 1 over the best answers drawn.

    A draw counts as often as it was made when ``share_draws`` is set (RAFT);
    otherwise the first of the best answers gets everything. Prompts whose
    draws all have the same signal move nothing.
    """

    share_draws: bool


@dataclass(frozen=True, slots=True)
class PairLoss:
    """Preference pairs: ``g = mean over pairs of weight * (e_winner - e_loser)``.

    ``weight(margin, beta, label_smoothing)`` is minus the derivative of the
    pair's loss by its margin, divided by beta, so that the size of the first
    update does not depend on beta. The margin is the winner's gain in
    log-probability over the reference minus the loser's.
    """

    weight: Callable[[FloatArray, float, float], FloatArray]


@dataclass(frozen=True, slots=True)
class Method:
    """One training method.

    Attributes:
        online: samples a fresh group at every visit; otherwise samples every
            prompt once from the reference policy.
        rule: what an update is; the trainer runs this object.
        leash: subtracts ``beta`` times the gradient of the exact KL to the
            reference. Pair losses have their own use of beta and no leash.
        uses: the fields of a setup that influence the method, beyond those
            that every method uses.
        smallest_group: the smallest group size that the rule is defined for.
        source: the paper and place that define it.
    """

    name: str
    label: str
    kind: Literal["online", "offline"]
    rule: GroupAdvantage | MovingBaseline | BestAnswers | PairLoss
    summary: str
    source: str
    uses: frozenset[str]
    smallest_group: int = 1

    @property
    def online(self) -> bool:
        return self.kind == "online"

    @property
    def leash(self) -> bool:
        return not isinstance(self.rule, PairLoss)

    @property
    def rate(self) -> float:
        """Learning rate per visited prompt."""
        return ONLINE_RATE if self.online else OFFLINE_RATE


def sigmoid(values: FloatArray) -> FloatArray:
    """The logistic function; the tangent form can neither overflow nor warn."""
    result: FloatArray = 0.5 * values
    np.tanh(result, out=result)
    result *= 0.5
    result += 0.5
    return result


def _standardized(variance: FloatArray, size: int) -> FloatArray:
    return np.asarray(1.0 / (size * (np.sqrt(variance) + DEVIATION_OFFSET)))


def _averaged(variance: FloatArray, size: int) -> FloatArray:
    return np.full_like(variance, 1.0 / size)


def _left_out(variance: FloatArray, size: int) -> FloatArray:
    # s_i minus the mean of the others is (s_i - m) * G / (G - 1).
    return np.full_like(variance, 1.0 / (size - 1))


def dpo_weight(margin: FloatArray, beta: float, label_smoothing: float = 0.0) -> FloatArray:
    """DPO: from ``-log sigmoid(beta * margin)``."""
    return sigmoid(-beta * margin)


def cdpo_weight(margin: FloatArray, beta: float, label_smoothing: float) -> FloatArray:
    """Conservative DPO: from the cross-entropy with the label ``1 - label_smoothing``."""
    return sigmoid(-beta * margin) - label_smoothing


def rdpo_weight(margin: FloatArray, beta: float, label_smoothing: float) -> FloatArray:
    """Robust DPO: the estimate of DPO's loss that label flips leave unbiased."""
    # (1 - eps) sigmoid(-beta x) + eps sigmoid(beta x), all over 1 - 2 eps; the two sigmoids add to 1.
    clarity = 1.0 - 2.0 * label_smoothing
    return np.asarray(sigmoid(-beta * margin) + label_smoothing / clarity)


def ipo_weight(margin: FloatArray, beta: float, label_smoothing: float = 0.0) -> FloatArray:
    """IPO: from ``(margin - 1 / (2 beta))**2``, scaled so that it starts at one half."""
    return 0.5 - beta * margin


_GROUP = frozenset({"group_size", "beta", "length_penalty"})
_PAIRS = frozenset({"samples_per_prompt", "beta", "length_penalty", "flip_rate"})
_SMOOTHED = _PAIRS | {"label_smoothing"}

_ALL = (
    Method(
        "grpo",
        "GRPO",
        "online",
        GroupAdvantage(_standardized),
        "Compares the answers of a group and divides by their spread.",
        "Shao et al. 2024, DeepSeekMath, arXiv 2402.03300, section 4.1; population deviation plus 1e-6",
        _GROUP,
    ),
    Method(
        "dr_grpo",
        "Dr. GRPO",
        "online",
        GroupAdvantage(_averaged),
        "GRPO without the division by the spread.",
        "Liu et al. 2025, arXiv 2503.20783, section 3.2",
        _GROUP,
    ),
    Method(
        "rloo",
        "RLOO",
        "online",
        GroupAdvantage(_left_out),
        "Compares each answer with the mean of the others in its group.",
        "Ahmadian et al. 2024, arXiv 2402.14740",
        _GROUP,
        smallest_group=2,
    ),
    Method(
        "reinforce",
        "REINFORCE",
        "online",
        MovingBaseline(BASELINE_RATE),
        "Compares each answer with a moving average of the prompt's rewards.",
        "Williams 1992, Machine Learning 8; with a moving-average baseline",
        _GROUP,
    ),
    Method(
        "online_dpo",
        "Online DPO",
        "online",
        PairLoss(dpo_weight),
        "DPO on all pairs of a freshly sampled group.",
        "Guo et al. 2024, arXiv 2402.04792",
        _GROUP,
    ),
    Method(
        "raft",
        "RAFT",
        "online",
        BestAnswers(share_draws=True),
        "Imitates the best answers of each fresh group.",
        "Dong et al. 2023, arXiv 2304.06767",
        _GROUP,
    ),
    Method(
        "dpo",
        "DPO",
        "offline",
        PairLoss(dpo_weight),
        "Learns from preference pairs drawn once from the reference.",
        "Rafailov et al. 2023, arXiv 2305.18290, section 4; gradient divided by beta",
        _PAIRS,
    ),
    Method(
        "cdpo",
        "cDPO",
        "offline",
        PairLoss(cdpo_weight),
        "DPO that expects a share of the labels to be wrong and stops earlier.",
        "Mitchell 2023, A note on DPO with noisy preferences and relationship to IPO",
        _SMOOTHED,
    ),
    Method(
        "rdpo",
        "rDPO",
        "offline",
        PairLoss(rdpo_weight),
        "DPO that undoes, on average, a known share of flipped labels.",
        "Chowdhury et al. 2024, arXiv 2403.00409",
        _SMOOTHED,
    ),
    Method(
        "ipo",
        "IPO",
        "offline",
        PairLoss(ipo_weight),
        "Pulls every margin to the target 1 / (2 beta) and no further.",
        "Azar et al. 2023, arXiv 2310.12036",
        _PAIRS,
    ),
    Method(
        "best_of_n",
        "Best-of-n",
        "offline",
        BestAnswers(share_draws=False),
        "Imitates the best of n answers drawn once from the reference.",
        "Touvron et al. 2023, arXiv 2307.09288; rejection-sampling fine-tuning",
        frozenset({"samples_per_prompt", "beta", "length_penalty"}),
    ),
)

METHODS: dict[str, Method] = {method.name: method for method in _ALL}
"""Every method by its name, in the order in which they are shown."""
