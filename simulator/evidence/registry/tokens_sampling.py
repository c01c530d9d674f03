"""Claims about what is sampled: silent groups, dynamic sampling, and how to spend responses."""

from simulator.evidence.claim import ABOVE, BELOW, Claim, Effect, above, below, within
from simulator.evidence.registry.columns import HELD_OUT, TOKEN_SEEDS, TRAIN, after, in_worlds, over, tokens

THEME = "What is sampled"
WORLDS = range(3)
SILENT_FIRST, SILENT_LAST = over("frac_zero_std", 1, 1), over("frac_zero_std", 60, 60)
EARLY = after("train_accuracy", 20)
NORM = over("grad_norm", 51, 60)

CLAIMS = (
    Claim(
        name="going-silent",
        theme=THEME,
        statement="The better the policy, the more groups teach nothing.",
        compared="GRPO without KL, groups of 8, step 60: share of groups with equal rewards, less one half",
        arms=[
            tokens("plain", "No filter"),
            tokens("dynamic", "Dynamic sampling", dynamic_sampling=True),
        ],
        columns=[SILENT_FIRST, SILENT_LAST, NORM],
        effects=[
            Effect("rise", "above one half at step 60", SILENT_LAST.name, "plain", reference=0.5, needs=ABOVE),
            Effect(
                "filter", "dynamic sampling minus none, step 1", SILENT_FIRST.name, "dynamic", "plain", says=below(0.1)
            ),
            Effect("late", "dynamic sampling minus none, step 60", SILENT_LAST.name, "dynamic", "plain", says=BELOW),
        ],
        finding="""
            In the first step {plain.frac_zero_std_1} of the groups are silent, in the last {plain.frac_zero_std_60}.
            Dynamic sampling fills the first batch completely; late in training even a pass over all prompts can’t, and
            {dynamic.frac_zero_std_60} stay silent.
        """,
        reason="""
            A prompt that is always answered rightly has nothing left to compare, and the last hard ones are seldom
            drawn.
        """,
        missions=["silence-is-not-a-gradient"],
        seeds=TOKEN_SEEDS,
        sample=8,
    ),
    Claim(
        name="dynamic-steps",
        theme=THEME,
        statement="Dynamic sampling gets more out of every step.",
        compared="60 steps: train accuracy with dynamic sampling minus without",
        arms=[
            *in_worlds(WORLDS, "plain", "No filter, 60 steps"),
            *in_worlds(WORLDS, "dynamic", "Dynamic sampling, 60 steps", dynamic_sampling=True),
        ],
        columns=[TRAIN, HELD_OUT],
        effects=[
            Effect("gain", "same steps", "train_accuracy", "dynamic", "plain", needs=ABOVE),
            Effect("one", "same steps, world 1", "train_accuracy", "dynamic-w1", "plain-w1", needs=ABOVE),
            Effect("two", "same steps, world 2", "train_accuracy", "dynamic-w2", "plain-w2", needs=ABOVE),
        ],
        finding="""
            After the same 60 steps it is ahead by {gain} (in {gain.of} seeds). It has sampled {dynamic.responses}
            responses by then, instead of {plain.responses}.
        """,
        reason="Every group in the batch has both right and wrong responses, so every one has a gradient.",
        missions=["silence-is-not-a-gradient"],
        source="DAPO, Yu et al. 2025",
        seeds=TOKEN_SEEDS,
        sample=8,
    ),
    Claim(
        name="dynamic-samples",
        theme=THEME,
        statement="Dynamic sampling saves samples.",
        compared="Same number of responses: train accuracy with dynamic sampling minus without",
        arms=[
            *in_worlds(WORLDS, "plain", "No filter, 197 steps", steps=197),
            *in_worlds(WORLDS, "dynamic", "Dynamic sampling, 60 steps", dynamic_sampling=True),
        ],
        columns=[TRAIN, HELD_OUT],
        effects=[
            Effect("gain", "same responses", "train_accuracy", "dynamic", "plain", needs=ABOVE, says=BELOW),
            Effect(
                "one", "same responses, world 1", "train_accuracy", "dynamic-w1", "plain-w1", needs=ABOVE, says=BELOW
            ),
            Effect(
                "two", "same responses, world 2", "train_accuracy", "dynamic-w2", "plain-w2", needs=ABOVE, says=BELOW
            ),
            Effect("held", "held-out accuracy", "held_out_accuracy", "dynamic", "plain", says=within(0.05)),
        ],
        finding="""
            For as many responses, plain training can take more than three times the steps, and ends ahead by
            {gain.size} (in {gain.of} seeds), by {one.size} and {two.size} in the other worlds. Dynamic sampling saves
            optimizer steps, not samples.
        """,
        reason="""
            The groups it throws away were sampled and paid for. Without the filter they cost as much and at least do no
            harm.
        """,
        missions=["silence-is-not-a-gradient"],
        limits="The number of plain steps was chosen to match the responses on average; the table has both.",
        source="DAPO, Yu et al. 2025",
        seeds=TOKEN_SEEDS,
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="large-groups",
        theme=THEME,
        statement="Large groups make the most of a number of samples.",
        compared="1,920 responses, group mean: train accuracy, 2 prompts × 16 responses minus 16 × 2",
        arms=[
            tokens(
                "single",
                "32 × 1, running mean",
                aggregation="per_token",
                advantage="ema_baseline",
                prompts_per_step=32,
                group_size=1,
            ),
            *(
                tokens(
                    f"{prompts}x{32 // prompts}",
                    f"{prompts} × {32 // prompts}, group mean",
                    aggregation="per_token",
                    advantage="group_mean",
                    prompts_per_step=prompts,
                    group_size=32 // prompts,
                )
                for prompts in (16, 8, 4, 2)
            ),
        ],
        columns=[TRAIN, HELD_OUT, over("frac_zero_std")],
        effects=[
            Effect("large", "2 × 16 minus 16 × 2", "train_accuracy", "2x16", "16x2", needs=ABOVE, says=within(0.03)),
            Effect("middle", "4 × 8 minus 16 × 2", "train_accuracy", "4x8", "16x2", needs=ABOVE, says=within(0.03)),
            Effect("held", "held-out, 2 × 16 minus 16 × 2", "held_out_accuracy", "2x16", "16x2", says=within(0.06)),
            Effect("single", "32 × 1, running mean, minus 4 × 8", "train_accuracy", "single", "4x8", says=ABOVE),
        ],
        finding="""
            Between groups of 2 and of 16 nothing differs that could be measured ({large}). Asking 32 prompts once each
            and comparing with a running mean is ahead of groups of 8 by {single}, although to a group method every one
            of these groups would be silent.
        """,
        reason="""
            A group needs several responses to one prompt before it can compare. Other prompts would have been news.
        """,
        missions=["one-answer-per-question"],
        seeds=TOKEN_SEEDS,
        sample=0,
        is_advice=True,
    ),
    Claim(
        name="one-response",
        theme=THEME,
        statement="With one response per prompt a group method learns nothing; a running mean or a critic does.",
        compared="32 prompts × 1 response, 40 steps: train accuracy, running mean minus group mean",
        arms=[
            tokens(
                "group",
                "Group mean",
                aggregation="per_token",
                advantage="group_mean",
                prompts_per_step=32,
                group_size=1,
                steps=40,
            ),
            tokens(
                "mean",
                "Running mean",
                aggregation="per_token",
                advantage="ema_baseline",
                prompts_per_step=32,
                group_size=1,
                steps=40,
            ),
            tokens(
                "critic",
                "Critic",
                aggregation="per_token",
                advantage="gae",
                prompts_per_step=32,
                group_size=1,
                steps=40,
            ),
        ],
        columns=[TRAIN, HELD_OUT, EARLY],
        effects=[
            Effect("mean", "running mean minus group mean", "train_accuracy", "mean", "group", needs=above(0.3)),
            Effect("critic", "critic minus group mean", "train_accuracy", "critic", "group", needs=above(0.3)),
            Effect("versus", "critic minus running mean", "train_accuracy", "critic", "mean", says=within(0.05)),
            Effect("early", "critic minus running mean, step 20", EARLY.name, "critic", "mean", says=within(0.1)),
        ],
        finding="""
            A group of one has nothing to compare, and the policy stays where it was ({group.train_accuracy}). A running
            mean reaches {mean.train_accuracy}, a critic {critic.train_accuracy}: here the plain mean does as well
            ({versus}; {early} after 20 steps, while the critic still learns).
        """,
        reason="""
            What a reward is compared with may come from other prompts and earlier steps as well as from the same group.
        """,
        missions=["one-answer-per-question"],
        seeds=TOKEN_SEEDS,
        sample=8,
    ),
)
