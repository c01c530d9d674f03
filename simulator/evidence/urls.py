"""Address of the evidence page."""

from django.urls import path

from simulator.evidence import views

urlpatterns = [path("", views.evidence, name="evidence")]
