"""The step inspector of the ten-answers world: what one step does to the ten answers of one of its prompts."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.charts.table import Table, fixed, signed
from simulator.engine.candidates.setup import FIELDS
from simulator.explorer.candidates.beside import beside
from simulator.explorer.candidates.rows import (
    MOST_PAIRS,
    answer_rows,
    draw_rows,
    pair_rows,
    prompt_rows,
    strongest,
    swatches,
)
from simulator.explorer.candidates.sight import CREDIT, RESPONSES, REWARDS, UPDATE, Sight, run_of, sight_of
from simulator.explorer.candidates.words import answer_sentence, summary
from simulator.explorer.exploration import Exploration
from simulator.explorer.state import OF_AN_UPDATE
from simulator.labels import number
from simulator.labels.candidates import METHODS

MOST_DRAWS = 16
DOMAINS = {"step": "this step", "group": "this prompt"}


def step_panel(x: Exploration) -> dict[str, Any]:
    """Everything templates/explorer/candidates/step.html shows. ``said`` is the sentence that is read out."""
    sight = sight_of(x)
    record, prompts = sight.record, prompt_rows(sight)
    method = METHODS[record.setup.method]
    said = summary(sight)
    draws = draw_rows(sight) if sight.shows(RESPONSES) else []
    pairs = pair_rows(sight) if sight.shows(CREDIT) else []
    step: dict[str, Any] = {
        "template": "explorer/candidates/step.html",
        "when": x.when,
        "sampled": f"{record.sampled_responses:,} responses sampled" if sight.shows(RESPONSES) else "",
        "said": said,
        "summary": said,
        "method": method.label,
        "is_what_if": sight.is_what_if,
        "prompts": prompts,
        "prompt": prompts[sight.b],
        "prompt_hidden": x.hidden(*OF_AN_UPDATE),
        "shown": {
            "responses": sight.shows(RESPONSES),
            "rewards": sight.shows(REWARDS),
            "credit": sight.shows(CREDIT),
            "update": sight.shows(UPDATE),
        },
        "answers": answer_rows(sight),
        "highest": fixed(sight.highest),
        "is_online": record.setup.training.online,
        "size": sight.size,
        "draws": draws[:MOST_DRAWS],
        "more_draws": draws[MOST_DRAWS:],
        "pairs": pairs[:MOST_PAIRS],
        "more_pairs": pairs[MOST_PAIRS:],
        "pair_total": sight.pairs.total if sight.pairs is not None else 0,
        "has_flips": any(pair.is_flipped for pair in pairs),
        "has_exploit": record.exploit is not None and sight.shows(REWARDS),
        "parts": _parts(sight),
    }
    if sight.chosen is not None:
        step |= {"selected": _selected(sight, sight.chosen), "unselect": x.link(r=None, t=None)}
        step["why_link"] = x.link(tab="why")
    if sight.shows(CREDIT):
        up, down = strongest(sight)
        step |= {"legend": swatches(sight), "up": up, "down": down, "table": _table(sight)}
        step["domains"] = [(label, x.link(dom=name), _is_domain(x, name)) for name, label in DOMAINS.items()]
        step["domain_words"] = DOMAINS.get(x.state.dom, DOMAINS["step"])
        step["is_moving"] = bool(sight.pushes.any())
    if sight.shows(UPDATE):
        step |= {"beside": beside(x, sight), "what_if": _what_if(x, sight)}
    return step


def _what_if(x: Exploration, sight: Sight) -> dict[str, Any]:
    """The same draws with another beta."""
    ran, field = sight.setup.beta, FIELDS["beta"]
    found: dict[str, Any] = {
        "hidden": x.hidden("beta_if"),
        "ran": number(ran),
        "value": "" if x.state.beta_if is None else number(sight.record.setup.beta),
        "low": number(field.minimum),
        "high": number(field.maximum),
        "is_on": sight.is_what_if,
        "off": x.link(beta_if=None),
    }
    if not sight.is_what_if:
        return found
    as_it_ran = run_of(x).step_record(x.update.step)
    truth, here = np.exp(as_it_ran.new_log_probs[sight.b]), sight.after
    k = int(np.abs(here - truth).argmax())
    found["sentence"] = (
        f"With a beta of {found['value']} in place of {found['ran']} in this one step, {sight.name(k).lower()} would "
        f"end at {fixed(here[k], 4)}; it ended at {fixed(truth[k], 4)}. No other answer differs more."
    )
    return found


def _is_domain(x: Exploration, name: str) -> bool:
    return (x.state.dom if x.state.dom in DOMAINS else "step") == name


def _parts(sight: Sight) -> str:
    """Which parts a push has, in one sentence."""
    record = sight.record
    if not sight.shows(CREDIT):
        return ""
    if record.pairs is not None:
        return "A push is the mean of what the prompt’s pairs pull. Beta is in the pairs; there is no KL beside them."
    rule = "what the draws push" if record.advantages is not None else "the pull to the best draws"
    if not record.setup.beta:
        return f"A push is {rule}; with a beta of 0 nothing holds the answers to the reference."
    kl = float(np.abs(record.kl_pushes[sight.b]).max())
    return f"A push is {rule}, and the pull back to the reference, at most {signed(kl)} here."


def _selected(sight: Sight, k: int) -> dict[str, Any]:
    """The answer in focus."""
    record, b = sight.record, sight.b
    rows = [("Probability, reference", fixed(sight.reference[k], 4)), ("before this step", fixed(sight.before[k], 4))]
    if sight.shows(UPDATE):
        rows.append(("after this step", fixed(sight.after[k], 4)))
    if sight.shows(CREDIT):
        rows.append(("Push on its logit", signed(float(sight.pushes[k]), 4)))
        if record.kl_pushes[b].any():
            rows += [
                ("of it by the draws", signed(float(record.rule_pushes[b, k]), 4)),
                ("of it by the KL", signed(float(record.kl_pushes[b, k]), 4)),
            ]
    if sight.shows(REWARDS):
        rows.append(("Reward-model score", signed(float(record.score[b, k]))))
        if record.setup.length_penalty:
            rows.append(("Reward, length penalty off", signed(float(record.signal[b, k]))))
    rows += [
        ("Hidden quality", signed(float(record.quality[b, k]))),
        ("Length, tokens", fixed(float(record.length[b, k]), 0)),
    ]
    return {"name": sight.name(k), "prompt": sight.prompt_name, "sentence": answer_sentence(sight, k), "rows": rows}


def _table(sight: Sight) -> Table:
    """Every number of the ten answers."""
    record, b = sight.record, sight.b
    head = ["Answer", "Reference", "Before"]
    columns: list[list[str]] = [[fixed(sight.reference[k], 4) for k in sight.order]]
    columns.append([fixed(sight.before[k], 4) for k in sight.order])

    def column(title: str, values: Any, digits: int = 4) -> None:
        head.append(title)
        columns.append([signed(float(values[k]), digits) for k in sight.order])

    if sight.shows(UPDATE):
        head.append("After")
        columns.append([fixed(sight.after[k], 4) for k in sight.order])
    head.append("Drawn")
    columns.append([str(record.counts[b, k]) for k in sight.order])
    if record.advantages is not None:
        column("Advantage, if drawn", record.advantages[b])
    if record.target is not None:
        column("Target", record.target[b])
    column("Push", sight.pushes)
    if record.kl_pushes[b].any():
        column("of it by the draws", record.rule_pushes[b])
        column("of it by the KL", record.kl_pushes[b])
    if record.pairs is not None:
        column("Implicit reward", record.implicit_rewards[b])
    column("Score", record.score[b], 3)
    if record.setup.length_penalty:
        column("Reward", record.signal[b], 3)
    column("Quality", record.quality[b], 3)
    head.append("Tokens")
    columns.append([fixed(float(record.length[b, k]), 0) for k in sight.order])
    rows = tuple((sight.name(int(k)), *cells) for k, *cells in zip(sight.order, *columns, strict=True))
    return Table(f"The ten answers to {sight.prompt_name.lower()}", tuple(head), rows)
