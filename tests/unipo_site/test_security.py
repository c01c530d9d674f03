"""Every kind of page carries the security headers, errors included."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db

PAGES = {
    "/": 200,
    "/lab/": 200,
    "/privacy/": 200,
    "/account/login/": 200,
    "/account/signup/": 200,
    "/account/email/": 302,
    "/healthz": 200,
    "/no-such-page/": 404,
    "/theme/": 302,
    "/fail/": 500,
    "/refuse/": 403,
    "/busy/": 429,
}


@pytest.fixture(autouse=True)
def with_error_pages(settings):
    settings.ROOT_URLCONF = "tests.unipo_site.broken_urls"


def assert_secure(response) -> None:
    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in response["Content-Security-Policy"]
    assert "http" not in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(("address", "status"), PAGES.items())
@pytest.mark.parametrize("signed_in", [False, True])
def test_headers(student, address, status, signed_in):
    client = Client(raise_request_exception=False)
    if signed_in:
        client.force_login(student)
        status = {"/account/email/": 200, "/account/login/": 302, "/account/signup/": 302}.get(address, status)
    response = client.get(address)
    assert response.status_code == status
    assert_secure(response)
    if status == 200 or status >= 400:
        page = response.content.decode()
        assert page.count("<h1") == (address != "/healthz")


def test_a_form_from_elsewhere_is_refused(student, password):
    client = Client(enforce_csrf_checks=True)
    response = client.post("/account/login/", {"login": "maya.rossi", "password": password})
    assert response.status_code == 403
    assert "This page was out of date" in response.content.decode()
    assert_secure(response)


def test_a_host_that_is_not_ours_is_refused(client):
    assert client.get("/privacy/", headers={"host": "evil.example"}).status_code == 400


def test_the_operators_pages_are_for_operators(client, student, operator):
    assert client.get("/admin/", follow=True).request["PATH_INFO"] == "/account/login/"
    client.force_login(student)
    assert client.get("/admin/", follow=True).status_code == 403
    client.force_login(operator)
    response = client.get("/admin/accounts/user/")
    assert response.status_code == 200
    assert_secure(response)


def test_an_operator_comes_back_to_the_operators_pages_after_signing_in(client, operator, password):
    response = client.get("/admin/", follow=True)
    assert "next=%2Fadmin%2F" in response.redirect_chain[-1][0] or "next=/admin/" in response.redirect_chain[-1][0]
    data = {"login": "operator", "password": password, "next": "/admin/"}
    assert client.post("/account/login/", data)["Location"] == "/admin/"


def test_an_address_edited_by_an_operator_leaves_no_old_one(client, operator, student):
    from allauth.account.models import EmailAddress

    from accounts.addresses import set_address

    set_address(student, "old@uni.example")
    client.force_login(operator)
    page = client.get(f"/admin/accounts/user/{student.pk}/change/")
    data = {name: value for name, value in page.context["adminform"].form.initial.items() if value not in (None, [])}
    joined = student.date_joined
    data |= {"email": "new@uni.example", "is_active": "on", "is_staff": "", "is_superuser": ""}
    data |= {"date_joined_0": joined.date().isoformat(), "date_joined_1": joined.time().isoformat("seconds")}
    response = client.post(f"/admin/accounts/user/{student.pk}/change/", data)
    assert response.status_code == 302, response.context["adminform"].form.errors
    assert list(EmailAddress.objects.values_list("email", flat=True)) == ["new@uni.example"]


def test_the_server_says_that_it_is_well(client):
    assert client.get("/healthz").json() == {"status": "ok"}


def test_browsers_find_an_icon_on_every_page(client):
    assert client.get("/favicon.ico")["Location"] == "/static/logo.svg"
