"""One mission: its page, the draft as it is typed, and the submission that is graded."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from missions.answers import is_answer
from missions.attempts import Recorded, Submission
from missions.definition import MissionDefinition
from missions.desk import Addresses, Desk, desk_for, form_for
from missions.drafts import save_draft
from missions.models import Mission
from missions.queries import definition_of, draft_of, own_attempt
from missions.submission import Reading, filled_in, read_fields, read_submission, typed_from
from missions.submitting import submit
from missions.views.access import for_open_mission
from missions.views.look import look_page

OUT_OF_DATE = (
    "You had already trained from another page. This is that try; the settings you just sent are kept in the form, "
    "so press Train if you want them graded as well."
)


@require_safe
@for_open_mission
def mission_page(request: HttpRequest, mission: Mission) -> HttpResponse:
    """The mission with the form as the student left it, or as ?setup=start or ?setup=<try> asks for."""
    if definition_of(mission).is_look:
        return look_page(request, mission)
    return _page(request, desk_for(request.user, mission, _asked_setup(request, mission)))


@require_safe
@for_open_mission
def try_page(request: HttpRequest, mission: Mission, number: int) -> HttpResponse:
    """The mission with the outcome of one of the student's own tries."""
    attempt = own_attempt(request.user, mission, number)
    if is_answer(attempt):
        return look_page(request, mission, attempt)
    typed = draft_of(request.user, mission) or typed_from(attempt.setup, attempt.display_seed)
    return _page(request, desk_for(request.user, mission, typed, attempt))


@require_POST
@for_open_mission
def save_draft_view(request: HttpRequest, mission: Mission) -> HttpResponse:
    """Keep what is typed and answer with the form as it follows from it: controls, cost, errors."""
    definition = _trained(mission)
    data = request.POST.dict()
    if request.htmx.trigger_name == definition.world.fills:
        data |= filled_in(definition, data)
    reading = read_fields(definition, data)
    save_draft(request.user, mission, definition, data)
    if not request.htmx:
        return redirect("mission", slug=mission.slug)
    redraws = (
        bool(reading.errors) or request.htmx.trigger_name in definition.world.deciders or "had_errors" in request.POST
    )
    context = {
        # The parts of the desk that the form's templates need; nothing is trained for a draft.
        "desk": {"mission": mission, "definition": definition, "addresses": Addresses.of(mission)},
        "form": form_for(request.user, mission, definition, reading),
        "redraws": redraws,
    }
    response = render(request, "missions/parts/draft.html", context)
    if "?setup=" in request.headers.get("HX-Current-URL", ""):
        # What is typed counts from now on, also after a reload; the address would ask for the other setup again.
        response.headers["HX-Replace-Url"] = reverse("mission", args=[mission.slug])
    return response


@require_POST
@for_open_mission
def train(request: HttpRequest, mission: Mission) -> HttpResponse:
    """Grade a submission: the display seed is shown, the hidden seeds decide."""
    data = request.POST.dict()
    submission, reading = read_submission(_trained(mission), data)
    if submission is None:
        save_draft(request.user, mission, definition_of(mission), data)
        return _refused(request, mission, reading)
    try:
        recorded = submit(request.user, mission, submission)
    except Exception:
        # Nothing was stored or charged; what was typed must survive all the same.
        save_draft(request.user, mission, definition_of(mission), data)
        raise
    return _answer(request, mission, submission, recorded)


def _trained(mission: Mission) -> MissionDefinition:
    """The definition of a mission that is answered by training. Raises Http404 for others."""
    definition = definition_of(mission)
    if definition.is_look:
        raise Http404("Nothing is trained here")
    return definition


def _answer(request: HttpRequest, mission: Mission, submission: Submission, recorded: Recorded) -> HttpResponse:
    attempt = recorded.attempt
    typed = typed_from(submission.setup.to_dict(), submission.display_seed)
    is_other = not recorded.is_new and typed != typed_from(attempt.setup, attempt.display_seed)
    if is_other:
        save_draft(request.user, mission, definition_of(mission), request.POST.dict())
        messages.warning(request, OUT_OF_DATE)
    address = reverse("try", args=[attempt.mission.slug, attempt.number])
    if not request.htmx or attempt.mission_id != mission.pk:
        return HttpResponseRedirect(address)
    desk = desk_for(request.user, mission, typed, attempt, opened=recorded.opened)
    response = render(request, "missions/parts/desk.html", {"desk": desk, "form": desk.form, "oob": True})
    response.headers["HX-Push-Url"] = address
    return response


def _refused(request: HttpRequest, mission: Mission, reading: Reading) -> HttpResponse:
    desk = desk_for(request.user, mission, reading.typed, reading=reading)
    if not request.htmx:
        return _page(request, desk, status=422)
    response = render(request, "missions/parts/setup.html", {"desk": desk, "form": desk.form}, status=422)
    response.headers["HX-Retarget"] = "#setup-panel"
    response.headers["HX-Reswap"] = "outerHTML"
    return response


def _page(request: HttpRequest, desk: Desk, status: int = 200) -> HttpResponse:
    return render(request, "missions/mission.html", {"desk": desk, "form": desk.form}, status=status)


def _asked_setup(request: HttpRequest, mission: Mission) -> dict[str, str] | None:
    """What ?setup= asks the form to hold; None leaves the choice to the desk."""
    asked = request.GET.get("setup", "")
    if asked == "start":
        return typed_from(definition_of(mission).start.to_dict())
    if asked.isascii() and asked.isdigit() and len(asked) < 7:
        attempt = own_attempt(request.user, mission, int(asked))
        return typed_from(attempt.setup, attempt.display_seed)
    return None
