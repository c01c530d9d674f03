"""The leaderboard of a course, and what those who teach do with it. Where it is off, there is none for anybody."""

from auditlog.models import LogEntry
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from classroom.access import Access, Capability, course_page
from classroom.choices import take_off
from classroom.leaderboard.board import board_of
from classroom.leaderboard.ranking import RULE_IN_WORDS
from classroom.models import Role

TAB = "course_leaderboard"


@course_page(Capability.ATTEND, tab=TAB)
def leaderboard(request: HttpRequest, access: Access) -> HttpResponse:
    """Names with their stars, best first: the same for students and for those who teach."""
    _needs_board(access)
    member = access.membership
    is_student = member is not None and member.role == Role.STUDENT
    context = {
        "board": board_of(access.course, member if is_student else None),
        "is_student": is_student,
        "rule": RULE_IN_WORDS,
    }
    return render(request, "classroom/leaderboard.html", context)


@course_page(Capability.CHANGE, "POST", tab=TAB)
def freeze(request: HttpRequest, access: Access) -> HttpResponse:
    """Let only tries up to now count from here on or, with `thaw`, all of them again."""
    _needs_board(access)
    course = access.course
    if "thaw" in request.POST:
        course.leaderboard_frozen_at = None
        messages.success(request, "The leaderboard moves again: all tries count, also those made while it was frozen.")
    elif course.leaderboard_frozen_at is None:
        course.leaderboard_frozen_at = timezone.now()
        messages.success(request, "The leaderboard is frozen: tries from now on do not count on it.")
    # By the model and not in the database alone, so that the log of changes has it.
    course.save(update_fields=["leaderboard_frozen_at"])
    return redirect("course_leaderboard", course.public_id)


@course_page(Capability.OWN, "POST", tab=TAB, also_archived=True)
def take_name_off(request: HttpRequest, access: Access) -> HttpResponse:
    """Take a name off that hurts or misleads. Whose it is stays unsaid, here as in the log."""
    _needs_board(access)
    name = request.POST.get("name", "")
    if name and take_off(access.course, name):
        change = {"name on the leaderboard": [name, None]}
        LogEntry.objects.log_create(access.course, action=LogEntry.Action.UPDATE, changes=change)
        messages.success(request, f"“{name}” is off the leaderboard. Whoever had it reads so and can choose another.")
    else:
        messages.warning(request, "Nobody on the leaderboard has that name.")
    return redirect("course_leaderboard", access.course.public_id)


def _needs_board(access: Access) -> None:
    if not access.course.has_leaderboard:
        raise Http404("No leaderboard in this course")
