"""Addresses of the explorer."""

from django.urls import path

from simulator.explorer import views

urlpatterns = [
    path("", views.run, name="run"),
    path("metrics.csv", views.metrics, name="run_metrics"),
    path("log/<slug:kind>/", views.export, name="run_export"),
]
