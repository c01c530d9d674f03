"""Write a course's roster as a CSV file that changes nothing when it is read back."""

import csv
import io
from collections.abc import Iterable, Iterator

from classroom.cells import safe_cell
from classroom.memberships import DETAILS
from classroom.models import Course, Membership
from classroom.roster.reading import Row

# Headings as they are written, with the field that each names; roster.reading knows them all.
COLUMNS = {
    "E-mail": "email",
    "User name": "username",
    "Name": "name",
    "Student number": "student_number",
    "Section": "section",
    "Login": "login",
}


def roster_of(course: Course) -> Iterator[Row]:
    """The students of a course, and those expected, as rows of a roster."""
    number = 1
    for member in Membership.objects.current().students().filter(course=course).by_name():
        number += 1
        details = {name: getattr(member, name) for name in DETAILS}
        yield Row(number, member.user.email, member.user.get_username(), **details)
    for invitation in course.invitations.all():
        number += 1
        details = {name: getattr(invitation, name) for name in DETAILS}
        yield Row(number, invitation.email, invitation.username, **details)


def written(rows: Iterable[Row]) -> str:
    """A roster as a CSV file that `read_roster` reads back the same."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(safe_cell(getattr(row, name)) for name in COLUMNS.values())
    return out.getvalue()
