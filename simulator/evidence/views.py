"""The evidence page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from simulator.engine import ENGINE_VERSION
from simulator.evidence import page
from simulator.evidence.claim import Verdict


@require_safe
def evidence(request: HttpRequest) -> HttpResponse:
    """All claims, or with ?verdict=reproduced, partly or not those with that verdict."""
    asked = request.GET.get("verdict", "")
    chosen = next((judged for judged in Verdict if judged.value == asked), None)
    context = {
        "themes": page.themes(chosen),
        "counts": page.counts(),
        "total": len(page.entries()),
        "chosen": page.chip(chosen) if chosen else None,
        "engine_version": ENGINE_VERSION,
    }
    return render(request, "evidence/evidence.html", context)
