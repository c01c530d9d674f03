"""Claims about whole algorithms side by side."""

from collections.abc import Callable, Mapping

from simulator.evidence.claim import ABOVE, BELOW, Claim, Column, Effect, within
from simulator.evidence.ratios import ratio_spread
from simulator.evidence.readings import FloatArray, Runs
from simulator.evidence.registry.columns import HELD_OUT, TOKEN_SEEDS, TRAIN, at_end, over, tokens
from simulator.evidence.tokens import of_step

THEME = "Algorithms side by side"
NAMES = {"grpo": "GRPO", "dr_grpo": "Dr. GRPO", "rloo": "RLOO", "gspo": "GSPO", "cispo": "CISPO"}


def _difference(first: Column, second: Column) -> Callable[[Mapping[str, Runs]], FloatArray]:
    return lambda runs: first.reading(runs["reused"]) - second.reading(runs["reused"])


PRODUCT_SHORT = Column("product_short", "Whole ratio, 2 to 4 tokens", of_step(5, ratio_spread(2, 4, False)))
PRODUCT_LONG = Column("product_long", "Whole ratio, 8 tokens or more", of_step(5, ratio_spread(8, 24, False)))
ROOT_SHORT = Column("root_short", "Length-normalized, 2 to 4", of_step(5, ratio_spread(2, 4, True)))
ROOT_LONG = Column("root_long", "Length-normalized, 8 or more", of_step(5, ratio_spread(8, 24, True)))

CLAIMS = (
    Claim(
        name="group-methods",
        theme=THEME,
        statement="GRPO, Dr. GRPO, RLOO, GSPO and CISPO end at the same accuracy.",
        compared="60 steps, as published: train accuracy, Dr. GRPO minus GRPO",
        arms=[tokens(name, label, algorithm=name) for name, label in NAMES.items()],
        columns=[TRAIN, HELD_OUT, at_end("wrong_response_length"), at_end("entropy")],
        effects=[
            Effect(name, f"{label} minus GRPO", "train_accuracy", name, "grpo", needs=within(0.02))
            for name, label in NAMES.items()
            if name != "grpo"
        ],
        finding="""
            As published, after 60 steps, they are within 0.02 of each other: Dr. GRPO {dr_grpo}, RLOO {rloo}, GSPO
            {gspo} and CISPO {cispo} against GRPO’s {grpo.train_accuracy}. What differs is on the way: length of wrong
            responses, entropy, how much is clipped.
        """,
        reason="""
            At the defaults the clip is hardly ever reached and Adam evens out scales. What is left of the differences
            is how tokens are weighed.
        """,
        limits="All share one learning rate and one number of epochs. It says nothing about each at its best.",
        seeds=TOKEN_SEEDS,
        sample=0,
    ),
    Claim(
        name="reinforce",
        theme=THEME,
        statement="REINFORCE is weaker than GRPO.",
        compared="60 steps, as published: train accuracy, REINFORCE with 1 epoch minus GRPO with 4",
        arms=[
            tokens("grpo", "GRPO", algorithm="grpo"),
            tokens("once", "REINFORCE, 1 epoch", algorithm="reinforce"),
            tokens("four", "REINFORCE, 4 epochs", algorithm="reinforce", num_iterations=4),
            tokens("grpo-once", "GRPO, 1 epoch", algorithm="grpo", num_iterations=1),
        ],
        columns=[TRAIN, HELD_OUT],
        effects=[
            Effect("published", "1 epoch minus GRPO with 4", "train_accuracy", "once", "grpo", needs=BELOW),
            Effect("equal", "both with 4 epochs", "train_accuracy", "four", "grpo", needs=BELOW, says=ABOVE),
            Effect("both", "both with 1 epoch", "train_accuracy", "once", "grpo-once", needs=BELOW, says=ABOVE),
        ],
        finding="""
            As published it is behind by {published.size}. That is the number of epochs: with 4 for both it is ahead by
            {equal.size}, with 1 for both by {both.size}.
        """,
        reason="A running mean gives every response an advantage, also where all of a group are right or all wrong.",
        limits="""
            Reusing responses 4 times without a ratio is no longer the algorithm as published; at this learning rate it
            does no harm.
        """,
        seeds=TOKEN_SEEDS,
        sample=16,
        is_advice=True,
    ),
    Claim(
        name="sequence-ratio",
        theme=THEME,
        statement="Without dividing by length, the ratio of a whole response spreads with its length.",
        compared="Step 5, 8 epochs, no clip: spread of the log-ratio of responses, 8 tokens or more minus 2 to 4",
        arms=[
            tokens("reused", "8 epochs, no clip", aggregation="per_token", clip="none", num_iterations=8),
            tokens("grpo", "GRPO", algorithm="grpo"),
            tokens("gspo", "GSPO", algorithm="gspo"),
        ],
        columns=[PRODUCT_SHORT, PRODUCT_LONG, ROOT_SHORT, ROOT_LONG, TRAIN, over("clip_fraction")],
        effects=[
            Effect(
                "whole",
                "whole ratio, long minus short",
                "product_long",
                value=_difference(PRODUCT_LONG, PRODUCT_SHORT),
                needs=ABOVE,
            ),
            Effect(
                "root",
                "length-normalized, long minus short",
                "root_long",
                value=_difference(ROOT_LONG, ROOT_SHORT),
                needs=BELOW,
            ),
            Effect("accuracy", "train accuracy, GSPO minus GRPO", "train_accuracy", "gspo", "grpo", says=within(0.02)),
            Effect("clipped", "clipped tokens, GSPO minus GRPO", "clip_fraction", "gspo", "grpo", says=ABOVE),
        ],
        finding="""
            The log of the whole ratio spreads by {reused.product_short} for short responses and by
            {reused.product_long} for long ones. Divided by length, as GSPO does, it is {reused.root_short} and
            {reused.root_long}. The accuracy that GSPO reaches is that of GRPO ({accuracy}), with {gspo.clip_fraction}
            of the tokens clipped instead of {grpo.clip_fraction}.
        """,
        reason="""
            A product of many ratios is as noisy as all of them together. Their geometric mean gets calmer with every
            token.
        """,
        source="GSPO, Zheng et al. 2025",
        seeds=range(3000, 3064),
        sample=0,
    ),
)
