"""Every symbol of the objective: what it is called and what it means.

Indices: response ``i`` of the update, token ``t`` of the response, ``j`` and ``k`` where a sum goes through others.
The ids of what a step records are the names it is recorded under.
"""

from __future__ import annotations

from ..formula import Term

OBJECTIVE = Term(
    "policy_objective",
    "J",
    "Objective",
    "the objective",
    "What one update makes larger. Libraries minimize the same number with a minus sign and call it the loss.",
)
TOKEN_OBJECTIVE = Term(
    "objective",
    "j",
    "Term of a token",
    "the term of the token",
    "What one token puts into the objective, before it is weighed.",
)
WEIGHT = Term(
    "weight",
    "w",
    "Weight of a token",
    "the weight of the token",
    "How much the term of one token counts in the objective.",
)
MASK = Term(
    "mask",
    "m",
    "Mask",
    "the mask",
    "1 for a response that counts, 0 for one that does not.",
)
LOG_PROB = Term(
    "log_probs",
    "π",
    "Log-probability",
    "the log-probability of the token",
    "How likely the policy that is being trained makes this token, given the prompt and the tokens before it.",
    label="θ",
    of="o",
    log=True,
)
OLD_LOG_PROB = Term(
    "old_log_probs",
    "π",
    "Old log-probability",
    "its old log-probability",
    "How likely the policy that sampled the response made this token.",
    label="old",
    of="o",
    log=True,
)
REF_LOG_PROB = Term(
    "ref_log_probs",
    "π",
    "Reference log-probability",
    "its log-probability under the reference policy",
    "How likely the reference policy, the one before any training, makes this token.",
    label="ref",
    of="o",
    log=True,
)
PROBABILITY = Term(
    "probability",
    "π",
    "Probability",
    "the probability of the token",
    "The share of this token among all that the policy could write here.",
    label="θ",
    of="o",
)
OLD_PROBABILITY = Term(
    "old_probability",
    "π",
    "Old probability",
    "its old probability",
    "The share of this token under the policy that sampled the response.",
    label="old",
    of="o",
)
RATIO = Term(
    "ratio",
    "r",
    "Importance ratio",
    "the ratio",
    "How many times as likely the token is now as when it was sampled; 1 means that nothing has changed.",
)
SEQUENCE_RATIO = Term(
    "sequence_ratio",
    "s",
    "Sequence ratio",
    "the ratio of the whole response",
    "The geometric mean of the ratios of all tokens of the response.",
)
SURROGATE = Term(
    "surrogate",
    "S",
    "Surrogate",
    "the surrogate",
    "The term of the token before any KL: ratio and advantage, as far as the clip lets them.",
)
ADVANTAGE = Term(
    "advantage",
    "A",
    "Advantage",
    "the advantage",
    "How much better this went than expected: above 0 the token becomes more likely, below 0 less.",
    hat=True,
)
REWARD = Term("reward", "R", "Reward", "the reward", "What the response was paid.")
TOKEN_REWARD = Term(
    "token_reward",
    "ρ",
    "Reward of a token",
    "the reward of the token",
    "The reward of the response at its last token, 0 before; a KL in the reward is paid token by token.",
)
BASELINE = Term(
    "baseline",
    "b",
    "Baseline",
    "the moving average of earlier rewards",
    "What was usual so far. It starts at 0 and moves by a tenth of the way to the mean reward of each batch.",
)
NEXT_BASELINE = Term(
    "next_baseline",
    "b",
    "Next baseline",
    "the next baseline",
    "The moving average that the next batch is compared with.",
    label="next",
)
MEAN_REWARD = Term(
    "mean_reward",
    "R",
    "Mean reward",
    "the mean reward of the batch",
    "The mean reward of all responses of the batch.",
    label="batch",
)
VALUE = Term(
    "value",
    "V",
    "Value",
    "the value",
    "The reward that the critic still expects before this token is written; 0 after the last token.",
)
RETURN = Term("return", "V", "Return", "the return", "What the critic is taught to expect here.", label="target")
TD_ERROR = Term(
    "td_error",
    "δ",
    "Surprise",
    "the surprise",
    "Reward and expectation after the token, less the expectation before it (temporal-difference error).",
)
GAMMA = Term("gamma", "γ", "Discount", "gamma", "What a reward one token later counts.")
GAE_LAMBDA = Term(
    "gae_lambda",
    "λ",
    "Lambda",
    "lambda",
    "How far later surprises reach back: 0 only the next one, 1 all of them in full.",
)
EPSILON = Term(
    "epsilon",
    "ε",
    "Clip range",
    "epsilon",
    "How far the ratio may fall below 1, and rise above it unless that has a range of its own.",
)
EPSILON_HIGH = Term(
    "epsilon_high",
    "ε",
    "Upper clip range",
    "epsilon high",
    "How far the ratio may rise above 1.",
    label="high",
)
BETA = Term("beta", "β", "Beta", "beta", "What one nat of distance from the reference policy costs.")
PUSH = Term(
    "push",
    "g",
    "Push",
    "the push",
    "The derivative of the objective by the token's log-probability: above 0 an update makes the token more likely.",
)
TOKEN_KL = Term(
    "token_kl",
    "D",
    "KL of a token",
    "the KL estimate of the token",
    "How far the policy is from the reference policy, estimated from this one token, in nats.",
)
LOG_RATIO_TO_REFERENCE = Term(
    "log_ratio_to_reference",
    "Δ",
    "Log-ratio to the reference",
    "the log-ratio to the reference policy",
    "How much more likely the token is now than under the reference policy, as a logarithm.",
)
RESPONSES = Term(
    "responses",
    "N",
    "Responses",
    "the number of responses",
    "All responses of the update: its prompts times the group size.",
)
GROUP_SIZE = Term("group_size", "G", "Group size", "the group size", "Responses sampled for one prompt.")
LENGTH = Term("length", "o", "Length", "the length of the response", "Tokens of the response.", size=True)
MAX_LENGTH = Term(
    "max_completion_length",
    "T",
    "Maximum length",
    "the maximum length",
    "The number of tokens at which a response is cut off.",
)
CACHE = Term(
    "overlong_cache",
    "c",
    "Overlong cache",
    "the cache",
    "How many tokens before the maximum length the punishment starts.",
)
CORRECT_COUNT = Term(
    "correct_count",
    "C",
    "Right responses",
    "the number of right responses",
    "How many responses of the group the verifier calls right.",
)
TRUNCATED = Term(
    "truncated",
    "cut",
    "Cut off",
    "whether it was cut off",
    "1 if the response reached the maximum length without an end, else 0.",
    holds="the response was cut off",
)
OVERLONG_REWARD = Term(
    "overlong_reward",
    "R",
    "Overlong punishment",
    "the overlong punishment",
    "What is taken off the reward of a response near or at the maximum length.",
    label="long",
)
VERIFIED = Term(
    "verified",
    "R",
    "Verified reward",
    "the verified reward",
    "1 if the verifier calls the response right, else 0.",
    label="verified",
)
FORMAT_COEFFICIENT = Term(
    "format_coefficient",
    "f",
    "Format reward",
    "the format reward",
    "What a response is paid for coming to an end by itself.",
)
LENGTH_COEFFICIENT = Term(
    "length_coefficient",
    "c",
    "Length penalty",
    "the length penalty",
    "What a response of the maximum length is charged; a shorter one is charged its share.",
    label="len",
)
KEPT = Term(
    "kept",
    "kept",
    "Kept group",
    "whether the group is kept",
    "1 if the update trains on the group, else 0.",
)
