"""The list of own missions, the ways to begin one, and what a mission's file can say."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from classroom.authoring.access import may_write_missions, own_mission_for
from classroom.authoring.format_page import format_page
from classroom.authoring.overview import standings_of
from classroom.forms import sent
from classroom.forms.authoring import CopyMissionForm, EmptyForm, ImportForm
from missions.authoring import starting
from missions.authoring.saving import NotSavedError, begin
from missions.definition.parts import TRAIN
from missions.models import Mission, OwnMission
from missions.models.own import OWN_SLUG
from missions.progress import missions_in_order


def for_authors(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let those who may write missions through; to others the pages aren't there."""

    @login_required
    @wraps(view)
    def inner(request: HttpRequest) -> HttpResponse:
        if not may_write_missions(request.user):
            raise Http404("No such page")
        return view(request)

    return inner


@require_safe
@for_authors
def own_missions(request: HttpRequest) -> HttpResponse:
    return render(request, "classroom/authoring/list.html", {"standings": standings_of(request.user)})


@require_http_methods(["GET", "HEAD", "POST"])
@for_authors
def new_own_mission(request: HttpRequest) -> HttpResponse:
    """Begin with nothing, or with a copy."""
    own = list(OwnMission.objects.filter(author=request.user.pk).only("public_id", "title", "author"))
    is_copy = "copy" in request.POST
    empty = EmptyForm(None if is_copy else sent(request), auto_id="empty_%s")
    copy = CopyMissionForm(sent(request) if is_copy else None, built_in=_to_copy(), own=own)
    form = copy if is_copy else empty
    if form.is_valid():
        chosen = form.cleaned_data
        text = _copied(request, chosen["mission"]) if is_copy else starting.empty(chosen["world"], chosen["title"])
        try:
            return redirect("edit_own_mission", begin(request.user, text).public_id)
        except NotSavedError as error:
            form.add_error(None, str(error))
    context = {"empty": empty, "copy": copy}
    return render(request, "classroom/authoring/new.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@for_authors
def import_own_mission(request: HttpRequest) -> HttpResponse:
    """Begin with a file. What is wrong with it is listed by line, and nothing of it is lost."""
    form = ImportForm(sent(request), request.FILES or None)
    if form.is_valid():
        try:
            own = begin(request.user, form.cleaned_data["text"])
            messages.success(request, f"“{own.title}” is imported.")
            return redirect("own_mission", own.public_id)
        except NotSavedError as error:
            form.add_error(None, str(error))
    context = {"form": form, "problems": form.problems}
    return render(request, "classroom/authoring/import.html", context, status=422 if form.errors else 200)


@require_safe
@for_authors
def mission_format(request: HttpRequest) -> HttpResponse:
    """What a mission's file can say, from the tables that it is read by."""
    return render(request, "classroom/authoring/format.html", {"page": format_page()})


def _copied(request: HttpRequest, slug: str) -> str:
    if slug.startswith(OWN_SLUG):
        own = own_mission_for(request.user, slug.removeprefix(OWN_SLUG))
        return starting.copied(own.text, own.title)
    return starting.text_of(next(mission for mission in _to_copy() if mission.slug == slug))


def _to_copy() -> list[Mission]:
    """The built-in missions that are trained; questions about a run are made by the site, for its own missions only."""
    return [mission for mission in missions_in_order() if mission.definition.get("kind", TRAIN) == TRAIN]
