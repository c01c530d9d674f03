"""Whatever is sent, to any address, by anybody: an answer below 500, and nothing stored that was not asked for."""

import pytest
from django.test import Client

from accounts.models import User
from missions.models import Attempt, Mission
from tests.missions.helpers import record

BAD = ["\0", "%00", "nan", "9" * 5000, "١٢", "//evil.example", "http://[", "a" * 60_000]
GET_KEYS = ("next", "setup", "event", "steps", "seed", "prompt", "previous", "from")
POST_KEYS = ("next", "theme", "login", "password", "email", "username", "password1", "token", "steps", "seed", "beta")
ADDRESSES = [
    "/",
    "/missions/",
    "/missions/first-signal/",
    "/missions/first-signal/tries/1/",
    "/missions/first-signal/train/",
    "/missions/first-signal/draft/",
    "/me/",
    "/me/delete/",
    "/lab/",
    "/lab/limits/",
    "/account/login/",
    "/account/signup/",
    "/account/logout/",
    "/account/email/",
    "/account/password/reset/",
    "/theme/",
    "/admin/",
    "/healthz",
]


@pytest.fixture(params=["anonymous", "student"])
def visitor(request: pytest.FixtureRequest, student: User, missions: list[Mission]) -> Client:
    client = Client(raise_request_exception=False)
    record(student, missions[0], passed=True)
    if request.param == "student":
        client.force_login(student)
    return client


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_request_breaks_a_page(address: str, visitor: Client) -> None:
    answers = {}
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        answers[method] = visitor.generic(method, address)
    for place, bad in enumerate(BAD):
        htmx = {"HTTP_HX_REQUEST": "true", "HTTP_HX_CURRENT_URL": bad[:4000].replace("\0", " ")}
        # A browser's address holds a few thousand characters at most.
        answers["query", bad[:9]] = visitor.get(address, dict.fromkeys(GET_KEYS, bad[:700]))
        if address != "/account/logout/":
            # Every second one as htmx sends it; the address it claims to come from is always bad.
            answers["form", bad[:9]] = visitor.post(
                address, dict.fromkeys(POST_KEYS, bad), **(htmx if place % 2 else {})
            )
    answers["host"] = visitor.get(address, HTTP_HOST="evil.example")
    answers["multipart"] = visitor.generic("POST", address, b"x" * 99, content_type="multipart/form-data; boundary=")
    broken = {kind: answer.status_code for kind, answer in answers.items() if answer.status_code >= 500}
    assert not broken
    assert Attempt.objects.count() == 1


@pytest.mark.parametrize("bad", BAD)
def test_no_path_breaks_the_site(bad: str, visitor: Client) -> None:
    for before in ("/missions/", "/missions/first-signal/tries/", "/account/password/reset/key/", "/"):
        assert visitor.get(f"{before}{bad[:2000]}/").status_code < 500


def test_a_request_that_can_not_be_read_gets_a_page_of_ours(visitor: Client) -> None:
    response = visitor.get("/", HTTP_HOST="evil.example")
    assert response.status_code == 400
    assert "That request can’t be read" in response.content.decode()
