"""Claims about training when one answer in ten passes and all others count the same."""

from simulator.evidence.claim import ABOVE, Claim, Column, Effect, above, arm, below, within
from simulator.evidence.readings import FloatArray, Runs
from simulator.evidence.registry.columns import ANSWER_SEEDS, WIN

THEME = "A reward that is rare"


def _silent_share(runs: Runs) -> FloatArray:
    """Chance that all responses of a group get the same reward from the reference policy, averaged over prompts."""
    world, size = runs.plain.world, runs.setup.group_size
    passing = (world.quality * world.reference_probability).sum(axis=-1)
    return (passing**size + (1 - passing) ** size).mean(axis=-1)


SILENT = Column("silent", "Silent groups", _silent_share)

CLAIMS = (
    Claim(
        name="groups",
        theme=THEME,
        statement="Sparse rewards need large groups.",
        compared="GRPO, sparse reward, equal responses: win rate, groups of 16 minus groups of 2",
        arms=[
            arm("scarce", "100 steps, groups of 2", event="sparse", steps=100, group_size=2),
            arm("large", "100 steps, groups of 16", event="sparse", steps=100, group_size=16),
            arm("many", "800 steps, groups of 2", event="sparse", steps=800, group_size=2),
        ],
        columns=[WIN],
        effects=[
            Effect(
                "responses",
                "groups of 16 minus groups of 2, equal responses",
                "win_rate",
                "large",
                "many",
                needs=ABOVE,
                says=below(0.05),
            ),
            Effect("steps", "groups of 16 minus groups of 2, equal steps", "win_rate", "large", "scarce", needs=ABOVE),
        ],
        finding="""
            True when steps are scarce ({steps}), false when responses are: for {many.responses} responses each, groups
            of 16 lose to many groups of 2 by {responses.size}.
        """,
        reason="""
            A large group is seldom silent, but once one answer passes, the others add little. Here an update costs
            nothing, so many cheap tries beat a few sure ones.
        """,
        seeds=ANSWER_SEEDS,
        missions=["silent-groups", "many-small-groups"],
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="silent-groups",
        theme=THEME,
        statement="When few answers pass, most small groups have nothing to compare.",
        compared="Sparse reward, before training: share of groups of 4 whose rewards are all equal, less one half",
        arms=[
            arm(str(size), f"Groups of {size}", event="sparse", steps=1, group_size=size) for size in (2, 4, 8, 16, 32)
        ],
        columns=[SILENT],
        effects=[
            Effect("half", "groups of 4: share above one half", "silent", "4", reference=0.5, needs=ABOVE),
            Effect("rest", "groups of 2 minus groups of 32", "silent", "2", "32", needs=above(0.5)),
        ],
        finding="""
            With groups of 2, {2.silent} of them are silent before training, with groups of 8 {8.silent}, with groups of
            32 {32.silent}. A silent group was paid for and teaches nothing.
        """,
        reason="Group advantages are differences from the group’s mean. Where all rewards are equal they are zero.",
        limits="Calculated exactly from the pass rate of every prompt, not counted in samples.",
        seeds=ANSWER_SEEDS,
        missions=["silent-groups"],
        sample=4,
    ),
    Claim(
        name="std-sparse",
        theme=THEME,
        statement="Dividing by the standard deviation is a bias that should go.",
        compared="Sparse reward, 200 steps, groups of 8: win rate, Dr. GRPO minus GRPO",
        arms=[
            arm("grpo", "GRPO", event="sparse"),
            arm("rloo", "RLOO", event="sparse", method="rloo"),
            arm("dr_grpo", "Dr. GRPO", event="sparse", method="dr_grpo"),
        ],
        columns=[WIN],
        effects=[
            Effect("dr", "Dr. GRPO minus GRPO", "win_rate", "dr_grpo", "grpo", needs=ABOVE, says=below(0.1)),
            Effect("rloo", "RLOO minus GRPO", "win_rate", "rloo", "grpo", needs=ABOVE, says=below(0.1)),
        ],
        finding="""
            Without the division Dr. GRPO ends {dr.size} and RLOO {rloo.size} below GRPO at the same learning rate.
        """,
        reason="""
            Where one answer in ten passes, plain differences from the mean are tiny. The division scales the rare
            success up, which is a bias in the weights of prompts, and here a helpful one.
        """,
        limits="All methods take the same learning rate; a larger one would make up for part of it.",
        seeds=ANSWER_SEEDS,
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="never-seen",
        theme=THEME,
        statement="Longer training makes up for few samples.",
        compared="DPO, sparse reward, 8 samples per prompt: win rate, 800 steps minus 200 steps",
        arms=[
            arm("short", "8 samples, 200 steps", event="sparse", method="dpo"),
            arm("long", "8 samples, 800 steps", event="sparse", method="dpo", steps=800),
            arm("more", "32 samples, 200 steps", event="sparse", method="dpo", samples_per_prompt=32),
        ],
        columns=[WIN],
        effects=[
            Effect(
                "longer",
                "800 steps minus 200 steps",
                "win_rate",
                "long",
                "short",
                needs=above(0.01),
                says=within(0.005),
            ),
            Effect("wider", "32 samples minus 8 samples", "win_rate", "more", "short", says=above(0.1)),
        ],
        finding="Four times the steps change the win rate by {longer}. Four times the samples add {wider}.",
        reason="""
            A prompt whose samples all fail, or all pass, gives no pair. No number of passes over the data turns that
            into a gradient.
        """,
        seeds=ANSWER_SEEDS,
        missions=["never-seen", "beyond-the-reference"],
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="pairs-online",
        theme=THEME,
        statement="Preference pairs must be drawn from the policy that learns.",
        compared="Sparse reward, win rate: pairs drawn at every step minus pairs drawn once, 64 per prompt",
        arms=[
            arm("online", "Online DPO, 200 steps, groups of 8", event="sparse", method="online_dpo"),
            arm("once", "DPO, 64 samples, 200 steps", event="sparse", method="dpo", samples_per_prompt=64),
            arm("few", "DPO, 8 samples, 200 steps", event="sparse", method="dpo"),
            arm("grpo", "GRPO, 200 steps, groups of 8", event="sparse"),
        ],
        columns=[WIN],
        effects=[
            Effect(
                "once", "online DPO minus DPO, 64 samples", "win_rate", "online", "once", needs=ABOVE, says=within(0.02)
            ),
            Effect("few", "online DPO minus DPO, 8 samples", "win_rate", "online", "few", says=above(0.1)),
            Effect("grpo", "online DPO minus GRPO", "win_rate", "online", "grpo", says=ABOVE),
        ],
        finding="""
            With 64 samples per prompt, drawn once, DPO is level with online DPO ({once}) for {once.responses} responses
            instead of {online.responses}. With 8 samples it is not ({few.size} behind). At equal responses, online
            pairs do better than GRPO ({grpo}).
        """,
        reason="""
            Pairs teach what was sampled. Drawing again from the policy that learns is one way to see the rare passing
            answer; drawing more at the start is another.
        """,
        limits="There are ten answers in all, so 64 samples nearly exhaust the reference. Text has no such end.",
        seeds=ANSWER_SEEDS,
        missions=["beyond-the-reference"],
        sample=16,
    ),
    Claim(
        name="beyond-reference",
        theme=THEME,
        statement="Sampling from the policy that learns gets where pairs from the reference can’t.",
        compared="Sparse reward: win rate, GRPO minus DPO with 32 samples per prompt",
        arms=[
            arm("grpo", "GRPO, 800 steps, groups of 2", event="sparse", steps=800, group_size=2),
            arm("dpo", "DPO, 32 samples", event="sparse", method="dpo", samples_per_prompt=32),
            arm("long", "DPO, 32 samples, 800 steps", event="sparse", method="dpo", samples_per_prompt=32, steps=800),
            arm("dpo-64", "DPO, 64 samples", event="sparse", method="dpo", samples_per_prompt=64),
        ],
        columns=[WIN],
        effects=[
            Effect("dpo", "GRPO minus DPO, 32 samples", "win_rate", "grpo", "dpo", needs=above(0.02)),
            Effect("long", "GRPO minus DPO, 32 samples, 800 steps", "win_rate", "grpo", "long", needs=above(0.02)),
            Effect("most", "GRPO minus DPO, 64 samples", "win_rate", "grpo", "dpo-64", needs=ABOVE, says=within(0.02)),
        ],
        finding="""
            GRPO ends {dpo.size} above DPO with 32 samples, however long DPO trains ({long}); against 64 samples it is
            {most}. It pays {grpo.responses} responses for what DPO gets for {dpo.responses} and {dpo-64.responses}.
        """,
        reason="Once the passing answer has been drawn, the policy draws it more often. The reference never does.",
        seeds=ANSWER_SEEDS,
        missions=["beyond-the-reference"],
        sample=16,
    ),
)
