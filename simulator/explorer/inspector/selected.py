"""The chosen token: its row in words, and what its advantage and its ratio were made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.charts.pushes import thousandths
from simulator.charts.table import fixed
from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW, TIE, UNCLIPPED
from simulator.explorer.inspector.cells import HELD, Cells
from simulator.explorer.inspector.setting import Setting
from simulator.explorer.inspector.weights import fraction
from simulator.explorer.inspector.words import number_or, push_words, spread

OWN, GROUP, TOKEN = "A", "B", "C"
"""Letters of what went into a token: the response's reward and advantage, what they are compared with, and the
token's probabilities. The algorithm explainer marks its terms with the same letters."""

TERMS = {OWN: ("advantage", "reward"), GROUP: ("baseline", "value", "mean_reward"), TOKEN: ("ratio", "log_probs")}
"""Ids of the engine's terms that each letter stands for."""

_STATES = {
    TIE: "not active: a tie",
    UNCLIPPED: "outside, still pushed",
    CLIPPED_HIGH: "high: no push by A",
    CLIPPED_LOW: "low: no push by A",
}


@dataclass(frozen=True)
class Input:
    """Something that went into the token: its letter, what it is, and its numbers in words."""

    letter: str
    name: str
    words: str


@dataclass(frozen=True)
class Selected:
    """One token. ``rows`` are names and values; ``sentence`` says what happens to it."""

    text: str
    response: str
    place: str
    sentence: str
    rows: tuple[tuple[str, str], ...]
    inputs: tuple[Input, ...]


def selected_token(cells: Cells, i: int, t: int, setting: Setting, shows_weight: bool = True) -> Selected:
    """The ``t``-th token of response ``i`` of the cells' prompt, both from 0."""
    sheet, p = cells.sheet, cells.p
    response = sheet.response(p, i)

    def of(name: str) -> float:
        return float(sheet.numbers(name)[p, i, t])

    push = of("push")
    rows = [
        ("probability when sampled", _probability(of("old_log_probs"))),
        ("probability now", _probability(of("log_probs"))),
        ("ratio", number_or(of("ratio"), 4)),
        ("advantage", number_or(of("advantages"), 4, plus=True)),
        ("clip", _clip_words(cells, i, t, setting)),
        ("KL to the reference", number_or(float(sheet.kl[p, i, t]), 5)),
        ("term of the objective", number_or(of("token_objective"), 4, plus=True)),
        *([("weight", fraction(of("weight")) if np.isfinite(of("weight")) else "not logged")] if shows_weight else []),
        ("push, thousandths", thousandths(push, 4) if np.isfinite(push) else "not logged"),
        ("entropy before it, nats", number_or(float(sheet.entropies[p, i, t]), 3)),
    ]
    if response.contexts:
        rows.append(("what the policy saw", response.contexts[t]))
    return Selected(
        text=sheet.text(p, i, t),
        response=f"R{i + 1}",
        place=f"token {t + 1} of {response.length}",
        sentence=_sentence(cells, i, t, push, setting),
        rows=tuple(rows),
        inputs=tuple(_inputs(cells, i, t, setting)),
    )


def _sentence(cells: Cells, i: int, t: int, push: float, setting: Setting) -> str:
    said = f"{cells.sheet.text(cells.p, i, t)} in R{i + 1}"
    clip = cells.clip_words(i, t)
    if not np.isfinite(push):
        return f"{said}: its push is not logged."
    if push == 0:
        return f"{said} is not pushed{f': {clip}' if clip else ''}."
    if cells.states[i, t] >= CLIPPED_HIGH and setting.beta_in_loss and not setting.is_held:
        return f"{said} is {clip}; only the KL pulls, by {push_words(push)} thousandths."
    if float(cells.sheet.numbers("advantages")[cells.p, i, t]) == 0 and setting.beta_in_loss:
        return f"{said} has the advantage 0; only the KL pulls, by {push_words(push)} thousandths."
    way = "up" if push > 0 else "down"
    return f"{said} is pushed {way}, {push_words(push)} thousandths{f'; {clip}' if clip else ''}."


def _clip_words(cells: Cells, i: int, t: int, setting: Setting) -> str:
    state = cells.states[i, t]
    if not np.isfinite(state):
        return "not logged"
    if not setting.has_ratio:
        return "no ratio, so no clip"
    if setting.is_held:
        return HELD if state == CLIPPED_HIGH else "below the bound"
    return _STATES[int(state)]


def _inputs(cells: Cells, i: int, t: int, setting: Setting) -> list[Input]:
    sheet, p = cells.sheet, cells.p
    response, rewards = sheet.response(p, i), sheet.rewards[p]
    advantage = float(sheet.numbers("advantages")[p, i, t])
    whose = f"R{i + 1} got reward {number_or(float(rewards[i]))}"
    of_token = f"this token’s advantage is {number_or(advantage, 3, plus=True)}"
    shared = f"its advantage {number_or(advantage, 3, plus=True)} is the same for all its tokens"
    found = [Input(OWN, "its own response", f"{whose}; {of_token if setting.has_critic else shared}.")]
    if setting.has_critic and "values" in response.numbers:
        values = response.numbers["values"]
        later = len(values) - t - 1
        known = ", ".join(fixed(value, 2) for value in values[t : t + 4]) + (" and so on" if later > 3 else "")
        words = (
            f"the critic’s value here and at the {later} later tokens: {known}."
            if later
            else (f"the critic’s value here, {known}; it is the last token.")
        )
        found.append(Input(GROUP, "the critic", words))
    elif setting.compares_group:
        words = f"the rewards of R1 to R{len(rewards)}: mean {number_or(float(np.nanmean(rewards)), 3)}"
        found.append(Input(GROUP, "its group", f"{words}, spread {number_or(spread(rewards), 3)}."))
    elif setting.setup is not None and setting.setup.advantage == "ema_baseline":
        baseline = float(rewards[i]) - advantage
        found.append(Input(GROUP, "earlier rewards", f"their moving average is {number_or(baseline, 3)}."))
    old, new = (float(sheet.numbers(name)[p, i, t]) for name in ("old_log_probs", "log_probs"))
    words = f"its probability was {_probability(old)} when it was sampled and is {_probability(new)} now"
    ratio = float(sheet.numbers("ratio")[p, i, t])
    if not setting.has_ratio:
        words = f"its probability is {_probability(new)}: there is no ratio"
    elif setting.setup is not None and setting.setup.importance_ratio == "sequence":
        words += f"; the ratio of the whole response is {number_or(ratio, 3)}"
    found.append(Input(TOKEN, "the token itself", words + "."))
    return found


def _probability(log_prob: float) -> str:
    return fixed(float(np.exp(log_prob)), 4) if np.isfinite(log_prob) else "not logged"
