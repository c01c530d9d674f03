"""The lab's three pages."""

from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from simulator.lab import page
from simulator.lab.assumptions import assumptions
from simulator.lab.evidence import SEEDS, folklore
from simulator.lab.link import Reading, read


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """The run an address describes: as a page, or for htmx as the fragment inside it."""
    reading = read(parse_qsl(request.META.get("QUERY_STRING", ""), keep_blank_values=True))
    is_fragment = bool(request.htmx) and not request.htmx.history_restore_request
    if reading.is_form and reading.is_good and reading.place is not None and not is_fragment:
        # The form's own address has more than it needs: Back, reload and a copied link get the canonical one.
        return redirect(f"{reverse('lab')}?{reading.place.query()}")
    response = render(request, "lab/fragment.html" if is_fragment else "lab/page.html", _context(reading))
    if reading.errors:
        response.status_code = 422 if is_fragment else 400
    if is_fragment:
        is_new = reading.place is not None and not reading.errors
        response["HX-Push-Url"] = f"{reverse('lab')}?{reading.place.query()}" if is_new and reading.place else "false"
    return response


def _context(reading: Reading) -> dict[str, object]:
    context: dict[str, object] = {
        "form": page.form(reading),
        "errors": reading.errors,
        "notes": reading.notes,
        # A prompt that doesn't exist is refused at its own field, beside a run that did train.
        "is_refused": reading.place is None,
    }
    if reading.shown is not None:
        context["result"] = page.result(reading.shown)
    return context


@require_safe
def lab_assumptions(request: HttpRequest) -> HttpResponse:
    return render(request, "lab/assumptions.html", assumptions())


@require_safe
def lab_limits(request: HttpRequest) -> HttpResponse:
    return render(request, "lab/limits.html", {"folklore": folklore(), "seeds": len(SEEDS)})
