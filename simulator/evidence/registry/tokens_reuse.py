"""Claims about using responses more than once: how far ratios drift, and what keeps that from doing harm."""

from simulator.evidence.claim import ABOVE, Claim, Effect, below, within
from simulator.evidence.registry.columns import TOKEN_SEEDS, TRAIN, at_end, in_worlds, over, tokens

THEME = "Reused responses and clipping"
WORLDS = range(3)
TOKEN = {"aggregation": "per_token"}
WILD = {"aggregation": "per_token", "num_iterations": 16, "learning_rate": 0.3}
DRIFT, CLIPPED = over("ratio_dev", 1, 20), over("clip_fraction", 1, 20)

CLAIMS = (
    Claim(
        name="no-clip",
        theme=THEME,
        statement="Without clipping, reused responses wreck the policy.",
        compared="16 epochs, rate 0.3: train accuracy with a clip of 0.2 minus without one",
        arms=[
            *in_worlds(
                WORLDS,
                "none",
                "No clip, 16 epochs, rate 0.3",
                **TOKEN,
                clip="none",
                num_iterations=16,
                learning_rate=0.3,
            ),
            *in_worlds(WORLDS, "clip", "Clip 0.2, 16 epochs, rate 0.3", **TOKEN, num_iterations=16, learning_rate=0.3),
            tokens("none-mild", "No clip, 4 epochs, rate 0.03", **TOKEN, clip="none"),
            tokens("clip-mild", "Clip 0.2, 4 epochs, rate 0.03", **TOKEN),
        ],
        columns=[TRAIN, at_end("truncated")],
        effects=[
            Effect("clip", "clip minus none", "train_accuracy", "clip", "none", needs=ABOVE),
            Effect("one", "clip minus none, world 1", "train_accuracy", "clip-w1", "none-w1", needs=ABOVE),
            Effect("two", "clip minus none, world 2", "train_accuracy", "clip-w2", "none-w2", needs=ABOVE),
            Effect("mild", "4 epochs, rate 0.03", "train_accuracy", "clip-mild", "none-mild", says=within(0.04)),
        ],
        finding="""
            With 16 epochs at rate 0.3 a run without a clip ends at {none.train_accuracy}, with one at
            {clip.train_accuracy} ({clip}, in {clip.of} seeds). At 4 epochs and rate 0.03 the clip is never reached, and
            nothing differs ({mild}).
        """,
        reason="""
            The same responses push the same tokens again and again, although the policy has long moved. The clip takes
            a token’s push away once it has moved enough.
        """,
        missions=["stale-data"],
        seeds=TOKEN_SEEDS,
        sample=8,
    ),
    Claim(
        name="gradient-limit",
        theme=THEME,
        statement="A limit on the gradient makes reuse as safe as a clip does.",
        compared="16 epochs, rate 0.3: train accuracy, gradient limit 0.1 and no clip, minus clip 0.2",
        arms=[
            tokens("none", "No clip", **WILD, clip="none"),
            tokens("limit", "No clip, gradient limit 0.1", **WILD, clip="none", max_grad_norm=0.1),
            tokens("clip", "Clip 0.2", **WILD),
            tokens("cispo", "CISPO", **WILD, clip="cispo"),
            tokens("bare", "No ratio, no clip", **WILD, clip="none", importance_ratio="none"),
        ],
        columns=[TRAIN, at_end("truncated")],
        effects=[
            Effect(
                "limit",
                "gradient limit minus clip",
                "train_accuracy",
                "limit",
                "clip",
                needs=within(0.05),
                says=below(0.1),
            ),
            Effect("cispo", "CISPO minus no clip", "train_accuracy", "cispo", "none", says=ABOVE),
            Effect("bare", "no ratio minus no clip", "train_accuracy", "bare", "none", says=ABOVE),
        ],
        finding="""
            A gradient cut to a tenth ends at {limit.train_accuracy}, hardly better than nothing ({none.train_accuracy})
            and far from a clip ({clip.train_accuracy}). What helps is whatever keeps the ratio from multiplying:
            CISPO’s bound ({cispo}), or leaving the ratio out ({bare}).
        """,
        reason="""
            Adam divides by the size of recent gradients, so cutting them all changes little. The harm comes from ratios
            that grow as they are followed.
        """,
        seeds=TOKEN_SEEDS,
        missions=["stale-data"],
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="drift",
        theme=THEME,
        statement="The more often responses are reused, the further the ratio drifts from 1.",
        compared="First 20 steps: mean distance of the ratio from 1, 16 epochs minus 4",
        arms=[
            tokens(str(epochs), f"{epochs} {'epoch' if epochs == 1 else 'epochs'}", num_iterations=epochs)
            for epochs in (1, 4, 16)
        ]
        + [tokens("fast", "4 epochs, rate 0.1", learning_rate=0.1)],
        columns=[DRIFT, CLIPPED],
        effects=[
            Effect("most", "16 epochs minus 4", DRIFT.name, "16", "4", needs=ABOVE),
            Effect("some", "4 epochs minus 1", DRIFT.name, "4", "1", needs=ABOVE),
            Effect("once", "1 epoch", DRIFT.name, "1", needs=within(1e-9)),
            Effect("rate", "rate 0.1 minus 0.03, 4 epochs", DRIFT.name, "fast", "4", needs=ABOVE),
            Effect("clipped", "clipped tokens, 16 epochs minus 4", CLIPPED.name, "16", "4", says=ABOVE),
        ],
        finding="""
            With one epoch the ratio is exactly 1 and a clip has nothing to do. With 4 it is off by {4.ratio_dev_20} on
            average, with 16 by {16.ratio_dev_20}, and {16.clip_fraction_20} of the tokens are clipped.
        """,
        reason="""
            The ratio compares the policy with the one that sampled. Every further update on the same responses moves it
            on.
        """,
        missions=["stale-data"],
        seeds=TOKEN_SEEDS,
        sample=4,
    ),
)
