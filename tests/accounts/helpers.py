"""Signing in as a browser does, through the page."""

from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from allauth.core.internal import ratelimit
from django.http import HttpResponse
from django.test import Client

WRONG = "not the password"


def sign_in(login: str, password: str, client: Client | None = None, **extra: Any) -> HttpResponse:
    return (client or Client()).post("/account/login/", {"login": login, "password": password}, **extra)


def is_signed_in(response: HttpResponse) -> bool:
    return response.status_code == 302 and "sessionid" in response.cookies


@contextmanager
def later(seconds: float):
    """Let the clock that wrong passwords are counted by run ahead."""
    now = ratelimit.time.time
    with patch.object(ratelimit.time, "time", lambda: now() + seconds):
        yield
