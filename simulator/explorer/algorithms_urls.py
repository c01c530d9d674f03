"""Address of the page of all algorithms."""

from django.urls import path

from simulator.explorer.why import views

urlpatterns = [path("", views.algorithms, name="algorithms")]
