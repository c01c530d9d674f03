"""A course's roster: look at what a class list would change, take it over, write one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import slugify

from classroom.access import Access, Capability, course_page
from classroom.forms import sent, status_of
from classroom.forms.people import RosterForm
from classroom.rights import may_enrol
from classroom.roster.applying import OutdatedError, apply_roster
from classroom.roster.planning import Plan, plan_roster
from classroom.roster.reading import Roster, UnreadableError, read_roster
from classroom.roster.writing import roster_of, written


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab="course_people")
def import_roster(request: HttpRequest, access: Access) -> HttpResponse:
    """Take a class list and show what it would change; nothing is changed here."""
    form = RosterForm(sent(request), request.FILES or None)
    if not form.is_valid():
        return render(request, "classroom/import_roster.html", {"form": form}, status=status_of(form))
    roster = form.cleaned_data["roster"]
    plan = plan_roster(access.course, roster, may_enrol(request.user), form.cleaned_data["removes_missing"])
    return _preview(request, roster, plan)


@course_page(Capability.CHANGE, "POST", tab="course_people")
def confirm_roster(request: HttpRequest, access: Access) -> HttpResponse:
    """Take a class list over, if it still does what was shown; else show what it would do now."""
    try:
        roster = read_roster(request.POST.get("roster", "").encode(errors="replace"))
        plan = apply_roster(
            access.course,
            roster,
            request.user,
            may_enrol(request.user),
            "removes_missing" in request.POST,
            request.POST.get("digest", ""),
        )
    except UnreadableError:
        messages.warning(request, "That list could not be read again. Nothing was changed; please choose it once more.")
        return redirect("import_roster", access.course.public_id)
    except OutdatedError as error:
        messages.warning(request, "The course has changed meanwhile, so nothing was done. This is how it looks now.")
        return _preview(request, roster, error.plan)
    messages.success(request, plan.in_words())
    return redirect("course_people", access.course.public_id)


def _preview(request: HttpRequest, roster: Roster, plan: Plan) -> HttpResponse:
    context = {"plan": plan, "roster": written(roster.rows), "digest": plan.digest()}
    return render(request, "classroom/preview_roster.html", context)


@course_page(Capability.SEE)
def export_roster(request: HttpRequest, access: Access) -> HttpResponse:
    """The students and those expected, as a CSV file that changes nothing when it is imported again."""
    # With the mark by which Excel knows UTF-8.
    response = HttpResponse(
        written(roster_of(access.course)).encode("utf-8-sig"), content_type="text/csv; charset=utf-8"
    )
    name = f"{slugify(access.course.name) or 'course'}-roster-{timezone.localdate().isoformat()}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
