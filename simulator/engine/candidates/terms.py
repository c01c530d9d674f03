"""Every symbol of the objectives of the ten-answers world: what it is called and what it means.

Indices: draw ``i`` of a prompt, answer ``k``, pair ``j``, prompt ``q`` of the step. Where a symbol means what it means
in the token world, it has the same id there.
"""

from __future__ import annotations

from ..formula import Term

STEP_OBJECTIVE = Term(
    "step_objective",
    "J",
    "Objective of the step",
    "the objective of the step",
    "What the step makes larger: the objectives of its prompts, added up. Nothing ties them to each other.",
    label="step",
)
OBJECTIVE = Term(
    "policy_objective",
    "J",
    "Objective of a prompt",
    "the objective of the prompt",
    "What the update makes larger at one prompt. With a minus sign it is a loss.",
)
PROMPTS = Term("prompts", "B", "Prompts", "the number of prompts", "Prompts that the step visits.")
GROUP_SIZE = Term("group_size", "G", "Draws", "the number of draws", "Answers drawn for one prompt.")
REWARD = Term(
    "reward",
    "R",
    "Reward",
    "the reward of the draw",
    "What a drawn answer is paid: its score by the reward model, less the length penalty.",
)
ADVANTAGE = Term(
    "advantage",
    "A",
    "Advantage",
    "the advantage of the draw",
    "How much better the drawn answer is than expected: above 0 it becomes more likely, below 0 less.",
    hat=True,
)
BASELINE = Term(
    "baseline",
    "b",
    "Baseline",
    "the moving average of the prompt's earlier rewards",
    "What was usual at this prompt so far. It starts at 0 and moves by a fifth of the way to each group's mean reward.",
)
MEAN_REWARD = Term(
    "mean_reward",
    "R",
    "Mean reward",
    "the mean reward of the draws",
    "The mean reward of the draws of this prompt.",
    label="mean",
)
DEVIATION = Term(
    "deviation",
    "d",
    "Spread",
    "the standard deviation of the rewards",
    "How far the rewards of this prompt's draws lie apart: their standard deviation, with a division by G.",
)
NEXT_BASELINE = Term(
    "next_baseline",
    "b",
    "Next baseline",
    "the next baseline",
    "The moving average that the next group of this prompt is compared with.",
    label="next",
)
DRAW_LOG_PROB = Term(
    "draw_log_probs",
    "π",
    "Log-probability of a draw",
    "the log-probability of the drawn answer",
    "How likely the policy that is being trained makes the answer that was drawn.",
    label="θ",
    of="y",
    log=True,
)
LOG_PROB = Term(
    "log_probs",
    "π",
    "Log-probability",
    "the log-probability of the answer",
    "How likely the policy that is being trained makes this answer.",
    label="θ",
    of="a",
    log=True,
)
REF_LOG_PROB = Term(
    "ref_log_probs",
    "π",
    "Reference log-probability",
    "its log-probability under the reference policy",
    "How likely the reference policy, the one before any training, makes this answer.",
    label="ref",
    of="a",
    log=True,
)
PROBABILITY = Term(
    "probability",
    "π",
    "Probability",
    "the probability of the answer",
    "The share of this answer among all that the policy gives to this prompt.",
    label="θ",
    of="a",
)
IS_ANSWER = Term(
    "is_answer",
    "δ",
    "Drawn",
    "whether the draw is the answer",
    "1 if this draw is this answer, else 0.",
    holds="the draw is the answer",
)
KL = Term(
    "kl",
    "D",
    "KL",
    "the KL",
    "How far the policy is from the reference policy at this prompt, exact, in nats.",
)
KL_SLOPE = Term(
    "kl_slope",
    "q",
    "Slope of the KL",
    "the slope of the KL",
    "How fast the KL grows with the answer's logit: above 0 where the policy has gone further up than on average.",
)
BETA = Term(
    "beta", "β", "Beta", "beta", "What a nat of distance from the reference costs; in pairs, how soon one counts."
)
COUNT = Term(
    "count", "N", "Times drawn", "the number of times the answer was drawn", "How often this answer was drawn."
)
IS_BEST = Term(
    "is_best",
    "h",
    "Best drawn",
    "whether it is among the best drawn",
    "1 for a drawn answer whose reward no other draw exceeds, else 0.",
    holds="it is among the best drawn",
)
TARGET = Term(
    "target",
    "t",
    "Target",
    "the target",
    "The share that the update would like this answer to have.",
)
DIFFERS = Term(
    "differs",
    "m",
    "Rewards differ",
    "whether the rewards differ",
    "1 if the draws have different rewards, 0 if all have the same: then there is no best.",
    holds="the rewards differ",
)
PAIRS = Term(
    "pairs", "M", "Pairs", "the number of pairs", "Pairs of draws with different rewards, one better, one worse."
)
WINNER_LOG_PROB = Term(
    "winner_log_probs",
    "π",
    "Log-probability of the better",
    "the log-probability of the better answer",
    "How likely the policy makes the answer of the pair that is labeled better.",
    label="θ",
    of="w",
    log=True,
)
LOSER_LOG_PROB = Term(
    "loser_log_probs",
    "π",
    "Log-probability of the worse",
    "the log-probability of the worse answer",
    "How likely the policy makes the answer of the pair that is labeled worse.",
    label="θ",
    of="l",
    log=True,
)
WINNER_REF_LOG_PROB = Term(
    "winner_ref_log_probs",
    "π",
    "Reference log-probability of the better",
    "the reference log-probability of the better answer",
    "How likely the reference policy makes the answer that is labeled better.",
    label="ref",
    of="w",
    log=True,
)
LOSER_REF_LOG_PROB = Term(
    "loser_ref_log_probs",
    "π",
    "Reference log-probability of the worse",
    "the reference log-probability of the worse answer",
    "How likely the reference policy makes the answer that is labeled worse.",
    label="ref",
    of="l",
    log=True,
)
MARGIN = Term(
    "margin",
    "x",
    "Margin",
    "the margin",
    "How much more the better answer has gained on the reference than the worse one, in nats. 0 before training.",
)
PAIR_WEIGHT = Term(
    "pair_weight",
    "u",
    "Weight of a pair",
    "the weight of the pair",
    "How hard the pair pulls its two answers apart.",
)
SIDE = Term(
    "side",
    "c",
    "Side",
    "the side of the answer in the pair",
    "1 if this answer is the better of the pair, −1 if it is the worse, 0 if it is neither.",
)
LABEL_SMOOTHING = Term(
    "label_smoothing",
    "ε",
    "Label smoothing",
    "epsilon",
    "The share of labels that the loss takes to be wrong.",
)
PUSH = Term(
    "push",
    "g",
    "Push",
    "the push on the answer",
    "The derivative of the objective by the answer's logit: above 0 the update raises the logit, below 0 it lowers it.",
)
LEARNING_RATE = Term(
    "learning_rate",
    "s",
    "Learning rate",
    "the learning rate",
    "What a push is multiplied by: 0.5 for methods that draw afresh, 1 for those that draw once.",
)
MOVED = Term(
    "moved",
    "Δ",
    "Change of the logit",
    "the change of the logit",
    "What the update adds to the number that the policy holds for this answer. Its shares follow from the differences.",
    of="z",
)
