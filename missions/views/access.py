"""Which mission an address means, for whom."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from missions.models import Attempt
from missions.queries import MissionLockedError, open_mission


def for_open_mission(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give a view the mission its slug names, if this student may play it; else lead to the map, which says why."""

    @login_required
    @wraps(view)
    def inner(request: HttpRequest, slug: str, **names: int) -> HttpResponse:
        try:
            mission = open_mission(request.user, slug)
        except Http404:
            return _out_of_play(request, slug, names.get("number"))
        except MissionLockedError as locked:
            messages.warning(request, f"“{locked.mission.title}” opens after {locked.opens_after}.")
            return redirect("map")
        return view(request, mission, **names)

    return inner


def _out_of_play(request: HttpRequest, slug: str, number: int | None) -> HttpResponse:
    """Lead somebody from a mission that is gone to what they did there. Raises Http404 if that is nothing."""
    own = Attempt.objects.filter(user=request.user.pk, mission__slug=slug).select_related("mission")
    attempt = own.first() if number is None else own.filter(number=number).first()
    if attempt is None:
        raise Http404("No such mission")
    messages.info(request, f"“{attempt.mission.title}” is out of play. Your tries and stars are kept.")
    return redirect("me") if number is None else redirect("attempt_run", pk=attempt.pk)
