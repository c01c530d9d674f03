"""What the account pages do: sign up, in and out, change and reset the password, change the e-mail."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts import urls
from accounts.addresses import account_named, set_address
from accounts.models import User
from tests.accounts.helpers import WRONG, is_signed_in, sign_in

pytestmark = pytest.mark.django_db
NEW = "five quite different words"


def errors(response) -> dict[str, list[str]]:
    return response.context["form"].errors


# --- signing up ------------------------------------------------------------------------------------------------------


def test_sign_up_needs_a_name_and_a_password_only(client, password):
    response = client.post("/account/signup/", {"username": "maya", "password1": password})
    assert response["Location"] == reverse("map")
    user = User.objects.get()
    assert (user.username, user.email, user.is_staff) == ("maya", "", False)
    assert user.check_password(password)


def test_sign_up_closed_says_so_and_makes_no_account(client, settings, password):
    settings.SIGN_UP_OPEN = False
    for response in (
        client.get("/account/signup/"),
        client.post("/account/signup/", {"username": "maya", "password1": password}),
    ):
        assert "Sign-up is closed" in response.content.decode()
    assert not User.objects.exists()
    assert "Create an account" not in client.get("/account/login/").content.decode()


@pytest.mark.parametrize("name", ["maya.rossi", "Maya.Rossi", "MAYA.ROSSI", "ｍaya.rossi"])
def test_names_differ_by_more_than_case(client, student, password, name):
    student.date_joined = student.date_joined.replace(year=2020)
    student.save()
    response = client.post("/account/signup/", {"username": name, "password1": password})
    assert "That name is taken" in errors(response)["username"][0]


def test_a_name_that_reads_like_an_address_is_refused(client, password):
    response = client.post("/account/signup/", {"username": "a@uni.example", "password1": password})
    assert "can’t contain @" in errors(response)["username"][0]


@pytest.mark.parametrize("weak", ["short", "password1234", "maya.rossi.m"])
def test_weak_passwords_are_refused(client, weak):
    response = client.post("/account/signup/", {"username": "maya.rossi.m", "password1": weak})
    assert "password1" in errors(response)
    assert not User.objects.exists()


def test_an_address_belongs_to_one_account(client, student, password):
    data = {"username": "other", "email": "Maya@Uni.example", "password1": password}
    response = client.post("/account/signup/", data)
    assert "Another account has this e-mail" in errors(response)["email"][0]


def test_a_second_click_signs_in_instead_of_complaining(password):
    data = {"username": "maya", "email": "maya@uni.example", "password1": password}
    assert is_signed_in(Client().post("/account/signup/", data))
    assert is_signed_in(Client().post("/account/signup/", data))
    assert User.objects.count() == 1
    refused = Client().post("/account/signup/", {**data, "password1": NEW})
    assert "That name is taken" in errors(refused)["username"][0]


@pytest.mark.django_db(transaction=True)
def test_two_sign_ups_with_one_name_at_the_same_moment(client, student, password, monkeypatch):
    # Both found the name free before either was stored.
    monkeypatch.setattr("accounts.adapter.AccountAdapter.clean_username", lambda self, name, shallow=False: name)
    data = {"username": "maya.rossi", "password1": password}
    page = client.post("/account/signup/", data, follow=True)
    assert page.status_code == 200
    assert "was made a moment ago" in page.content.decode()
    assert User.objects.count() == 1


# --- signing in and out ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["maya.rossi", "Maya.Rossi", " maya.rossi ", "maya@uni.example", "MAYA@UNI.EXAMPLE"])
def test_sign_in_by_name_or_address_in_any_case(student, password, typed):
    assert is_signed_in(sign_in(typed, password))


@pytest.mark.parametrize("typed", ["maya.rossi", "maya@uni.example", "nobody", "nobody@uni.example"])
def test_one_message_for_every_mismatch(student, typed):
    response = sign_in(typed, WRONG)
    assert errors(response)["__all__"] == ["That name and password don’t match. Check both and try again."]


def test_an_unticked_box_ends_the_session_with_the_browser(client, student, password):
    data = {"login": "liam", "password": password}
    User.objects.create_user("liam", "", password)
    assert client.post("/account/login/", {**data, "remember": "on"}).cookies["sessionid"]["max-age"]
    assert not Client().post("/account/login/", data).cookies["sessionid"]["max-age"]


def test_a_switched_off_account_learns_why(client, student, password):
    student.is_active = False
    student.save()
    response = client.post("/account/login/", {"login": "maya.rossi", "password": password}, follow=True)
    assert "This account is switched off" in response.content.decode()
    assert "_auth_user_id" not in client.session


def test_signing_out_takes_a_post(client, student):
    client.force_login(student)
    assert "Sign out?" in client.get("/account/logout/").content.decode()
    assert "_auth_user_id" in client.session
    assert client.post("/account/logout/")["Location"] == reverse("home")
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("page", ["login", "signup"])
@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        ("/lab/?method=grpo", "/lab/?method=grpo"),
        ("https://evil.example/", "/missions/"),
        ("//evil.example/", "/missions/"),
        ("/\\evil.example", "/missions/"),
        ("javascript:alert(1)", "/missions/"),
        ("", "/missions/"),
    ],
)
def test_next_is_kept_and_never_leaves_the_site(client, student, password, page, wanted, got):
    # The field as a browser sends it, or made by hand.
    data = {"next": wanted}
    if page == "login":
        data |= {"login": "maya.rossi", "password": password}
    else:
        data |= {"username": "new", "password1": password}
    assert client.post(f"/account/{page}/", data)["Location"] == got


@pytest.mark.parametrize("page", ["login", "signup"])
def test_the_form_carries_next(client, page):
    assert 'name="next" value="/lab/"' in client.get(f"/account/{page}/?next=/lab/").content.decode()


def test_next_survives_a_wrong_password_and_the_way_to_sign_up(client, student):
    page = client.post("/account/login/", {"login": "maya.rossi", "password": WRONG, "next": "/lab/"}).content.decode()
    assert 'name="next" value="/lab/"' in page
    assert "/account/signup/?next=%2Flab%2F" in page


def test_a_signed_in_student_is_sent_on(client, student):
    client.force_login(student)
    assert client.get("/account/login/?next=/lab/")["Location"] == "/lab/"


# --- passwords -------------------------------------------------------------------------------------------------------


def test_changing_the_password_ends_the_other_sessions(student, password):
    here, elsewhere = Client(), Client()
    here.force_login(student)
    elsewhere.force_login(student)
    data = {"oldpassword": password, "password1": NEW, "password2": NEW}
    response = here.post("/account/password/change/", data)
    assert response["Location"] == reverse("me")
    assert here.get("/account/email/").status_code == 200
    assert elsewhere.get("/account/email/").status_code == 302
    assert is_signed_in(sign_in("maya.rossi", NEW))


def test_changing_the_password_takes_the_old_one(client, student):
    client.force_login(student)
    data = {"oldpassword": WRONG, "password1": NEW, "password2": NEW}
    assert "not your password" in errors(client.post("/account/password/change/", data))["oldpassword"][0]


def reset_link(address: str) -> str:
    Client().post("/account/password/reset/", {"email": address})
    return next(line for line in mail.outbox[-1].body.splitlines() if line.startswith("http"))


def test_reset_by_mail(client, student):
    link = reset_link("MAYA@uni.example")
    assert mail.outbox[0].subject == "UNIPO Missions: Choose a new password"
    assert "maya.rossi" in mail.outbox[0].body
    page = client.get(link, follow=True)
    assert "Choose a new password" in page.content.decode()
    response = client.post(page.request["PATH_INFO"], {"password1": NEW, "password2": NEW})
    assert response["Location"] == reverse("map")
    assert is_signed_in(sign_in("maya.rossi", NEW))
    assert "This link no longer works" in Client().get(link, follow=True).content.decode()


def test_an_unknown_address_gets_no_mail_and_the_same_answer(client, student):
    known, unknown = (
        client.post("/account/password/reset/", {"email": address}, follow=True).content
        for address in ("maya@uni.example", "nobody@uni.example")
    )
    token = re.compile(rb'(csrfmiddlewaretoken" value="|X-CSRFToken": ")\w+')
    assert token.sub(b"", known) == token.sub(b"", unknown)
    assert [message.to for message in mail.outbox] == [["maya@uni.example"]]


def test_a_server_without_mail_does_not_promise_any(client, settings):
    assert "Send the link" in client.get("/account/password/reset/").content.decode()
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    for address in ("/account/password/reset/", "/account/password/reset/done/"):
        page = client.get(address).content.decode()
        assert "on its way" not in page
        assert "whoever runs your course" in page


# --- e-mail ----------------------------------------------------------------------------------------------------------


def test_the_address_changes_at_once_and_the_old_one_is_worthless(client, student, password):
    client.force_login(student)
    response = client.post("/account/email/", {"email": "New@uni.example", "password": password})
    assert response["Location"] == reverse("me")
    assert is_signed_in(sign_in("new@uni.example", password))
    assert not is_signed_in(sign_in("maya@uni.example", password))
    Client().post("/account/password/reset/", {"email": "maya@uni.example"})
    assert not mail.outbox
    assert list(EmailAddress.objects.values_list("email", "primary")) == [("new@uni.example", True)]


def test_the_address_can_go(client, student, password):
    client.force_login(student)
    client.post("/account/email/", {"email": "", "password": password})
    student.refresh_from_db()
    assert student.email == ""
    assert not EmailAddress.objects.exists()


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"email": "not an address", "password": "four unrelated words"}, "email"),
        ({"email": "taken@uni.example", "password": "four unrelated words"}, "email"),
        ({"email": "new@uni.example", "password": WRONG}, "password"),
        ({"email": "new@uni.example"}, "password"),
    ],
)
def test_the_address_is_not_changed_by_mistake(client, student, other_student, data, field):
    set_address(other_student, "taken@uni.example")
    client.force_login(student)
    response = client.post("/account/email/", data)
    assert list(errors(response)) == [field]
    assert account_named("maya@uni.example") == student


# --- every page ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [pattern.name for pattern in urls.urlpatterns])
@pytest.mark.parametrize("signed_in", [False, True])
def test_every_page_is_the_sites_own(client, student, name, signed_in):
    if signed_in:
        client.force_login(student)
    args = {"uidb36": "1", "key": "bad-key"} if name == "account_reset_password_from_key" else {}
    response = client.get(reverse(name, kwargs=args))
    if response.status_code == 302:
        return
    assert response.status_code == 200
    page = response.content.decode()
    assert page.count("<h1") == 1
    assert 'class="site"' in page
    assert "no-store" in response["Cache-Control"]
    for field in re.findall(r"<input[^>]+>", page):
        if 'type="hidden"' in field:
            continue
        identity = re.search(r'id="([^"]+)"', field)[1]
        assert f'<label for="{identity}"' in page or f'for="{identity}">' in page
        assert "autocomplete=" in field or 'type="checkbox"' in field


@pytest.mark.parametrize(
    ("address", "data", "wrong"),
    [
        ("/account/signup/", {"username": "@", "email": "x", "password1": "1"}, ["username", "email", "password1"]),
        ("/account/login/", {"login": ""}, ["login", "password"]),
        ("/account/password/reset/", {"email": "x"}, ["email"]),
        (
            "/account/password/change/",
            {"oldpassword": "x", "password1": "1"},
            ["oldpassword", "password1", "password2"],
        ),
        ("/account/email/", {"email": "x"}, ["email", "password"]),
        ("/account/reauthenticate/", {"password": "x"}, ["password"]),
    ],
)
def test_errors_are_tied_to_their_fields(client, student, address, data, wrong):
    if "password" in address or "email" in address or "reauth" in address:
        client.force_login(student)
    response = client.post(address, data)
    assert sorted(errors(response)) == sorted(wrong)
    page = response.content.decode()
    for name in wrong:
        tag = re.search(rf'<input[^>]*name="{name}"[^>]*>', page)[0]
        assert 'aria-invalid="true"' in tag
        assert f"id_{name}_error" in re.search(r'aria-describedby="([^"]+)"', tag)[1].split()
        assert f'<p class="err" id="id_{name}_error"><svg' in page
    assert page.count("autofocus") == 1
    assert "<title>Please correct" in re.sub(r"\s+", " ", page).replace("<title> ", "<title>")


def test_a_mismatch_is_tied_to_both_fields(student):
    page = sign_in("maya.rossi", WRONG).content.decode()
    assert page.count('aria-describedby="form_error"') == 2
    assert 'role="alert" id="form_error"' in page


@pytest.mark.parametrize("address", ["/account/email/", "/account/password/change/", "/account/reauthenticate/"])
def test_pages_of_an_account_ask_to_sign_in(client, address):
    assert client.get(address)["Location"] == f"/account/login/?next={address}"
