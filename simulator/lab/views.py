"""The lab's pages: one lab a world, and what each world assumes and can't tell."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_htmx.http import reswap, retarget

from simulator.evidence.page import advice
from simulator.lab.candidates import page as candidates
from simulator.lab.candidates.assumptions import assumptions as candidates_assumptions
from simulator.lab.link import Place, Reading, read
from simulator.lab.reasoning import page as reasoning
from simulator.lab.reasoning.assumptions import assumptions as reasoning_assumptions
from simulator.lab.rules import RULES
from simulator.runs import Progress, train_for_a_while

Context = dict[str, Any]


@dataclass(frozen=True)
class Lab:
    """How the lab of one world is shown: its form and its result, as contexts of the templates in lab/<world>/.

    `parts` are regions of the page that can be asked for alone, by their ids; each is a result with less in it.
    """

    form: Callable[[Reading], Context]
    result: Callable[[Place], Context]
    assumptions: str
    parts: Mapping[str, Callable[[Place], Context]] = field(default_factory=dict)


LABS = {
    "candidates": Lab(candidates.form, candidates.result, "lab_assumptions"),
    "reasoning": Lab(reasoning.form, reasoning.result, "lab_reasoning_assumptions", {"step": reasoning.step_result}),
}


@require_safe
def lab(request: HttpRequest, world: str) -> HttpResponse:
    """The run an address describes: as a page, or for htmx as the fragment inside it."""
    pairs = parse_qsl(request.META.get("QUERY_STRING", ""), keep_blank_values=True)
    wanted = dict(pairs).get("world", world)
    if wanted != world and wanted in RULES:
        # A setup as missions and the command line write it names its world: its lab is another page.
        return redirect(f"{reverse(RULES[wanted].world.lab)}?{request.META['QUERY_STRING']}")
    reading = read(pairs, world)
    address = reverse(reading.rules.world.lab)
    is_fragment = bool(request.htmx) and not request.htmx.history_restore_request
    if reading.is_form and reading.is_good and reading.place is not None and not is_fragment:
        # The form's own address has more than it needs: Back, reload and a copied link get the canonical one.
        return redirect(f"{address}?{reading.place.query()}")
    waiting = None if reading.shown is None else train_for_a_while(reading.shown.runs())
    part = request.htmx.target if is_fragment and request.htmx.target in LABS[world].parts else ""
    context = _context(reading, address, part, waiting)
    if not is_fragment:
        response = render(request, "lab/page.html", context)
    elif waiting is not None and reading.place is not None:
        # What is on the page stays there while the run goes on; the answer is the progress, which asks for more.
        response = render(request, "lab/waiting.html", context | {"is_first": request.htmx.trigger != "lab-busy"})
        return retarget(reswap(response, "outerHTML"), "#lab-busy")
    else:
        response = render(request, f"lab/{world}/{part}_fragment.html" if part else "lab/fragment.html", context)
        is_new = reading.place is not None and not reading.errors
        response["HX-Push-Url"] = f"{address}?{reading.place.query()}" if is_new and reading.place else "false"
    if reading.errors:
        response.status_code = 422 if is_fragment else 400
    return response


def _context(reading: Reading, address: str, part: str, waiting: Progress | None) -> Context:
    world = reading.rules.name
    shown = LABS[world]
    context: Context = {
        "world": world,
        "lab_url": address,
        "assumptions_url": reverse(shown.assumptions),
        "templates": {name: f"lab/{world}/{name}.html" for name in ("head", "form", "result")},
        "form": shown.form(reading),
        "errors": reading.errors,
        "notes": reading.notes,
        # A view that doesn't exist is refused at its own field, beside a run that did train.
        "is_refused": reading.place is None,
        "waiting": None if reading.place is None else waiting,
    }
    if reading.shown is not None:
        context["place"] = reading.shown
        if waiting is None:
            context["result"] = shown.parts.get(part, shown.result)(reading.shown)
    return context


@require_safe
def lab_assumptions(request: HttpRequest) -> HttpResponse:
    return render(request, "lab/candidates/assumptions.html", candidates_assumptions())


@require_safe
def lab_reasoning_assumptions(request: HttpRequest) -> HttpResponse:
    return render(request, "lab/reasoning/assumptions.html", reasoning_assumptions())


@require_safe
def lab_limits(request: HttpRequest) -> HttpResponse:
    return render(request, "lab/limits.html", {"advice": advice("candidates"), "token_advice": advice("reasoning")})
