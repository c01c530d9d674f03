"""A class as a whole: at one mission, on the wall of the lecture hall, and over the term."""

from django.urls import path

from classroom.views import leaderboard, mission, wall

MISSION = "courses/<slug:public_id>/missions/<slug:slug>/"
BOARD = "courses/<slug:public_id>/leaderboard/"

urlpatterns = [
    path(MISSION, mission.mission, name="course_mission"),
    path(f"{MISSION}wall/", wall.projector, name="course_projector"),
    path(BOARD, leaderboard.leaderboard, name="course_leaderboard"),
    path(f"{BOARD}freeze/", leaderboard.freeze, name="freeze_leaderboard"),
    path(f"{BOARD}take-off/", leaderboard.take_name_off, name="take_name_off"),
]
