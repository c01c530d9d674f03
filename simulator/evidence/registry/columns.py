"""Columns and seeds that many claims share."""

from simulator.evidence.claim import Column
from simulator.evidence.readings import final
from simulator.labels.candidates import METRICS

# Seeds of the evidence alone: missions, their texts and their grading use others.
ANSWER_SEEDS = range(3000, 3064)
TOKEN_SEEDS = range(3000, 3032)


def metric(name: str) -> Column:
    """A metric of the ten-answers world at the end of the run."""
    label = METRICS[name]
    return Column(name, label.label, final(name), label.decimals, label.unit)


WIN, KL, SCORE, LENGTH = metric("win_rate"), metric("kl"), metric("reward_model_score"), metric("response_length")
