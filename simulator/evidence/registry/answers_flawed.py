"""Claims about training on a reward model that is wrong: by chance, by an exploit, or by a liking for length."""

from simulator.evidence.claim import ABOVE, BELOW, Claim, Effect, above, arm, below, within
from simulator.evidence.registry.columns import ANSWER_SEEDS, KL, LENGTH, SCORE, WIN, metric

THEME = "A reward that is wrong"
HACK = {"event": "reward_hack"}
LONG = {"event": "length_bias"}

CLAIMS = (
    Claim(
        name="hump",
        theme=THEME,
        statement="Training on a flawed reward model first helps, then hurts.",
        compared="GRPO, reward hack, beta 0.02: win rate, 800 steps minus 100 steps",
        arms=[
            arm("start", "25 steps", **HACK, steps=25, beta=0.02),
            arm("peak", "100 steps", **HACK, steps=100, beta=0.02),
            arm("late", "800 steps", **HACK, steps=800, beta=0.02),
        ],
        columns=[WIN, SCORE, metric("quality")],
        effects=[
            Effect("fall", "800 steps minus 100 steps", "win_rate", "late", "peak", needs=below(0.1)),
            Effect("rise", "100 steps minus 25 steps", "win_rate", "peak", "start", needs=ABOVE),
            Effect("score", "reward model, 800 minus 100 steps", "reward_model_score", "late", "peak", needs=ABOVE),
        ],
        finding="""
            The win rate climbs to {peak.win_rate} after 100 steps and is down to {late.win_rate} after 800, worse than
            before training. The reward model’s own score never stops rising ({score}).
        """,
        reason="One answer per prompt has a large undeserved bonus. It is rare at first; once drawn, it takes over.",
        seeds=ANSWER_SEEDS,
        missions=["stop-while-you-are-ahead"],
        sample=8,
    ),
    Claim(
        name="noise",
        theme=THEME,
        statement="A noisy reward model gets over-optimized.",
        compared="GRPO, beta 0.02: win rate, 800 steps minus 100 steps, with independent noise in the reward",
        arms=[
            arm("clean", "Clean, 100 steps", steps=100, beta=0.02),
            arm("clean-long", "Clean, 800 steps", steps=800, beta=0.02),
            arm("hack", "Reward hack, 100 steps", **HACK, steps=100, beta=0.02),
            arm("hack-long", "Reward hack, 800 steps", **HACK, steps=800, beta=0.02),
        ],
        columns=[WIN, SCORE],
        effects=[
            Effect(
                "noise", "noise alone, 800 minus 100 steps", "win_rate", "clean-long", "clean", needs=BELOW, says=ABOVE
            ),
            Effect(
                "pattern", "one structured error, 800 minus 100 steps", "win_rate", "hack-long", "hack", says=below(0.1)
            ),
        ],
        finding="""
            Not by independent noise alone. The clean reward model is noisy, and more training still helps ({noise});
            the reward hack event has the same noise and one structured error, and there it hurts ({pattern}).
        """,
        reason="""
            Independent errors average out: among answers with a higher score, expected quality is still higher. It
            takes an error with a pattern, such as a rare answer with a large bonus, to turn the curve around.
        """,
        limits="The noise has one size here. That a much larger one would not turn the curve either is not measured.",
        seeds=ANSWER_SEEDS,
        missions=["stop-while-you-are-ahead"],
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="leash",
        theme=THEME,
        statement="A little KL penalty is safer than none.",
        compared="GRPO, reward hack, 400 steps: win rate, beta 0.4 minus none",
        arms=[arm(f"{beta:g}", f"Beta {beta:g}", **HACK, steps=400, beta=beta) for beta in (0.0, 0.1, 0.4, 1.2)],
        columns=[WIN, KL],
        effects=[
            Effect("medium", "beta 0.4 minus none", "win_rate", "0.4", "0", needs=ABOVE, says=below(0.03)),
            Effect("weak", "beta 0.1 minus none", "win_rate", "0.1", "0", needs=ABOVE, says=BELOW),
            Effect("strong", "beta 1.2 minus none", "win_rate", "1.2", "0", says=ABOVE),
        ],
        finding="""
            Against the exploit, a medium beta is the worst choice: {weak} at 0.1 and {medium} at 0.4, compared with
            none. Only a strong one is better ({strong} at 1.2).
        """,
        reason="""
            Without a pull the policy settles quickly on a good answer and stops exploring. A medium pull keeps it
            exploring just long enough to find the exploit, and is too weak to hold it back.
        """,
        seeds=ANSWER_SEEDS,
        missions=["stop-while-you-are-ahead"],
        sample=16,
        is_advice=True,
    ),
    Claim(
        name="exploit-groups",
        theme=THEME,
        statement="More responses per prompt make training more robust.",
        compared="GRPO, reward hack, 400 steps: win rate, groups of 32 minus groups of 2",
        arms=[
            arm(str(size), f"Groups of {size}", **HACK, steps=400, beta=0.02, group_size=size) for size in (2, 8, 32)
        ],
        columns=[WIN, SCORE],
        effects=[
            Effect("most", "groups of 32 minus groups of 2", "win_rate", "32", "2", needs=ABOVE, says=below(0.05)),
            Effect("more", "groups of 8 minus groups of 2", "win_rate", "8", "2", needs=ABOVE, says=below(0.02)),
        ],
        finding="""
            Against an exploit they do the opposite: {more} with groups of 8, {most} with groups of 32, compared with
            groups of 2.
        """,
        reason="The exploit is rare. A large group draws it sooner, and then its bonus towers over the others.",
        seeds=ANSWER_SEEDS,
        missions=["stop-while-you-are-ahead"],
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="offline-shield",
        theme=THEME,
        statement="Training on pairs from the reference is safe from exploits.",
        compared="Reward hack, 200 steps: win rate, DPO minus GRPO",
        arms=[
            arm("grpo", "GRPO, 200 steps, groups of 8", **HACK, beta=0.02),
            arm("dpo", "DPO, 8 samples, 200 steps", **HACK, method="dpo"),
            arm("dpo-long", "DPO, 8 samples, 800 steps", **HACK, method="dpo", steps=800),
            arm("dpo-wide", "DPO, 32 samples, 200 steps", **HACK, method="dpo", samples_per_prompt=32),
        ],
        columns=[WIN, SCORE],
        effects=[
            Effect("shield", "DPO minus GRPO, 200 steps", "win_rate", "dpo", "grpo", needs=ABOVE),
            Effect("longer", "DPO, 800 minus 200 steps", "win_rate", "dpo-long", "dpo", needs=within(0.02), says=BELOW),
            Effect("wider", "DPO, 32 samples minus GRPO", "win_rate", "dpo-wide", "grpo", needs=above(0.05)),
        ],
        finding="""
            Safer, yes: DPO ends {shield.size} above GRPO with 8 samples and {wider.size} with 32. Safe, no: on the same
            pairs, 800 steps end {longer.size} below 200.
        """,
        reason="""
            The exploit is rarely among the reference’s samples, and once drawn it shares the mass with the other
            winners. Where it is in the data, long training still finds it.
        """,
        seeds=ANSWER_SEEDS,
        missions=["offline-shield"],
        sample=8,
    ),
    Claim(
        name="length",
        theme=THEME,
        statement="Answers too long? Raise the KL penalty.",
        compared="GRPO, length bias, 200 steps, beta 1.2: win rate less the reference’s 0.5",
        arms=[
            arm("0.05", "Beta 0.05", **LONG),
            arm("0.4", "Beta 0.4", **LONG, beta=0.4),
            arm("1.2", "Beta 1.2", **LONG, beta=1.2),
            arm("penalty", "Beta 0.05, length penalty 3", **LONG, length_penalty=3),
        ],
        columns=[WIN, LENGTH],
        effects=[
            Effect(
                "strong",
                "beta 1.2 above the reference",
                "win_rate",
                "1.2",
                reference=0.5,
                needs=above(0.05),
                says=within(0.03),
            ),
            Effect(
                "medium",
                "beta 0.4 above the reference",
                "win_rate",
                "0.4",
                reference=0.5,
                needs=above(0.05),
                says=within(0.04),
            ),
            Effect("penalty", "length penalty minus beta 1.2", "win_rate", "penalty", "1.2", says=above(0.2)),
        ],
        finding="""
            A stronger pull only brings the policy back to where it started: {strong} from the reference’s win rate at
            beta 1.2. Subtracting the length from the reward repairs the cause ({penalty}).
        """,
        reason="""
            Beta limits how far the policy follows the reward, good parts and bad parts alike. The length penalty
            removes the bad part and leaves the good one.
        """,
        seeds=ANSWER_SEEDS,
        missions=["longer-is-not-better", "same-bias-in-pairs"],
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="length-penalty",
        theme=THEME,
        statement="A length penalty can be set exactly.",
        compared="GRPO, length bias: win rate, penalty 3 minus a run without the bias",
        arms=[
            arm("clean", "No bias, no penalty"),
            *(
                arm(str(penalty), f"Bias, length penalty {penalty}", **LONG, length_penalty=penalty)
                for penalty in (2, 3, 4)
            ),
        ],
        columns=[WIN, LENGTH],
        effects=[
            Effect("exact", "penalty 3 minus clean run", "win_rate", "3", "clean", needs=within(1e-6)),
            Effect("little", "penalty 2 minus penalty 3", "win_rate", "2", "3", needs=BELOW),
            Effect("much", "penalty 4 minus penalty 3", "win_rate", "4", "3", needs=BELOW),
        ],
        finding="""
            A penalty of 3 gives the unbiased run back, number by number. 2 leaves {little.size} on the table, and 4
            overshoots by {much.size}: answers get too short.
        """,
        reason="The bias adds three points per length spread to the score. Subtracting as much leaves the clean score.",
        limits="Nobody tells you the size of a real bias; here it is a round number.",
        seeds=ANSWER_SEEDS,
        missions=["longer-is-not-better"],
        sample=8,
    ),
    Claim(
        name="length-pairs",
        theme=THEME,
        statement="Preference pairs inherit the reward model’s liking for length.",
        compared="DPO, 8 samples, length bias minus clean reward: mean length",
        arms=[
            arm("clean", "Clean", method="dpo"),
            arm("biased", "Length bias", **LONG, method="dpo"),
            arm("penalty", "Length bias, length penalty 3", **LONG, method="dpo", length_penalty=3),
        ],
        columns=[WIN, LENGTH],
        effects=[
            Effect("length", "length, biased minus clean", "response_length", "biased", "clean", needs=above(30)),
            Effect("win", "win rate, biased minus clean", "win_rate", "biased", "clean", needs=below(0.1)),
            Effect(
                "penalty", "win rate, with a penalty minus without", "win_rate", "penalty", "biased", says=above(0.1)
            ),
        ],
        finding="""
            Answers get {length.size} tokens longer than with a clean reward, and the win rate is {win.size} lower. A
            length penalty in the labels gives it back ({penalty}).
        """,
        reason="""
            The pairs are labeled by the same score. Drawing them only once doesn’t change which of two answers it
            likes.
        """,
        seeds=ANSWER_SEEDS,
        missions=["same-bias-in-pairs"],
        sample=8,
    ),
)
