"""Addresses of the lab."""

from django.urls import path
from django.views.generic import TemplateView

urlpatterns = [
    path("", TemplateView.as_view(template_name="site/home.html"), name="lab"),
    path("assumptions/", TemplateView.as_view(template_name="site/home.html"), name="lab_assumptions"),
    path("limits/", TemplateView.as_view(template_name="site/home.html"), name="lab_limits"),
]
