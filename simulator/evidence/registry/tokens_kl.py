"""Claims about the pull toward the reference policy, and about estimates of how far away it is."""

from collections.abc import Callable, Mapping

import numpy as np

from simulator.engine import StepRecord
from simulator.evidence.claim import ABOVE, ANY, BELOW, Claim, Column, Effect, above, below, within
from simulator.evidence.readings import FloatArray, Runs
from simulator.evidence.registry.columns import HELD_OUT, TOKEN_SEEDS, TRAIN, at_end, in_worlds, tokens
from simulator.evidence.tokens import of_step

THEME = "The pull toward the reference"
BETAS = (0.0, 0.01, 0.1, 0.3, 1.0)
KL = at_end("kl", 3)


def _kind(name: str, log_ratio: FloatArray) -> FloatArray:
    """An estimate of KL from each sampled token; `log_ratio` is by the policy over the reference."""
    if name == "k1":
        return log_ratio
    return log_ratio**2 / 2 if name == "k2" else np.exp(-log_ratio) - 1 + log_ratio


def _estimates(name: str, record: StepRecord) -> FloatArray:
    return _kind(name, (record.old_log_probs - record.ref_log_probs)[record.tokens >= 0])


def _spread(name: str, step: int) -> Column:
    return Column(
        f"{name}_{step}",
        f"Spread of {name}, step {step}",
        of_step(step, lambda record: float(_estimates(name, record).std())),
    )


def _error(name: str, step: int) -> Column:
    """Mean of the estimates minus the exact KL."""

    def measure(record: StepRecord) -> float:
        return float(_estimates(name, record).mean()) - record.metrics["kl"]

    return Column(f"{name}_error_{step}", f"Error of {name}, step {step}", of_step(step, measure), 4, "nats")


def _calmer(step: int) -> Callable[[Mapping[str, Runs]], FloatArray]:
    """Spread of k3 minus that of k1."""
    return lambda runs: _spread("k3", step).reading(runs["run"]) - _spread("k1", step).reading(runs["run"])


def _lost(metric: str, runs: Mapping[str, Runs]) -> FloatArray:
    """What beta 0.1 costs of a metric."""
    lost: FloatArray = runs["beta-0"].plain.final[metric] - runs["beta-10"].plain.final[metric]
    return lost


def _held_out_first(runs: Mapping[str, Runs]) -> FloatArray:
    return _lost("held_out_accuracy", runs) - _lost("train_accuracy", runs)


def _name(beta: float) -> str:
    return f"beta-{round(100 * beta)}"


CLAIMS = (
    Claim(
        name="kl-penalty",
        theme=THEME,
        statement="A KL penalty holds the policy near the reference and costs accuracy.",
        compared="k3 in the loss: KL at the end, beta 0.3 minus none",
        arms=[
            tokens(_name(0), "No penalty"),
            *(tokens(_name(beta), f"Beta {beta:g}", kl="k3", beta=beta) for beta in BETAS[1:]),
        ],
        columns=[KL, TRAIN, HELD_OUT],
        effects=[
            Effect("kl", "KL, beta 0.3 minus none", "kl", "beta-30", "beta-0", needs=below(0.1)),
            Effect(
                "accuracy", "train accuracy, beta 0.3 minus none", "train_accuracy", "beta-30", "beta-0", needs=BELOW
            ),
            Effect("strong", "train accuracy, beta 1 minus 0.3", "train_accuracy", "beta-100", "beta-30", needs=BELOW),
            Effect(
                "little",
                "train accuracy, beta 0.01 minus none",
                "train_accuracy",
                "beta-1",
                "beta-0",
                says=within(0.03),
            ),
            Effect(
                "held",
                "loss of held-out minus train accuracy, beta 0.1",
                "held_out_accuracy",
                value=_held_out_first,
                says=ABOVE,
            ),
        ],
        finding="""
            Beta 0.3 brings KL from {beta-0.kl} down to {beta-30.kl} and train accuracy from {beta-0.train_accuracy} to
            {beta-30.train_accuracy}. Beta 0.01 costs nothing that could be measured ({little}). Held-out accuracy
            suffers first: at beta 0.1 it has lost {held.size} more than train accuracy.
        """,
        reason="""
            The penalty weighs every token, the reward only whole responses. Where both agree it does nothing; where the
            reference has a bad habit it keeps it.
        """,
        missions=["three-kinds-of-leash"],
        seeds=TOKEN_SEEDS,
        sample=16,
    ),
    Claim(
        name="k1-in-loss",
        theme=THEME,
        statement="A KL term of the kind k1 in the loss restrains the policy.",
        compared="Beta 0.3, 4 epochs: KL at the end, k1 in the loss minus no penalty",
        arms=[
            *in_worlds(range(3), "none", "No penalty"),
            *in_worlds(range(3), "k1", "k1 in the loss", kl="k1", beta=0.3),
            tokens("none-once", "No penalty, 1 epoch", num_iterations=1),
            tokens("k1-once", "k1 in the loss, 1 epoch", kl="k1", beta=0.3, num_iterations=1),
            tokens("k2", "k2 in the loss", kl="k2", beta=0.3),
            tokens("k3", "k3 in the loss", kl="k3", beta=0.3),
            tokens("reward", "k1 in the reward", kl="k1", beta=0.3, kl_in="reward"),
        ],
        columns=[KL, TRAIN],
        effects=[
            Effect("k1", "k1 in the loss minus none", "kl", "k1", "none", needs=BELOW, says=above(0.2)),
            Effect("one", "k1 in the loss, world 1", "kl", "k1-w1", "none-w1", needs=BELOW, says=above(0.2)),
            Effect("two", "k1 in the loss, world 2", "kl", "k1-w2", "none-w2", needs=BELOW, says=above(0.2)),
            Effect("once", "k1 in the loss, 1 epoch", "kl", "k1-once", "none-once", needs=BELOW, says=ABOVE),
            Effect("k2", "k2 in the loss minus none", "kl", "k2", "none", says=below(0.1)),
            Effect("k3", "k3 in the loss minus none", "kl", "k3", "none", says=below(0.1)),
            Effect("reward", "k1 in the reward minus none", "kl", "reward", "none", says=below(0.1)),
        ],
        finding="""
            It lets the policy run away: KL ends higher than without any penalty ({k1}), and already with one epoch it
            rises ({once}). k2 and k3 in the loss restrain ({k2}, {k3}), and so does k1 in the reward ({reward}).
        """,
        reason="""
            The gradient of k1 on sampled tokens is the score itself, whose expectation is zero: noise instead of a
            pull. In the reward the same number decides which responses are worth repeating.
        """,
        missions=["three-kinds-of-leash"],
        seeds=TOKEN_SEEDS,
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="k3-spread",
        theme=THEME,
        statement="k3 estimates KL with less noise than k1.",
        compared="Step 6, close to the reference: standard deviation over tokens, k3 minus k1",
        arms=[tokens("run", "GRPO without KL")],
        columns=[
            *(_spread(name, step) for step in (6, 41) for name in ("k1", "k3")),
            *(_error(name, 6) for name in ("k1", "k2", "k3")),
        ],
        effects=[
            Effect("near", "k3 minus k1, step 6", "k3_6", value=_calmer(6), needs=BELOW),
            Effect("far", "k3 minus k1, step 41", "k3_41", value=_calmer(41), needs=BELOW, says=ABOVE),
            Effect("k1", "mean error of k1, step 6", "k1_error_6", "run", says=ANY),
            Effect("k2", "mean error of k2, step 6", "k2_error_6", "run", says=BELOW),
            Effect("k3", "mean error of k3, step 6", "k3_error_6", "run", says=ANY),
        ],
        finding="""
            Close to the reference, yes: {run.k3_6} against {run.k1_6}. Far from it, no: {run.k3_41} against
            {run.k1_41}. At step 6 k2 is too low by {k2.size} nats on average; k1 and k3 are {k1} and {k3}.
        """,
        reason="""
            k3 adds a term with expectation zero that cancels noise while ratios are near 1. Far away that term is an
            exponential with noise of its own.
        """,
        source="Schulman 2020",
        seeds=range(3000, 3128),
        sample=0,
    ),
)
