"""What operators see in the admin site: missions and attempts to read, never to rewrite."""

from django.contrib import admin
from django.http import HttpRequest

from missions.models import Attempt, Mission, Progress


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Scores come from attempts and attempts from the engine; nobody edits them by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        # Deleting an account from its own admin page takes its attempts along, which asks for this.
        return obj is not None and not isinstance(obj, Mission) and request.user.is_superuser


@admin.register(Mission)
class MissionAdmin(ReadOnlyAdmin):
    list_display = ("chapter", "position", "title", "revision", "is_retired")
    list_display_links = ("title",)


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "user", "mission", "number", "passed", "stars", "sampled_responses")
    list_filter = ("mission", "passed", "stars")
    list_select_related = ("user", "mission")
    search_fields = ("user__username",)
    date_hierarchy = "created_at"


@admin.register(Progress)
class ProgressAdmin(ReadOnlyAdmin):
    list_display = ("user", "mission", "unlocked_at", "best_stars", "fewest_responses", "tries")
    list_filter = ("mission",)
    list_select_related = ("user", "mission")
    search_fields = ("user__username",)
