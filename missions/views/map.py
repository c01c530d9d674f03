"""The start page and the map."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from missions.figures import trail
from missions.home import opening_figure
from missions.queries import chapters_for

CHAPTER_TEXTS = {
    1: ("Chapter one: ten answers", "Forty prompts, ten fixed answers each. What does the reward really select?"),
}
WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve")


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this is, with one figure that shows it; for everybody."""
    return render(request, "site/home.html", {"figure": opening_figure()})


@require_safe
@login_required
def mission_map(request: HttpRequest) -> HttpResponse:
    chapters = chapters_for(request.user)
    stops = [stop for chapter in chapters for stop in chapter.stops]
    passed = sum(stop.state == "done" for stop in stops)
    context = {
        "chapters": [
            {
                "chapter": chapter,
                "title": CHAPTER_TEXTS.get(chapter.number, (f"Chapter {chapter.number}", ""))[0],
                "text": CHAPTER_TEXTS.get(chapter.number, ("", ""))[1],
                "trail": trail([stop.state in ("done", "now") for stop in chapter.stops]),
            }
            for chapter in chapters
        ],
        "up_next": next((stop for stop in stops if stop.state == "now"), None),
        "passed": passed,
        "passed_in_words": _in_words(passed),
        "to_go_in_words": _in_words(len(stops) - passed).lower(),
        "is_done": bool(stops) and passed == len(stops),
    }
    return render(request, "missions/map.html", context)


def _in_words(count: int) -> str:
    return WORDS[count] if count < len(WORDS) else str(count)
