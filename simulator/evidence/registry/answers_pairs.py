"""Claims about learning from preference pairs and from selected samples."""

from collections.abc import Callable, Mapping

from simulator.evidence.claim import ABOVE, Claim, Effect, above, arm, below, within
from simulator.evidence.readings import FloatArray, Runs, along_path
from simulator.evidence.registry.columns import ANSWER_SEEDS, KL, WIN

THEME = "Pairs and selected samples"
FLIPS = {"event": "label_flips"}
EQUAL_KL = 0.4


def _at_equal_kl(first: str, second: str) -> Callable[[Mapping[str, Runs]], FloatArray]:
    read = along_path("win_rate", "kl", EQUAL_KL)
    return lambda runs: read(runs[first]) - read(runs[second])


CLAIMS = (
    Claim(
        name="dpo-cheap",
        theme=THEME,
        statement="Pairs drawn once need far fewer responses than online training.",
        compared="Clean reward, win rate: DPO on a tenth of the responses minus GRPO",
        arms=[
            arm("dpo", "DPO, 8 samples, 400 steps, beta 0.2", method="dpo", steps=400, beta=0.2),
            arm("grpo", "GRPO, 200 steps, groups of 2", group_size=2, beta=0.02),
            arm("grpo-more", "GRPO, 400 steps, groups of 4", group_size=4, steps=400, beta=0.02),
        ],
        columns=[WIN],
        effects=[
            Effect("gain", "DPO minus GRPO with ten times the responses", "win_rate", "dpo", "grpo", needs=ABOVE),
            Effect("ceiling", "GRPO, 40 times the responses, minus DPO", "win_rate", "grpo-more", "dpo", says=ABOVE),
        ],
        finding="""
            On {dpo.responses} responses DPO reaches {dpo.win_rate}, GRPO on {grpo.responses} {grpo.win_rate}. With
            {grpo-more.responses} GRPO passes it ({ceiling}).
        """,
        reason="""
            A pair is used at every step; an online response once. But only online training sees what the trained policy
            does.
        """,
        limits="It counts sampled responses, not updates.",
        seeds=ANSWER_SEEDS,
        missions=["sample-once"],
        sample=32,
    ),
    Claim(
        name="best-of-n",
        theme=THEME,
        statement="Fine-tuning on the best of n samples does as well as preference pairs.",
        compared="Clean reward, equal responses: win rate, best of 16 minus DPO",
        arms=[
            arm("best", "Best of 16, clean", method="best_of_n", samples_per_prompt=16),
            arm("dpo", "DPO, 16 samples, clean", method="dpo", samples_per_prompt=16),
            arm("best-hack", "Best of 16, reward hack", event="reward_hack", method="best_of_n", samples_per_prompt=16),
            arm("dpo-hack", "DPO, 16 samples, reward hack", event="reward_hack", method="dpo", samples_per_prompt=16),
        ],
        columns=[WIN],
        effects=[
            Effect("clean", "clean: best of 16 minus DPO", "win_rate", "best", "dpo", needs=ABOVE),
            Effect(
                "hack",
                "reward hack: best of 16 minus DPO",
                "win_rate",
                "best-hack",
                "dpo-hack",
                needs=ABOVE,
                says=below(0.05),
            ),
        ],
        finding="Better in a clean world ({clean}), and far worse against an exploit ({hack}).",
        reason="The best of 16 is whatever the reward model likes most. A pair loss also learns from all the others.",
        seeds=ANSWER_SEEDS,
        missions=["sample-once", "offline-shield"],
        sample=8,
    ),
    Claim(
        name="flips",
        theme=THEME,
        statement="Flipped labels need label smoothing or a higher beta.",
        compared="30% of labels flipped, 200 steps, 16 samples: win rate, cDPO minus DPO",
        arms=[
            arm("plain", "DPO, 16 samples", **FLIPS, method="dpo", samples_per_prompt=16),
            arm("smooth", "cDPO, smoothing 0.3", **FLIPS, method="cdpo", samples_per_prompt=16, label_smoothing=0.3),
            arm("beta", "DPO, beta 1", **FLIPS, method="dpo", samples_per_prompt=16, beta=1),
            arm("wide", "DPO, 32 samples", **FLIPS, method="dpo", samples_per_prompt=32),
            arm("long", "DPO, 16 samples, 800 steps", **FLIPS, method="dpo", samples_per_prompt=16, steps=800),
            arm("robust", "rDPO, smoothing 0.3", **FLIPS, method="rdpo", samples_per_prompt=16, label_smoothing=0.3),
        ],
        columns=[WIN, KL],
        effects=[
            Effect("smooth", "cDPO minus DPO", "win_rate", "smooth", "plain", needs=ABOVE, says=below(0.05)),
            Effect("beta", "beta 1 minus beta 0.1", "win_rate", "beta", "plain", needs=ABOVE, says=below(0.05)),
            Effect("wide", "32 samples minus 16", "win_rate", "wide", "plain", says=ABOVE),
            Effect("long", "800 steps minus 200", "win_rate", "long", "plain", says=ABOVE),
            Effect("robust", "rDPO minus DPO", "win_rate", "robust", "plain", says=above(0.03)),
        ],
        finding="""
            At equal steps both lower the win rate here: smoothing by {smooth.size}, beta 1 by {beta.size}. Longer
            training raises it ({long}), so do rDPO ({robust}) and, a little, more samples per prompt ({wide}).
        """,
        reason="""
            Random flips shrink the average signal and add noise. More pairs average the noise away; rDPO scales the
            signal back up; smoothing and beta only stop the margin from growing.
        """,
        seeds=ANSWER_SEEDS,
        missions=["noisy-annotators"],
        sample=16,
        is_advice=True,
    ),
    Claim(
        name="flips-equal-kl",
        theme=THEME,
        statement="With flipped labels, a robust loss gets more quality out of the same KL.",
        compared=f"30% of labels flipped, 8 samples: win rate where the KL passes {EQUAL_KL}, rDPO minus DPO",
        arms=[
            arm("dpo", "DPO, beta 0.1", **FLIPS, method="dpo", steps=800),
            arm(
                "cdpo",
                "cDPO, smoothing 0.3, beta 0.02",
                **FLIPS,
                method="cdpo",
                steps=800,
                label_smoothing=0.3,
                beta=0.02,
            ),
            arm("rdpo", "rDPO, smoothing 0.3, beta 0.1", **FLIPS, method="rdpo", steps=800, label_smoothing=0.3),
            arm("ipo", "IPO, beta 0.05", **FLIPS, method="ipo", steps=800, beta=0.05),
        ],
        columns=[WIN, KL],
        effects=[
            Effect(
                name,
                f"{label} minus DPO, equal KL",
                "win_rate",
                value=_at_equal_kl(name, "dpo"),
                needs=above(0.005),
                says=within(0.01),
            )
            for name, label in (("rdpo", "rDPO"), ("cdpo", "cDPO"), ("ipo", "IPO"))
        ],
        finding="""
            At this KL all four are on one curve: rDPO {rdpo}, cDPO {cdpo}, IPO {ipo}. They differ in how far and how
            fast they go along it.
        """,
        reason="""
            Uniform flips multiply the mean signal of a pair by a constant. A loss can change the speed that leaves, not
            the direction.
        """,
        limits="The table shows where each run ends after 800 steps; the comparison is made on the way.",
        seeds=ANSWER_SEEDS,
        missions=["noisy-annotators"],
        sample=8,
    ),
)
