"""What if: the same update with other settings, beside what ran, in words and in colors. Nothing is trained for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.charts.table import fixed
from simulator.engine import SetupError
from simulator.engine.objective.slots import CHOICES
from simulator.engine.reasoning.setup import FIELDS, ReasoningSetup
from simulator.explorer.exploration import Exploration
from simulator.explorer.inspector.beside import MOST_PAIRS, Pair, changed, line
from simulator.explorer.inspector.cells import Cells
from simulator.explorer.inspector.setting import Setting
from simulator.explorer.inspector.sheet import Sheet
from simulator.explorer.inspector.words import counted
from simulator.explorer.whatif import GROUP_ADVANTAGES, assumed, recomputed, what_is_missing
from simulator.labels import number
from simulator.labels.reasoning import SETTINGS
from simulator.records import Update

KEYS = ("eps", "epsh", "beta_if", "norm", "std")


@dataclass(frozen=True)
class Field:
    """One setting of the form. `options` are value, label and whether chosen; without any it is a number."""

    key: str
    label: str
    ran: str
    value: str
    options: tuple[tuple[str, str, bool], ...] = ()
    low: str = ""
    high: str = ""


def what_if(x: Exploration, sheet: Sheet, setting: Setting, cells: Cells) -> dict[str, Any]:
    """The form, and once something is assumed, before and after."""
    problem = what_is_missing(x.update, setting.setup)
    if problem or setting.setup is None:
        return {"problem": problem}
    ran = setting.setup
    found: dict[str, Any] = {
        "fields": _fields(x, ran),
        "hidden": x.hidden(*KEYS),
        "is_on": x.state.has_what_if,
        "off": x.link(**{key: None if key in ("eps", "epsh", "beta_if") else "" for key in KEYS}),
    }
    if not x.state.has_what_if:
        return found
    try:
        setup = assumed(ran, x.state)
    except SetupError as error:
        return found | {"error": error.message}
    after = recomputed(x.update, ran, setup)
    other = Sheet(after)
    beside = Cells(other, cells.p, cells.color, cells.scale, cells.only, Setting(setup).is_held)
    moved = changed(cells, beside)
    pairs = [
        Pair(f"R{i + 1}", (line("ran", cells, i), line("if", beside, i)), _pushes_words(sheet, other, cells.p, i))
        for i in moved
    ]
    return found | {
        "sentence": sentence(x.update, after, sheet, other, cells.p, ran, setup),
        "rows": _rows(x.update, after, sheet, other, cells.p),
        "pairs": pairs[:MOST_PAIRS],
        "more": pairs[MOST_PAIRS:],
        "unchanged": len(sheet.prompts[cells.p].responses) - len(moved),
    }


def sentence(
    before: Update, after: Update, sheet: Sheet, other: Sheet, p: int, ran: ReasoningSetup, setup: ReasoningSetup
) -> str:
    """ "With epsilon 0.3, 2 fewer tokens of the update are clipped; J rises from 0.031 to 0.044." """
    said = []
    for name in ("epsilon", "epsilon_high", "clip", "kl", "beta", "aggregation", "advantage"):
        value, old = getattr(setup, name), getattr(ran, name)
        if value != old and name in setup.active_fields():
            choice = CHOICES[name][value].label if name in CHOICES else number(value)
            said.append(f"{SETTINGS[name].in_sentence} {choice}")
    if not said:
        return "Nothing that matters here differs from what ran, so nothing changes."
    clipped = int(other.is_clipped.sum()) - int(sheet.is_clipped.sum())
    way = "more" if clipped > 0 else "fewer"
    is_are = "is" if abs(clipped) == 1 else "are"
    clip = (
        f"{counted(abs(clipped), f'{way} token', f'{way} tokens')} of the update {is_are} clipped"
        if clipped
        else "as many tokens of the update are clipped as before"
    )
    first, last = (float(update.metrics["policy_objective"]) for update in (before, after))
    digits = _digits(first, last)
    verb = "rises" if last > first else "falls"
    objective = (
        f"J {verb} from {fixed(first, digits)} to {fixed(last, digits)}"
        if first != last
        else (f"J stays {fixed(first, digits)}")
    )
    scales = " These two J are on different scales, as the advantages are." if setup.advantage != ran.advantage else ""
    clip = f"{clip}; " if setup.importance_ratio != "none" else ""
    return f"With {', '.join(said)}, {clip}{objective}.{scales}{_turned(sheet, other, p)}"


def _turned(sheet: Sheet, other: Sheet, p: int) -> str:
    """How many tokens change the sign of their push. Clipped ones count alike: what the KL does to them is a push."""
    is_turned = np.sign(np.nan_to_num(other.numbers("push"))) * np.sign(np.nan_to_num(sheet.numbers("push"))) < 0
    here, everywhere = int(is_turned[p].sum()), int(is_turned.sum())
    if not everywhere:
        return ""
    said = f" {counted(here, 'token')} of this prompt {'is' if here == 1 else 'are'} pushed the other way, "
    said += f"{everywhere:,} in the whole update."
    by_kl = int((is_turned & (other.is_clipped | sheet.is_clipped))[p].sum())
    if not by_kl:
        return said
    are = "is" if by_kl == 1 else "are"
    return f"{said} Of those here {by_kl:,} {are} clipped before or after, when only the KL pulls."


def _digits(first: float, last: float) -> int:
    """Enough to tell two numbers apart."""
    return next((digits for digits in range(3, 9) if fixed(first, digits) != fixed(last, digits)), 4)


def _rows(before: Update, after: Update, sheet: Sheet, other: Sheet, p: int) -> list[tuple[str, str, str]]:
    """What is compared, as it ran and as it would be."""
    objective = [float(update.metrics["policy_objective"]) for update in (before, after)]
    digits = _digits(*objective)
    found = [("J", *(fixed(value, digits) for value in objective))]
    for label, prompts in (("clipped in the update", slice(None)), ("clipped here", p)):
        found.append((label, *("{} high, {} low".format(*one.clipped(prompts)) for one in (sheet, other))))
    for label, index in (("tokens pushed up", 1), ("tokens pushed down", -1)):
        counts = [int((np.sign(np.nan_to_num(one.numbers("push")[p])) == index).sum()) for one in (sheet, other)]
        found.append((f"{label} here", *map(str, counts)))
    strength = [float(np.nansum(np.abs(one.numbers("push")))) for one in (sheet, other)]
    found.append(("sum of |push| in the update, thousandths", *(fixed(1000 * value, 2) for value in strength)))
    return found


def _pushes_words(sheet: Sheet, other: Sheet, p: int, i: int) -> str:
    before, after = (1000 * float(np.nansum(one.numbers("push")[p, i])) for one in (sheet, other))
    return f"push in all {fixed(before, 2)}, then {fixed(after, 2)}"


def _fields(x: Exploration, ran: ReasoningSetup) -> list[Field]:
    """The settings that can be assumed of this update."""
    found = []
    state = x.state
    if ran.importance_ratio != "none" and ran.clip != "none":
        if ran.clip != "cispo":
            found.append(_number("eps", "epsilon", ran, state.eps, True))
        found.append(_number("epsh", "epsilon_high", ran, state.epsh, ran.clip != "symmetric"))
    found.append(_number("beta_if", "beta", ran, state.beta_if, ran.kl != "none"))
    for key, name, offered in (
        ("norm", "aggregation", tuple(CHOICES["aggregation"])),
        ("std", "advantage", (*GROUP_ADVANTAGES, ran.advantage)),
    ):
        own = getattr(ran, name)
        chosen = getattr(state, key) or own
        # What ran is what an address leaves out.
        options = tuple(
            ("" if value == own else value, choice.label, value == chosen)
            for value, choice in CHOICES[name].items()
            if value in offered
        )
        found.append(Field(key, SETTINGS[name].label, CHOICES[name][own].label, chosen, options))
    return found


def _number(key: str, name: str, ran: ReasoningSetup, value: float | None, has_one: bool) -> Field:
    own = number(getattr(ran, name)) if has_one else ""
    shown = number(value) if value is not None else ""
    limits = (number(FIELDS[name].minimum), number(FIELDS[name].maximum))
    return Field(key, SETTINGS[name].label, own or "none", shown, (), *limits)
