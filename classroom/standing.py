"""How a student stands in a course: what is assigned, for when, and how far they are."""

from dataclasses import dataclass
from datetime import datetime

from classroom.access import Access
from classroom.models import Assignment, Extension
from missions.models import Progress


@dataclass(frozen=True)
class AssignedMission:
    """One assignment as one student sees it, with their own due date."""

    assignment: Assignment
    due_at: datetime | None
    is_extended: bool
    progress: Progress | None

    @property
    def stars(self) -> int:
        return self.progress.best_stars if self.progress else 0

    @property
    def tries(self) -> int:
        return self.progress.tries if self.progress else 0

    @property
    def is_passed(self) -> bool:
        return self.progress is not None and self.progress.passed_at is not None


@dataclass(frozen=True)
class Standing:
    missions: list[AssignedMission]

    @property
    def passed(self) -> int:
        return sum(row.is_passed for row in self.missions)

    @property
    def stars(self) -> int:
        return sum(row.stars for row in self.missions)

    @property
    def most_stars(self) -> int:
        return 3 * len(self.missions)


def own_standing(access: Access) -> Standing:
    """What is assigned to the visitor, in the course's order, and how far they are; in three reads."""
    assert access.membership is not None
    assignments = list(access.course.assignments.select_related("mission"))
    extended = dict(
        Extension.objects.filter(membership=access.membership).values_list("assignment_id", "due_at"),
    )
    rows = Progress.objects.filter(user=access.membership.user_id, mission__in=[a.mission_id for a in assignments])
    progress = {row.mission_id: row for row in rows}
    return Standing(
        [
            AssignedMission(
                assignment,
                extended.get(assignment.pk, assignment.due_at),
                assignment.pk in extended,
                progress.get(assignment.mission_id),
            )
            for assignment in assignments
        ]
    )
