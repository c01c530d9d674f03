"""Password guessing is slowed down per account, and a lecture hall behind one address is not locked out."""

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from accounts.addresses import set_address
from accounts.models import User
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
    for number in range(400):
        cache.set(f"other{number}", number, 300)
    assert not is_signed_in(sign_in("maya.rossi", password))


def test_reset_mails_to_one_address_are_limited(student, client):
    replies = [client.post("/account/password/reset/", {"email": "maya@uni.example"}) for _ in range(6)]
    assert [reply.status_code for reply in replies] == [302] * 5 + [429]
    assert len(mail.outbox) == 5
    assert b"Too many at once" in replies[-1].content


def test_a_hall_may_ask_for_reset_links(client):
    for number in range(300):
        reply = client.post("/account/password/reset/", {"email": f"student{number}@uni.example"})
        assert reply.status_code == 302


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(300, "in 5 minutes"), (241, "in 5 minutes"), (61, "in 2 minutes"), (60, "in a minute"), (0.2, "in a minute")],
)
def test_the_wait_is_said_in_whole_minutes(seconds, words):
    from accounts.adapter import _in_words

    assert _in_words(seconds) == words


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
