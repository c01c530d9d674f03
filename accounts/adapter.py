"""How accounts behave on this site, where django-allauth asks."""

import time
from math import ceil
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.shortcuts import resolve_url

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
        "enter_current_password": "That is not your current password. Check it and try again.",
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
        return bool(url) and super().is_safe_url(url)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return resolve_url("me")

    # --- slowing down password guessing ------------------------------------------------------------------------------

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count per account, whichever of its names was typed, in whatever case.

        A name nobody has is counted too: being slowed down must not tell whether an account exists.
        """
        typed = credentials.get("email") or credentials.get("username") or ""
        user = account_named(typed)
        return f"user:{user.pk}" if user else f"typed:{User.normalize_username(typed).casefold()}"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError as refusal:
            key = self._get_login_attempts_cache_key(request, **credentials)
            raise ValidationError(
                f"Too many wrong passwords for this account. Try again {_in_words(_seconds_left(request, key))}.",
                code="too_many_login_attempts",
            ) from refusal


def _seconds_left(request: HttpRequest, key: str) -> float:
    """Return how long until the account may try again: when its oldest counted try leaves the window."""
    app, action = "allauth.account", "login_failed"
    waits = [0.0]
    for rate in ratelimit.get_rates(app=app, action=action):
        tries = cache.get(ratelimit.get_cache_key(request, app=app, action=action, rate=rate, key=key), [])
        if len(tries) >= rate.amount:
            waits.append(tries[-1] + rate.duration - time.time())
    return max(waits)


def _in_words(seconds: float) -> str:
    minutes = ceil(seconds / 60)
    return "in a minute" if minutes <= 1 else f"in {minutes} minutes"
