"""Who may do what: every address of the site against everybody, and no address without a row."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import User
from missions.models import Attempt, Mission
from simulator.engine import parse_setup
from simulator.explorer.address import pairs_of
from simulator.lab.link import Run
from tests.missions.helpers import record

SIGN_IN = "sign in"  # a redirect to the sign-in page
# address, method -> what an anonymous visitor, the student, another student and staff get.
# The student has passed mission one (try 1) and may play mission two; the others have played nothing.
TABLE: dict[tuple[str, str], tuple[object, object, object, object]] = {
    ("/", "GET"): (200, 200, 200, 200),
    ("/missions/", "GET"): (SIGN_IN, 200, 200, 200),
    ("/missions/{first}/", "GET"): (SIGN_IN, 200, 200, 200),
    ("/missions/{second}/", "GET"): (SIGN_IN, 200, "/missions/", 200),
    ("/missions/{third}/", "GET"): (SIGN_IN, "/missions/", "/missions/", 200),
    ("/missions/nowhere/", "GET"): (SIGN_IN, 404, 404, 404),
    ("/missions/{first}/tries/1/", "GET"): (SIGN_IN, 200, 404, 404),
    ("/missions/{second}/tries/1/", "GET"): (SIGN_IN, 404, "/missions/", 404),
    ("/missions/{first}/draft/", "GET"): ("/missions/{first}/",) * 4,
    ("/missions/{first}/draft/", "POST"): (SIGN_IN, "/missions/{first}/", "/missions/{first}/", "/missions/{first}/"),
    ("/missions/{third}/draft/", "POST"): (SIGN_IN, "/missions/", "/missions/", "/missions/{third}/"),
    ("/missions/{first}/train/", "GET"): ("/missions/{first}/",) * 4,
    ("/missions/{first}/train/", "POST"): (SIGN_IN, 422, 422, 422),
    ("/missions/{third}/train/", "POST"): (SIGN_IN, "/missions/", "/missions/", 422),
    ("/missions/{first}/answer/", "GET"): ("/missions/{first}/",) * 4,
    ("/missions/{first}/answer/", "POST"): (SIGN_IN, 404, 404, 404),
    ("/missions/{look}/", "GET"): (SIGN_IN, "/missions/", "/missions/", 200),
    ("/missions/{look}/answer/", "POST"): (SIGN_IN, "/missions/", "/missions/", "/missions/{look}/"),
    ("/missions/{look}/train/", "POST"): (SIGN_IN, "/missions/", "/missions/", 404),
    ("/attempts/{attempt}/run/", "GET"): (SIGN_IN, 200, 404, 404),
    ("/attempts/999999/run/", "GET"): (SIGN_IN, 404, 404, 404),
    ("/attempts/9999999999999999999/run/", "GET"): (SIGN_IN, 404, 404, 404),
    ("/me/", "GET"): (SIGN_IN, 200, 200, 200),
    ("/me/export/", "GET"): (SIGN_IN, 200, 200, 200),
    ("/me/delete/", "GET"): (SIGN_IN, 200, 200, 200),
    ("/me/delete/", "POST"): (SIGN_IN, 422, 422, 422),
    ("/lab/", "GET"): (200, 200, 200, 200),
    ("/lab/assumptions/", "GET"): (200, 200, 200, 200),
    ("/lab/limits/", "GET"): (200, 200, 200, 200),
    ("/lab/reasoning/", "GET"): (200, 200, 200, 200),
    ("/lab/reasoning/assumptions/", "GET"): (200, 200, 200, 200),
    ("/runs/?world=candidates&seed=1", "GET"): ("/runs/?{canonical}",) * 4,
    ("/runs/metrics.csv", "GET"): (200, 200, 200, 200),
    ("/runs/log/{json}/", "GET"): (200, 200, 200, 200),
    ("/runs/log/{xml}/", "GET"): (404, 404, 404, 404),
    ("/algorithms/", "GET"): (200, 200, 200, 200),
    ("/evidence/", "GET"): (200, 200, 200, 200),
    ("/theme/", "GET"): ("/",) * 4,
    ("/theme/", "POST"): ("/", "/", "/", "/"),
    ("/privacy/", "GET"): (200, 200, 200, 200),
    ("/favicon.ico", "GET"): ("/static/logo.svg",) * 4,
    ("/healthz", "GET"): (200, 200, 200, 200),
    ("/admin/", "GET"): (*["/admin/login/?next=/admin/"] * 3, 200),
    ("/admin/login/", "GET"): (SIGN_IN, 403, 403, "/admin/"),
    ("/account/login/", "GET"): (200, "/missions/", "/missions/", "/missions/"),
    ("/account/signup/", "GET"): (200, "/missions/", "/missions/", "/missions/"),
    ("/account/password/change/", "GET"): (SIGN_IN, 200, 200, 200),
}
PEOPLE = ("anonymous", "student", "other_student", "operator")


@pytest.fixture
def people(student: User, other_student: User, operator: User, missions: list[Mission]) -> dict[str, Client]:
    record(student, missions[0], passed=True)
    clients = {name: Client() for name in PEOPLE}
    for name, user in zip(PEOPLE[1:], (student, other_student, operator), strict=True):
        clients[name].force_login(user)
    return clients


@pytest.mark.parametrize(("address", "method"), TABLE)
def test_everybody_gets_what_the_table_says(
    address: str, method: str, people: dict[str, Client], missions: list[Mission]
) -> None:
    names = {
        "json": "json",
        "xml": "xml",
        "first": missions[0].slug,
        "second": missions[1].slug,
        "third": missions[2].slug,
        "look": "one-group-spoke",
        "attempt": str(Attempt.objects.get().pk),
        "canonical": urlencode(pairs_of(Run(parse_setup({"world": "candidates"}), 1))),
    }
    url = address.format(**names)
    for person, expected in zip(PEOPLE, TABLE[address, method], strict=True):
        response = people[person].generic(method, url)
        if expected == SIGN_IN:
            assert (response.status_code, response.headers["Location"].split("?")[0]) == (302, "/account/login/"), (
                person
            )
            assert "next=" in response.headers["Location"]
        elif isinstance(expected, str):
            assert response.status_code == 302, person
            assert response.headers["Location"] == expected.format(**names), person
        else:
            assert response.status_code == expected, person
    assert Attempt.objects.count() == 1


def own_addresses(patterns: list[object], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)  # type: ignore[attr-defined]
        if isinstance(pattern, URLResolver):
            if not route.startswith(("admin/", "account/")):
                yield from own_addresses(pattern.url_patterns, route)
        # The classroom's addresses have a table of their own, in tests/classroom/test_access.py.
        elif isinstance(pattern, URLPattern) and not pattern.callback.__module__.startswith("classroom."):
            yield "/" + route


def test_no_address_of_ours_is_missing_from_the_table() -> None:
    def shape(address: str) -> str:
        return "/".join(
            "*" if part[:1] in "<{" or part.isdigit() else part for part in address.partition("?")[0].split("/")
        )

    listed = {shape(address) for address, _ in TABLE}
    # The admin site and the account pages belong to libraries; their rows above are samples.
    missing = {address for address in own_addresses(get_resolver().url_patterns) if shape(address) not in listed}
    assert not missing


POSTS = ("/missions/{first}/train/", "/missions/{first}/draft/", "/missions/{first}/answer/", "/me/delete/", "/theme/")


@pytest.mark.parametrize("address", POSTS)
def test_every_post_needs_its_own_page_s_token(address: str, student: User, missions: list[Mission]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(student)
    response = client.post(address.format(first=missions[0].slug))
    assert response.status_code == 403
    assert "out of date" in response.content.decode()
