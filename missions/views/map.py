"""The start page and the map."""

from collections.abc import Sequence

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from missions.chapters import in_words
from missions.figures import trail
from missions.home import opening_figure
from missions.queries import Stop, chapters_for, own_stops
from simulator.labels import in_sentence


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this is, with one figure that shows it; for everybody."""
    return render(request, "site/home.html", {"figure": opening_figure(), "chapters": chapters_for(request.user)})


@require_safe
@login_required
def mission_map(request: HttpRequest) -> HttpResponse:
    chapters = chapters_for(request.user)
    stops = [stop for chapter in chapters for stop in chapter.stops]
    passed = sum(stop.state == "done" for stop in stops)
    up_next = next((stop for stop in stops if stop.state == "now"), None)
    context = {
        "chapters": [{"progress": chapter, "trail": trail(_reached(chapter.stops))} for chapter in chapters],
        "up_next": up_next,
        "also_open": [
            (stop, in_sentence(chapter.chapter.name))
            for chapter in chapters
            if (stop := next((stop for stop in chapter.stops if stop.state == "open"), None)) is not None
            and up_next is not None
            and stop.mission.chapter != up_next.mission.chapter
        ],
        "passed": passed,
        "passed_in_words": in_words(passed).capitalize(),
        "to_go_in_words": in_words(len(stops) - passed),
        "own": own_stops(request.user),
        "is_done": bool(stops) and passed == len(stops),
    }
    return render(request, "missions/map.html", context)


def _reached(stops: Sequence[Stop]) -> list[bool]:
    """Which stops of a chapter the road is walked to: those passed, and the next one that is open."""
    upcoming = next((stop for stop in stops if stop.state != "done"), None)
    return [stop.state == "done" or (stop is upcoming and stop.state != "shut") for stop in stops]
