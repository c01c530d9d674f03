"""What the model assumes, read from the engine's own constants and measured on its own worlds."""

from functools import cache
from typing import Any

import numpy as np

from simulator.engine import ENGINE_VERSION, parse_setup, simulate
from simulator.engine.candidates import events, world
from simulator.engine.candidates.methods import (
    BASELINE_RATE,
    OFFLINE_RATE,
    ONLINE_RATE,
)
from simulator.engine.candidates.methods import (
    METHODS as ENGINE_METHODS,
)
from simulator.engine.candidates.setup import FIELDS
from simulator.labels import number
from simulator.labels.candidates import METRICS, SETTINGS

# Worlds for the averages on the page. Grading and the design of missions use other seeds.
SEEDS = range(1000, 1064)


def assumptions() -> dict[str, Any]:
    """Everything templates/lab/assumptions.html prints."""
    return {
        "engine_version": ENGINE_VERSION,
        "prompts": world.PROMPTS,
        "answers": world.ANSWERS,
        "prompts_per_step": world.PROMPTS_PER_STEP,
        "steps_per_epoch": world.STEPS_PER_EPOCH,
        "mean_length": world.MEAN_LENGTH,
        "length_spread": world.LENGTH_SPREAD,
        "padded_above": world.MEAN_LENGTH + world.LENGTH_SPREAD * events.PADDED_FROM,
        "noise": events.REWARD_MODEL_NOISE,
        "length_bias": events.LENGTH_BIAS,
        "exploit_rank": events.EXPLOIT_RANK + 1,
        "exploit_loss": events.EXPLOIT_QUALITY_LOSS,
        "exploit_bonus": events.EXPLOIT_BONUS,
        "default_flip_rate": events.EVENTS["label_flips"].default_flip_rate,
        "online_rate": ONLINE_RATE,
        "offline_rate": OFFLINE_RATE,
        "baseline_rate": BASELINE_RATE,
        "most_entropy": float(np.log(world.ANSWERS)),
        "leashed": _listed([method.label for method in ENGINE_METHODS.values() if method.leash]),
        "methods": ENGINE_METHODS.values(),
        "metrics": METRICS.values(),
        "settings": _settings(),
        "measured": measured(),
    }


def _settings() -> list[dict[str, str]]:
    rows = []
    for name, field in FIELDS.items():
        if field.kind == "choice":
            continue
        users = [method.label for method in ENGINE_METHODS.values() if name == "steps" or name in method.uses]
        rows.append(
            {
                "label": SETTINGS[name].label,
                "help": SETTINGS[name].help,
                "range": f"{field.minimum:g} to {field.maximum:g}",
                "default": _default(name),
                "users": "every method" if len(users) == len(ENGINE_METHODS) else ", ".join(users),
            }
        )
    return rows


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1]


def _default(name: str) -> str:
    """The default; where it depends on how a method samples or on the event, both."""
    if name == "flip_rate":
        return f"{number(FIELDS[name].default_in({'event': 'label_flips'}))} in label flips, else 0"
    online, offline = (number(getattr(parse_setup({"method": method}), name)) for method in ("grpo", "dpo"))
    return online if online == offline else f"{online} online, {offline} offline"


@cache
def measured() -> dict[str, float]:
    """Averages over the worlds of `SEEDS`: what a typical world looks like before training."""
    clean, hack, biased, sparse = (_world(event) for event in ("clean", "reward_hack", "length_bias", "sparse"))
    assert hack.exploit is not None
    at_exploit = hack.exploit[..., None]
    reference = clean.reference_probability
    passing = sparse.quality.argmax(axis=-1)[..., None]
    pass_rate = np.take_along_axis(sparse.reference_probability, passing, axis=-1)
    return {
        "seeds": len(SEEDS),
        "reference_entropy": float(-(reference * np.log(reference)).sum(axis=-1).mean()),
        "best_agrees": _share(clean.quality.argmax(-1), clean.reward_model_score.argmax(-1)),
        "score_correlation": _correlation(clean.reward_model_score, clean.quality),
        "biased_length_correlation": _correlation(biased.reward_model_score, biased.length),
        "biased_quality_correlation": _correlation(biased.reward_model_score, biased.quality),
        "exploit_probability": float(np.take_along_axis(hack.reference_probability, at_exploit, axis=-1).mean()),
        "exploit_favorite": _share(hack.exploit, hack.reward_model_score.argmax(-1)),
        "pass_rate": float(pass_rate.mean()),
        "pass_rate_median": float(np.median(pass_rate)),
    }


def _world(event: str) -> Any:
    return simulate(parse_setup({"event": event, "steps": 1}), SEEDS).world


def _share(first: Any, second: Any) -> float:
    """Percent of prompts in which two choices agree."""
    return float(100 * np.mean(first == second))


def _correlation(first: Any, second: Any) -> float:
    return float(np.corrcoef(first.ravel(), second.ravel())[0, 1])
