"""A mission that is answered by looking: its question, and the answer that is graded. Plain forms, no scripts."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from missions.answering import StaleAnswerError, UnknownAnswerError, submit_answer
from missions.look_desk import look_desk_for
from missions.models import Attempt, Mission
from missions.queries import definition_of
from missions.views.access import for_open_mission

STALE = "The question on that page had been answered already, or was out of date. Nothing was counted; here is yours."
ANSWERED = "You had already answered that question. This is what you answered first."
NONE_CHOSEN = "Choose one of the answers."


def look_page(request: HttpRequest, mission: Mission, attempt: Attempt | None = None) -> HttpResponse:
    """The open question, or what came of an answer."""
    opened = request.session.pop("opened", {}) if attempt else {}
    new = opened.get("missions", []) if attempt and opened.get("attempt") == attempt.pk else []
    desk = look_desk_for(request.user, mission, attempt, opened=list(Mission.objects.filter(pk__in=new)))
    return render(request, "missions/look.html", {"desk": desk})


@require_POST
@for_open_mission
def answer(request: HttpRequest, mission: Mission) -> HttpResponse:
    """Grade an answer, once, and lead to what came of it."""
    if not definition_of(mission).is_look:
        raise Http404("Nothing is asked here")
    given = request.POST.get("answer", "")
    try:
        recorded = submit_answer(request.user, mission, UUID(request.POST.get("token", "")), given)
    except (StaleAnswerError, ValueError):
        messages.warning(request, STALE)
        return redirect("mission", slug=mission.slug)
    except UnknownAnswerError:
        desk = look_desk_for(request.user, mission, error=NONE_CHOSEN)
        return render(request, "missions/look.html", {"desk": desk}, status=422)
    attempt = recorded.attempt
    if recorded.is_new:
        request.session["opened"] = {"attempt": attempt.pk, "missions": [one.pk for one in recorded.opened]}
    elif attempt.evaluation.get("given") != given:
        messages.warning(request, ANSWERED)
    return redirect("try", slug=attempt.mission.slug, number=attempt.number)
