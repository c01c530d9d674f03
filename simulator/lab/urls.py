"""Addresses of the lab."""

from django.urls import path

from simulator.lab import views

urlpatterns = [
    path("", views.lab, {"world": "candidates"}, name="lab"),
    path("reasoning/", views.lab, {"world": "reasoning"}, name="lab_reasoning"),
    path("assumptions/", views.lab_assumptions, name="lab_assumptions"),
    path("reasoning/assumptions/", views.lab_reasoning_assumptions, name="lab_reasoning_assumptions"),
    path("limits/", views.lab_limits, name="lab_limits"),
]
