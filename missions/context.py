"""The star count in the page's head."""

from collections.abc import Callable

from django.db.models import Sum
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from missions.models import Mission, Progress


def star_total(user: object) -> dict[str, int]:
    """Return the stars a student has and the stars there are; those of own missions are counted where they show."""
    built_in = Mission.Source.BUILT_IN
    earned = Progress.objects.filter(user=user, mission__source=built_in).aggregate(total=Sum("best_stars"))["total"]
    return {
        "earned": earned or 0,
        "possible": 3 * Mission.objects.filter(source=built_in, is_retired=False).count(),
    }


def stars(request: HttpRequest) -> dict[str, object]:
    # Lazy: pages and fragments without the count ask the database nothing.
    count: Callable[[], dict[str, int]] = lambda: star_total(request.user)  # noqa: E731
    return {"star_total": SimpleLazyObject(count)}
