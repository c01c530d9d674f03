"""What operators see of courses, and where they let people create some."""

from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin import AccountAdmin
from accounts.models import User
from classroom.models import (
    Assignment,
    Course,
    Extension,
    Invitation,
    JoinLink,
    Membership,
    MembershipEvent,
    UnlockOverride,
)

admin.site.unregister(User)


@admin.register(User)
class CourseAccountAdmin(AccountAdmin):
    """The accounts' own page with the right to create courses; see classroom.rights."""

    actions = ("let_create_courses", "no_longer_let_create_courses")

    @admin.action(description="Let them create courses")
    def let_create_courses(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            user.user_permissions.add(_right_to_create())
        self.message_user(request, f"{queryset.count()} accounts may create courses.")

    @admin.action(description="No longer let them create courses")
    def no_longer_let_create_courses(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            user.user_permissions.remove(_right_to_create())
        self.message_user(request, f"{queryset.count()} accounts may not create courses. Their courses stay theirs.")


def _right_to_create() -> Permission:
    return Permission.objects.get(content_type__app_label="classroom", codename="add_course")


@admin.register(Course)
class CourseAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "term", "public_id", "time_zone", "created_at", "archived_at")
    search_fields = ("name", "term", "public_id")


class EventInline(admin.TabularInline):  # type: ignore[type-arg]
    model = MembershipEvent
    extra = 0
    can_delete = False
    fields = readonly_fields = ("at", "kind", "role", "via", "by")

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("user", "name", "course", "role", "joined_at", "ended_at", "end")
    list_filter = ("role", "course")
    list_select_related = ("user", "course")
    search_fields = ("user__username", "user__email", "name", "student_number")
    autocomplete_fields = ("user", "course")
    # Who has which name on the leaderboard is for nobody else to read.
    exclude = ("may_reveal", "leaderboard_name", "name_taken_off")
    inlines = (EventInline,)


@admin.register(JoinLink)
class JoinLinkAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("code", "course", "created_at", "expires_at", "cap", "joined", "closed_at", "retired_at")
    list_select_related = ("course",)
    readonly_fields = ("code", "joined")


@admin.register(Invitation)
class InvitationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "email", "username", "student_number", "course", "created_at")
    list_select_related = ("course",)
    search_fields = ("name", "email", "username", "student_number")


@admin.register(Assignment)
class AssignmentAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("course", "position", "mission", "opens_at", "due_at", "points_three_stars")
    list_filter = ("course",)
    list_select_related = ("course", "mission")


@admin.register(Extension)
class ExtensionAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("membership", "assignment", "due_at", "granted_by", "granted_at")
    list_select_related = ("membership__user", "membership__course", "assignment__mission", "assignment__course")
    raw_id_fields = ("membership", "assignment")


@admin.register(UnlockOverride)
class UnlockOverrideAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("membership", "mission", "granted_by", "granted_at")
    list_select_related = ("membership__user", "membership__course", "mission")
    raw_id_fields = ("membership",)
