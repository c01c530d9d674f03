"""The version of what a grid shows: cheap to read, and different whenever something on the page is.

An open grid asks for it every quarter of a minute. Where it is the same, nothing is sent; where only tries were added,
only the rows of those who made them are.
"""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Count, Max, Sum

from classroom.results import ClassResults, Roll, Row
from missions.models import Progress

SLACK = timedelta(minutes=1)
"""A try is dated when its transaction begins, so one with a later date may be there before it."""

STEP = timedelta(minutes=10)
"""So often a page is sent anew although nothing happened: whoever was active or stuck is no longer, after a while."""


@dataclass(frozen=True)
class Version:
    """`fixed` stands for all but tries: people, missions, rules, and the time, in steps, as some rows change by age."""

    fixed: str
    changed_at: datetime | None
    tries: int
    unlocked: int

    def __str__(self) -> str:
        moment = f"{self.changed_at.astimezone(UTC):%Y%m%d%H%M%S.%f}" if self.changed_at else "never"
        return f"{self.fixed}-{moment}-{self.tries}-{self.unlocked}"

    @classmethod
    def of(cls, roll: Roll, results: ClassResults) -> "Version":
        """The version of results that are at hand."""
        cells = [cell for row in results.rows for cell in row.cells]
        return cls(
            _fixed(roll, results.at),
            max((at for row in results.rows if (at := row.changed_at)), default=None),
            sum(cell.tries for cell in cells),
            sum(cell.unlocked_at is not None for cell in cells),
        )

    @classmethod
    def read(cls, roll: Roll, at: datetime) -> "Version":
        """The version of the results that `results_for` would give; in one query."""
        found = Progress.objects.filter(user__in=roll.users, mission__in=roll.missions).aggregate(
            last_tried=Max("last_tried_at"),
            last_unlocked=Max("unlocked_at"),
            all_tries=Sum("tries", default=0),
            all_unlocked=Count("unlocked_at"),
        )
        moments = [moment for moment in (found["last_tried"], found["last_unlocked"]) if moment]
        return cls(_fixed(roll, at), max(moments, default=None), found["all_tries"], found["all_unlocked"])

    def changed_rows(self, known: str, results: ClassResults) -> set[int] | None:
        """Ids of the members whose rows may differ from a version that a page has; None where all may."""
        fixed, _, rest = known.partition("-")
        moment, _, counts = rest.partition("-")
        tries, _, unlocked = counts.partition("-")
        try:
            since = datetime.strptime(moment, "%Y%m%d%H%M%S.%f").replace(tzinfo=UTC) - SLACK
            is_added_to = int(tries) <= self.tries and int(unlocked) <= self.unlocked
        except ValueError:
            return None
        if fixed != self.fixed or not is_added_to:
            return None
        return {row.member.pk for row in results.rows if _changed_since(row, since)}


def _changed_since(row: Row, since: datetime) -> bool:
    return row.changed_at is not None and row.changed_at >= since


def _fixed(roll: Roll, at: datetime) -> str:
    course = roll.course
    said = (
        int(at.timestamp() // STEP.total_seconds()),
        (course.name, course.term, course.time_zone, course.archived_at),
        (course.mission_order, course.late_policy, course.late_percent, course.stuck_after_tries),
        [(m.pk, m.name, m.student_number, m.section, m.user.username) for m in roll.members],
        [
            (
                *(a.pk, a.mission_id, a.mission.title, a.mission.is_retired, a.opens_at, a.due_at),
                *(a.points_no_star, a.points_one_star, a.points_two_stars, a.points_three_stars),
            )
            for a in roll.assignments
        ],
        sorted(roll.extensions.items()),
    )
    return hashlib.blake2b(repr(said).encode(), digest_size=8).hexdigest()
