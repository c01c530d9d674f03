"""Password guessing is slowed down per account, and a lecture hall behind one address is not locked out."""

from dataclasses import replace
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts import limits
from accounts.addresses import set_address
from accounts.limits import Limit
from accounts.models import Tally, User
from tests.accounts.helpers import WRONG, is_signed_in, later, sign_in
from tests.processes import process_pool

pytestmark = pytest.mark.django_db


def guess(login: str, times: int = 10) -> None:
    for _ in range(times):
        assert not is_signed_in(sign_in(login, WRONG))


def test_sixty_sign_ins_from_one_address_succeed(password):
    for number in range(60):
        User.objects.create_user(f"student{number}", "", password)
    assert all(is_signed_in(sign_in(f"student{number}", password)) for number in range(60))


def test_three_hundred_sign_ups_from_one_address_succeed(password):
    for number in range(300):
        response = Client().post("/account/signup/", {"username": f"student{number}", "password1": password})
        assert is_signed_in(response), response.content.decode()
    assert User.objects.count() == 300


def test_ten_wrong_passwords_slow_that_account(student, password):
    guess("maya.rossi")
    response = sign_in("maya.rossi", password)
    assert not is_signed_in(response)
    assert "Too many wrong passwords for this account. Try again in 5 minutes." in response.content.decode()


def test_others_at_the_same_address_sign_in_meanwhile(student, other_student, password):
    guess("maya.rossi")
    assert is_signed_in(sign_in("liam", password))


def test_nine_wrong_passwords_slow_nobody(student, password):
    guess("maya.rossi", times=9)
    assert is_signed_in(sign_in("maya.rossi", password))


def test_the_right_password_works_when_the_window_is_over(student, password):
    guess("maya.rossi")
    with later(4.5 * 60):
        response = sign_in("maya.rossi", password)
        assert "Try again in a minute." in response.content.decode()
    with later(5 * 60 + 1):
        assert is_signed_in(sign_in("maya.rossi", password))


def test_refused_tries_do_not_prolong_the_wait(student, password):
    guess("maya.rossi")
    with later(4 * 60):
        guess("maya.rossi", times=20)
    with later(5 * 60 + 1):
        assert is_signed_in(sign_in("maya.rossi", password))


def test_all_spellings_of_an_account_count_together(student, password):
    spellings = ["maya.rossi", "MAYA.ROSSI", " Maya.Rossi ", "maya@uni.example", "Maya@Uni.Example"]
    for spelling in spellings * 2:
        assert not is_signed_in(sign_in(spelling, WRONG))
    for spelling in spellings:
        assert "Too many wrong passwords" in sign_in(spelling, password).content.decode()


def test_a_name_that_nobody_has_is_slowed_down_alike(student):
    guess("maya.rossi")
    guess("nobody")
    known, unknown = (sign_in(name, WRONG).context["form"].non_field_errors() for name in ("maya.rossi", "nobody"))
    assert known == unknown


def test_right_passwords_are_not_counted(student, password):
    for _ in range(30):
        assert is_signed_in(sign_in("maya.rossi", password))
    guess("maya.rossi", times=9)
    assert is_signed_in(sign_in("maya.rossi", password))


def test_guessing_in_a_signed_in_session_is_slowed_down_too(student, client):
    client.force_login(student)
    for _ in range(10):
        client.post("/account/email/", {"email": "x@uni.example", "password": WRONG})
    page = client.post("/account/email/", {"email": "x@uni.example", "password": WRONG}).content.decode()
    assert "Too many wrong passwords" in page


def test_a_new_password_by_mail_ends_the_slow_down(student, client):
    guess("maya.rossi")
    client.post("/account/password/reset/", {"email": "maya@uni.example"})
    link = next(line for line in mail.outbox[0].body.splitlines() if line.startswith("http"))
    page = client.get(link, follow=True)
    new = "five quite different words"
    client.post(page.request["PATH_INFO"], {"password1": new, "password2": new})
    assert is_signed_in(sign_in("maya.rossi", new))


def test_a_flood_of_names_does_not_push_out_the_count(student, password):
    guess("maya.rossi")
    for number in range(30):
        sign_in(f"nobody{number}", WRONG)
    assert not is_signed_in(sign_in("maya.rossi", password))


def test_old_counts_are_cleared_away(student):
    guess("nobody", times=3)
    with later(5 * 60 + 1):
        guess("maya.rossi", times=1)
    assert Tally.objects.get().count == 1


def test_names_of_any_length_are_counted(db):
    guess("x" * 100_000)
    assert "Too many wrong passwords" in sign_in("x" * 100_000, WRONG).content.decode()


def test_reset_mails_to_one_address_are_limited(student, client):
    addresses = ["maya@uni.example", "MAYA@uni.example"] * 3
    replies = [client.post("/account/password/reset/", {"email": address}) for address in addresses]
    assert [reply.status_code for reply in replies] == [302] * 5 + [200]
    assert len(mail.outbox) == 5
    assert "Links were asked for too often. Try again in 15 minutes." in replies[-1].content.decode()
    assert client.post("/account/password/reset/", {"email": "other@uni.example"}).status_code == 302


def test_a_hall_may_ask_for_reset_links(client):
    for number in range(300):
        reply = client.post("/account/password/reset/", {"email": f"student{number}@uni.example"})
        assert reply.status_code == 302


def test_a_flood_of_sign_ups_is_stopped(client, password, monkeypatch):
    monkeypatch.setattr(limits, "SIGN_UPS", replace(limits.SIGN_UPS, most=3))
    replies = [
        Client().post("/account/signup/", {"username": f"bot{number}", "password1": password}) for number in range(4)
    ]
    assert [reply.status_code for reply in replies] == [302] * 3 + [429]
    assert "Too many at once" in replies[-1].content.decode()
    assert User.objects.count() == 3
    elsewhere = {"username": "maya", "password1": password}
    assert is_signed_in(Client().post("/account/signup/", elsewhere, REMOTE_ADDR="10.1.2.3"))


def test_a_sender_cannot_choose_its_address(client, password, monkeypatch):
    monkeypatch.setattr(limits, "SIGN_UPS", replace(limits.SIGN_UPS, most=1))
    codes = [
        Client()
        .post(
            "/account/signup/",
            {"username": f"bot{number}", "password1": password},
            headers={"X-Forwarded-For": f"10.0.0.{number}"},
        )
        .status_code
        for number in range(2)
    ]
    assert codes == [302, 429]


@pytest.mark.parametrize(
    ("passed", "words"),
    [(0, "in 5 minutes"), (59, "in 5 minutes"), (61, "in 4 minutes"), (239, "in 2 minutes"), (299, "in a minute")],
)
def test_the_wait_is_said_in_whole_minutes(passed, words):
    limit = Limit("test", 1, timedelta(minutes=5))
    now = timezone.now()
    with patch.object(timezone, "now", lambda: now):
        limit.count("x")
    with patch.object(timezone, "now", lambda: now + timedelta(seconds=passed)):
        assert limit.wait("x") == words
        assert limit.wait("y") == ""
    with patch.object(timezone, "now", lambda: now + timedelta(seconds=300)):
        assert limit.wait("x") == ""


def _guess_in_a_process_of_its_own(number: int) -> int:
    return sign_in("maya.rossi", WRONG).status_code


@pytest.mark.django_db(transaction=True)
def test_server_processes_count_together(student, password):
    with process_pool(4) as pool:
        assert set(pool.map(_guess_in_a_process_of_its_own, range(12))) == {200}
    assert "Too many wrong passwords" in sign_in("maya.rossi", password).content.decode()


def test_changing_the_address_moves_the_count_with_the_account(student, password):
    guess("maya@uni.example")
    set_address(student, "new@uni.example")
    assert not is_signed_in(sign_in("new@uni.example", password))
