"""Addresses of the course pages: one module for each part of a course, all under /courses/ and /join/."""

from classroom.urls import assignments, authoring, courses, data, grades, joining, overview, people, progress

urlpatterns = [
    *courses.urlpatterns,
    *joining.urlpatterns,
    *people.urlpatterns,
    *data.urlpatterns,
    *assignments.urlpatterns,
    *grades.urlpatterns,
    *progress.urlpatterns,
    *overview.urlpatterns,
    *authoring.urlpatterns,
]
