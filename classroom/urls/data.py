"""What is kept about a course: the log of changes, a copy, the end."""

from django.urls import path

from classroom.views import data

urlpatterns = [
    path("courses/<slug:public_id>/changes/", data.changes, name="course_changes"),
    path("courses/<slug:public_id>/export/", data.export, name="export_course"),
    path("courses/<slug:public_id>/erase/", data.erase, name="erase_course"),
]
