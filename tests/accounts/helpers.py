"""Signing in as a browser does, through the page."""

from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

WRONG = "not the password"


def sign_in(login: str, password: str, client: Client | None = None, **extra: Any) -> HttpResponse:
    return (client or Client()).post("/account/login/", {"login": login, "password": password}, **extra)


def is_signed_in(response: HttpResponse) -> bool:
    return response.status_code == 302 and "sessionid" in response.cookies


@contextmanager
def later(seconds: float):
    """Let the server's clock run ahead."""
    now = timezone.now
    with patch.object(timezone, "now", lambda: now() + timedelta(seconds=seconds)):
        yield
