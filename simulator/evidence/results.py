"""The committed results: one JSON file that holds what every claim measured, and how to tell that it is up to date.

    {"engine_version": "1.0", "claims": {"hump": {
        "key": "…", "seeds": "3000-3063", "setups": {"long": "5f0c…"},
        "arms": {"long": {"sampled_responses": 51200, "columns": {"win_rate": [0.4631, 0.0121]}}},
        "effects": {"late": {"mean": -0.2201, "half_width": 0.0128, "same_sign": 64, "count": 64}}}}}

A column's two numbers are a mean and the half width of its 95 % interval. `key` changes with the engine, a setup, the
seeds, or the shape of a claim; a claim whose key differs from the registry's has to be measured again.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from simulator.engine import ENGINE_VERSION
from simulator.evidence.claim import Claim
from simulator.evidence.measure import ArmResult, ClaimResult, EffectResult
from simulator.interval import Interval

PATH = Path(__file__).with_name("results.json")

# Numbers are kept with this many decimals.
DECIMALS = 6
# Two machines may round an exponential differently. Where training is at the edge, as without a clip at a high rate,
# that changes sampled tokens late in some runs. A mean counts as another result when it leaves its interval.
TOLERANCE = 1.0


def key(claim: Claim) -> str:
    """Changes exactly when stored results can't be those of this claim any more."""
    content = [
        ENGINE_VERSION,
        list(claim.seeds),
        {arm.name: [arm.setup.to_dict(), arm.shown_columns(claim.columns)] for arm in claim.arms},
        [[effect.name, effect.column, effect.first, effect.second, effect.reference] for effect in claim.effects],
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def seeds_text(seeds: Sequence[int]) -> str:
    return f"{seeds[0]}-{seeds[-1]}" if list(seeds) == list(range(seeds[0], seeds[-1] + 1)) else str(list(seeds))


def as_json(claim: Claim, result: ClaimResult) -> dict[str, Any]:
    """A claim's part of the file."""
    return {
        "key": key(claim),
        "seeds": seeds_text(claim.seeds),
        "setups": {arm.name: arm.setup.run_hash[:16] for arm in claim.arms},
        "arms": {
            name: {
                "sampled_responses": _rounded(arm.sampled_responses),
                "columns": {
                    column: [_rounded(interval.mean), _rounded(interval.half_width)]
                    for column, interval in arm.columns.items()
                },
            }
            for name, arm in result.arms.items()
        },
        "effects": {
            name: {
                "mean": _rounded(effect.interval.mean),
                "half_width": _rounded(effect.interval.half_width),
                "same_sign": effect.same_sign,
                "count": effect.count,
            }
            for name, effect in result.effects.items()
        },
    }


def from_json(stored: Mapping[str, Any]) -> ClaimResult:
    return ClaimResult(
        arms={
            name: ArmResult(
                arm["sampled_responses"], {column: Interval(*numbers) for column, numbers in arm["columns"].items()}
            )
            for name, arm in stored["arms"].items()
        },
        effects={
            name: EffectResult(Interval(effect["mean"], effect["half_width"]), effect["same_sign"], effect["count"])
            for name, effect in stored["effects"].items()
        },
    )


def read(path: Path = PATH) -> dict[str, Any]:
    """Every claim's part of the file by name; empty while there is no file."""
    if not path.exists():
        return {}
    return dict(json.loads(path.read_text())["claims"])


@cache
def results() -> dict[str, ClaimResult]:
    """The committed results, read once per process."""
    return {name: from_json(stored) for name, stored in read().items()}


def write(stored: Mapping[str, Any], order: Iterable[str], path: Path = PATH) -> None:
    """Write the parts of the claims named in `order`, all at once or not at all."""
    claims = {name: stored[name] for name in order if name in stored}
    text = _text({"engine_version": ENGINE_VERSION, "claims": claims}) + "\n"
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, suffix=".part", encoding="utf-8") as part:
        part.write(text)
    os.chmod(part.name, 0o644)
    os.replace(part.name, path)


def differences(stored: Mapping[str, Any], fresh: Mapping[str, Any]) -> list[str]:
    """Name what two results of one claim disagree about, beyond `TOLERANCE`."""
    found = [name for name in ("key", "seeds", "setups") if stored[name] != fresh[name]]
    if found:
        return [f"{name} differs" for name in found]
    old, new = from_json(stored), from_json(fresh)
    pairs = [(f"effect {name}", old.intervals[name], new.intervals[name]) for name in new.effects]
    pairs += [
        (f"{column} of {name}", old.arms[name].columns[column], interval)
        for name, arm in new.arms.items()
        for column, interval in arm.columns.items()
    ]
    return [
        f"{what}: {before.mean:.6g} ± {before.half_width:.2g} stored, {after.mean:.6g} ± {after.half_width:.2g} now"
        for what, before, after in pairs
        if abs(after.mean - before.mean) > TOLERANCE * before.half_width + 10**-DECIMALS
    ]


def _text(value: Any, depth: int = 0) -> str:
    """JSON with one line for each arm and each effect, so that a change of one is a change of one line."""
    if not isinstance(value, dict) or depth == 4:
        return json.dumps(value, ensure_ascii=False)
    indent = " " * depth
    lines = [f"{indent} {json.dumps(name)}: {_text(part, depth + 1)}" for name, part in value.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def _rounded(value: float) -> float:
    rounded = round(float(value), DECIMALS) + 0.0
    return int(rounded) if rounded == int(rounded) else rounded
