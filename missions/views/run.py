"""The run of a try in the explorer's three views."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from missions.answers import is_answer
from missions.outcome import headline
from missions.viewing import attempt_for
from simulator.engine import ENGINE_VERSION, parse_setup
from simulator.explorer.page import Frame, respond
from simulator.lab.link import Run

OTHER_ENGINE = (
    "This try was graded by engine {was}; the run below is made by engine {now}, so its numbers may differ from what "
    "was graded."
)


@require_safe
@login_required
def attempt_run(request: HttpRequest, pk: int) -> HttpResponse:
    """The run that was shown with a try. The hidden seeds that graded it are nobody's to see."""
    attempt = attempt_for(request.user, pk)
    is_own = attempt.user_id == request.user.pk
    crumbs = [("Missions", reverse("map"))]
    if is_own:
        crumbs += [
            (attempt.mission.title, reverse("mission", args=[attempt.mission.slug])),
            (f"Try {attempt.number}", reverse("try", args=[attempt.mission.slug, attempt.number])),
        ]
        title = f"The run, seed {attempt.display_seed}"
    else:
        title = f"{attempt.user}, {attempt.mission.title}, try {attempt.number}"
    lead = f"{headline(attempt)}. This is the run of the display seed; grading used other seeds."
    if is_answer(attempt):
        lead = f"{headline(attempt)}. This is the run that the question was about."
    notes = []
    if attempt.engine_version != ENGINE_VERSION:
        notes.append(OTHER_ENGINE.format(was=attempt.engine_version, now=ENGINE_VERSION))
    run = Run(parse_setup(attempt.setup), attempt.display_seed)
    return respond(request, run, reverse("attempt_run", args=[attempt.pk]), [], Frame(title, crumbs, lead), notes)
