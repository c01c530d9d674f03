"""Courses themselves: the list, one's page, and what an owner does with it."""

from django.urls import path

from classroom.views import courses

urlpatterns = [
    path("courses/", courses.course_list, name="courses"),
    path("courses/new/", courses.new_course, name="new_course"),
    path("courses/<slug:public_id>/", courses.course, name="course"),
    path("courses/<slug:public_id>/settings/", courses.course_settings, name="course_settings"),
    path("courses/<slug:public_id>/copy/", courses.copy, name="copy_course"),
    path("courses/<slug:public_id>/archive/", courses.archive, name="archive_course"),
    path("courses/<slug:public_id>/unarchive/", courses.unarchive, name="unarchive_course"),
]
