"""Claims about what advantages weigh, and how noisy they make the gradient."""

from simulator.evidence.claim import ABOVE, ANY, BELOW, Claim, Column, Effect, within
from simulator.evidence.credit import (
    share_of_advantage,
)
from simulator.evidence.noise import BLOCK, gradient_noise
from simulator.evidence.registry.columns import TOKEN_SEEDS, TRAIN, after, in_worlds, tokens
from simulator.evidence.tokens import of_step

THEME = "Advantages and credit"
SGD = {"optimizer": "sgd"}
MEAN = {"advantage": "group_mean"}
ON_POLICY = {"num_iterations": 1, "aggregation": "constant"}
HARD_20 = after("train_accuracy_carries", 20)

HARD = Column("hard", "Weight on prompts solved below 0.1", of_step(1, share_of_advantage(0.0, 0.1)))
MIDDLE = Column("middle", "Weight on prompts solved 0.3 to 0.7", of_step(1, share_of_advantage(0.3, 0.7)))
START_NOISE = Column("start", "Noise before training", gradient_noise(0), 2)
LATE_NOISE = Column("late", "Noise after 30 steps", gradient_noise(30), 2)


CLAIMS = (
    Claim(
        name="std-weights",
        theme=THEME,
        statement="Dividing by the group’s spread gives very hard prompts more weight.",
        compared="""
            First step, groups of 32: share of all advantage on prompts solved less than one time in ten, divided minus
            not
        """,
        arms=[
            tokens("std", "Mean and spread, groups of 32", group_size=32, prompts_per_step=16),
            tokens("mean", "Mean alone, groups of 32", group_size=32, prompts_per_step=16, advantage="group_mean"),
            tokens("std-8", "Mean and spread, groups of 8", prompts_per_step=16),
            tokens("mean-8", "Mean alone, groups of 8", prompts_per_step=16, advantage="group_mean"),
        ],
        columns=[HARD, MIDDLE],
        effects=[
            Effect("hard", "hard prompts, groups of 32", "hard", "std", "mean", needs=ABOVE),
            Effect("middle", "half-solved prompts, groups of 32", "middle", "std", "mean", needs=BELOW),
            Effect("small", "hard prompts, groups of 8", "hard", "std-8", "mean-8", says=ABOVE),
        ],
        finding="""
            In groups of 32 hard prompts hold {mean.hard} of all advantage without the division and {std.hard} with it;
            half-solved ones go from {mean.middle} to {std.middle}. In groups of 8 the change is smaller ({small}).
        """,
        reason="""
            A group with one right response has a small spread. Dividing by it makes that response’s advantage large. In
            small groups most hard prompts have no right response at all.
        """,
        source="Dr. GRPO, Liu et al. 2025",
        seeds=TOKEN_SEEDS,
        sample=4,
    ),
    Claim(
        name="std-training",
        theme=THEME,
        statement="Dividing by the group’s spread hurts training.",
        compared="SGD, groups of 32: accuracy on the hard family after 20 steps, divided minus not",
        arms=[
            *in_worlds(range(3), "sgd-std", "SGD 1, groups of 32, divided", **SGD, group_size=32, learning_rate=1),
            *in_worlds(
                range(3), "sgd-mean", "SGD 2.25, groups of 32, not", **SGD, **MEAN, group_size=32, learning_rate=2.25
            ),
            tokens("fast-std", "SGD 10, groups of 32, divided", **SGD, group_size=32, learning_rate=10),
            tokens("fast-mean", "SGD 22.5, groups of 32, not", **SGD, **MEAN, group_size=32, learning_rate=22.5),
            tokens("few-std", "SGD 1, groups of 8, divided", **SGD, learning_rate=1),
            tokens("few-mean", "SGD 2.12, groups of 8, not", **SGD, **MEAN, learning_rate=2.12),
            tokens("adam-std", "Adam, groups of 32, divided", group_size=32),
            tokens("adam-mean", "Adam, groups of 32, not", **MEAN, group_size=32),
            tokens("default-std", "Adam, groups of 8, divided"),
            tokens("default-mean", "Adam, groups of 8, not", **MEAN),
        ],
        columns=[HARD_20, TRAIN],
        effects=[
            Effect("sgd", "SGD, groups of 32", HARD_20.name, "sgd-std", "sgd-mean", needs=BELOW, says=ABOVE),
            Effect("one", "SGD, world 1", HARD_20.name, "sgd-std-w1", "sgd-mean-w1", needs=BELOW, says=ABOVE),
            Effect("two", "SGD, world 2", HARD_20.name, "sgd-std-w2", "sgd-mean-w2", needs=BELOW, says=ABOVE),
            Effect("adam", "Adam, groups of 32", HARD_20.name, "adam-std", "adam-mean", needs=BELOW),
            Effect("default", "Adam, groups of 8", HARD_20.name, "default-std", "default-mean", needs=BELOW),
            Effect("few", "SGD, groups of 8", HARD_20.name, "few-std", "few-mean", says=ANY),
            Effect("fast", "SGD at ten times the rate", HARD_20.name, "fast-std", "fast-mean", says=within(0.1)),
            Effect(
                "end",
                "Adam, groups of 8, all, step 60",
                "train_accuracy",
                "default-std",
                "default-mean",
                says=within(0.02),
            ),
        ],
        finding="""
            Under SGD with large groups it helps: on the hard family {sgd}, {one} and {two} after 20 steps in three
            worlds. Under Adam the hard family is slightly behind ({adam} with groups of 32, {default} with 8), and at
            the end nothing is left of it ({end}).
        """,
        reason="""
            The division gives hard prompts more weight. Under SGD the weight is speed; Adam divides every parameter’s
            update by the usual size of its gradient and hides most of it.
        """,
        limits="""
            Rates under SGD were matched, so that the first expected gradients are equally long. The rate of 1 was
            chosen after seeing several; at a larger one training is over too soon to differ.
        """,
        source="Dr. GRPO, Liu et al. 2025",
        seeds=TOKEN_SEEDS,
        sample=0,
        is_advice=True,
    ),
    Claim(
        name="gradient-noise",
        theme=THEME,
        statement="The better the baseline, the less noise in the gradient.",
        compared="One policy after 30 steps: noise of the gradient, running mean minus no baseline",
        arms=[
            tokens("none", "No baseline", **ON_POLICY, advantage="none"),
            tokens("ema", "Running mean", **ON_POLICY, advantage="ema_baseline"),
            tokens("mean", "Group mean", **ON_POLICY, advantage="group_mean"),
            tokens("rloo", "Leave one out", **ON_POLICY, advantage="leave_one_out"),
            tokens("std", "Group mean and spread", **ON_POLICY, advantage="group_normalized"),
            tokens("gae", "Critic", **ON_POLICY, advantage="gae"),
        ],
        columns=[START_NOISE, LATE_NOISE],
        effects=[
            Effect("ema", "running mean minus none", "late", "ema", "none", needs=BELOW),
            Effect("mean", "group mean minus running mean", "late", "mean", "ema", needs=BELOW),
            Effect("gae", "critic minus group mean", "late", "gae", "mean", needs=BELOW),
            Effect("same", "leave one out minus group mean", "late", "rloo", "mean", says=within(1e-6)),
            Effect("start", "running mean minus none, before training", "start", "ema", "none", says=within(0.5)),
        ],
        finding="""
            At a policy that is mostly right, {none.late} without a baseline, {ema.late} with a running mean,
            {mean.late} with the group’s mean, {gae.late} with a critic. Leaving one out is the same as the mean up to
            scale. Before training, when rewards are mostly 0 anyway, it hardly matters ({none.start} and {ema.start}).
        """,
        reason="""
            Noise is what the reward varies for reasons other than the tokens. A baseline takes off what was to be
            expected: on average, from this prompt, from here on.
        """,
        limits="""
            Noise is the variance of a batch’s gradient over the squared length of its mean. The policy is one that PPO
            reached after 30 steps, and the critic is that run’s own. How many batches one would need is not how fast
            training goes.
        """,
        seeds=range(3000, 3000 + 16 * BLOCK),
        count_noun=f"blocks of {BLOCK} batches",
        sample=0,
    ),
)
