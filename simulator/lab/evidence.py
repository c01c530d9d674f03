"""Effects that contradict what one often hears, measured here and now on many seeds.

The page prints what these runs give, with intervals; no result is written down. The test suite checks that each claim
still holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from simulator.charts.table import fixed
from simulator.engine import parse_setup, simulate
from simulator.interval import Interval
from simulator.lab.link import DEFAULT_SEED, Run
from simulator.labels.candidates import METRICS

SEEDS = range(1000, 1032)


@dataclass(frozen=True)
class Arm:
    """One setting of an effect: its name, means with the half-widths of their 95 % intervals, its link to the lab."""

    label: str
    means: tuple[float, ...]
    texts: tuple[str, ...]
    query: str


@dataclass(frozen=True)
class Effect:
    """A saying, what happens in this world instead, why, and the runs that show it."""

    name: str
    saying: str
    finding: str
    reason: str
    head: tuple[str, ...]
    arms: tuple[Arm, ...]


_Arms = tuple[tuple[str, Mapping[str, Any]], ...]

_EFFECTS: tuple[tuple[str, str, str, str, tuple[str, ...], _Arms], ...] = (
    (
        "noise",
        "“A noisy reward model gets over-optimized.”",
        "Not by independent noise alone. The clean reward model is noisy, and more training does no harm; the reward "
        "hack event has the same noise and one structured error, and there more training does.",
        "Independent errors average out: among answers with a higher score, expected quality is still higher. It "
        "takes an error with a pattern, such as a rare answer with a large bonus, to turn the curve around.",
        ("win_rate", "reward_model_score"),
        (
            ("Clean, 100 steps", {"steps": 100, "beta": 0.02}),
            ("Clean, 800 steps", {"steps": 800, "beta": 0.02}),
            ("Reward hack, 100 steps", {"event": "reward_hack", "steps": 100, "beta": 0.02}),
            ("Reward hack, 800 steps", {"event": "reward_hack", "steps": 800, "beta": 0.02}),
        ),
    ),
    (
        "length",
        "“Answers too long? Raise the KL penalty.”",
        "A stronger pull only brings the policy back to where it started. Subtracting the length from the reward "
        "repairs the cause.",
        "Beta limits how far the policy follows the reward, good parts and bad parts alike. The length penalty "
        "removes the bad part and leaves the good one.",
        ("win_rate", "response_length"),
        (
            ("Beta 0.05", {"event": "length_bias"}),
            ("Beta 0.4", {"event": "length_bias", "beta": 0.4}),
            ("Beta 1.2", {"event": "length_bias", "beta": 1.2}),
            ("Beta 0.05, length penalty 3", {"event": "length_bias", "length_penalty": 3}),
        ),
    ),
    (
        "flips",
        "“Flipped labels need label smoothing or a higher beta.”",
        "At equal steps both lower the win rate here. More samples per prompt, or rDPO, raise it.",
        "Random flips shrink the average signal and add noise. More pairs average the noise away; rDPO scales the "
        "signal back up; smoothing and beta only stop the margin from growing. All of them trade win rate for KL along "
        "nearly the same curve, so what differs is how far each gets.",
        ("win_rate", "kl"),
        (
            ("DPO, 16 samples", {"event": "label_flips", "method": "dpo", "samples_per_prompt": 16}),
            (
                "cDPO, smoothing 0.3",
                {"event": "label_flips", "method": "cdpo", "samples_per_prompt": 16, "label_smoothing": 0.3},
            ),
            ("DPO, beta 1", {"event": "label_flips", "method": "dpo", "samples_per_prompt": 16, "beta": 1}),
            ("DPO, 32 samples", {"event": "label_flips", "method": "dpo", "samples_per_prompt": 32}),
            (
                "rDPO, smoothing 0.3",
                {"event": "label_flips", "method": "rdpo", "samples_per_prompt": 16, "label_smoothing": 0.3},
            ),
        ),
    ),
    (
        "groups",
        "“Sparse rewards need large groups.”",
        "True when steps are scarce, false when responses are: at the same number of responses, many small groups win.",
        "A large group is seldom silent, but once one answer passes, the others add little. Here an update costs "
        "nothing, so many cheap tries beat a few sure ones.",
        ("win_rate",),
        (
            ("100 steps, groups of 2", {"event": "sparse", "steps": 100, "group_size": 2}),
            ("100 steps, groups of 16", {"event": "sparse", "steps": 100, "group_size": 16}),
            ("800 steps, groups of 2", {"event": "sparse", "steps": 800, "group_size": 2}),
        ),
    ),
    (
        "leash",
        "“A little KL penalty is safer than none.”",
        "Against the exploit, a medium beta is the worst choice. None is better, and a strong one is best.",
        "Without a pull the policy settles quickly on a good answer and stops exploring. A medium pull keeps it "
        "exploring just long enough to find the exploit, and is too weak to hold it back.",
        ("win_rate", "kl"),
        tuple(
            (f"Beta {beta:g}", {"event": "reward_hack", "steps": 400, "beta": beta}) for beta in (0.0, 0.1, 0.4, 1.2)
        ),
    ),
)


@cache
def folklore() -> tuple[Effect, ...]:
    """All effects, measured once per process (about a second)."""
    return tuple(
        Effect(
            name,
            saying,
            finding,
            reason,
            ("Setting", *(METRICS[metric].label for metric in metrics), "Responses"),
            tuple(_measure(label, mapping, metrics) for label, mapping in arms),
        )
        for name, saying, finding, reason, metrics, arms in _EFFECTS
    )


def _measure(label: str, mapping: Mapping[str, Any], metrics: tuple[str, ...]) -> Arm:
    setup = parse_setup(mapping)
    final = simulate(setup, SEEDS).final
    means, texts = [], []
    for metric in metrics:
        interval, decimals = Interval.of(final[metric]), METRICS[metric].decimals
        means.append(interval.mean)
        texts.append(f"{fixed(interval.mean, decimals)} ± {fixed(interval.half_width, decimals)}")
    texts.append(f"{setup.sampled_responses:,}")
    return Arm(label, tuple(means), tuple(texts), Run(setup, DEFAULT_SEED).query())
