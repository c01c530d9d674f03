"""A class as a whole: at one mission, on the wall of the lecture hall, and over the term."""

from django.urls import path

from classroom.views import mission, wall

MISSION = "courses/<slug:public_id>/missions/<slug:slug>/"

urlpatterns = [
    path(MISSION, mission.mission, name="course_mission"),
    path(f"{MISSION}wall/", wall.projector, name="course_projector"),
]
