"""What the lab shows for one address: the form, and everything about the run and the one before it."""

from dataclasses import dataclass
from typing import Any

from simulator.charts.bars import prompt_bars, rank_bars
from simulator.charts.cost import cost_strip
from simulator.charts.curves import training_curve, training_table
from simulator.charts.tiles import tiles
from simulator.engine import CandidateSetup, Simulation, parse_setup
from simulator.engine.candidates.methods import METHODS as ENGINE_METHODS
from simulator.engine.candidates.setup import FIELDS
from simulator.engine.candidates.world import PROMPTS
from simulator.engine.randomness import MAX_SEED
from simulator.lab import words
from simulator.lab.link import DEFAULT_SEED, Place, Reading
from simulator.labels import ChoiceLabel, number
from simulator.labels.candidates import EVENTS, METHODS, METRICS, SETTINGS
from simulator.runs import visible_run


@dataclass(frozen=True)
class Choice:
    name: str
    label: str
    help: str
    is_chosen: bool


@dataclass(frozen=True)
class FormField:
    """One number field of the form."""

    name: str
    label: str
    help: str
    range: str
    value: str
    input_mode: str
    was: str = ""
    error: str = ""


def form(reading: Reading) -> dict[str, Any]:
    """The form as it was typed, with messages at its fields and marks where it differs from the earlier run."""
    guide = _guide(reading)
    place = reading.place or reading.shown
    previous = place.previous if place is not None else None
    was = {change.name: change.before for change in words.changes(previous, place.run)} if place and previous else {}
    return {
        "events": _choices(EVENTS, reading.typed.get("event", guide.event)),
        "methods": _methods(reading.typed.get("method", guide.method)),
        "event_help": EVENTS[guide.event].help,
        "method_help": METHODS[guide.method].help,
        "event_note": _event_note(guide),
        "event_error": reading.errors.get("event", ""),
        "method_error": reading.errors.get("method", ""),
        "fields": [
            _field(name, reading, guide, was.get(name, ""))
            for name in FIELDS
            if name not in ("world", "event", "method") and is_shown(name, guide)
        ]
        + [_seed_field(reading, was.get("seed", ""))],
        "prompt": reading.typed.get("prompt", "") if "prompt" in reading.errors else "",
        "from": reading.shown.query() if reading.shown is not None else "",
    }


def result(place: Place) -> dict[str, Any]:
    """Tiles, charts, tables and sentences for one place."""
    now = visible_run(place.run.setup, place.run.seed)
    before = None if place.previous is None else visible_run(place.previous.setup, place.previous.seed)
    final = _final(now)
    masses = words.masses(now)
    rows = words.answer_rows(now, place.prompt - 1)
    return {
        "place": place,
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
        "answers": prompt_bars(now, place.prompt - 1),
        "rows": rows,
        "prompt_sentence": words.prompt_sentence(rows),
        "prompts": PROMPTS,
        "previous_prompt": place.query(prompt=(place.prompt - 2) % PROMPTS + 1),
        "next_prompt": place.query(prompt=place.prompt % PROMPTS + 1),
        "hidden": [pair for pair in _pairs(place) if pair[0] != "prompt"],
        "cost": cost_strip(place.run.setup, None if place.previous is None else place.previous.setup),
        "link": place.query(),
        "said": _said(place, final, before is not None),
    }


def _final(run: Simulation) -> dict[str, float]:
    return {name: float(run.final[name][0]) for name in METRICS}


def _pairs(place: Place) -> list[tuple[str, str]]:
    pairs = place.run.pairs()
    return pairs if place.previous is None else [*pairs, ("previous", place.previous.query())]


def is_shown(name: str, setup: CandidateSetup) -> bool:
    """Whether a setting matters enough to be shown: it must count for the method, and flips must be there at all."""
    if name not in setup.active_fields():
        return False
    default = FIELDS[name].default_in({"event": setup.event, "method": setup.method})
    return name != "flip_rate" or bool(default) or bool(setup.flip_rate)


def _guide(reading: Reading) -> CandidateSetup:
    """The setup that decides which fields the form has, also while a value is refused."""
    if reading.place is not None:
        return reading.place.run.setup
    base = {
        name: reading.typed[name]
        for name, known in (("event", EVENTS), ("method", METHODS))
        if reading.typed.get(name) in known
    }
    return parse_setup(base)


def _choices(labels: dict[str, ChoiceLabel], chosen: str) -> list[Choice]:
    return [Choice(item.name, item.label, item.help, item.name == chosen) for item in labels.values()]


def _methods(chosen: str) -> list[tuple[str, list[Choice]]]:
    """Methods by the way they sample, as groups of the select."""
    every = _choices(METHODS, chosen)
    return [
        (label, [choice for choice in every if ENGINE_METHODS[choice.name].online is online])
        for label, online in (("Online: samples while it trains", True), ("Offline: samples once", False))
    ]


def _event_note(setup: CandidateSetup) -> str:
    if setup.event == "label_flips" and "flip_rate" not in setup.training.uses:
        return f"{setup.training.label} sees no preference labels, so nothing is flipped here. Try DPO."
    return ""


def _range(name: str, setup: CandidateSetup) -> str:
    field = FIELDS[name]
    low = field.minimum_in({"event": setup.event, "method": setup.method})
    return f"{low:g} to {field.maximum:g}"


def _field(name: str, reading: Reading, guide: CandidateSetup, was: str) -> FormField:
    value = reading.typed.get(name, number(getattr(guide, name)))
    if reading.place is not None and name not in reading.errors:
        value = number(getattr(guide, name))
    label = SETTINGS[name]
    return FormField(
        name,
        label.label,
        label.help,
        _range(name, guide),
        value,
        "numeric" if label.is_whole else "decimal",
        was,
        reading.errors.get(name, ""),
    )


def _seed_field(reading: Reading, was: str) -> FormField:
    value = str(reading.place.run.seed) if reading.place is not None else reading.typed.get("seed", str(DEFAULT_SEED))
    label = SETTINGS["seed"]
    error = reading.errors.get("seed", "")
    return FormField("seed", label.label, label.help, f"0 to {MAX_SEED:,}", value, "numeric", was, error)


def _said(place: Place, final: dict[str, float], is_compared: bool) -> str:
    """One sentence for screen readers after a change."""
    words_for = "Trained again" if is_compared else "Trained"
    return f"{words_for}: win rate {final['win_rate']:.3f}, seed {place.run.seed}."
