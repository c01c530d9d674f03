"""Numbers into a claim's sentences.

A finding holds no typed result. `{effect}` becomes an effect with its interval, `{effect.size}` its size without
sign, `{effect.of}` in how many seeds it has that sign; `{arm.column}` becomes the mean of a column, and
`{arm.responses}` the sampled responses. Arms and effects may share names. `{met}` is how many of the `{needed}` effects
that the statement needs came out that way.
"""

import re

from simulator.charts.table import fixed, signed
from simulator.evidence.claim import Claim
from simulator.evidence.measure import ClaimResult
from simulator.interval import Interval

PLACEHOLDER = re.compile(r"\{([\w-]+)(?:\.(\w+))?\}")


def fill(text: str, claim: Claim, result: ClaimResult) -> str:
    """Return the text with its numbers. Raises LookupError when one of them was not measured."""
    return PLACEHOLDER.sub(lambda match: _number(match[1], match[2] or "", claim, result), text)


def interval_text(interval: Interval, decimals: int) -> str:
    """A difference as tables and sentences write it: +0.93 ± 0.17, never broken over two lines."""
    return f"{signed(interval.mean, decimals)}\u00a0±\u00a0{fixed(interval.half_width, decimals)}"


def _number(name: str, part: str, claim: Claim, result: ClaimResult) -> str:
    if name in ("met", "needed"):
        needed = [effect.needs.holds(result.intervals[effect.name]) for effect in claim.effects if effect.needs]
        return str(sum(needed) if name == "met" else len(needed))
    effect = next((effect for effect in claim.effects if effect.name == name), None)
    if effect is not None and part in ("", "size", "of"):
        measured, decimals = result.effects[name], claim.by_column[effect.column].decimals
        if part == "size":
            return fixed(abs(measured.interval.mean), decimals)
        if part == "of":
            return f"{measured.same_sign} of {measured.count}"
        return interval_text(measured.interval, decimals)
    if name in result.arms:
        if part == "responses":
            return fixed(result.arms[name].sampled_responses, 0)
        if part in result.arms[name].columns:
            return fixed(result.arms[name].columns[part].mean, claim.by_column[part].decimals)
    raise LookupError(f"{claim.name}: {name}.{part} is not among the measurements")
