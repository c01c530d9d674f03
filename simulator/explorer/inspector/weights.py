"""What one token weighs, as a fraction and as a bar: where GRPO, DAPO and Dr. GRPO differ on the same responses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.charts.table import fixed
from simulator.explorer.inspector.setting import Setting
from simulator.explorer.inspector.sheet import FloatArray, Sheet

FORMULAS = {
    "per_response": "1 / (responses × tokens of its own response)",
    "per_token": "1 / tokens of the update",
    "constant": "1 / (responses × longest length allowed)",
}


@dataclass(frozen=True)
class Weight:
    """One token's weight in a response. ``bar`` is 0 to 100, of the largest weight in the update; ``share`` is what
    the whole response weighs, of all responses."""

    text: str
    bar: float
    share: str


def weights_of(sheet: Sheet, p: int) -> list[Weight | None]:
    """Of every response of a prompt; None where it isn't logged."""
    weights: FloatArray = sheet.numbers("weight")
    largest = float(np.nanmax(weights, initial=0.0))
    total = float(np.nansum(weights))
    found: list[Weight | None] = []
    for i in range(len(sheet.prompts[p].responses)):
        row = weights[p, i, : sheet.lengths[p, i]]
        if not row.size or not np.isfinite(row).any():
            found.append(None)
            continue
        weight = float(np.nanmean(row))
        bar = round(100 * weight / largest, 1) if largest else 0.0
        share = f"{fixed(100 * float(np.nansum(row)) / total, 1)} %" if total else "0 %"
        found.append(Weight(fraction(weight), bar, share))
    return found


def fraction(weight: float) -> str:
    """1/384 where it is one over a whole number, as weights are."""
    if weight == 0:
        return "0"
    over = 1 / weight
    return f"1/{round(over):,}" if abs(over - round(over)) < 1e-6 * over else fixed(weight, 6)


def explained(sheet: Sheet, setting: Setting) -> str:
    """What the weight of a token is made of, with this update's numbers."""
    if setting.setup is None:
        return "What one token counts in the sum." if sheet.has("weight") else "Weights are not logged."
    responses = sum(len(prompt.responses) for prompt in sheet.prompts)
    counts = sum(response.length for prompt in sheet.prompts for response in prompt.responses if not response.masked)
    numbers = {
        "per_response": f"1 / ({responses:,} × its tokens)",
        "per_token": f"1 / {counts:,}" if counts else "0",
        "constant": f"1 / ({responses:,} × {setting.setup.max_completion_length})",
    }
    name = setting.setup.aggregation
    return f"Weight of one token: {FORMULAS[name]} = {numbers[name]}."
