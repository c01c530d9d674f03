"""The lab's pages: one lab a world, and what each world assumes and can't tell."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from simulator.evidence.page import advice
from simulator.lab.candidates import page as candidates
from simulator.lab.candidates.assumptions import assumptions
from simulator.lab.link import Place, Reading, read
from simulator.lab.rules import RULES


@dataclass(frozen=True)
class Lab:
    """How the lab of one world is shown: its form and its result, as contexts of the templates in lab/<world>/."""

    form: Callable[[Reading], dict[str, Any]]
    result: Callable[[Place], dict[str, Any]]
    assumptions: str


LABS = {"candidates": Lab(candidates.form, candidates.result, "lab_assumptions")}


@require_safe
def lab(request: HttpRequest, world: str) -> HttpResponse:
    """The run an address describes: as a page, or for htmx as the fragment inside it."""
    pairs = parse_qsl(request.META.get("QUERY_STRING", ""), keep_blank_values=True)
    wanted = dict(pairs).get("world", world)
    if wanted != world and wanted in RULES:
        # A setup as missions and the command line write it names its world: its lab is another page.
        return redirect(f"{reverse(RULES[wanted].address)}?{request.META['QUERY_STRING']}")
    reading = read(pairs, world)
    address = reverse(reading.rules.address)
    is_fragment = bool(request.htmx) and not request.htmx.history_restore_request
    if reading.is_form and reading.is_good and reading.place is not None and not is_fragment:
        # The form's own address has more than it needs: Back, reload and a copied link get the canonical one.
        return redirect(f"{address}?{reading.place.query()}")
    response = render(request, "lab/fragment.html" if is_fragment else "lab/page.html", _context(reading, address))
    if reading.errors:
        response.status_code = 422 if is_fragment else 400
    if is_fragment:
        is_new = reading.place is not None and not reading.errors
        response["HX-Push-Url"] = f"{address}?{reading.place.query()}" if is_new and reading.place else "false"
    return response


def _context(reading: Reading, address: str) -> Mapping[str, object]:
    world = reading.rules.name
    shown = LABS[world]
    context: dict[str, object] = {
        "world": world,
        "lab_url": address,
        "assumptions_url": reverse(shown.assumptions),
        "templates": {part: f"lab/{world}/{part}.html" for part in ("head", "form", "result")},
        "form": shown.form(reading),
        "errors": reading.errors,
        "notes": reading.notes,
        # A view that doesn't exist is refused at its own field, beside a run that did train.
        "is_refused": reading.place is None,
    }
    if reading.shown is not None:
        context["result"] = shown.result(reading.shown)
    return context


@require_safe
def lab_assumptions(request: HttpRequest) -> HttpResponse:
    return render(request, "lab/candidates/assumptions.html", assumptions())


@require_safe
def lab_limits(request: HttpRequest) -> HttpResponse:
    return render(request, "lab/limits.html", {"advice": advice()})
