"""The check of an own mission: ask for it, follow it, call it off, and take the budgets that it proposes."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from classroom.authoring.check_page import check_page, proposed_budgets
from classroom.views.authoring import for_own_mission
from missions.authoring.saving import NotSavedError, StaleError, save
from missions.authoring.writing import with_fields
from missions.checks import NotAskedError, ask, call_off, latest_check
from missions.definition import DefinitionError
from missions.models import OwnMission

POLL = "check-poll"
"""The id of the element that asks for news while a check is open."""
EVERY = 2
"""Seconds between two such requests, and with scripts off SLOWLY between two reloads."""
SLOWLY = 5


@for_own_mission()
def check(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """The latest check. To a page that is open and asks for news only what changes."""
    context = {"own": own, "page": check_page(own, request.GET), "poll": POLL, "every": EVERY, "slowly": SLOWLY}
    is_poll = bool(request.htmx) and not request.htmx.history_restore_request and request.htmx.trigger == POLL
    template = "classroom/authoring/check_body.html" if is_poll else "classroom/authoring/check.html"
    return render(request, template, context)


@for_own_mission("POST")
def start_check(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """Put a check of the text as it is into the queue."""
    try:
        ask(own, request.user)
    except NotAskedError as error:
        messages.warning(request, str(error))
    return redirect("own_mission_check", own.public_id)


@for_own_mission("POST")
def cancel_check(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """Call off the check that is open."""
    latest = latest_check(own)
    if latest is not None and latest.is_open:
        call_off(latest)
    return redirect("own_mission_check", own.public_id)


@for_own_mission("POST")
def take_budgets(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """Write the proposed budgets into the text that the page was made from."""
    latest = latest_check(own)
    budgets = proposed_budgets(own, latest) if latest else None
    version = request.POST.get("version", "")
    if budgets is None or not (version.isascii() and version.isdigit() and len(version) < 10):
        messages.warning(request, "There are no budgets to take: the mission has them, or it changed since the check.")
        return redirect("own_mission_check", own.public_id)
    try:
        typed = {f"budget.{name}": str(value) for name, value in budgets.to_dict().items()}
        save(own, with_fields(own.text, typed), int(version))
        messages.success(request, "The budgets are in the text. Nothing else of it was changed.")
    except StaleError:
        messages.warning(request, "The text was changed meanwhile, so nothing was written. Look at it as it is now.")
    except (NotSavedError, DefinitionError) as error:
        messages.warning(request, str(error))
    return redirect("own_mission_check", own.public_id)
