"""Answering a request for the explorer: the whole page, or for htmx the same panels one by one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from simulator.explorer import candidates
from simulator.explorer.address import pairs_of
from simulator.explorer.beats import beats_panel
from simulator.explorer.exploration import Exploration, explore
from simulator.explorer.explore import explore_panel, run_choices
from simulator.explorer.inspector import step_panel
from simulator.explorer.state import KEYS, OF_AN_UPDATE, REPLACES, Pairs
from simulator.explorer.why import why_panel
from simulator.lab.link import Run, read
from simulator.lab.rules import RULES
from simulator.runs import train_for_a_while
from simulator.worlds import WORLDS, world_of

MOST_PAIRS = 120

Panel = Callable[[Exploration], dict[str, Any]]
# What each world's views are made by.
_TOKENS: dict[str, Panel] = {"explore": explore_panel, "step": step_panel, "why": why_panel, "beats": beats_panel}
_ANSWERS: dict[str, Panel] = _TOKENS | {"step": candidates.step_panel, "why": candidates.why_panel}


@dataclass(frozen=True)
class Frame:
    """What stands around the views: where the run comes from, and the way back.

    `crumbs` are labels and addresses; `lead` is a sentence above the views or "".
    """

    title: str
    crumbs: Sequence[tuple[str, str]] = ()
    lead: str = ""


@dataclass(frozen=True)
class Asked:
    """A query string taken apart: the run's part, and the view's."""

    run: list[tuple[str, str]]
    view: list[tuple[str, str]]


def taken_apart(query: str) -> Asked:
    """Split a query string; too many parts, or broken ones, are left out."""
    pairs = parse_qsl(query, keep_blank_values=True)[:MOST_PAIRS]
    return Asked([pair for pair in pairs if pair[0] not in KEYS], [pair for pair in pairs if pair[0] in KEYS])


def read_run(pairs: Pairs) -> tuple[Run | None, dict[str, str], list[str]]:
    """The run that an address names: with errors by setting where it can't be, and notes on what was left out."""
    given = dict(pairs)
    world = given.get("world", "")
    if world not in RULES:
        world = "candidates" if {"event", "method"} & given.keys() else "reasoning"
    reading = read([pair for pair in pairs if pair[0] not in ("from", "previous")], world)
    return (reading.place.run if reading.place else None), reading.errors, reading.notes


def second_run(view: Pairs) -> tuple[Run | None, str]:
    """The run to lay beside the first, and what is wrong with its address."""
    text = dict(view).get("run2", "")
    if not text:
        return None, ""
    run, errors, _ = read_run(taken_apart(text).run)
    return run, next((f"The second run can’t be made: {message}" for message in errors.values()), "")


def respond(
    request: HttpRequest, run: Run, address: str, base: Pairs, frame: Frame, notes: Sequence[str] = ()
) -> HttpResponse:
    """Show a run. Trains it if nobody has lately, with its progress shown where that takes long."""
    is_fragment = bool(request.htmx) and not request.htmx.history_restore_request
    query = request.META.get("QUERY_STRING", "")
    asked = taken_apart(query)
    second, problem = second_run(asked.view)
    waiting = train_for_a_while([(one.setup, one.seed) for one in (run, second) if one is not None])
    if waiting is not None:
        return _wait(request, waiting, is_fragment)
    x = explore(run, asked.view, address, base, second)
    said = [*notes, *x.notes, *([problem] if problem else [])]
    if not said and not is_fragment and request.get_full_path() != x.canonical:
        # A form's own address has more than it needs: Back, reload and a copied link get the canonical one.
        return redirect(x.canonical)
    changed = _changed(request, x) if is_fragment else None
    keeps_run = bool(changed) and changed <= set(OF_AN_UPDATE)
    context = panels(x, keeps_run=keeps_run) | {
        "x": x,
        "frame": frame,
        "notes": said,
        "setup": _setup(x),
        "second_setup": _differences(x),
        "files": _files(x),
        "copied": request.build_absolute_uri(x.canonical),
    }
    if not is_fragment:
        return render(request, "explorer/page.html", context)
    response = render(request, "explorer/fragment.html", context | {"oob": True, "keeps_run": keeps_run})
    # What is worth no step of Back takes the place of the address before.
    response["HX-Replace-Url" if changed and changed <= REPLACES else "HX-Push-Url"] = x.canonical
    return response


def panels(x: Exploration, *, keeps_run: bool = False) -> dict[str, Any]:
    """The contexts of all panels, each under its name; without the run's pictures where the page keeps those."""
    if not x.steps:
        return {}
    made_by = _ANSWERS if x.world == "candidates" else _TOKENS
    return {name: panel(x) for name, panel in (made_by | {"explore": run_choices} if keeps_run else made_by).items()}


def _wait(request: HttpRequest, waiting: Any, is_fragment: bool) -> HttpResponse:
    if is_fragment:
        # The run that the whole page waits for is another: the page itself says how far it is.
        response = HttpResponse(status=204)
        response["HX-Redirect"] = request.get_full_path()
        return response
    return render(request, "explorer/waiting.html", {"waiting": waiting, "address": request.get_full_path()})


def _changed(request: HttpRequest, x: Exploration) -> set[str] | None:
    """The keys of the view that differ from those of the page that asks; None where that shows another run."""
    address, _, query = (request.htmx.current_url_abs_path or "").partition("?")
    before = taken_apart(query)
    if address != x.address or before.run != list(x.base):
        return None
    old, new = dict(before.view), dict(x.asked.pairs())
    # An address that names no update shows this one.
    old.setdefault("s", str(x.spots[0].place if x.spots else ""))
    new.setdefault("s", str(x.state.s))
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


def _setup(x: Exploration) -> list[tuple[str, str]]:
    """The run's settings in words."""
    if x.run is None:
        return [(name, str(value)) for name, value in x.hparams.items()]
    world = world_of(x.run.setup)
    found = [
        (world.settings[name].label, world.setting_value(name, value))
        for name, value in x.run.setup.active_fields().items()
        if name in world.settings
    ]
    return [*found, ("Seed", str(x.run.seed))]


def _differences(x: Exploration) -> list[tuple[str, str, str]]:
    """The settings in which the second run differs: label, this run's value, the other's."""
    if x.run is None or x.second is None or x.second.run is None:
        return []
    world = WORLDS[x.world]
    mine, other = (one.setup.active_fields() | {"seed": one.seed} for one in (x.run, x.second.run))
    found = []
    for name in [*mine, *(name for name in other if name not in mine)]:
        if name == "world" or mine.get(name) == other.get(name):
            continue
        label = world.settings[name].label if name in world.settings else "Seed"
        values = (
            "–" if name not in one else str(one[name]) if name == "seed" else world.setting_value(name, one[name])
            for one in (mine, other)
        )
        found.append((label, *values))
    return found  # type: ignore[return-value]


def _files(x: Exploration) -> list[tuple[str, str]]:
    """What can be downloaded of the run: labels and addresses."""
    if x.run is None:
        return []
    query = urlencode(pairs_of(x.run))
    return [
        ("Metrics, CSV", f"{reverse('run_metrics')}?{query}"),
        ("Log, JSON", f"{reverse('run_export', args=['json'])}?{query}"),
        ("Log, JSONL", f"{reverse('run_export', args=['jsonl'])}?{query}"),
    ]
