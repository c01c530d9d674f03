"""Accounts for operators: among other things, where a student without e-mail gets a new password."""

import allauth.account.admin  # noqa: F401  (registers the model that is taken off below)
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from accounts.addresses import set_address
from accounts.models import User

# An account has one address, and it is edited on the account.
admin.site.unregister(EmailAddress)

admin.site.site_header = admin.site.site_title = "UNIPO Missions"
admin.site.index_title = "Operators’ pages"


@admin.register(User)
class AccountAdmin(UserAdmin):
    list_display = ("username", "email", "is_staff", "is_active", "last_login")

    def save_model(self, request: HttpRequest, obj: User, form: object, change: bool) -> None:
        super().save_model(request, obj, form, change)  # type: ignore[arg-type]
        set_address(obj, obj.email)
