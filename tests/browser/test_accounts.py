"""The account pages in a real browser: flows, keyboard, narrow screens, accessibility, content policy."""

import re

import pytest
from django.core import mail
from playwright.sync_api import expect

from accounts.models import User

pytestmark = pytest.mark.django_db(transaction=True)

PUBLIC = [
    "/account/login/",
    "/account/signup/",
    "/account/password/reset/",
    "/account/password/reset/done/",
    "/account/password/reset/key/1-bad/",
    "/account/inactive/",
]
OWN = [
    "/account/email/",
    "/account/password/change/",
    "/account/reauthenticate/",
    "/account/logout/",
]


def test_sign_up_out_and_in_again(page, password):
    page.goto("/account/login/?next=/lab/")
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("User name").fill("maya")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Create account").click()
    expect(page).to_have_url(re.compile(r"/lab/$"))
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("User name or e-mail").fill("MAYA")
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(r"/missions/$"))
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def test_back_after_signing_out_shows_nobodys_page(page, student, sign_in):
    sign_in(page, student)
    page.goto("/account/email/")
    expect(page.get_by_label("E-mail")).to_have_value("maya@uni.example")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()


def test_a_wrong_password_is_explained_where_the_keyboard_is(page, student, axe):
    page.goto("/account/login/")
    page.get_by_label("User name or e-mail").fill("maya.rossi")
    page.get_by_label("Password", exact=True).fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert").filter(has_text="don’t match")).to_be_visible()
    password = page.get_by_label("Password", exact=True)
    expect(password).to_be_focused()
    expect(password).to_have_accessible_description(re.compile("don’t match"))
    expect(page.get_by_label("User name or e-mail")).to_have_value("maya.rossi")
    axe(page)


def test_by_keyboard_alone(page, student, password):
    page.goto("/account/login/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("User name or e-mail")).to_be_focused()
    page.keyboard.type("maya.rossi")
    page.keyboard.press("Tab")
    page.keyboard.type(password)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Keep me signed in")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_label("Keep me signed in")).not_to_be_checked()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/missions/$"))


def test_reset_and_change_the_password(page, student, password):
    page.goto("/account/login/")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("E-mail").fill("maya@uni.example")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("heading", name="on its way")).to_be_visible()
    page.goto(re.search(r"http\S+", mail.outbox[0].body)[0])
    page.get_by_label("New password", exact=True).fill("five quite different words")
    page.get_by_label("New password, once more").fill("five quite different words")
    page.get_by_role("button", name="Set new password").click()
    expect(page.get_by_text("Your password is changed.")).to_be_visible()
    page.goto("/account/password/change/")
    page.get_by_label("Current password").fill("five quite different words")
    page.get_by_label("New password", exact=True).fill(password)
    page.get_by_label("New password, once more").fill(password)
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_text("Your password is changed.")).to_be_visible()
    student.refresh_from_db()
    assert student.check_password(password)


def test_public_pages_are_accessible(page, phone, axe, fits):
    # One test for all: each new browser context would fetch styles and fonts again.
    for address in PUBLIC:
        _check(page, phone, axe, fits, address)


def test_own_pages_are_accessible(page, phone, axe, fits, student, sign_in):
    sign_in(page, student)
    sign_in(phone, student)
    for address in OWN:
        _check(page, phone, axe, fits, address)


def _check(page, phone, axe, fits, address):
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    axe(page)
    phone.set_viewport_size({"width": 320, "height": 640})
    phone.goto(address)
    fits(phone)
    fields = phone.locator("main form .field")
    if fields.count():
        # Sent empty, the fields say what they lack, and still nothing sticks out.
        phone.evaluate("document.querySelectorAll('form').forEach((form) => (form.noValidate = true))")
        phone.locator("main form button").click()
        expect(phone.locator(".err").first).to_be_visible()
        fits(phone)
        # The desk has seen this page in both themes; the errors are new.
        axe(phone, themes=("light",))


def test_operators_pages_work_under_the_content_policy(page, operator, student, password):
    page.goto("/admin/")
    page.get_by_label("User name or e-mail").fill("operator")
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Operators’ pages")).to_be_visible()
    page.get_by_role("link", name="Users").first.click()
    page.get_by_role("link", name="maya.rossi").click()
    page.get_by_role("link", name="Reset password").click()
    page.locator("#id_password1").fill("five quite different words")
    page.locator("#id_password2").fill("five quite different words")
    page.locator("input[type=submit]").first.click()
    expect(page.get_by_text("Password changed successfully.")).to_be_visible()
    student.refresh_from_db()
    assert student.check_password("five quite different words")


def test_a_student_is_turned_away_from_the_operators_pages(page, student, sign_in, watcher, axe):
    watcher.expect("403")
    sign_in(page, student)
    page.goto("/admin/")
    expect(page.get_by_role("heading", name="Not open to you")).to_be_visible()
    axe(page)


def test_the_watcher_notices_a_broken_policy(page, watcher):
    page.goto("/account/login/")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'x = 1'}))")
    page.wait_for_function("() => true")
    assert any("Content Security Policy" in problem for problem in watcher.problems)
    watcher.problems.clear()


def test_nobody_signs_up_as_an_operator(page, password):
    page.goto("/account/signup/")
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert not User.objects.get(username="admin").is_staff
