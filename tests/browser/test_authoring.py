"""A mission in a real browser: written at a desk, looked at as a student, published, and played on a phone."""

import re

import pytest
from playwright.sync_api import expect

from missions.models import Attempt, Mission, OwnMission
from tests.classroom.factories import add, make_course, make_user
from tests.classroom.test_access import let_create_courses

pytestmark = pytest.mark.django_db(transaction=True)


def test_written_in_the_form_previewed_published_and_played_on_a_phone(
    page, phone, sign_in, axe, fits, missions, watcher
):
    author, student = make_user("dr.bianchi"), make_user("maya")
    let_create_courses(author)
    course = make_course(author)
    add(course, student, name="Rossi, Maya")
    sign_in(page, author)
    page.goto("/courses/")
    page.get_by_role("link", name="Your own missions").click()
    axe(page, themes=("light",))
    page.get_by_role("link", name="New mission").first.click()
    axe(page, themes=("light",))
    page.get_by_label("Mission to copy").select_option("first-signal")
    page.get_by_role("button", name="Copy it").click()

    # The form, by keyboard: a setting is opened, given a list of values, and its field appears with the choice.
    page.get_by_label("Title").fill("A signal of our own")
    page.get_by_label("Three stars").fill("nine")
    beta = page.locator("details.setting", has=page.get_by_text("Beta", exact=True)).locator("summary").first
    beta.focus()
    page.keyboard.press("Enter")
    page.locator("#f-control-beta").select_option("list")
    page.locator("#f-control-beta-choices").fill("0, 0.05, 0.8")
    page.get_by_role("button", name="Save", exact=True).press("Enter")

    # It is kept with what is wrong, and the message leads to the field.
    expect(page.get_by_role("heading", name="1 thing to put right")).to_be_visible()
    axe(page)
    page.get_by_role("link", name=re.compile("three_stars")).press("Enter")
    expect(page.get_by_label("Three stars")).to_be_focused()
    page.get_by_label("Three stars").fill("3,000")
    page.get_by_role("button", name="Save and preview").click()

    # A real try, stored nowhere.
    expect(page.get_by_text("Preview.", exact=True)).to_be_visible()
    axe(page)
    page.get_by_label("Steps", exact=True).select_option("150")
    page.get_by_label("Group size", exact=True).select_option("2")
    page.get_by_label("Beta", exact=True).select_option("0")
    expect(page.locator("#train-cost")).to_contain_text("2,400 responses")
    page.get_by_role("button", name=re.compile("Train")).click()
    expect(page.locator("#outcome-title")).to_be_visible()
    assert not Attempt.objects.exists()
    assert not Mission.objects.filter(source="own").exists()

    page.get_by_role("link", name="Publish").click()
    expect(page.get_by_text("No check has gone through this text")).to_be_visible()
    axe(page)
    page.get_by_role("checkbox", name="Language models").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("is published. It is new in 1 course.")).to_be_visible()
    axe(page, themes=("light",))
    page.get_by_role("link", name="Language models").click()
    expect(page.get_by_role("heading", name="Written for courses")).to_be_visible()
    axe(page, themes=("light",))

    sign_in(phone, student)
    phone.goto("/missions/")
    phone.get_by_role("link", name="A signal of our own").click()
    axe(phone, themes=("light",))
    fits(phone)
    phone.get_by_role("button", name=re.compile("Train")).click()
    expect(phone.locator("#outcome-title")).to_be_visible()
    fits(phone)
    assert Attempt.objects.get().mission.is_own

    # The text, on a phone, with a mistake in it; and a second window that is out of date.
    own = OwnMission.objects.get()
    sign_in(phone, author)
    for name in ("", "edit/", "text/", "publish/", "preview/", "delete/"):
        phone.goto(f"/own-missions/{own.public_id}/{name}")
        fits(phone)
    phone.goto(f"/own-missions/{own.public_id}/text/")
    page.goto(f"/own-missions/{own.public_id}/text/")
    text = page.get_by_label("The mission as TOML")
    text.fill(text.input_value().replace("at_least = ", "at_leest = "))
    page.get_by_role("button", name="Save", exact=True).click()
    axe(page)
    page.get_by_role("link", name=re.compile("^Line ")).click()
    expect(text).to_be_focused()
    assert "goals" in page.evaluate("getSelection().toString()")
    watcher.expect("^409|status of 409")
    phone.get_by_label("The mission as TOML").fill('title = "Mine"')
    phone.get_by_role("button", name="Save", exact=True).click()
    expect(phone.get_by_label("Yours, not saved yet")).to_have_value('title = "Mine"')
    axe(phone)
    fits(phone)
    for address in ("import/", "format/", ""):
        phone.goto(f"/own-missions/{address}")
        axe(phone, themes=("light",))
        fits(phone)
