"""What every response keeps to: nothing is stored, and an htmx request never swaps the sign-in page into a panel."""

import pytest
from django.test import Client
from django.urls import reverse

pytestmark = pytest.mark.django_db
PROTECTED = "/account/email/"


def htmx(client: Client, current: str, address: str = PROTECTED, method: str = "get"):
    headers = {"HX-Request": "true", "HX-Current-URL": current}
    return getattr(client, method)(address, headers=headers)


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_lost_session_sends_the_whole_browser_to_sign_in(client, method):
    response = htmx(client, "http://testserver/lab/?method=grpo", method=method)
    assert response.status_code == 204
    # Back to the page that was looked at, not to the fragment's address.
    assert response["HX-Redirect"] == "/account/login/?next=%2Flab%2F%3Fmethod%3Dgrpo"
    assert "Location" not in response


def test_a_page_of_another_site_is_not_come_back_to(client):
    assert htmx(client, "https://evil.example/x")["HX-Redirect"] == "/account/login/?next=%2F"


def test_a_plain_request_gets_a_plain_redirect(client):
    response = client.get(PROTECTED)
    assert response.status_code == 302
    assert response["Location"] == f"/account/login/?next={PROTECTED}"


def test_other_redirects_of_htmx_requests_move_the_browser_too(client, student, password):
    client.force_login(student)
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/account/email/"}
    response = client.post(PROTECTED, {"email": "new@uni.example", "password": password}, headers=headers)
    assert (response.status_code, response["HX-Redirect"]) == (204, reverse("me"))


def test_cookies_survive_the_redirect(client, student, password):
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/account/login/"}
    response = client.post("/account/login/", {"login": "maya.rossi", "password": password}, headers=headers)
    assert response.status_code == 204
    assert "sessionid" in response.cookies


@pytest.mark.parametrize("name", ["home", "lab", "privacy", "account_login", "account_signup", "health"])
def test_no_page_is_stored_and_fragments_are_kept_apart(client, name):
    response = client.get(reverse(name))
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert "HX-Request" in response["Vary"]


def test_static_files_may_be_stored(client):
    response = client.get("/static/css/tokens.css")
    assert response.status_code == 200
    assert "no-store" not in response["Cache-Control"]
    response.close()
