"""What every template may use."""

from django.conf import settings
from django.http import HttpRequest

THEMES = ("system", "light", "dark")


def theme_of(request: HttpRequest) -> str:
    """Return the theme the visitor chose, or "system"."""
    theme = request.COOKIES.get("theme", "system")
    return theme if theme in THEMES else "system"


def site(request: HttpRequest) -> dict[str, object]:
    theme = theme_of(request)
    return {
        "theme": theme,
        "next_theme": THEMES[(THEMES.index(theme) + 1) % len(THEMES)],
        "sign_up_open": settings.SIGN_UP_OPEN,
    }
