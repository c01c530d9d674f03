"""A course over its term."""

from django.urls import path

from classroom.views import summary

urlpatterns = [
    path("courses/<slug:public_id>/summary/", summary.summary, name="course_summary"),
]
