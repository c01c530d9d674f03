"""The step inspector: what one optimizer update does to the tokens of one prompt's responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.explorer.exploration import Exploration
from simulator.explorer.inspector.beside import pairs_beside
from simulator.explorer.inspector.cells import HELD, Cells, Links
from simulator.explorer.inspector.colors import COLORS, STATES, Color
from simulator.explorer.inspector.domains import domain
from simulator.explorer.inspector.otherwise import what_if
from simulator.explorer.inspector.rows import prompt_rows, response_rows
from simulator.explorer.inspector.selected import selected_token
from simulator.explorer.inspector.setting import Setting, setting_of
from simulator.explorer.inspector.sheet import Sheet
from simulator.explorer.inspector.tables import HEAD, strongest, token_rows
from simulator.explorer.inspector.weights import explained
from simulator.explorer.inspector.words import clip_sentence, counted, right_sentence, summary
from simulator.explorer.state import OF_AN_UPDATE

RESPONSES, REWARDS, CREDIT, ADDING_UP, UPDATE = 2, 3, 4, 5, 6
"""Stages of an update, as `beat` numbers them, at which something comes to be shown. 0 shows everything."""

NO_KL = "The objective of this run has no KL; this is k3, to show how far the policy has moved."

DOMAINS = {"step": "this step", "group": "this prompt", "run": "whole run"}


@dataclass(frozen=True)
class Swatch:
    """One bin of the legend: its classes, its range, how many tokens of the prompt have it, and its filter."""

    css: str
    range: str
    count: int
    href: str
    is_only: bool


def step_panel(x: Exploration) -> dict[str, Any]:
    """Everything templates/explorer/step.html shows. ``said`` is the sentence that is read out."""
    sheet = Sheet(x.update)
    setting = setting_of(x)
    p = (x.state.p or 1) - 1
    shown = {stage: not x.state.beat or x.state.beat >= stage for stage in range(RESPONSES, UPDATE + 1)}
    prompts = prompt_rows(x, sheet, shown[REWARDS])
    step: dict[str, Any] = {
        "when": x.when,
        "of_run": f"rollout {x.rollout:,} of {x.step_count:,}" if x.steps != x.step_count else "",
        "update": f"update {x.update_in_rollout[0]} of {x.update_in_rollout[1]} on these responses",
        "sampled": _sampled(sheet) if shown[RESPONSES] else "",
        "prompts": prompts,
        "prompt": prompts[p] if prompts else None,
        "prompt_hidden": x.hidden(*OF_AN_UPDATE),
        "shown": {"responses": shown[RESPONSES], "rewards": shown[REWARDS], "credit": shown[CREDIT]},
        "is_beat": bool(x.state.beat),
    }
    if not prompts:
        return step | {"said": "This update has no prompts.", "summary": "This update has no prompts."}
    color = COLORS[x.state.c]
    made = domain(x, sheet, color) if shown[CREDIT] else None
    cells = Cells(sheet, p, color if made else None, made.scale if made else None, x.state.q, setting.is_held)
    chosen = _chosen(x, sheet, p) if shown[RESPONSES] else None
    links = Links(x, cells, chosen)
    said = _said(x, cells, setting)
    step |= {"said": said, "summary": said, "is_grid": x.state.grid}
    if not shown[RESPONSES]:
        return step
    rows = response_rows(links, setting, shown[REWARDS], shown[CREDIT], shown[ADDING_UP])
    step |= {
        "responses": rows,
        "columns": range(1, int(sheet.lengths[p].max(initial=0)) + 1),
        "grid_link": x.link(grid=not x.state.grid),
        "has_critic": setting.has_critic,
        "compares_group": setting.compares_group,
    }
    if made is not None:
        step |= _credit(x, cells, setting, color) | {"limit": made.scale.limit_text, "domain_words": made.words}
        if chosen is not None:
            step["selected"] = selected_token(cells, *chosen, setting, shown[ADDING_UP])
            step["said"] = step["selected"].sentence
            step["unselect"] = x.link(r=None, t=None)
            step["why_link"] = x.link(tab="why")
    if shown[ADDING_UP]:
        step["weights"] = explained(sheet, setting)
        step["beside"] = pairs_beside(x, cells, prompts)
        if not x.state.beat:
            step["what_if"] = what_if(x, sheet, setting, cells)
    return step


def _credit(x: Exploration, cells: Cells, setting: Setting, color: Color) -> dict[str, Any]:
    """What is known once tokens are colored: legend, clip counts, the strongest pushes, the table."""
    is_known = bool(np.isfinite(cells.values).any())
    found: dict[str, Any] = {
        "color": color,
        "is_known": is_known,
        "color_note": NO_KL if color.name == "kl" and setting.setup is not None and setting.setup.kl == "none" else "",
        "legend": _legend(x, cells, setting),
        "clipped": clip_sentence(cells.sheet, setting),
        "clip_key": HELD if setting.is_held else "clipped: no push by the advantage",
        "clip_count": int(cells.sheet.is_clipped[cells.p].sum()),
        "beyond": counted(int(cells.is_beyond.sum()), "token"),
        "has_beyond": bool(cells.is_beyond.any()),
        # As the first of those tokens is colored.
        "beyond_css": cells.scale.css(int(cells.bins[cells.is_beyond][0]))
        if cells.scale and cells.is_beyond.any()
        else "",
        "colors": [(one, one.name == color.name) for one in COLORS.values()],
        "domains": [(name, label, name == x.state.dom) for name, label in DOMAINS.items()],
        "color_hidden": x.hidden("c", "dom", "q"),
    }
    if not x.state.beat:
        up, down = strongest(x, cells.sheet, cells.p)
        found |= {"up": up, "down": down, "head": HEAD, "table": token_rows(cells)}
    return found


def _legend(x: Exploration, cells: Cells, setting: Setting) -> list[Swatch]:
    if cells.scale is None:
        return []
    counts = cells.counts()
    words = dict(zip(STATES.values(), _state_words(setting), strict=True))
    found = []
    for bin_ in cells.scale.places:
        of = cells.scale.filter_of(bin_)
        is_only = x.state.q == of
        clip = {2: " clip hi", -2: " clip lo"}.get(bin_, "") if cells.scale.kind == "state" else ""
        found.append(
            Swatch(
                css=f"tok {cells.scale.css(bin_)}{clip}",
                range=cells.scale.range(bin_, words),
                count=counts[bin_],
                href=x.link(q=None if is_only else of),
                is_only=is_only,
            )
        )
    return found


def _state_words(setting: Setting) -> tuple[str, str, str, str]:
    """Of the clip states, in the order of `STATES`."""
    if setting.is_held:
        return "–", "below the bound", "–", "held at the bound"
    return "clipped low", "inside, or A is 0", "outside, pushed", "clipped high"


def _chosen(x: Exploration, sheet: Sheet, p: int) -> tuple[int, int] | None:
    """The token that the view has chosen, from 0."""
    if x.state.r is None or x.state.t is None:
        return None
    i, t = x.state.r - 1, x.state.t - 1
    return (i, t) if i < len(sheet.prompts[p].responses) and t < sheet.lengths[p, i] else None


def _said(x: Exploration, cells: Cells, setting: Setting) -> str:
    """What the shown stage of the update lets one say."""
    sheet, p, beat = cells.sheet, cells.p, x.state.beat
    start = f"Prompt {p + 1}, {sheet.prompts[p].text}:"
    responses = sheet.prompts[p].responses
    if beat == 1:
        return f"{start} one of {counted(len(sheet.prompts), 'prompt')} in this update."
    if beat == RESPONSES:
        lengths = [response.length for response in responses]
        spans = f"{min(lengths)} to {max(lengths)}" if min(lengths) < max(lengths) else str(min(lengths))
        return f"{start} {counted(len(responses), 'response')} of {spans} tokens."
    if beat == REWARDS:
        mean = float(np.nanmean(sheet.rewards[p])) if np.isfinite(sheet.rewards[p]).any() else float("nan")
        words = f" The mean reward is {mean:.2f}." if np.isfinite(mean) else ""
        return f"{start} {right_sentence(sheet, p)}{words}"
    return f"{start} {summary(cells, setting)}"


def _sampled(sheet: Sheet) -> str:
    sampled = sheet.update.metrics.get("sampled", float("nan"))
    return f"{int(sampled):,} responses sampled so far" if np.isfinite(sampled) else ""
