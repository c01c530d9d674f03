"""Grades and the files they are handed in with."""

from django.urls import path, register_converter

from classroom.views import grades


class ShapeConverter:
    """The files of grades that there are; anything else is no address."""

    regex = "canvas|moodle|blackboard|lossless"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(ShapeConverter, "grade_shape")

urlpatterns = [
    path("courses/<slug:public_id>/grades/", grades.grades, name="course_grades"),
    path("courses/<slug:public_id>/grades/export/", grades.export_grades, name="export_grades"),
    path("courses/<slug:public_id>/grades/<grade_shape:shape>.csv", grades.grade_file, name="grade_file"),
    path("courses/<slug:public_id>/grades/<int:member>/", grades.student_grades, name="student_grades"),
]
