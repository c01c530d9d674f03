"""One own mission: where it stands, its form and its text, and the file of it."""

import difflib
from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from classroom.authoring.access import own_mission_for
from classroom.authoring.boxes import field_of, id_of
from classroom.authoring.form_page import form_page
from classroom.authoring.overview import standing_of
from classroom.authoring.publications import places_of
from missions.authoring import starting
from missions.authoring.fields import fields_of, tidy, tokens
from missions.authoring.reading import Problem, Read, read_text
from missions.authoring.saving import NotSavedError, StaleError, save
from missions.authoring.writing import with_fields
from missions.definition import DefinitionError
from missions.models import OwnMission

MissionView = Callable[..., HttpResponse]


def for_own_mission(*methods: str) -> Callable[[MissionView], MissionView]:
    """Give a view the own mission that its address names; 404 to all but its author and administrators."""

    def decorate(view: MissionView) -> MissionView:
        @require_http_methods(list(methods or ("GET", "HEAD")))
        @login_required
        @wraps(view)
        def inner(request: HttpRequest, public_id: str) -> HttpResponse:
            return view(request, own_mission_for(request.user, public_id))

        return inner

    return decorate


@for_own_mission()
def own_mission(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """Where a mission stands, and what can be done with it."""
    standing = standing_of(own)
    context = {
        "own": own,
        "standing": standing,
        "problems": listed(standing.read, is_form=standing.read.source is not None),
        "places": [place for place in places_of(own, request.user) if place.publication],
    }
    return render(request, "classroom/authoring/mission.html", context)


@for_own_mission("GET", "HEAD", "POST")
def edit_form(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """The mission in fields. They are written into the text that the page was made from, wherever they differ."""
    if request.method != "POST":
        read = read_text(own.text)
        if read.source is None:
            messages.warning(request, "The text isn’t valid TOML, so its parts can’t be shown in fields yet.")
            return redirect("edit_own_mission_text", own.public_id)
        return _form(request, own, own.text, fields_of(read.source))
    base = _lines(request.POST.get("base", ""))
    before = fields_of(read_text(base).source or {})
    typed = _typed(request, before)
    try:
        text = with_fields(base, typed)
        is_new = save(own, text, _version(request))
    except StaleError as stale:
        return _stale(request, stale.current, text)
    except (DefinitionError, NotSavedError) as error:
        messages.error(request, str(error))
        return _form(request, own, base, before | typed, status=422)
    return _saved(request, own, is_new, "edit_own_mission")


@for_own_mission("GET", "HEAD", "POST")
def edit_text(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """The mission as TOML. It is kept whatever is wrong with it."""
    if request.method != "POST":
        return _text(request, own, own.text)
    text = _lines(request.POST.get("text", ""))
    try:
        is_new = save(own, text, _version(request))
    except StaleError as stale:
        return _stale(request, stale.current, text)
    except NotSavedError as error:
        messages.error(request, str(error))
        return _text(request, own, text.replace("\0", "\N{SYMBOL FOR NULL}"), status=422)
    return _saved(request, own, is_new, "edit_own_mission_text")


@for_own_mission()
def export(request: HttpRequest, own: OwnMission) -> HttpResponse:
    """The text as a file, which can be imported again and can stand in a catalogue."""
    revision = own.mission.revision if own.mission else 1
    text = starting.exported(own.text, own.title, revision)
    name = f"01-{starting.slug_for(own.title)}.toml"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/toml; charset=utf-8", headers=headers)


def listed(read: Read, is_form: bool) -> list[dict[str, str]]:
    """What is wrong, each with where to go: the field in the form, or else the line in the text."""
    return [{"text": str(problem), "target": _target(problem, is_form)} for problem in read.problems]


def _target(problem: Problem, is_form: bool) -> str:
    if is_form:
        name = field_of(problem.where)
        return f"#{id_of(name)}" if name else ""
    return f"#line-{problem.line}" if problem.line else ""


def _form(request: HttpRequest, own: OwnMission, base: str, fields: dict[str, str], status: int = 200) -> HttpResponse:
    read = read_text(base)
    context = {
        "own": own,
        "base": base,
        "read": read,
        "page": form_page(fields, read),
        "problems": listed(read, is_form=True),
    }
    return render(request, "classroom/authoring/form.html", context, status=status)


def _text(request: HttpRequest, own: OwnMission, text: str, status: int = 200) -> HttpResponse:
    read = read_text(text)
    context = {
        "own": own,
        "text": text,
        "read": read,
        "problems": listed(read, is_form=False),
        "lines": text.splitlines() if read.problems else [],
        "wrong": {problem.line for problem in read.problems},
    }
    return render(request, "classroom/authoring/text.html", context, status=status)


def _stale(request: HttpRequest, current: OwnMission, text: str) -> HttpResponse:
    """Both texts, when somebody saved another one meanwhile; nothing is written."""
    changes = difflib.unified_diff(current.text.splitlines(), text.splitlines(), "saved", "yours", lineterm="", n=1)
    context = {"own": current, "text": text, "changes": list(changes)[2:]}
    return render(request, "classroom/authoring/stale.html", context, status=409)


def _saved(request: HttpRequest, own: OwnMission, is_new: bool, page: str) -> HttpResponse:
    wrong = len(read_text(own.text).problems)
    words = "Saved." if is_new else "Nothing was changed."
    if wrong:
        messages.warning(
            request, f"{words} {wrong} {'thing has' if wrong == 1 else 'things have'} still to be put right."
        )
    else:
        messages.success(request, f"{words} The mission can be played as it is.")
    if "preview" in request.POST and not wrong:
        page = "preview_own_mission"
    return redirect(page, own.public_id)


def _typed(request: HttpRequest, before: dict[str, str]) -> dict[str, str]:
    """The fields as typed. Where values are ticked, those that stay keep their order."""
    typed = {name: tidy(value) for name, value in request.POST.items()}
    for name in [name for name in typed if name.endswith(".ticked")]:
        ticked = [tidy(value) for value in request.POST.getlist(name) if value]
        field = name.removesuffix(".ticked")
        kept = [value for value in tokens(before.get(field, "")) if value in ticked]
        typed[field] = ", ".join([*kept, *(value for value in ticked if value not in kept)])
    return typed


def _lines(text: str) -> str:
    """A text as a browser sends it, with plain line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _version(request: HttpRequest) -> int:
    version = request.POST.get("version", "")
    return int(version) if version.isascii() and version.isdigit() and len(version) < 10 else 0
