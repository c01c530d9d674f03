"""An own mission as a student will see it: the page of a mission itself, on which nothing is stored."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from classroom.authoring.preview import addresses_of, preview_desk, preview_try, submission_of, unstored_mission
from classroom.views.authoring import for_own_mission
from missions.authoring.publishing import NotReadyError
from missions.desk import Desk, form_for
from missions.models import Mission, OwnMission
from missions.queries import definition_of
from missions.submission import filled_in, read_fields

PreviewView = Callable[[HttpRequest, OwnMission, Mission], HttpResponse]


def for_preview(*methods: str) -> Callable[[PreviewView], Callable[..., HttpResponse]]:
    """Give a view the mission that the text makes; where it makes none, lead to what is wrong."""

    def decorate(view: PreviewView) -> Callable[..., HttpResponse]:
        @for_own_mission(*methods)
        @wraps(view)
        def inner(request: HttpRequest, own: OwnMission) -> HttpResponse:
            try:
                return view(request, own, unstored_mission(own))
            except NotReadyError as error:
                messages.warning(request, f"It can’t be previewed yet. {error.problems[0]}")
                return redirect("own_mission", own.public_id)

        return inner

    return decorate


@for_preview()
def preview(request: HttpRequest, own: OwnMission, mission: Mission) -> HttpResponse:
    return _page(request, own, preview_desk(request.user, own, mission, None))


@for_preview("POST")
def draft(request: HttpRequest, own: OwnMission, mission: Mission) -> HttpResponse:
    """Answer with the form as it follows from what is typed: controls, cost, errors."""
    definition, data = definition_of(mission), request.POST.dict()
    if request.htmx.trigger_name == definition.world.fills:
        data |= filled_in(definition, data)
    reading = read_fields(definition, data)
    if not request.htmx:
        return _page(request, own, preview_desk(request.user, own, mission, reading.typed, reading))
    deciders = definition.world.deciders
    redraws = bool(reading.errors) or request.htmx.trigger_name in deciders or "had_errors" in request.POST
    context = {
        "desk": {"mission": mission, "definition": definition, "addresses": addresses_of(own)},
        "form": form_for(request.user, mission, definition, reading, tries=0),
        "redraws": redraws,
    }
    return render(request, "missions/parts/draft.html", context)


@for_preview("POST")
def train(request: HttpRequest, own: OwnMission, mission: Mission) -> HttpResponse:
    """A real try: trained and graded as a student's is, and then forgotten."""
    reading = read_fields(definition_of(mission), request.POST.dict())
    submission = submission_of(reading)
    if submission is None:
        desk = preview_desk(request.user, own, mission, reading.typed, reading)
        if not request.htmx:
            return _page(request, own, desk, status=422)
        context = {"desk": desk, "form": desk.form, "is_preview": True}
        response = render(request, "missions/parts/setup.html", context, status=422)
        response.headers["HX-Retarget"] = "#setup-panel"
        response.headers["HX-Reswap"] = "outerHTML"
        return response
    desk = preview_try(request.user, own, mission, submission)
    if not request.htmx:
        return _page(request, own, desk)
    context = {"desk": desk, "form": desk.form, "oob": True, "is_preview": True}
    return render(request, "missions/parts/desk.html", context)


def _page(request: HttpRequest, own: OwnMission, desk: Desk, status: int = 200) -> HttpResponse:
    context = {"own": own, "desk": desk, "form": desk.form, "is_preview": True}
    return render(request, "classroom/authoring/preview.html", context, status=status)
