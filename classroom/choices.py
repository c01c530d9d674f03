"""What a student lets others in a course see: a try on the wall, a name on the leaderboard. Theirs alone to choose.

Nothing here is logged as a change by somebody who teaches, and no page of theirs says who has which name.
"""

from django.db import IntegrityError, transaction

from classroom.handles import problem_with, suggestions
from classroom.models import Course, Membership, Role


class NotPossibleNameError(Exception):
    """A name that can't be chosen; the message is for the student."""


def let_reveal(member: Membership, may: bool) -> None:
    """Say whether tries may be shown, without a name, in the lecture. Holds from the next request on."""
    Membership.objects.filter(pk=member.pk).update(may_reveal=may)
    member.may_reveal = may


def choose_name(member: Membership, name: str) -> None:
    """Be on the leaderboard under a cleaned name. Raises NotPossibleNameError, with why."""
    problem = problem_with(name, names_of_others(member), real_names(member))
    if not problem and member.name_taken_off and name.casefold() == member.name_taken_off.casefold():
        problem = "That name was taken off the leaderboard. Choose another one."
    if problem:
        raise NotPossibleNameError(problem)
    try:
        with transaction.atomic():
            Membership.objects.filter(pk=member.pk).update(leaderboard_name=name)
    except IntegrityError:
        # Two chose it at the same moment; the database let one of them have it.
        raise NotPossibleNameError("Somebody on the leaderboard has that name, or one that looks like it.") from None
    member.leaderboard_name = name


def leave_leaderboard(member: Membership) -> None:
    """Be on it no longer. The name is forgotten, and free for others."""
    Membership.objects.filter(pk=member.pk).update(leaderboard_name="")
    member.leaderboard_name = ""


def offered_names(member: Membership) -> list[str]:
    """Random names that the student could have now."""
    return suggestions(names_of_others(member), real_names(member))


def names_of_others(member: Membership) -> list[str]:
    """The names of a course's leaderboard but for one's own; also of those who left, who may come back to theirs."""
    others = Membership.objects.filter(course=member.course_id).exclude(pk=member.pk)
    return list(others.exclude(leaderboard_name="").values_list("leaderboard_name", flat=True))


def real_names(member: Membership) -> list[str]:
    """Whatever of somebody would tell who they are, and the names of those who teach, whom nobody is to pretend to be.

    Not those of other students: which names are refused would tell who is in the course.
    """
    user = member.user
    own = [member.name, member.student_number, member.login, user.username, user.email, user.get_full_name()]
    staff = Membership.objects.current().filter(course=member.course_id).exclude(role=Role.STUDENT)
    columns = ("name", "user__username", "user__first_name", "user__last_name")
    return [text for text in (*own, *(text for row in staff.values_list(*columns) for text in row)) if text]


def take_off(course: Course, name: str) -> bool:
    """Take a name off a course's leaderboard, whoever has it; return whether somebody had.

    For names that hurt or mislead. Who takes it off isn't told whose it was; the student reads that it is gone, and
    can choose another.
    """
    found = Membership.objects.filter(course=course, leaderboard_name=name).exclude(leaderboard_name="")
    return bool(found.update(leaderboard_name="", name_taken_off=name))
