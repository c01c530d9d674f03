"""Slot 1, sampling: which groups are trained on, and what is done with responses that were cut off."""

from __future__ import annotations

from ..compiled import kernel
from ..formula import Number, cases, compare
from .choice import Choice
from .libraries import note
from .terms import CACHE, CORRECT_COUNT, GROUP_SIZE, KEPT, LENGTH, MASK, MAX_LENGTH, OVERLONG_REWARD, TRUNCATED

KEEP_ALL, KEEP_MIXED = 0, 1
OVERLONG_NONE, OVERLONG_FILTER, OVERLONG_SOFT = 0, 1, 2


@kernel
def keeps_group(dynamic: int, correct_count: int, group_size: int) -> bool:
    """Whether a group is trained on: with dynamic sampling only one with right and wrong answers.

    It goes by the verifier and not by the whole reward, which other terms may spread.
    """
    return dynamic == KEEP_ALL or 0 < correct_count < group_size


@kernel
def overlong_reward(code: int, length: int, is_truncated: bool, max_completion_length: int, cache: int) -> float:
    """What the overlong choice adds to the reward of a response: from -1 to 0.

    Soft punishment: nothing until ``cache`` tokens before the limit, then linear down to -1 at the limit.
    """
    if code != OVERLONG_SOFT:
        return 0.0
    if is_truncated:
        return -1.0
    free = max_completion_length - cache
    if length <= free:
        return 0.0
    return (free - length) / cache


@kernel
def is_masked(code: int, is_truncated: bool) -> bool:
    """Whether a response weighs nothing. Its reward stays in the statistics of its group."""
    return code == OVERLONG_FILTER and is_truncated


_RIGHT = CORRECT_COUNT.at()
_CUT = compare(TRUNCATED.at("i"), "=", 1)
_FREE = MAX_LENGTH.at() - CACHE.at()

SAMPLING = (
    Choice(
        slot="dynamic_sampling",
        name="false",
        code=KEEP_ALL,
        label="Every group",
        symbol=KEPT.at(),
        formula=compare(0, "<=", _RIGHT, "<=", GROUP_SIZE.at()),
        derivative=None,
        sentence="Every sampled group is trained on.",
        aspects={"groups": "trains on every group, also on those that are all right or all wrong"},
        source="",
    ),
    Choice(
        slot="dynamic_sampling",
        name="true",
        code=KEEP_MIXED,
        label="Dynamic sampling",
        symbol=KEPT.at(),
        formula=compare(0, "<", _RIGHT, "<", GROUP_SIZE.at()),
        derivative=None,
        sentence="Only groups with right and wrong answers are trained on; more prompts are sampled for the others.",
        aspects={"groups": "trains only on groups with right and wrong answers, and samples more for the others"},
        source="Yu et al. 2025, DAPO, arXiv 2503.14476",
        edge=(
            "It goes by the verifier, not by the whole reward. Sampling ends after one pass through the train prompts; "
            "places still open are filled with groups whose advantages are set to 0. All responses sampled count."
        ),
        notes=(
            note("TRL", "Has no dynamic sampling."),
            note("verl", "Off unless algorithm.filter_groups.enable is set."),
            note("OpenRLHF", "--algo.dynamic_filtering_enable keeps groups by an open range of rewards, (0, 1)."),
            note(
                "open-instruct",
                "Drops groups of equal rewards by default, and refills the batch only with active_sampling.",
            ),
        ),
    ),
)
"""The choices of ``dynamic_sampling``, by code."""

OVERLONG = (
    Choice(
        slot="overlong",
        name="none",
        code=OVERLONG_NONE,
        label="No special treatment",
        symbol=OVERLONG_REWARD.at("i"),
        formula=Number(0.0),
        derivative=None,
        sentence="A response that is cut off is a wrong answer like any other.",
        aspects={"cut-off responses": "are wrong answers like any other"},
        source="",
    ),
    Choice(
        slot="overlong",
        name="filter",
        code=OVERLONG_FILTER,
        label="Filter",
        symbol=MASK.at("i"),
        formula=cases((0, _CUT), otherwise=1),
        derivative=None,
        sentence="A response that is cut off weighs nothing in the update.",
        aspects={"cut-off responses": "weigh nothing, though their reward stays in the statistics of the group"},
        source="Yu et al. 2025, DAPO, arXiv 2503.14476",
        edge="When every response is cut off, all weights are 0 and nothing is learned.",
        notes=(
            note(
                "TRL",
                "mask_truncated_completions sets the loss mask, not the reward. A masked response still counts as a "
                "response with loss_type grpo and dr_grpo; with dapo its tokens leave the denominator too.",
            ),
            note("verl", "No filter of the loss was found; its DAPO reward manager punishes length in the reward."),
            note("open-instruct", "Takes filtered responses out before the statistics of the group are formed."),
        ),
    ),
    Choice(
        slot="overlong",
        name="soft",
        code=OVERLONG_SOFT,
        label="Soft punishment",
        symbol=OVERLONG_REWARD.at("i"),
        formula=cases(
            (-1, _CUT),
            (0, compare(LENGTH.at("i"), "<=", _FREE)),
            otherwise=(_FREE - LENGTH.at("i")) / CACHE.at(),
        ),
        derivative=None,
        sentence="The last tokens before the limit cost reward, up to 1 for a response that is cut off.",
        aspects={"cut-off responses": "lose reward: nothing until the cache begins, 1 at the limit"},
        source="Yu et al. 2025, DAPO, arXiv 2503.14476",
        settings=("overlong_cache",),
        notes=(
            note("TRL", "Offered as a reward function, get_soft_overlong_punishment."),
            note("verl", "overlong_buffer_cfg of the DAPO reward manager, with a factor of its own (penalty_factor)."),
            note("OpenRLHF", "reward.overlong_buffer_len, beside a separate stop_properly_penalty_coef."),
        ),
    ),
)
"""The choices of ``overlong``, by code."""
