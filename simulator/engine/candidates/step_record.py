"""One step of a run as plain arrays: what the answers of its prompts were worth and what the update did with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .setup import CandidateSetup

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class AnswerPairs:
    """The preference pairs of one prompt. An entry: an answer labeled better, one labeled worse, a number of pairs.

    Attributes:
        winner, loser: answers, ``(E,)``.
        number: how many pairs of draws they make up, ``(E,)``.
        flipped: the label was inverted: the loser has the larger signal, ``(E,)``.
        margin: the winner's gain in log-probability over the reference less the loser's, nats, ``(E,)``.
        weight: how hard the pair pushes the two apart: the derivative of ``value`` by the margin, ``(E,)``.
        value: what the pair puts into the objective, before the mean over pairs, ``(E,)``.
    """

    winner: IntArray
    loser: IntArray
    number: IntArray
    flipped: BoolArray
    margin: FloatArray
    weight: FloatArray
    value: FloatArray

    @property
    def total(self) -> int:
        """All pairs."""
        return int(self.number.sum())


@dataclass(frozen=True, eq=False, slots=True)
class CandidateStepRecord:
    """One step of one run: B prompts in the order of their visit, K answers of each, n draws from them.

    The objective of a step is the sum of its prompts' objectives; nothing ties the prompts to each other. Pushes are
    its exact derivatives by the logits.

    Attributes:
        setup, seed, step: which step this is; steps count from 1.
        sampled_responses: by the run so far, this step included.
        metrics: exact metrics of the policy after the step, averaged over all forty prompts, and what was measured on
            the step's own draws.
        prompts: numbers of the prompts, from 0, ``(B,)``.
        visits: how many times each had been visited before, ``(B,)``.
        quality: hidden, ``(B, K)``.
        score: by the reward model, without any length penalty, ``(B, K)``.
        signal: what training is paid: the score less the length penalty, ``(B, K)``.
        length: tokens, ``(B, K)``.
        exploit: the answer that fools the reward model, ``(B,)``, or None in an event without one.
        ref_log_probs, log_probs, new_log_probs: by the reference policy, before the step and after it, nats,
            ``(B, K)``.
        learning_rate: what a push is multiplied by before it is added to the logit.
        draws: the answers drawn, one by one, ``(B, n)``. Offline methods draw once, from the reference, and use the
            same draws in every visit.
        counts: how often each answer is among them, ``(B, K)``.
        mean, deviation: of the draws' signals, the latter by dividing by n, ``(B,)``.
        silent: the draws' signals are all equal, ``(B,)``; only a moving baseline learns from such.
        baseline: the moving average of earlier mean signals, ``(B,)``, or None without one.
        advantages: of an answer, were it drawn, ``(B, K)``; None where the method has none.
        target: the distribution that is imitated, 0 where a prompt has none, ``(B, K)``, or None.
        pairs: the preference pairs of each prompt, or None.
        draw_pushes: derivative of the objective by the log-probability of one draw, apart from the KL, ``(B, n)``.
        objective: J of each prompt before the update, up to what no logit changes, ``(B,)``.
        kl: of the policy before the update from the reference, exact, nats, ``(B,)``.
        rule_pushes: derivative of the objective without its KL by each logit, ``(B, K)``.
        kl_pushes: derivative of the KL's part, minus beta times the KL, ``(B, K)``.
        moved: what training added to each logit, ``(B, K)``: the learning rate times the push, up to rounding.
    """

    setup: CandidateSetup
    seed: int
    step: int
    sampled_responses: int
    metrics: dict[str, float]
    prompts: IntArray
    visits: IntArray
    quality: FloatArray
    score: FloatArray
    signal: FloatArray
    length: FloatArray
    exploit: IntArray | None
    ref_log_probs: FloatArray
    log_probs: FloatArray
    new_log_probs: FloatArray
    learning_rate: float
    draws: IntArray
    counts: IntArray
    mean: FloatArray
    deviation: FloatArray
    silent: BoolArray
    baseline: FloatArray | None
    advantages: FloatArray | None
    target: FloatArray | None
    pairs: tuple[AnswerPairs, ...] | None
    draw_pushes: FloatArray
    objective: FloatArray
    kl: FloatArray
    rule_pushes: FloatArray
    kl_pushes: FloatArray
    moved: FloatArray

    @property
    def pushes(self) -> FloatArray:
        """Derivative of the whole objective by each logit, ``(B, K)``."""
        return self.rule_pushes + self.kl_pushes

    @property
    def best_first(self) -> IntArray:
        """The answers of each prompt by hidden quality, best first, equal ones in their order, ``(B, K)``."""
        return np.argsort(-self.quality, axis=-1, kind="stable")

    @property
    def implicit_rewards(self) -> FloatArray:
        """What a preference method takes an answer to be worth: beta times its gain in log-probability, ``(B, K)``."""
        return self.setup.beta * (self.log_probs - self.ref_log_probs)
