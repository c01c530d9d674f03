"""The page of all algorithms and their design choices."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from simulator.explorer.why.matrix import choices_told, described, heads, matrix, names


@require_safe
def algorithms(request: HttpRequest) -> HttpResponse:
    """Every algorithm in every slot, held against one of them (`?alg=`, GRPO if nothing else is asked for)."""
    current = request.GET.get("alg", "")
    if current not in names():
        current = "grpo"
    context = {
        "current": current,
        "heads": heads(),
        "rows": matrix(current),
        "described": described(),
        "slots": choices_told(),
        "explorer": f"{reverse('run')}?world=reasoning&algorithm=",
    }
    return render(request, "explorer/algorithms.html", context)
