"""Which courses an own mission is published to."""

from django.conf import settings
from django.db import models

from classroom.models.course import Course
from missions.models import Mission


class Publication(models.Model):
    """A mission that somebody who teaches wrote, open to everybody in a course; see classroom.opening."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="publications")
    mission = models.ForeignKey(Mission, on_delete=models.CASCADE, related_name="publications")
    published_at = models.DateTimeField(auto_now_add=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        verbose_name = "own mission"
        ordering = ["published_at"]
        constraints = [
            models.UniqueConstraint(fields=["course", "mission"], name="publication_one_per_course"),
        ]

    def __str__(self) -> str:
        return f"{self.mission} · {self.course}"

    def get_additional_data(self) -> dict[str, object]:
        """For the log of changes, see classroom.audit."""
        return {"course": self.course.public_id, "about": self.mission.title}
