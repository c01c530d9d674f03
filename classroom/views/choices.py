"""A student's own choices in a course."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from classroom.access import Access, Capability, course_page
from classroom.choices import leave_leaderboard, let_reveal, offered_names
from classroom.forms.choices import NameForm
from classroom.models import Role


# Also in an archived course, where the wall and the leaderboard can still be read: nobody has to stay on them.
@course_page(Capability.ATTEND, "GET", "HEAD", "POST", also_archived=True)
def choices(request: HttpRequest, access: Access) -> HttpResponse:
    """Whether a try may be shown in the lecture, and which name is on the leaderboard, if any."""
    member, course = access.membership, access.course
    if member is None or member.role != Role.STUDENT:
        raise Http404("Only students have choices")
    chosen = request.POST.get("choice", "") if request.method == "POST" else ""
    is_named = chosen == "name" and course.has_leaderboard
    form = NameForm(request.POST if is_named else None, member=member)
    if chosen == "reveal":
        let_reveal(member, "may_reveal" in request.POST)
        may = "may be shown, without a name" if member.may_reveal else "are not shown, from now on"
        messages.success(request, f"Saved: your tries {may}.")
    elif chosen == "leave":
        leave_leaderboard(member)
        messages.success(request, "You are not on the leaderboard any more, and your name there is forgotten.")
    elif is_named and form.is_valid():
        messages.success(request, f"You are on the leaderboard now, as {member.leaderboard_name}.")
    if request.method == "POST" and not form.errors:
        return redirect("course_choices", course.public_id)
    context = {
        "member": member,
        "form": form,
        "offered": offered_names(member) if course.has_leaderboard else [],
        "has_any": course.asks_to_reveal or course.has_leaderboard or member.may_reveal or member.leaderboard_name,
    }
    return render(request, "classroom/choices.html", context, status=422 if form.errors else 200)
