"""The way in. Short addresses: they are written on boards."""

from django.urls import path

from classroom.views import joining

urlpatterns = [
    path("join/", joining.enter_code, name="join"),
    path("join/<str:code>/", joining.join_with, name="join_with"),
]
