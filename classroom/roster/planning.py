"""What taking over a roster would do to a course: found out by looking, before anything is changed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256

from django.db.models.functions import Lower

from accounts.models import User
from classroom.memberships import DETAILS
from classroom.models import Course, Invitation, Membership, Role
from classroom.roster.reading import Problem, Roster, Row

# Databases refuse statements with too many values.
AT_ONCE = 500


@dataclass(frozen=True)
class Addition:
    """Somebody with an account who gets in, or `is_back` in."""

    row: Row
    user: User
    is_back: bool = False


@dataclass(frozen=True)
class Change:
    """Somebody who is in or expected already, and what the roster says differently of them."""

    row: Row
    person: Membership | Invitation
    differences: tuple[tuple[str, str, str], ...]  # field, before, after

    def in_words(self) -> list[tuple[str, str, str]]:
        return [(name.replace("_", " "), before, after) for name, before, after in self.differences]


@dataclass
class Plan:
    """All that a roster would change in a course."""

    course: Course
    additions: list[Addition] = field(default_factory=list)
    expected: list[Row] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)
    missing: list[Membership] = field(default_factory=list)  # students who aren't in the file
    missing_expected: list[Invitation] = field(default_factory=list)
    removes_missing: bool = False

    @property
    def removals(self) -> int:
        return len(self.missing) + len(self.missing_expected) if self.removes_missing else 0

    @property
    def does_nothing(self) -> bool:
        return not (self.additions or self.expected or self.changes or self.removals)

    def in_words(self) -> str:
        """What was done, when it was."""
        parts = [f"{len(self.additions)} let in", f"{len(self.expected)} expected", f"{len(self.changes)} changed"]
        if self.removes_missing:
            parts.append(f"{self.removals} removed")
        if self.problems:
            parts.append(f"{len(self.problems)} left out because of a problem")
        return f"The roster is taken over: {', '.join(parts)}; {self.unchanged} were up to date."

    def digest(self) -> str:
        """Names what the plan would do, so that only what was shown is done."""
        # The row's number is left out: what is shown and what is sent back may be numbered differently.
        lines = [f"add {a.user.pk} {replace(a.row, number=0)!r}" for a in self.additions]
        lines += [f"expect {replace(row, number=0)!r}" for row in self.expected]
        lines += [f"change {type(c.person).__name__} {c.person.pk} {c.differences}" for c in self.changes]
        if self.removes_missing:
            lines += [f"remove {m.pk}" for m in self.missing] + [f"drop {i.pk}" for i in self.missing_expected]
        return sha256("\n".join(lines).encode()).hexdigest()


def plan_roster(course: Course, roster: Roster, may_enrol: bool, removes_missing: bool = False) -> Plan:
    """Compare a roster with a course; changes nothing.

    Without `may_enrol`, nobody is let in who has not joined themselves: all who are new are expected.
    """
    plan = Plan(course, problems=list(roster.problems), removes_missing=removes_missing)
    people = _People(course, roster.rows, may_enrol)
    met: dict[tuple[str, int], int] = {}
    for row in roster.rows:
        person, why = people.find(row)
        if person is not None and (key := (type(person).__name__, person.pk)) in met:
            person, why = None, f"is the same person as row {met[key]}"
        if why:
            plan.problems.append(Problem(row.number, why))
            continue
        if person is not None:
            met[(type(person).__name__, person.pk)] = row.number
        _sort_in(plan, row, person)
    plan.problems.sort(key=lambda problem: problem.number)
    named = {pk for kind, pk in met if kind == "Membership"}
    noted = {pk for kind, pk in met if kind == "Invitation"}
    plan.missing = [m for m in people.members if m.is_current and m.role == Role.STUDENT and m.pk not in named]
    plan.missing_expected = [i for i in people.invitations if i.pk not in noted]
    return plan


def _sort_in(plan: Plan, row: Row, person: "Membership | Invitation | User | None") -> None:
    if person is None:
        plan.expected.append(row)
    elif isinstance(person, User):
        plan.additions.append(Addition(row, person))
    elif isinstance(person, Membership) and not person.is_current:
        plan.additions.append(Addition(row, person.user, is_back=True))  # type: ignore[arg-type]
    elif differences := tuple(_differences(row, person)):
        plan.changes.append(Change(row, person, differences))
    else:
        plan.unchanged += 1


def _differences(row: Row, person: Membership | Invitation) -> Iterator[tuple[str, str, str]]:
    """Where a roster says something else; an empty cell says nothing."""
    names = (*DETAILS, "email", "username") if isinstance(person, Invitation) else DETAILS
    for name in names:
        before, after = getattr(person, name), getattr(row, name)
        if after and before != after:
            yield name, before, after


class _People:
    """Who the rows of a roster may mean: those in the course, those expected, and accounts."""

    def __init__(self, course: Course, rows: Iterable[Row], may_enrol: bool) -> None:
        self.members = list(Membership.objects.filter(course=course).select_related("user").order_by("pk"))
        self.invitations = list(course.invitations.order_by("pk"))
        self.by_user = {member.user_id: member for member in self.members}
        self.invited = {("email", i.email.casefold()): i for i in self.invitations if i.email}
        self.invited |= {("username", i.username.casefold()): i for i in self.invitations if i.username}
        # Without the right to let people in, nothing is to be learned about who has an account.
        users = _accounts(rows) if may_enrol else [member.user for member in self.members if member.is_current]
        self.by_email = {user.email.casefold(): user for user in users if user.email}
        self.by_name = {user.username.casefold(): user for user in users}

    def find(self, row: Row) -> tuple[Membership | Invitation | User | None, str]:
        """Whom a row means, None for somebody new, and why it is unclear."""
        email, name = row.email.casefold(), User.normalize_username(row.username).casefold()
        of_email = (self.by_email.get(email) or self.by_name.get(email)) if email else None
        of_name = self.by_name.get(name) if name else None
        if of_email and of_name and of_email.pk != of_name.pk:
            return None, f"names two accounts: the e-mail is {of_email.username}’s, the user name {of_name.username}’s"
        if of_name and not of_email and email and of_name.email:
            return None, f"has an e-mail that isn’t the one of the account {of_name.username}"
        user = of_email or of_name
        if user is not None and (member := self.by_user.get(user.pk)) is not None:
            return member, ""
        noted = {i.pk: i for key in (("email", email), ("username", name)) if (i := self.invited.get(key))}
        if len(noted) > 1:
            return None, "names two who are expected: one by the e-mail, the other by the user name"
        return next(iter(noted.values()), user), ""


def _accounts(rows: Iterable[Row]) -> list[User]:
    """The accounts that rows may mean, by e-mail or user name in any case."""
    emails = {row.email.lower() for row in rows if row.email}
    names = {User.normalize_username(row.username).lower() for row in rows if row.username}
    found: dict[int, User] = {}
    for field_name, values in (("email", emails), ("username", names | emails)):
        listed = sorted(values)
        for start in range(0, len(listed), AT_ONCE):
            users = User.objects.annotate(key=Lower(field_name)).filter(key__in=listed[start : start + AT_ONCE])
            found |= {user.pk: user for user in users}
    return list(found.values())
