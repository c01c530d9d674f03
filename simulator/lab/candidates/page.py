"""What the lab of the ten-answers world shows for one address: the form, the run, and the one before it."""

from typing import Any

from simulator.charts.bars import prompt_bars, rank_bars
from simulator.charts.cost import cost_strip
from simulator.charts.curves import training_curve, training_table
from simulator.charts.tiles import tiles
from simulator.engine import CandidateSetup, Simulation
from simulator.engine.candidates.methods import METHODS as ENGINE_METHODS
from simulator.engine.candidates.setup import FIELDS
from simulator.engine.candidates.world import PROMPTS
from simulator.explorer.address import run_address
from simulator.lab import form as fields
from simulator.lab.candidates import words
from simulator.lab.link import Place, Reading
from simulator.labels.candidates import EVENTS, METHODS, METRICS
from simulator.runs import visible_run


def form(reading: Reading) -> dict[str, Any]:
    """The form as it was typed, with messages at its fields and marks where it differs from the earlier run."""
    guide = fields.guide(reading)
    was = fields.earlier(reading)
    return {
        "events": fields.choices(EVENTS.values(), reading.typed.get("event", guide.event)),
        "methods": _methods(reading.typed.get("method", guide.method)),
        "event_help": EVENTS[guide.event].help,
        "method_help": METHODS[guide.method].help,
        "event_note": _event_note(guide),
        "event_error": reading.errors.get("event", ""),
        "method_error": reading.errors.get("method", ""),
        "fields": [
            fields.field(name, reading, guide, was)
            for name in FIELDS
            if name not in ("world", "event", "method") and is_shown(name, guide)
        ]
        + [fields.seed_field(reading, was)],
        "prompt": reading.typed.get("prompt", "") if "prompt" in reading.errors else "",
        "from": reading.shown.query() if reading.shown is not None else "",
    }


def result(place: Place) -> dict[str, Any]:
    """Tiles, charts, tables and sentences for one place."""
    now = visible_run(place.run.setup, place.run.seed)
    before = None if place.previous is None else visible_run(place.previous.setup, place.previous.seed)
    final = _final(now)
    masses = words.masses(now)
    prompt = place.views["prompt"]
    rows = words.answer_rows(now, prompt - 1)
    return {
        "place": place,
        "prompt": prompt,
        "comparison": None
        if before is None or place.previous is None
        else words.compare(place.previous, before, place.run, now),
        "tiles": tiles(METRICS.values(), final, None if before is None else _final(before)),
        "ranks": rank_bars(now),
        "masses": masses,
        "mass_sentence": words.mass_sentence(masses),
        "curves": [
            training_curve(now, names, previous=before, title=title)
            for names, title in (
                (("win_rate",), "Win rate"),
                (("quality", "reward_model_score"), "True quality and reward model"),
                (("kl",), "KL to the reference"),
                (("entropy",), "Entropy"),
                (("response_length",), "Mean length"),
            )
        ],
        "curve_table": training_table(now, tuple(METRICS)),
        "answers": prompt_bars(now, prompt - 1),
        "rows": rows,
        "prompt_sentence": words.prompt_sentence(rows),
        "prompts": PROMPTS,
        "previous_prompt": place.query(prompt=(prompt - 2) % PROMPTS + 1),
        "next_prompt": place.query(prompt=prompt % PROMPTS + 1),
        "hidden": place.pairs(prompt=None),
        "cost": cost_strip(place.run.setup, None if place.previous is None else place.previous.setup),
        "link": place.query(),
        "explorer": run_address(place.run, place.previous),
        "said": _said(place, final, before is not None),
    }


def _final(run: Simulation) -> dict[str, float]:
    return {name: float(run.final[name][0]) for name in METRICS}


def is_shown(name: str, setup: CandidateSetup) -> bool:
    """Whether a setting matters enough to be shown: it must count for the method, and flips must be there at all."""
    if name not in setup.active_fields():
        return False
    default = FIELDS[name].default_in({"event": setup.event, "method": setup.method})
    return name != "flip_rate" or bool(default) or bool(setup.flip_rate)


def _methods(chosen: str) -> list[tuple[str, list[fields.Choice]]]:
    """Methods by the way they sample, as groups of the select."""
    every = fields.choices(METHODS.values(), chosen)
    return [
        (label, [choice for choice in every if ENGINE_METHODS[choice.name].online is online])
        for label, online in (("Online: samples while it trains", True), ("Offline: samples once", False))
    ]


def _event_note(setup: CandidateSetup) -> str:
    if setup.event == "label_flips" and "flip_rate" not in setup.training.uses:
        return f"{setup.training.label} sees no preference labels, so nothing is flipped here. Try DPO."
    return ""


def _said(place: Place, final: dict[str, float], is_compared: bool) -> str:
    """One sentence for screen readers after a change."""
    words_for = "Trained again" if is_compared else "Trained"
    return f"{words_for}: win rate {final['win_rate']:.3f}, seed {place.run.seed}."
