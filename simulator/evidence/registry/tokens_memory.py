"""Claims about what is learned by heart, what is lost on the way, and what entropy pays for."""

from collections.abc import Mapping

import numpy as np

from simulator.evidence.claim import ABOVE, BELOW, Claim, Column, Effect, above, below, within
from simulator.evidence.readings import FloatArray, Reading, Runs, final
from simulator.evidence.registry.columns import HELD_OUT, TOKEN_SEEDS, TRAIN, at_end, in_worlds, tokens
from simulator.evidence.tokens import metric_under_limit, run_after

THEME = "Memory and exploration"
WORLDS = range(3)
GAP = at_end("generalization_gap")
BLOCK = 8


def _change(metric: str, label: str) -> Column:
    """A metric at the end minus before training."""
    end = final(metric)

    def read(runs: Runs) -> FloatArray:
        start = metric_under_limit(metric, runs.setup.max_completion_length)(run_after(runs, runs.seeds[0], 0))
        return end(runs) - start

    return Column(f"{metric}_change", label, read)


def _fit(shape: str) -> Reading:
    """Share of the variance of the reward curve that a fit by entropy explains, for means over blocks of seeds."""

    def read(runs: Runs) -> FloatArray:
        history = runs.traced.history
        curves = [
            history[name].reshape(-1, BLOCK, history[name].shape[-1]).mean(axis=1) for name in ("entropy", "reward")
        ]
        return np.array(
            [_explained(np.exp(h) if shape == "exponential" else h, r) for h, r in zip(*curves, strict=True)]
        )

    return read


def _explained(x: FloatArray, y: FloatArray) -> float:
    return float(np.corrcoef(x, y)[0, 1] ** 2)


EXPONENTIAL = Column("exponential", "Explained by an exponential", _fit("exponential"))
LINE = Column("line", "Explained by a straight line", _fit("line"))


def _curvature(runs: Mapping[str, Runs]) -> FloatArray:
    return EXPONENTIAL.reading(runs["plain"]) - LINE.reading(runs["plain"])


PASS_1, PASS_64, PASS_256 = (_change(f"held_out_pass_at_{k}", f"Pass@{k}, change") for k in (1, 64, 256))

CLAIMS = (
    Claim(
        name="memory",
        theme=THEME,
        statement="Private parameters memorize.",
        compared="60 steps: gap between train and held-out accuracy, prompt memory 2 minus 0",
        arms=[
            *in_worlds(range(2), "0", "Prompt memory 0", prompt_memory=0),
            tokens("half", "Prompt memory 0.5"),
            tokens("1", "Prompt memory 1", prompt_memory=1),
            *in_worlds(range(2), "2", "Prompt memory 2", prompt_memory=2),
            tokens("few", "Prompt memory 0.5, 8 prompts", train_prompts=8),
        ],
        columns=[TRAIN, HELD_OUT, GAP],
        effects=[
            Effect("gap", "gap, memory 2 minus 0", "generalization_gap", "2", "0", needs=above(0.05)),
            Effect("one", "gap, memory 2 minus 0, world 1", "generalization_gap", "2-w1", "0-w1", needs=above(0.05)),
            Effect("held", "held-out accuracy, memory 2 minus 0", "held_out_accuracy", "2", "0", needs=BELOW),
            Effect("train", "train accuracy, memory 2 minus 0", "train_accuracy", "2", "0", says=ABOVE),
            Effect("few", "gap, 8 prompts minus 32, memory 0.5", "generalization_gap", "few", "half", says=ABOVE),
        ],
        finding="""
            With only shared parameters train and held-out accuracy are {0.train_accuracy} and {0.held_out_accuracy};
            with a strong memory they are {2.train_accuracy} and {2.held_out_accuracy}. The gap grows by {gap}. At the
            default memory, 8 prompts instead of 32 widen it by {few}.
        """,
        reason="""
            A prompt’s own parameters can learn its answer by heart, a lucky guess or the hidden meaning of a story.
            Nothing of that helps another prompt.
        """,
        missions=["learned-by-heart"],
        unmeasured="""
            How much of the gap is lucky guesses learned by heart. That takes a world without guessing, which the engine
            doesn’t have.
        """,
        seeds=TOKEN_SEEDS,
        sample=8,
    ),
    Claim(
        name="pass-at-k",
        theme=THEME,
        statement="Training raises pass@1 and lowers pass@k below the reference.",
        compared="Held-out pass@256, after training minus before: shared parameters only, 150 steps",
        arms=[
            *in_worlds(range(3), "shared", "Prompt memory 0, 150 steps", prompt_memory=0, steps=150),
            *in_worlds(range(2), "default", "Prompt memory 0.5, 60 steps"),
            tokens("leash", "Prompt memory 0, 150 steps, k3 beta 0.03", prompt_memory=0, steps=150, kl="k3", beta=0.03),
        ],
        columns=[PASS_1, PASS_64, PASS_256],
        effects=[
            Effect("most", "pass@256, shared parameters", PASS_256.name, "shared", needs=BELOW),
            Effect("one", "pass@256, shared parameters, world 1", PASS_256.name, "shared-w1", needs=BELOW),
            Effect("two", "pass@256, shared parameters, world 2", PASS_256.name, "shared-w2", needs=BELOW),
            Effect("default", "pass@256, defaults", PASS_256.name, "default", needs=below(0.005), says=within(0.01)),
            Effect("first", "pass@1, shared parameters", PASS_1.name, "shared", needs=ABOVE),
            Effect("leash", "pass@256, with beta 0.03 minus without", PASS_256.name, "leash", "shared", says=ABOVE),
        ],
        finding="""
            Only where all parameters are shared: after 150 steps pass@1 is up by {first.size} and pass@256 below the
            reference by {most.size}. At the defaults pass@256 changes by {default}. A small KL penalty gives back
            {leash.size}.
        """,
        reason="""
            Some stories read one way and mean the other. A shared policy settles on the common reading and never again
            tries the rare one, not in 256 attempts.
        """,
        seeds=TOKEN_SEEDS,
        sample=4,
    ),
    Claim(
        name="entropy-for-reward",
        theme=THEME,
        statement="Reward follows entropy by an exponential law.",
        compared="100 steps, mean curves of 8 seeds: variance explained by an exponential minus by a straight line",
        arms=[
            tokens("plain", "No penalty, 100 steps", steps=100),
            tokens("kl", "k3, beta 0.1, 100 steps", steps=100, kl="k3", beta=0.1),
        ],
        columns=[EXPONENTIAL, LINE],
        effects=[
            Effect(
                "shape", "exponential minus line", "exponential", value=_curvature, needs=above(0.02), says=within(0.02)
            ),
            Effect("fit", "exponential, above 0.9", "exponential", "plain", reference=0.9, needs=ABOVE),
            Effect("kl", "with a KL penalty minus without", "exponential", "kl", "plain", says=BELOW),
        ],
        finding="""
            Entropy is spent for reward: an exponential of it explains {plain.exponential} of the reward curve. But a
            straight line explains {plain.line}, so the law’s form can’t be told from these runs, and with a KL penalty
            it explains {kl.exponential}.
        """,
        reason="""
            A policy gets surer as it gets better, so the two curves mirror each other. What ties them is training, not
            a law.
        """,
        seeds=range(3000, 3064),
        count_noun=f"means over {BLOCK} each",
        sample=0,
        is_advice=False,
    ),
)
