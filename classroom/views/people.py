"""Who is in a course: the list, one person's page, and changing who is in and as what."""

from django.contrib import messages
from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from classroom import joining
from classroom.access import Access, Capability, course_page, member_of, members_of, numbers, people_counts
from classroom.forms import sent, status_of
from classroom.forms.people import AddPeopleForm, MemberForm
from classroom.memberships import (
    NotPossibleError,
    change_role,
    enrol,
    leave,
    may_let_back_in,
    may_manage,
    remove,
    roles_to_give,
)
from classroom.models import Invitation, Membership, MembershipEvent, Role
from classroom.rights import may_enrol
from classroom.roster.applying import add_by_hand, let_in, match

SHOWN = ("students", "staff", "expected", "gone")
LONGEST_SEARCH = 100


@course_page(Capability.SEE, tab="course_people")
def people(request: HttpRequest, access: Access) -> HttpResponse:
    """One of four lists, searched if asked: students, those who teach, those expected, those who are gone."""
    shown = request.GET.get("show", "")
    shown = shown if shown in SHOWN else "students"
    search = " ".join(request.GET.get("q", "").replace("\0", "").split())[:LONGEST_SEARCH]
    counts = people_counts(access.course)
    context = {
        "shown": shown,
        "search": search,
        "counts": counts | {"gone": members_of(access.course).filter(ended_at__isnull=False).count()},
        "members": [] if shown == "expected" else _members(access, shown, search),
        "expected": _expected(access, search) if shown == "expected" else [],
        "link": (link := joining.current_link(access.course)),
        "join_address": joining.address_of(link) if link else "",
        "shut": joining.why_shut(link) if link else "",
    }
    return render(request, "classroom/people.html", context)


def _members(access: Access, shown: str, search: str) -> list[Membership]:
    found = members_of(access.course)
    if shown == "gone":
        found = found.filter(ended_at__isnull=False)
    elif shown == "staff":
        found = found.current().exclude(role=Role.STUDENT)
    else:
        found = found.current().students()
    if search:
        parts = ("name", "student_number", "section", "user__username", "user__email")
        found = found.filter(_any_contains(parts, search))
    members = list(found.by_name())
    for member in members:
        member.is_manageable = may_manage(access, member)  # type: ignore[attr-defined]
    return members


def _expected(access: Access, search: str) -> list[Invitation]:
    found = access.course.invitations.all()
    if search:
        found = found.filter(_any_contains(("name", "student_number", "section", "username", "email"), search))
    return list(found)


def _any_contains(fields: tuple[str, ...], search: str) -> Q:
    matches = Q()
    for field in fields:
        matches |= Q(**{f"{field}__icontains": search})
    return matches


@course_page(Capability.CHANGE, "GET", "HEAD", "POST", tab="course_people")
def add_people(request: HttpRequest, access: Access) -> HttpResponse:
    """Add people by e-mail or user name, many at once; all of them or, with a word on each problem, none."""
    form = AddPeopleForm(sent(request), access=access)
    if form.is_valid():
        added = add_by_hand(
            access.course, form.rows(), form.cleaned_data["role"], request.user, may_enrol(request.user)
        )
        if not added.problems:
            messages.success(request, added.in_words())
            return redirect("course_people", access.course.public_id)
        for problem in added.problems:
            form.add_error("people", problem)
    context = {"form": form, "may_enrol": may_enrol(request.user)}
    return render(request, "classroom/add_people.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "POST", tab="course_people")
def remove_people(request: HttpRequest, access: Access) -> HttpResponse:
    """Remove those who are ticked: first the list of them is shown, and only its button removes."""
    chosen = [member for member in _ticked(request, access) if member.is_current and may_manage(access, member)]
    if not chosen:
        messages.warning(request, "Nobody was ticked, so nobody was removed.")
        return redirect("course_people", access.course.public_id)
    if "confirmed" not in request.POST:
        return render(request, "classroom/remove_people.html", {"members": chosen})
    try:
        count = remove(chosen, request.user)
    except NotPossibleError as why:
        messages.error(request, str(why))
    else:
        messages.success(request, f"{count} {'person is' if count == 1 else 'people are'} removed from the course.")
    return redirect("course_people", access.course.public_id)


def _ticked(request: HttpRequest, access: Access) -> list[Membership]:
    return list(members_of(access.course).filter(pk__in=numbers(request.POST.getlist("chosen"))).by_name())


@course_page(Capability.CHANGE, "POST", tab="course_people")
def change_expected(request: HttpRequest, access: Access) -> HttpResponse:
    """Let in those of the ticked who have an account by now, or take them off the roster."""
    chosen = list(access.course.invitations.filter(pk__in=numbers(request.POST.getlist("chosen"))))
    if "drop" in request.POST:
        Invitation.objects.filter(pk__in=[invitation.pk for invitation in chosen]).delete()
        messages.success(request, f"{len(chosen)} taken off the list of those expected.")
    elif not may_enrol(request.user):
        messages.warning(request, "Here people join by themselves, with the link. Nobody was let in.")
    else:
        count = let_in(chosen, request.user)
        rest = access.course.invitations.filter(pk__in=[invitation.pk for invitation in chosen]).count()
        messages.success(request, f"{count} let in; {rest} of those ticked have no account yet.")
    return redirect(f"{request.path.removesuffix('expected/')}?show=expected")


@course_page(Capability.ATTEND, "GET", "HEAD", "POST", tab="course_people")
def person(request: HttpRequest, access: Access, member: int) -> HttpResponse:
    """What the course keeps about one person, and how they came and went; those who may change it do so here.

    For those who teach, and for everybody about themselves.
    """
    found = member_of(access, member)
    is_changeable = may_manage(access, found)
    if request.method == "POST" and not is_changeable:
        raise Http404("Not to be changed by this person")
    form = MemberForm(sent(request), instance=found, roles=roles_to_give(access, found))
    if form.is_valid():
        try:
            _save(form, found, request)
        except NotPossibleError as why:
            form.add_error("role", str(why))
        else:
            messages.success(request, "Saved.")
            return redirect("course_person", access.course.public_id, found.pk)
    context = {
        "member": found,
        "form": form if is_changeable else None,
        "may_let_back_in": not found.is_current and may_let_back_in(access, found, request.user),
        "events": found.events.select_related("by"),
    }
    return render(request, "classroom/person.html", context, status=status_of(form))


@course_page(Capability.CHANGE, "POST", tab="course_people")
def let_back_in(request: HttpRequest, access: Access, member: int) -> HttpResponse:
    """Take up the membership of somebody who is gone, in the role they had."""
    found = member_of(access, member)
    if not may_let_back_in(access, found, request.user):
        raise Http404("Not to be let in by this person")
    enrol(access.course, found.user, Role(found.role), MembershipEvent.Via.HAND, request.user)
    messages.success(request, f"{found.display_name} is in the course again.")
    return redirect("course_person", access.course.public_id, found.pk)


@transaction.atomic
def _save(form: MemberForm, member: Membership, request: HttpRequest) -> None:
    # The form has put what was typed on the member already; the role is changed by the one function that notes it.
    member.save(update_fields=["name", "student_number", "section", "login"])
    if form.cleaned_data.get("role"):
        change_role(member, Role(form.cleaned_data["role"]), request.user)
    if form.cleaned_data.get("invitation"):
        match(member, form.cleaned_data["invitation"])


@course_page(Capability.ATTEND, "GET", "HEAD", "POST", also_archived=True)
def leave_course(request: HttpRequest, access: Access) -> HttpResponse:
    """The way out, for everybody; what one did stays one's own."""
    if access.membership is None:
        raise Http404("Not in this course")
    error = ""
    if request.method == "POST":
        try:
            leave(access.membership)
        except NotPossibleError as why:
            error = str(why)
        else:
            messages.success(request, f"You have left {access.course}. Your tries and stars are still yours.")
            return redirect("courses")
    return render(request, "classroom/leave.html", {"error": error}, status=422 if error else 200)
