"""Addresses of the missions and of the student's own pages."""

from django.urls import path
from django.views.generic import TemplateView

urlpatterns = [
    path("", TemplateView.as_view(template_name="site/home.html"), name="home"),
    path("missions/", TemplateView.as_view(template_name="site/home.html"), name="map"),
    path("me/", TemplateView.as_view(template_name="site/home.html"), name="me"),
]
