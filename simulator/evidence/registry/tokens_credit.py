"""Claims about a critic: which token it blames, and what that is worth."""

from collections.abc import Callable, Mapping

from simulator.evidence.claim import ABOVE, BELOW, Claim, Column, Effect, above, below, within
from simulator.evidence.credit import (
    agreement,
    chance_of_blame,
    finds_decisive,
    finds_error,
    finds_misreading,
)
from simulator.evidence.readings import FloatArray, Runs
from simulator.evidence.registry.columns import HELD_OUT, TOKEN_SEEDS, TRAIN, in_worlds, tokens
from simulator.evidence.tokens import of_step, of_step_and_policy

THEME = "Advantages and credit"

DECISIVE = Column("decisive", "Blames the decisive token", of_step_and_policy(11, finds_decisive))
ERROR = Column("error", "Blames the visible error", of_step(11, finds_error))
CHANCE = Column("chance", "A token picked blindly", of_step(11, chance_of_blame))
MISREAD = Column("misread", "Blames the misreading", of_step(11, finds_misreading))
AGREES = Column("agrees", "Agreement with the true advantage", of_step_and_policy(11, agreement), 2)


def _beyond_chance(column: Column, arm: str) -> Callable[[Mapping[str, Runs]], FloatArray]:
    return lambda runs: column.reading(runs[arm]) - CHANCE.reading(runs[arm])


CLAIMS = (
    Claim(
        name="critic-credit",
        theme=THEME,
        statement="A critic blames the token where a response went wrong.",
        compared="""
            PPO after 10 steps, wrong responses: lowest advantage on the decisive token, less the chance of a blind pick
        """,
        arms=[*in_worlds(range(2), "ppo", "PPO", algorithm="ppo")],
        columns=[DECISIVE, ERROR, CHANCE],
        effects=[
            Effect(
                "hit",
                "decisive token, less chance",
                "decisive",
                value=_beyond_chance(DECISIVE, "ppo"),
                needs=above(0.1),
            ),
            Effect(
                "one", "decisive token, world 1", "decisive", value=_beyond_chance(DECISIVE, "ppo-w1"), needs=above(0.1)
            ),
            Effect(
                "error", "visible error, less chance", "error", value=_beyond_chance(ERROR, "ppo"), needs=above(0.1)
            ),
        ],
        finding="""
            The token that lowered the true chance of success most has the lowest advantage in {ppo.decisive} of wrong
            responses, where a blind pick would find it in {ppo.chance}. A group method gives all tokens of a response
            the same advantage, so it can’t tell.
        """,
        reason="""
            The critic’s value falls at the error, and the advantage is the fall. Spread backwards by lambda, it also
            blames right tokens just before it.
        """,
        limits="""
            It is right in a little more than half of the cases, not always. The truth is calculated from the trained
            policy itself.
        """,
        seeds=TOKEN_SEEDS,
        sample=16,
    ),
    Claim(
        name="hidden-error",
        theme=THEME,
        statement="A critic also blames errors that it can’t see.",
        compared="""
            PPO after 10 steps, misread stories: lowest advantage on the misreading, less the chance of a blind pick
        """,
        arms=[tokens("ppo", "PPO", algorithm="ppo")],
        columns=[MISREAD],
        effects=[
            Effect(
                "hit",
                "misreading, less chance",
                "misread",
                value=_beyond_chance(MISREAD, "ppo"),
                needs=ABOVE,
                says=BELOW,
            ),
        ],
        finding="""
            A misread story looks like any other to the critic. It blames the misreading in {ppo.misread} of the cases,
            less often than a blind pick would ({hit}).
        """,
        reason="""
            Nothing in what the critic sees changes at the misreading. The bad news comes with the verdict, and is
            blamed on the end.
        """,
        seeds=range(3000, 3128),
        sample=16,
    ),
    Claim(
        name="lambda",
        theme=THEME,
        statement="A smaller lambda gives better credit and better training.",
        compared="PPO: agreement of advantages with the true ones inside wrong responses, lambda 0.5 minus 0.95",
        arms=[
            tokens(str(value), f"Lambda {value:g}", algorithm="ppo", gae_lambda=value)
            for value in (0.95, 0.7, 0.5, 0.0)
        ],
        columns=[AGREES, TRAIN],
        effects=[
            Effect("credit", "agreement, lambda 0.5 minus 0.95", "agrees", "0.5", "0.95", needs=ABOVE),
            Effect(
                "accuracy",
                "train accuracy, lambda 0.5 minus 0.95",
                "train_accuracy",
                "0.5",
                "0.95",
                needs=ABOVE,
                says=BELOW,
            ),
            Effect("zero", "train accuracy, lambda 0 minus 0.95", "train_accuracy", "0.0", "0.95", says=below(0.05)),
        ],
        finding="""
            Better credit, yes: agreement rises by {credit}. Better training, no: train accuracy changes by {accuracy}
            with 0.5 and by {zero} with 0.
        """,
        reason="""
            A small lambda trusts the critic’s next value instead of what happened later. It points more precisely, with
            a critic that learns from its own guesses and is wrong for longer.
        """,
        seeds=TOKEN_SEEDS,
        sample=0,
    ),
    Claim(
        name="critic-accuracy",
        theme=THEME,
        statement="At equal samples a critic beats the group mean.",
        compared="60 steps: train accuracy, PPO minus Dr. GRPO",
        arms=[
            *in_worlds(range(3), "ppo", "PPO", algorithm="ppo"),
            *in_worlds(range(3), "dr_grpo", "Dr. GRPO", algorithm="dr_grpo"),
        ],
        columns=[TRAIN, HELD_OUT],
        effects=[
            Effect("gain", "train accuracy", "train_accuracy", "ppo", "dr_grpo", needs=ABOVE, says=within(0.03)),
            Effect(
                "one",
                "train accuracy, world 1",
                "train_accuracy",
                "ppo-w1",
                "dr_grpo-w1",
                needs=ABOVE,
                says=within(0.03),
            ),
            Effect(
                "two",
                "train accuracy, world 2",
                "train_accuracy",
                "ppo-w2",
                "dr_grpo-w2",
                needs=ABOVE,
                says=within(0.03),
            ),
            Effect("held", "held-out accuracy", "held_out_accuracy", "ppo", "dr_grpo", says=within(0.08)),
        ],
        finding="""
            After 60 steps nothing differs that could be measured: {gain}, {one} and {two} in three worlds. On held-out
            prompts it is {held}.
        """,
        reason="""
            A critic has something to say about every token and every group, but it has to be learned first, from the
            same responses.
        """,
        seeds=TOKEN_SEEDS,
        sample=0,
    ),
)
