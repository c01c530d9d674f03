"""Addresses of the missions and of the student's own pages."""

from django.urls import path

from missions.views import look, me, mission, run
from missions.views import map as map_views

urlpatterns = [
    path("", map_views.home, name="home"),
    path("missions/", map_views.mission_map, name="map"),
    path("missions/<slug:slug>/", mission.mission_page, name="mission"),
    path("missions/<slug:slug>/draft/", mission.save_draft_view, name="draft"),
    path("missions/<slug:slug>/train/", mission.train, name="train"),
    path("missions/<slug:slug>/answer/", look.answer, name="answer"),
    path("missions/<slug:slug>/tries/<int:number>/", mission.try_page, name="try"),
    path("attempts/<int:pk>/run/", run.attempt_run, name="attempt_run"),
    path("me/", me.me, name="me"),
    path("me/export/", me.export, name="export"),
    path("me/delete/", me.delete_account, name="delete_account"),
]
