"""What a check found, as JSON: settings, means, counts and margins, and never a seed or what a single one gave."""

import math
from collections.abc import Sequence
from typing import Any

from missions.checking.runs import Graded
from missions.grading import DECIMALS
from missions.verification import Luck


def described(one: Graded, fresh: Sequence[Graded] = ()) -> dict[str, Any]:
    """A setting with how it did, and how on fresh sets of seeds."""
    return {
        "setup": one.setup.to_dict(),
        "cost": one.cost,
        **_outcome(one),
        "is_safe": one.is_safe,
        "goals": [
            {"metric": r.goal.metric, "mean": _number(r.interval.mean), "half_width": _number(r.interval.half_width)}
            for r in one.verdict.goals
        ],
        "fresh": [_outcome(again) for again in fresh],
    }


def _outcome(one: Graded) -> dict[str, Any]:
    return {"passed": one.passed, "seeds_met": one.seeds_met, "margin": round(one.margin, 2)}


def drawn(one: Graded) -> list[Any]:
    """A setting as a mark of the picture: its cost, whether it passes, its runs at all goals, and each goal's mean."""
    means = [_number(result.interval.mean) for result in one.verdict.goals]
    return [one.cost, one.passed, one.seeds_met, means]


def luck_described(luck: Luck) -> dict[str, Any]:
    return {
        "stars": luck.stars,
        "affordable": _number(luck.affordable),
        "tried": luck.tried,
        "passed": luck.passed,
        "share": _number(luck.share),
        "upper": _number(luck.upper),
        "is_exact": luck.is_exact,
    }


def _number(value: float) -> float | None:
    """JSON has no infinite numbers."""
    return round(float(value), DECIMALS) if math.isfinite(value) else None
