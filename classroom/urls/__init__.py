"""Addresses of the course pages: one module for each part of a course, all under /courses/ and /join/."""

from classroom.urls import (
    assignments,
    authoring,
    check,
    courses,
    data,
    grades,
    joining,
    overview,
    people,
    progress,
    summary,
)

urlpatterns = [
    *courses.urlpatterns,
    *joining.urlpatterns,
    *people.urlpatterns,
    *data.urlpatterns,
    *assignments.urlpatterns,
    *grades.urlpatterns,
    *progress.urlpatterns,
    *overview.urlpatterns,
    *summary.urlpatterns,
    *authoring.urlpatterns,
    *check.urlpatterns,
]
