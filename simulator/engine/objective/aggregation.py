"""Slot 5, aggregation: how the terms of all tokens become one number, that is, what one token weighs."""

from __future__ import annotations

from ..compiled import kernel
from ..formula import Expression, Over
from .choice import Choice
from .libraries import note
from .terms import LENGTH, MAX_LENGTH, RESPONSES, TOKEN_OBJECTIVE, WEIGHT

PER_RESPONSE, PER_TOKEN, CONSTANT = 0, 1, 2


@kernel
def response_weight(code: int, responses: int, length: int, total_tokens: int, max_completion_length: int) -> float:
    """The weight of every token of one response.

    ``responses`` is the number of responses of the update, masked ones included; ``total_tokens`` counts the tokens
    of those that are not masked, and when there are none the weight is 0.
    """
    if code == PER_RESPONSE:
        return 1.0 / (responses * length)
    if code == CONSTANT:
        return 1.0 / (responses * max_completion_length)
    if total_tokens == 0:
        return 0.0
    return 1.0 / total_tokens


_N = RESPONSES.at()
_TOKENS = Over("sum", "j", _N, LENGTH.at("j"), "all responses")


def _over_responses(body: Expression) -> Expression:
    return Over("sum", "i", _N, body, "all responses")


_SUM = Over("sum", "t", LENGTH.at("i"), TOKEN_OBJECTIVE.at("i", "t"), "the tokens of the response")

AGGREGATIONS = (
    Choice(
        slot="aggregation",
        name="per_response",
        code=PER_RESPONSE,
        label="Mean per response",
        symbol=WEIGHT.at("i"),
        formula=1 / (_N * LENGTH.at("i")),
        derivative=None,
        sentence="The mean over the tokens of each response, then the mean over responses.",
        aspects={
            "divides by": "the number of responses and the length of the token's own response",
            "length": "every response counts the same, so a token of a long one counts less",
        },
        source="Shao et al. 2024, DeepSeekMath, arXiv 2402.03300, equation 3",
        whole=1 / _N * _over_responses(1 / LENGTH.at("i") * _SUM),
        notes=(
            note("TRL", 'loss_type="grpo", which is not its default.'),
            note("verl", "seq-mean-token-mean, which is not its default."),
        ),
    ),
    Choice(
        slot="aggregation",
        name="per_token",
        code=PER_TOKEN,
        label="Mean over tokens",
        symbol=WEIGHT.at("i"),
        formula=1 / _TOKENS,
        derivative=None,
        sentence="One mean over all tokens of the update.",
        aspects={
            "divides by": "the number of all tokens of the update",
            "length": "every token counts the same, so a long response counts more",
        },
        source="Yu et al. 2025, DAPO, arXiv 2503.14476",
        edge="The paper's formula divides by the tokens of one group; here, as in verl, by those of the update.",
        whole=1 / _TOKENS * _over_responses(_SUM),
        notes=(
            note(
                "TRL",
                'loss_type="dapo", its default, divides by the tokens of the whole batch, shared evenly among its '
                'minibatches; "bnpo" by those of the minibatch, as here.',
            ),
            note("verl", "token-mean, its default, over the whole mini-batch."),
            note("OpenRLHF", "Divides by all tokens of the optimizer step."),
        ),
    ),
    Choice(
        slot="aggregation",
        name="constant",
        code=CONSTANT,
        label="Constant",
        symbol=WEIGHT.at("i"),
        formula=1 / (_N * MAX_LENGTH.at()),
        derivative=None,
        sentence="The sum over all tokens, divided by numbers that no response changes.",
        aspects={
            "divides by": "the number of responses and the maximum length",
            "length": "every token counts the same, whatever lengths were sampled",
        },
        source="Liu et al. 2025, Dr. GRPO, arXiv 2503.20783",
        edge="The paper divides by no length at all; a constant only changes the effective learning rate.",
        whole=1 / _N * _over_responses(1 / MAX_LENGTH.at() * _SUM),
        notes=(
            note("Dr. GRPO authors' code", "Divides by generate_max_length."),
            note("TRL", 'loss_type="dr_grpo" divides by responses times max_completion_length.'),
            note(
                "verl",
                "seq-mean-token-sum-norm; unless loss_scale_factor is set it divides by the batch's padded width.",
            ),
            note("open-instruct", "loss_denominator set to a number."),
        ),
    ),
)
"""The choices of ``aggregation``, by code; the formula is the weight of a token."""
