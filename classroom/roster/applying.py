"""Take over a roster as it was shown, all of it or nothing; add people by name."""

import re
from dataclasses import dataclass, replace

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from accounts.addresses import account_named
from accounts.models import User
from classroom.memberships import DETAILS, enrol, remove, set_details
from classroom.models import Course, Invitation, Membership, MembershipEvent, Role
from classroom.roster.planning import Plan, plan_roster
from classroom.roster.reading import Roster, Row

Via = MembershipEvent.Via


class OutdatedError(Exception):
    """The course has changed since the plan was shown; `plan` is what would happen now."""

    def __init__(self, plan: Plan) -> None:
        super().__init__("The course has changed since")
        self.plan = plan


@transaction.atomic
def apply_roster(
    course: Course, roster: Roster, by: AbstractBaseUser, may_enrol: bool, removes_missing: bool, digest: str
) -> Plan:
    """Do what a plan with this digest says. Raises OutdatedError if it would be something else by now."""
    # Two imports at once go one after the other, and the second sees what the first did.
    Course.objects.select_for_update().get(pk=course.pk)
    plan = plan_roster(course, roster, may_enrol, removes_missing)
    if plan.digest() != digest:
        raise OutdatedError(plan)
    carry_out(plan, by, Via.ROSTER)
    return plan


def carry_out(plan: Plan, by: AbstractBaseUser, via: Via) -> None:
    """Write what a plan says; to be called in a transaction."""
    for addition in plan.additions:
        enrol(plan.course, addition.user, Role.STUDENT, via, by, _details(addition.row))
    for change in plan.changes:
        if isinstance(change.person, Membership):
            set_details(change.person, _details(change.row))
        else:
            for name, _, after in change.differences:
                setattr(change.person, name, after)
            change.person.save()
    Invitation.objects.bulk_create(
        Invitation(course=plan.course, email=row.email, username=row.username, invited_by=by, **_details(row))  # type: ignore[misc]
        for row in plan.expected
    )
    if plan.removes_missing:
        remove(plan.missing, by)
        Invitation.objects.filter(pk__in=[invitation.pk for invitation in plan.missing_expected]).delete()


def _details(row: Row) -> dict[str, str]:
    return {name: getattr(row, name) for name in DETAILS}


@dataclass(frozen=True)
class Added:
    """What adding by hand did; with problems, nothing."""

    added: int = 0
    already: int = 0
    expected: int = 0
    problems: tuple[str, ...] = ()

    def in_words(self) -> str:
        parts = [f"{self.added} added"]
        if self.already:
            parts.append(f"{self.already} in the course already, and left as they are")
        if self.expected:
            parts.append(f"{self.expected} expected: they get in with the link")
        return "; ".join(parts) + "."


def rows_by_hand(typed: str) -> tuple[Row, ...]:
    """People typed one after the other, by e-mail or user name, separated by spaces, commas or lines."""
    names = dict.fromkeys(name.strip("<>\"'") for name in re.split(r"[\s,;]+", typed) if name.strip("<>\"'"))
    return tuple(
        Row(number, email=name.lower()) if "@" in name else Row(number, username=name)
        for number, name in enumerate(names, 1)
    )


@transaction.atomic
def add_by_hand(course: Course, rows: tuple[Row, ...], role: Role, by: AbstractBaseUser, may_enrol: bool) -> Added:
    """Add people by e-mail or user name.

    Students without an account are expected, if an e-mail says who they are: a mistyped user name is a mistake.
    """
    Course.objects.select_for_update().get(pk=course.pk)
    plan = plan_roster(course, Roster(rows), may_enrol)
    problems = [f"{rows[problem.number - 1]} {problem.text}." for problem in plan.problems]
    if role != Role.STUDENT:
        problems += [f"{row} has not joined yet. First with the link, then the role." for row in plan.expected]
    elif may_enrol:
        problems += [f"No account is called {row.username}." for row in plan.expected if not row.email]
    if problems:
        return Added(problems=tuple(problems))
    for addition in plan.additions:
        enrol(course, addition.user, role, Via.HAND, by)
    plan, additions = replace(plan, additions=[]), len(plan.additions)
    carry_out(plan, by, Via.HAND)
    return Added(additions, plan.unchanged, len(plan.expected))


@transaction.atomic
def let_in(invitations: list[Invitation], by: AbstractBaseUser) -> int:
    """Let those in who are expected and have an account by now; return how many.

    Whoever is in already, having joined before the account had the roster's e-mail, gets what the roster says.
    """
    count = 0
    for invitation in invitations:
        user = account_of(invitation)
        if user is None:
            continue
        details = {name: getattr(invitation, name) for name in DETAILS}
        count += enrol(invitation.course, user, Role.STUDENT, Via.HAND, by, details).is_new
        invitation.delete()
    return count


def account_of(invitation: Invitation) -> User | None:
    """The account of somebody who is expected, if one has the roster's e-mail or else its user name."""
    by_email = account_named(invitation.email) if invitation.email else None
    return by_email or (account_named(invitation.username) if invitation.username else None)


@transaction.atomic
def match(membership: Membership, invitation: Invitation) -> None:
    """Say that somebody who joined is somebody who was expected: the roster's details become theirs."""
    set_details(membership, {name: getattr(invitation, name) for name in DETAILS})
    invitation.delete()
