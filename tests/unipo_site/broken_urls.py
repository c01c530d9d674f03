"""The site with a page that fails and one that is throttled, for the tests of the error pages."""

from allauth.core.internal.ratelimit import respond_429
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import path

from unipo_site.urls import urlpatterns as site


def fail(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("broken on purpose")


def refuse(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


urlpatterns = [
    *site,
    path("fail/", fail),
    path("refuse/", refuse),
    path("busy/", respond_429),
]
