"""Claims about training on the ten answers when nothing is wrong with the reward."""

from collections.abc import Mapping

import numpy as np

from simulator.evidence.claim import ABOVE, BELOW, Claim, Effect, above, arm, below, within
from simulator.evidence.readings import FloatArray, Runs, path_value
from simulator.evidence.registry.columns import ANSWER_SEEDS, KL, WIN

THEME = "A reward that can be trusted"


def _diminishing(runs: Mapping[str, Runs]) -> FloatArray:
    win = {name: run.plain.final["win_rate"] for name, run in runs.items()}
    return (win["100"] - win["50"]) - (win["800"] - win["400"])


def _pairing(runs: Mapping[str, Runs]) -> FloatArray:
    """Size of the difference between two runs on different seeds minus that on the same seed."""
    first, second = (runs[name].plain.final["win_rate"] for name in ("grpo", "beta"))
    return np.abs(first - np.roll(second, 1)) - np.abs(first - second)


def _at_equal_kl(runs: Mapping[str, Runs]) -> FloatArray:
    """Win rate of the held run minus that of the free run where it has the held run's final KL."""
    held = runs["held"].plain.final
    return held["win_rate"] - path_value(runs["free"], "win_rate", "kl", held["kl"])


CLAIMS = (
    Claim(
        name="steps",
        theme=THEME,
        statement="With a sound reward, more training keeps helping, less and less.",
        compared="GRPO, groups of 8: win rate, 800 steps minus 400",
        arms=[arm(str(steps), f"{steps} steps", steps=steps) for steps in (50, 100, 200, 400, 800)],
        columns=[WIN, KL],
        effects=[
            Effect("late", "800 steps minus 400 steps", "win_rate", "800", "400", needs=ABOVE),
            Effect("early", "100 steps minus 50 steps", "win_rate", "100", "50", needs=ABOVE),
            Effect("less", "first doubling minus last doubling", "win_rate", value=_diminishing, needs=ABOVE),
        ],
        finding="The doubling from 50 to 100 steps is worth {early}, the one from 400 to 800 steps {late}.",
        reason="Each prompt climbs to its best answer and stays; what is left to gain shrinks.",
        seeds=ANSWER_SEEDS,
        missions=["first-signal"],
        sample=32,
    ),
    Claim(
        name="group-size",
        theme=THEME,
        statement="At equal steps, a larger group learns more.",
        compared="GRPO, 200 steps: win rate, groups of 4 minus groups of 2",
        arms=[arm(str(size), f"Groups of {size}", group_size=size) for size in (2, 4, 8, 16, 32)],
        columns=[WIN],
        effects=[
            Effect("small", "groups of 4 minus groups of 2", "win_rate", "4", "2", needs=ABOVE),
            Effect("medium", "groups of 8 minus groups of 4", "win_rate", "8", "4", needs=ABOVE),
            Effect("large", "groups of 32 minus groups of 8", "win_rate", "32", "8", needs=ABOVE),
        ],
        finding="""
            Going from 2 to 4 responses adds {small}. Going from 8 to 32 adds only {large}, at four times the price.
        """,
        reason="More responses give a better estimate of the same gradient. Once it is good, better hardly matters.",
        seeds=ANSWER_SEEDS,
        missions=["first-signal"],
        sample=16,
    ),
    Claim(
        name="small-groups",
        theme=THEME,
        statement="At equal responses, many small groups beat few large ones.",
        compared="GRPO, 6,400 responses, clean reward: win rate, 400 steps with groups of 2 minus 100 with groups of 8",
        arms=[
            arm("2", "400 steps, groups of 2", steps=400, group_size=2),
            arm("8", "100 steps, groups of 8", steps=100, group_size=8),
            arm("32", "25 steps, groups of 32", steps=25, group_size=32),
        ],
        columns=[WIN],
        effects=[
            Effect("two", "groups of 2 minus groups of 8", "win_rate", "2", "8", needs=ABOVE),
            Effect("eight", "groups of 8 minus groups of 32", "win_rate", "8", "32", needs=ABOVE),
        ],
        finding="""
            For {2.responses} responses each, groups of 2 reach {2.win_rate}, groups of 8 {8.win_rate} and groups of 32
            {32.win_rate}.
        """,
        reason="A larger group sharpens one step; a smaller one pays for more of them.",
        limits="It counts responses. Where an update costs as much as sampling, the sum comes out differently.",
        seeds=ANSWER_SEEDS,
        missions=["first-signal", "many-small-groups"],
        sample=8,
    ),
    Claim(
        name="beta",
        theme=THEME,
        statement="A little KL penalty raises quality.",
        compared="GRPO, 400 steps, clean reward: win rate, beta 0.2 minus none",
        arms=[arm(f"{beta:g}", f"Beta {beta:g}", steps=400, beta=beta) for beta in (0.0, 0.2, 0.4, 0.8)],
        columns=[WIN, KL],
        effects=[
            Effect("little", "beta 0.2 minus none", "win_rate", "0.2", "0", needs=ABOVE, says=within(0.01)),
            Effect("some", "beta 0.4 minus none", "win_rate", "0.4", "0", needs=ABOVE, says=BELOW),
            Effect("much", "beta 0.8 minus none", "win_rate", "0.8", "0", says=below(0.05)),
        ],
        finding="""
            Up to beta 0.2 next to nothing changes ({little}). From there on the pull costs win rate: {some} at 0.4,
            {much} at 0.8. Where the reward is right, there is nothing to be protected from.
        """,
        reason="""
            The penalty stops the policy where reward and pull balance, short of the best answer. It pays when KL itself
            is part of the goal, or when the reward is flawed.
        """,
        seeds=ANSWER_SEEDS,
        missions=["first-signal", "short-leash"],
        sample=32,
    ),
    Claim(
        name="leash-or-stop",
        theme=THEME,
        statement="At the same KL, holding back beats stopping early.",
        compared="GRPO, win rate at equal KL: beta 0.8 held to the end minus no penalty, stopped in time",
        arms=[
            arm("held", "Beta 0.8, 400 steps", steps=400, beta=0.8),
            arm("free", "No penalty, stopped at that KL", steps=400, beta=0),
        ],
        columns=[WIN, KL],
        effects=[
            Effect("gain", "held minus stopped, same KL in each seed", "win_rate", value=_at_equal_kl, needs=ABOVE),
        ],
        finding="""
            A penalty of 0.8 ends at KL {held.kl} with a win rate of {held.win_rate}. A run without one, stopped when it
            has moved as far, is behind by {gain.size} (in {gain.of} seeds).
        """,
        reason="""
            A run that stops early has moved on the prompts that happened to be easy. The penalty spends the same KL
            where it buys most.
        """,
        limits="The second row of the table is the whole run; the comparison takes it at the first row’s KL.",
        seeds=ANSWER_SEEDS,
        missions=["short-leash"],
        sample=8,
    ),
    Claim(
        name="step-size",
        theme=THEME,
        statement="Dividing by the group’s standard deviation makes GRPO better than its relatives.",
        compared="Groups of 8, 200 steps: win rate, GRPO minus Dr. GRPO",
        arms=[
            arm("grpo", "GRPO, 200 steps"),
            arm("rloo", "RLOO, 200 steps", method="rloo"),
            arm("reinforce", "REINFORCE, 200 steps", method="reinforce"),
            arm("dr_grpo", "Dr. GRPO, 200 steps", method="dr_grpo"),
            arm("grpo-long", "GRPO, 800 steps", steps=800),
            arm("rloo-long", "RLOO, 800 steps", method="rloo", steps=800),
            arm("dr_grpo-long", "Dr. GRPO, 800 steps", method="dr_grpo", steps=800),
        ],
        columns=[WIN, KL],
        effects=[
            Effect("dr", "GRPO minus Dr. GRPO, 200 steps", "win_rate", "grpo", "dr_grpo", needs=above(0.01)),
            Effect("rloo", "GRPO minus RLOO, 200 steps", "win_rate", "grpo", "rloo", needs=above(0.01)),
            Effect(
                "late",
                "GRPO minus Dr. GRPO, 800 steps",
                "win_rate",
                "grpo-long",
                "dr_grpo-long",
                needs=above(0.01),
                says=within(0.02),
            ),
            Effect("same", "REINFORCE minus RLOO, 200 steps", "win_rate", "reinforce", "rloo", says=within(0.005)),
        ],
        finding="""
            After 200 steps GRPO leads Dr. GRPO by {dr.size} and RLOO by {rloo.size}; RLOO and REINFORCE are the same
            ({same}). After 800 steps the lead over Dr. GRPO has shrunk to {late.size}: most of it was speed.
        """,
        reason="""
            Without the division the advantages are smaller numbers, so every update is a smaller step at the same
            learning rate.
        """,
        unmeasured="""
            The learning rate is fixed in this world, so what each method does at its own best rate can’t be measured
            here.
        """,
        seeds=ANSWER_SEEDS,
        sample=16,
    ),
    Claim(
        name="single-responses",
        theme=THEME,
        statement="One response per prompt is too few to learn from.",
        compared="Win rate at equal responses: REINFORCE with one response per prompt minus GRPO with two",
        arms=[
            arm("single", "REINFORCE, 400 steps, 1 response", method="reinforce", steps=400, group_size=1),
            arm("group", "GRPO, 200 steps, groups of 2", group_size=2),
        ],
        columns=[WIN],
        effects=[
            Effect("gain", "one response minus groups of 2", "win_rate", "single", "group", needs=BELOW, says=ABOVE)
        ],
        finding="For {single.responses} responses each, single responses end ahead by {gain.size}.",
        reason="""
            A group compares answers with each other; a running baseline compares them with the past. The baseline is
            free, and the saved responses pay for twice as many updates.
        """,
        seeds=ANSWER_SEEDS,
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="best-of-group",
        theme=THEME,
        statement="Copying the best of each group is the quickest start.",
        compared="Win rate after 50 steps, groups of 8: RAFT minus GRPO",
        arms=[arm("raft", "RAFT", method="raft", steps=50), arm("grpo", "GRPO", steps=50)],
        columns=[WIN, KL],
        effects=[Effect("gain", "RAFT minus GRPO, 50 steps", "win_rate", "raft", "grpo", needs=ABOVE)],
        finding="""
            After 50 steps RAFT is ahead by {gain.size}, and {raft.kl} instead of {grpo.kl} nats from the reference.
        """,
        reason="All probability mass moves toward the group’s best answer, however small its lead.",
        seeds=ANSWER_SEEDS,
        sample=8,
    ),
    Claim(
        name="same-seed",
        theme=THEME,
        statement="Two settings should be compared on the same seed.",
        compared="""
            GRPO, win rate: size of the difference between beta 0.05 and 0.1, on different seeds minus on the same seed
        """,
        arms=[arm("grpo", "Beta 0.05"), arm("beta", "Beta 0.1", beta=0.1)],
        columns=[WIN],
        effects=[
            Effect("noise", "different seeds minus same seed", "win_rate", value=_pairing, needs=above(0.005)),
            Effect("change", "beta 0.1 minus beta 0.05", "win_rate", "beta", "grpo", says=within(0.005)),
        ],
        finding="""
            This change of beta hardly matters ({change}). On different seeds it can look as if it did: the difference
            is larger by {noise.size} on average, in either direction.
        """,
        reason="""
            A seed decides the world and every draw. Two runs on the same seed share both, so what differs between them
            comes from the setting.
        """,
        seeds=ANSWER_SEEDS,
        sample=32,
    ),
)
