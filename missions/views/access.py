"""Which mission an address means, for whom."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from missions.queries import MissionLockedError, open_mission


def for_open_mission(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give a view the mission its slug names, if this student may play it; else lead to the map, which says why."""

    @login_required
    @wraps(view)
    def inner(request: HttpRequest, slug: str, **names: int) -> HttpResponse:
        try:
            mission = open_mission(request.user, slug)
        except MissionLockedError as locked:
            messages.warning(request, f"“{locked.mission.title}” opens after {locked.opens_after}.")
            return redirect("map")
        return view(request, mission, **names)

    return inner
