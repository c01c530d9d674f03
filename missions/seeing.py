"""What is seen at a view that a debrief leads to: its step, found by a rule in the run, and what can be counted there.

Computed when missions are loaded and kept with the other measurements, so that no sentence about a run is typed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse

from missions.definition import MissionDefinition, View, replace_placeholders
from missions.definition.views import COUNTS
from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW
from simulator.explorer.address import pairs_of
from simulator.explorer.exploration import bounds_of
from simulator.explorer.source import Series, Source, source_of
from simulator.explorer.state import parse
from simulator.lab.link import Run
from simulator.labels import MetricLabel
from simulator.records import Prompt, Response
from simulator.worlds import World

DECIMALS = 6


class NothingToSeeError(Exception):
    """A rule finds no step in the run that a view is about."""


@dataclass(frozen=True)
class Look:
    """A link to a view, with its sentence."""

    address: str
    text: str


def seen_at(view: View) -> dict[str, Any]:
    """The view's address in the explorer, and what is seen there by name, as JSON. Raises NothingToSeeError."""
    source, run = source_of(view.setup, view.seed), Run(view.setup, view.seed)
    place = place_of(source, view.step)
    beside = [("run2", urlencode(pairs_of(Run(view.beside, view.seed))))] if view.beside is not None else []
    state = parse([("s", str(place)), *view.state.items(), *beside], bounds_of(source, run)).state
    return {"query": urlencode([*pairs_of(run), *state.pairs()]), "facts": facts_at(source, place, state.p)}


def looks_of(definition: MissionDefinition, measured: Mapping[str, Any]) -> list[Look]:
    """The links of a debrief with their sentences, from what `seen_at` gave when missions were loaded."""
    seen = measured.get("views", [])
    return [
        Look(f"{reverse('run')}?{at['query']}", sentence(view, at["facts"], definition.world))
        for view, at in zip(definition.views, seen, strict=False)
    ]


def unmet(view: View, facts: Mapping[str, float]) -> list[str]:
    """What a view's sentence takes for granted and isn't so, in words."""
    return [
        f"{name} is {facts.get(name, np.nan):g} in step {facts['step']}, not from {low:g} to {high:g}"
        for name, (low, high) in view.expects.items()
        if not low <= facts.get(name, np.nan) <= high
    ]


def sentence(view: View, facts: Mapping[str, float], world: World) -> str:
    """The view's text with its numbers. Raises LookupError when one of them isn't known there."""
    return replace_placeholders(view.text, lambda item: _written(item.metric, facts[item.metric], world))


def place_of(source: Source, step: int | str) -> int:
    """The optimizer update that a view is at, from 1: as it says, or as its rule finds it.

    "first_clipped" and "first_silent" are the first with any such token or group, "most_clipped" and "most_silent" the
    first with the largest share. "largest_rise:METRIC" ends the largest rise between two neighboring values. Raises
    NothingToSeeError.
    """
    if isinstance(step, int):
        return min(step, source.updates)
    rule, _, metric = step.partition(":")
    if rule in ("first", "last", "diverged"):
        is_whole = source.updates == source.record.header.total_steps
        if rule == "diverged" and is_whole:
            raise NothingToSeeError("this run doesn't diverge")
        return 1 if rule == "first" else source.updates
    name = _SERIES.get(rule, metric)
    series = source.series.get(name)
    known = np.isfinite(series.values) if series is not None else np.zeros(0, bool)
    if series is None or not known.any():
        raise NothingToSeeError(f"this run has no {name}")
    return _found(rule, series, known)


def facts_at(source: Source, place: int, prompt: int | None = None) -> dict[str, float]:
    """All that texts may name at an update, from 1. Responses and tokens are those of `prompt`, from 1, or of all."""
    update = source.record.update(int(source.steps[place - 1]))
    shown = update.prompts if prompt is None else update.prompts[prompt - 1 : prompt]
    responses = [response for one in shown for response in one.responses]
    states = np.concatenate([_numbers(one, "clip_state") for one in responses])
    pushes = np.concatenate([_numbers(one, "push") for one in responses])
    counted = {
        "step": place,
        "rollout": int(source.rollouts[place - 1]),
        "prompts": len(update.prompts),
        "silent": sum(map(is_silent, update.prompts)),
        "responses": len(responses),
        "right": sum(one.correct is True for one in responses),
        "tokens": sum(one.length for one in responses),
        "clipped": int((states >= CLIPPED_HIGH).sum()),
        "clipped_above": int((states == CLIPPED_HIGH).sum()),
        "clipped_below": int((states == CLIPPED_LOW).sum()),
        "pushed": int((np.nan_to_num(pushes) != 0).sum()),
    }
    assert counted.keys() == set(COUNTS)
    values = {name: series.at(place) for name, series in source.series.items()}
    return counted | {name: round(value, DECIMALS) for name, value in values.items() if np.isfinite(value)}


def is_silent(prompt: Prompt) -> bool:
    """Whether all of its responses have the same reward."""
    return len({response.reward for response in prompt.responses}) == 1


_SERIES = {
    "first_clipped": "clip_fraction",
    "most_clipped": "clip_fraction",
    "first_silent": "frac_zero_std",
    "most_silent": "frac_zero_std",
    "largest_gradient": "grad_norm",
}


def _found(rule: str, series: Series, known: np.ndarray) -> int:
    places, values = series.places[known], series.values[known]
    if rule in ("first_clipped", "first_silent"):
        above = np.flatnonzero(values > 0)
        if not above.size:
            raise NothingToSeeError("this run has none")
        return int(places[above[0]])
    if rule in ("largest_rise", "largest_fall"):
        changes = np.diff(values) * (1 if rule == "largest_rise" else -1)
        if not changes.size or changes.max() <= 0:
            raise NothingToSeeError("this run has none")
        return int(places[1 + changes.argmax()])
    if rule.startswith("most_") and not values.any():
        raise NothingToSeeError("this run has none")
    return int(places[values.argmin() if rule == "lowest" else values.argmax()])


def _numbers(response: Response, name: str) -> np.ndarray:
    return response.numbers.get(name, np.zeros(0))


def _written(name: str, value: float, world: World) -> str:
    label: MetricLabel | None = world.metrics.get(name) or world.training.get(name)
    if name in COUNTS or label is None:
        return f"{int(value):,}"
    text = f"{value:,.{label.decimals}f}"
    return text.replace("-", "−") if text.strip("-0.,") else text.lstrip("-")
