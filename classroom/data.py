"""What is kept about a person in courses, and about a course: to take along, and to erase."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import transaction

from classroom.audit import changes_in
from classroom.models import Course, Extension, Membership, MembershipEvent, UnlockOverride
from classroom.results import Cell, class_results

MOST_CHANGES = 100_000

# Of a membership, what is copied into an export as it is.
_DETAILS = ("role", "name", "student_number", "section", "login", "end")
# What somebody chose to show; who has which name on the leaderboard is in nobody's file but their own.
_CHOICES = ("may_reveal", "leaderboard_name", "name_taken_off")
_RULES = (
    *("name", "term", "description", "time_zone", "mission_order", "late_policy", "stuck_after_tries"),
    *("has_leaderboard", "asks_to_reveal"),
)


def memberships_of(user: AbstractUser) -> list[dict[str, Any]]:
    """Everything that courses keep about one person, as plain JSON values. Others' names stay out."""
    found = []
    for member in Membership.objects.filter(user=user).select_related("course"):
        extensions = Extension.objects.filter(membership=member).select_related("assignment__mission")
        unlocks = UnlockOverride.objects.filter(membership=member).select_related("mission")
        found.append(
            {"course": str(member.course)}
            | _member(member)
            | {name: getattr(member, name) for name in _CHOICES}
            | {
                "history": [_event(event) for event in member.events.all()],
                "extensions": [
                    {"mission": e.assignment.mission.slug, "due_at": _iso(e.due_at), "reason": e.reason}
                    for e in extensions
                ],
                "missions_opened_early": [
                    {"mission": unlock.mission.slug, "granted_at": _iso(unlock.granted_at)} for unlock in unlocks
                ],
            }
        )
    return found


def export_course(course: Course) -> dict[str, Any]:
    """A course with its people and where they stand, as plain JSON values.

    Attempts belong to the persons and are not in it, only what the course makes of them.
    """
    results = class_results(course)
    everybody = Membership.objects.filter(course=course).select_related("user")
    return {
        "course": {name: getattr(course, name) for name in _RULES}
        | {
            "late_percent": str(course.late_percent),
            "created_at": _iso(course.created_at),
            "archived_at": _iso(course.archived_at),
            "leaderboard_frozen_at": _iso(course.leaderboard_frozen_at),
        },
        "assignments": [
            {
                "mission": row.mission.slug,
                "opens_at": _iso(row.opens_at),
                "due_at": _iso(row.due_at),
                "points": [str(p) for p in (row.points_no_star, row.points_one_star, row.points_two_stars)]
                + [str(row.points_three_stars)],
            }
            for row in results.assignments
        ],
        "own_missions": [
            {
                "mission": one.mission.slug,
                "title": one.mission.title,
                "revision": one.mission.revision,
                "published_at": _iso(one.published_at),
            }
            for one in course.publications.select_related("mission")
        ],
        "people": [{"username": member.user.get_username()} | _member(member) for member in everybody],
        "standing": [
            {"username": row.member.user.get_username(), "missions": [_cell(cell) for cell in row.cells]}
            for row in results.rows
        ],
        "changes": [
            {"at": _iso(change.at), "by": change.by, "what": change.what, "details": change.details}
            for change in changes_in(course, MOST_CHANGES)
        ],
    }


@transaction.atomic
def erase_course(course: Course) -> None:
    """Delete a course with its memberships, dates, extensions and log. Accounts and attempts stay with the persons."""
    course.delete()


def _member(member: Membership) -> dict[str, Any]:
    details = {name: getattr(member, name) for name in _DETAILS}
    return details | {"joined_at": _iso(member.joined_at), "ended_at": _iso(member.ended_at)}


def _event(event: MembershipEvent) -> dict[str, Any]:
    return {"at": _iso(event.at), "what": event.kind, "role": event.role, "via": event.via}


def _cell(cell: Cell) -> dict[str, Any]:
    counted = cell.score.counted
    return {
        "mission": cell.assignment.mission.slug,
        "stars": cell.stars,
        "tries": cell.tries,
        "passed": cell.is_passed,
        "last_tried_at": _iso(cell.last_tried_at),
        "due_at": _iso(cell.due_at),
        "points": str(cell.score.points),
        "counted_try": counted.number if counted else None,
        "days_late": cell.score.days_late,
    }


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
