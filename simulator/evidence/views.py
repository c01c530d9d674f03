"""The evidence page."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from simulator.engine import ENGINE_VERSION
from simulator.evidence import page
from simulator.evidence.claim import Verdict


@require_safe
@gzip_page
def evidence(request: HttpRequest) -> HttpResponse:
    """All claims, or with ?verdict=reproduced, partly or not those with that verdict."""
    asked = request.GET.get("verdict", "")
    chosen = next((judged for judged in Verdict if judged.value == asked), None)
    return render(request, "evidence/evidence.html", {"body": _body(chosen)})


@cache
def _body(chosen: Verdict | None) -> SafeString:
    """The page's table and sections, made once per process: they follow from the code and the committed results."""
    context = {
        "themes": page.themes(chosen),
        "counts": page.counts(),
        "total": len(page.entries()),
        "chosen": page.chip(chosen) if chosen else None,
        "engine_version": ENGINE_VERSION,
    }
    return render_to_string("evidence/body.html", context)
