"""Claims about the length of responses: what makes wrong ones long, and what truncation does."""

import numpy as np

from simulator.engine import StepRecord
from simulator.engine.reasoning.run import Run
from simulator.engine.reasoning.vocabulary import HMM, LOST, WAIT
from simulator.evidence.claim import ABOVE, BELOW, Claim, Column, Effect, above, below, within
from simulator.evidence.registry.columns import TOKEN_SEEDS, TRAIN, after, at_end, in_worlds, tokens
from simulator.evidence.tokens import metric_under_limit, of_run, of_step, solved, world_of_record

THEME = "Length and truncation"
WORLDS = range(3)
SHORT = {"max_completion_length": 8, "aggregation": "per_token"}
LIMIT = 24  # tokens that every response could need, and then some


def _filler_push(record: StepRecord) -> float:
    """How far the first gradient moves fillers up in the context "lost", from wrong responses alone, as a share of all
    that it moves: positive makes a lost policy ramble."""
    log_reference = world_of_record(record).reference_log_probs
    filler = np.exp(log_reference[record.prompt_rows, LOST][:, [WAIT, HMM]]).sum(axis=-1)  # (B,)
    is_here = (record.contexts == LOST) & ~record.is_correct[..., None]
    pushes = np.where(record.tokens >= 0, record.pushes[0], 0.0)
    toward = np.isin(record.tokens, (WAIT, HMM)) - filler[:, None, None]
    return float((pushes * toward * is_here).sum() / np.abs(pushes).sum())


def _would_be_right(step: int) -> Column:
    """Share of responses cut off at the limit that would have been right without one."""

    def measure(run: Run) -> float:
        limit = run.setup.max_completion_length
        cut_off = metric_under_limit("truncated", limit)(run)
        return float(solved(run, LIMIT).mean() - solved(run, limit).mean()) / cut_off

    return Column(f"right_{step}", f"Would have been right, step {step}", of_run(step, measure))


UNLIMITED = Column(
    "unlimited",
    "Length when wrong, without a limit",
    of_run(60, metric_under_limit("wrong_response_length", LIMIT)),
    2,
    "tokens",
)
WRONG_20, WRONG_60 = after("wrong_response_length", 20), after("wrong_response_length", 60)

CLAIMS = (
    Claim(
        name="rambling",
        theme=THEME,
        statement="Averaging over each response’s own length makes wrong answers longer.",
        compared="GRPO minus Dr. GRPO: expected length of wrong responses after 20 steps",
        arms=[
            *in_worlds(WORLDS, "grpo", "GRPO, no KL"),
            *in_worlds(WORLDS, "response", "Group mean, per response", advantage="group_mean"),
            tokens("token", "Group mean, per token", advantage="group_mean", aggregation="per_token"),
            *in_worlds(WORLDS, "constant", "Dr. GRPO: group mean, constant", algorithm="dr_grpo"),
        ],
        columns=[WRONG_20, WRONG_60, TRAIN],
        effects=[
            Effect("whole", "GRPO minus Dr. GRPO, step 20", WRONG_20.name, "grpo", "constant", needs=above(0.3)),
            Effect("alone", "per response minus constant", WRONG_20.name, "response", "constant", needs=above(0.3)),
            Effect("token", "per response minus per token", WRONG_20.name, "response", "token", needs=above(0.3)),
            Effect(
                "one",
                "per response minus constant, world 1",
                WRONG_20.name,
                "response-w1",
                "constant-w1",
                needs=above(0.3),
            ),
            Effect(
                "two",
                "per response minus constant, world 2",
                WRONG_20.name,
                "response-w2",
                "constant-w2",
                needs=above(0.3),
            ),
            Effect("spread", "dividing by the spread", WRONG_20.name, "grpo", "response", says=within(0.5)),
        ],
        finding="""
            After 20 steps GRPO’s wrong responses are longer than Dr. GRPO’s by {whole} tokens (in {whole.of} seeds).
            The weights do it alone: {alone} with the same advantage, while dividing by the spread changes {spread}.
            After 60 steps it is {grpo.wrong_response_length_60} against {constant.wrong_response_length_60}.
        """,
        reason="""
            Divided by its own length, a long wrong response pushes each of its tokens away more weakly than a short one
            does. Being wrong at length is cheaper.
        """,
        missions=["the-rambling-failure"],
        limits="""
            With every weight, wrong responses first get longer, as the policy answers less hastily, and later shorter,
            as it learns to check. The claim is about the difference.
        """,
        seeds=TOKEN_SEEDS,
        sample=8,
    ),
    Claim(
        name="rambling-gradient",
        theme=THEME,
        statement="The first gradient already pushes a lost policy to ramble.",
        compared="""
            Group mean, per response: net push on fillers after a visible error, from wrong responses, as a share of all
            pushes
        """,
        arms=[
            tokens("response", "Per response", advantage="group_mean", num_iterations=1),
            tokens("constant", "Constant", advantage="group_mean", num_iterations=1, aggregation="constant"),
        ],
        columns=[Column("push", "Push on fillers when lost", of_step(1, _filler_push), 4)],
        effects=[
            Effect("response", "per response", "push", "response", needs=ABOVE),
            Effect("rest", "per response minus constant", "push", "response", "constant", needs=ABOVE),
            Effect("constant", "constant", "push", "constant", says=within(0.006)),
        ],
        finding="""
            With weights per response, fillers after a visible error are pushed up by {response} of all pushing; with
            weights that don’t depend on a response’s own length by {constant}.
        """,
        reason="""
            In expectation the pushes of wrong responses cancel. Dividing by the length breaks the balance in favor of
            what stands in long responses.
        """,
        missions=["the-rambling-failure"],
        seeds=range(3000, 3256),
        sample=0,
    ),
    Claim(
        name="overlong-filter",
        theme=THEME,
        statement="Leaving truncated responses out makes training better.",
        compared="At most 8 tokens: train accuracy with the filter minus without",
        arms=[
            *in_worlds(WORLDS, "none", "Count as wrong", **SHORT),
            *in_worlds(WORLDS, "filter", "Leave out", **SHORT, overlong="filter"),
        ],
        columns=[TRAIN, at_end("truncated"), UNLIMITED],
        effects=[
            Effect("accuracy", "filter minus none", "train_accuracy", "filter", "none", needs=ABOVE, says=BELOW),
            Effect(
                "one", "filter minus none, world 1", "train_accuracy", "filter-w1", "none-w1", needs=ABOVE, says=BELOW
            ),
            Effect(
                "two", "filter minus none, world 2", "train_accuracy", "filter-w2", "none-w2", needs=ABOVE, says=BELOW
            ),
            Effect("truncated", "share truncated, filter minus none", "truncated", "filter", "none", says=ABOVE),
            Effect("length", "length when wrong, filter minus none", "unlimited", "filter", "none", says=above(1)),
        ],
        finding="""
            It costs accuracy here ({accuracy}, {one} and {two} in the three worlds), and more responses are cut off,
            not fewer ({truncated}). Left to run to the end, wrong responses would be longer by {length.size} tokens.
        """,
        reason="""
            A response that is cut off and left out is not pushed away. Whoever rambles past the limit is no longer told
            that it was wrong.
        """,
        missions=["cut-off-in-mid-sentence"],
        unmeasured="A policy so good, and a limit so tight, that most truncated responses are right.",
        limits="""
            The filter should pay where most truncated responses are right: a good policy close to a tight limit. That
            is not so here.
        """,
        source="DAPO, Yu et al. 2025",
        seeds=TOKEN_SEEDS,
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="soft-penalty",
        theme=THEME,
        statement="A soft length penalty shortens responses for free.",
        compared="At most 8 tokens: train accuracy with a soft penalty over the last 4 minus without",
        arms=[
            *in_worlds(WORLDS, "none", "Count as wrong", **SHORT),
            *in_worlds(WORLDS, "soft", "Soft penalty", **SHORT, overlong="soft", overlong_cache=4),
            tokens("none-10", "At most 10, count as wrong", max_completion_length=10, aggregation="per_token"),
            tokens(
                "soft-10",
                "At most 10, soft penalty",
                max_completion_length=10,
                aggregation="per_token",
                overlong="soft",
                overlong_cache=4,
            ),
        ],
        columns=[TRAIN, at_end("response_length"), at_end("truncated")],
        effects=[
            Effect(
                "accuracy",
                "train accuracy, soft minus none",
                "train_accuracy",
                "soft",
                "none",
                needs=within(0.01),
                says=below(0.02),
            ),
            Effect("length", "length, soft minus none", "response_length", "soft", "none", needs=BELOW),
            Effect(
                "one", "train accuracy, world 1", "train_accuracy", "soft-w1", "none-w1", needs=within(0.01), says=BELOW
            ),
            Effect(
                "two", "train accuracy, world 2", "train_accuracy", "soft-w2", "none-w2", needs=within(0.01), says=BELOW
            ),
            Effect(
                "wider",
                "train accuracy, at most 10 tokens",
                "train_accuracy",
                "soft-10",
                "none-10",
                needs=within(0.01),
                says=BELOW,
            ),
        ],
        finding="""
            Responses get shorter by {length} tokens, and accuracy pays: {accuracy}, still {wider} with room for 10
            tokens.
        """,
        reason="""
            Long problems need the tokens. A penalty that starts before the limit also taxes right answers that were on
            their way.
        """,
        missions=["cut-off-in-mid-sentence"],
        source="DAPO, Yu et al. 2025",
        seeds=TOKEN_SEEDS,
        sample=8,
        is_advice=True,
    ),
    Claim(
        name="truncation-noise",
        theme=THEME,
        statement="Truncation punishes hopeless responses only.",
        compared="At most 8 tokens, step 60: share of truncated responses that would have been right, less one in five",
        arms=[tokens("short", "At most 8 tokens", **SHORT)],
        columns=[
            _would_be_right(0),
            _would_be_right(20),
            _would_be_right(60),
            after("truncated", 0),
            after("truncated", 60),
        ],
        effects=[
            Effect(
                "end", "after 60 steps, above one in five", "right_60", "short", reference=0.2, needs=BELOW, says=ABOVE
            ),
            Effect("start", "before training, above one in five", "right_0", "short", reference=0.2, needs=BELOW),
        ],
        finding="""
            Before training it is nearly true: {short.right_0} of the truncated responses would have been right. After
            20 steps it is {short.right_20}, after 60 {short.right_60}: fewer are cut off ({short.truncated_60} instead
            of {short.truncated_0}), and more of them are good.
        """,
        reason="""
            Training teaches to answer in time and to answer rightly. Those that still run long are more and more often
            long because the problem is.
        """,
        missions=["cut-off-in-mid-sentence"],
        seeds=TOKEN_SEEDS,
        sample=8,
    ),
)
