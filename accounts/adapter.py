"""How accounts behave on this site, where django-allauth asks."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.shortcuts import resolve_url

from accounts import limits
from accounts.addresses import account_named
from accounts.models import User

MISMATCH = "That name and password don’t match. Check both and try again."


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up follows SIGN_UP_OPEN; wrong passwords slow one account, never an address many people share."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        # One sentence for both, so that it doesn't tell which names exist.
        "username_password_mismatch": MISMATCH,
        "email_password_mismatch": MISMATCH,
        "incorrect_password": "That is not your password. Check it and try again.",
        "username_taken": "That name is taken. Choose another one; if it is yours, sign in instead.",
        "email_taken": "Another account has this e-mail. If it is yours, sign in with it instead.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGN_UP_OPEN)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        username = User.normalize_username(username)
        if "@" in username:
            # A name that reads like somebody's e-mail would make "user name or e-mail" ambiguous.
            raise ValidationError("A user name can’t contain @. Your e-mail has its own field.", code="at_sign")
        return super().clean_username(username, shallow)

    def is_safe_url(self, url: str | None) -> bool:
        # An empty one counts as safe there, and would lead back to the form that was just sent.
        try:
            return bool(url) and super().is_safe_url(url)
        except ValueError:
            return False  # not even an address, such as http://[

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return resolve_url("me")

    # --- slowing down password guessing ------------------------------------------------------------------------------

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        wait = limits.WRONG_PASSWORDS.wait(_account_key(credentials))
        if wait:
            raise ValidationError(
                f"Too many wrong passwords for this account. Try again {wait}.", code="too_many_login_attempts"
            )

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        limits.WRONG_PASSWORDS.count(_account_key(credentials))

    def set_password(self, user: User, password: str) -> None:
        super().set_password(user, password)
        limits.WRONG_PASSWORDS.forget(_account_key({"username": user.username}))


def _account_key(credentials: dict[str, Any]) -> str:
    """Name the account that is meant, the same whichever of its names was typed, in whatever case.

    A name nobody has is named too: being slowed down must not tell whether an account exists.
    """
    typed = credentials.get("email") or credentials.get("username") or ""
    user = account_named(typed)
    return f"account {user.pk}" if user else f"nobody called {typed.strip().casefold()}"
