"""How far a class and each of its students are."""

from django.urls import path

from classroom.views import progress, students

STUDENT = "courses/<slug:public_id>/students/<int:member>/"

urlpatterns = [
    path("courses/<slug:public_id>/progress/", progress.progress, name="course_progress"),
    path("courses/<slug:public_id>/progress.csv", progress.progress_csv, name="progress_csv"),
    path(STUDENT, students.student, name="course_student"),
    path(f"{STUDENT}missions/<slug:slug>/", students.student_mission, name="course_student_mission"),
    path(f"{STUDENT}missions/<slug:slug>/tries/<int:number>/", students.student_try, name="course_student_try"),
]
