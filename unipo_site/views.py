"""Pages that belong to the site as a whole."""

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from unipo_site.context import THEMES


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Remember light, dark or system in a cookie and return to the page."""
    theme = request.POST.get("theme", "")
    back = request.POST.get("next", "/")
    if not back.startswith("/") or not url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        back = "/"
    response = HttpResponseRedirect(back)
    if theme in THEMES:
        response.set_cookie(
            "theme",
            theme,
            max_age=60 * 60 * 24 * 365,
            secure=settings.SESSION_COOKIE_SECURE,
            samesite="Lax",
            httponly=True,
        )
    return response


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    return render(request, "site/privacy.html")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Answer browsers that ask at the usual address, on pages that don't name the logo: errors, operators' pages."""
    return redirect(static("logo.svg"))


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Say whether this process serves and its database answers; for monitors."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "403_csrf.html", status=403)
