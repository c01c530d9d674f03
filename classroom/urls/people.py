"""Who is in a course, and the ways in and out."""

from django.urls import path

from classroom.views import people

urlpatterns = [
    path("courses/<slug:public_id>/people/", people.people, name="course_people"),
]
