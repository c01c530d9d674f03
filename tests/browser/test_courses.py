"""A course in a real browser: created at a desk, joined on a phone, and nobody's page hard to read or reach."""

import re

import pytest
from playwright.sync_api import expect

from classroom.joining import current_link
from classroom.models import Course, Invitation, Role
from tests.classroom.factories import add, assign, make_course, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_created_at_the_desk_joined_on_a_phone_and_there_it_is(page, phone, operator, password, sign_in, axe, fits):
    sign_in(page, operator)
    page.goto("/courses/")
    page.get_by_role("link", name="New course").click()
    page.get_by_label("Name", exact=True).fill("Language models")
    page.get_by_role("button", name="Create course").click()
    expect(page.get_by_text("No students yet.")).to_be_visible()
    page.clock.install()
    page.get_by_role("link", name="Show it on the wall").click()
    expect(page.get_by_role("img", name=re.compile("QR code"))).to_be_visible()
    expect(page.get_by_text("0 are in")).to_be_visible()
    axe(page)

    # The phone's camera reads the picture: signed out, through sign-up, and back.
    phone.set_viewport_size({"width": 320, "height": 640})
    phone.goto(f"/join/{current_link(Course.objects.get()).code}/")
    axe(phone, themes=("light",))
    fits(phone)
    phone.get_by_role("link", name="Create an account").click()
    phone.get_by_label("User name").fill("maya")
    phone.get_by_label("Password").fill(password)
    phone.get_by_role("button", name="Create account").click()
    expect(phone.get_by_role("heading", name="Language models")).to_be_visible()
    axe(phone, themes=("light",))
    fits(phone)
    phone.get_by_role("button", name="Join the course").click()
    expect(phone.get_by_text("You are in Language models.")).to_be_visible()
    axe(phone)
    fits(phone)

    # The wall asks by itself, every 15 seconds of the browser's clock.
    page.clock.run_for(16_000)
    expect(page.get_by_text("1 is in")).to_be_visible()
    page.get_by_role("link", name="Back", exact=True).click()
    expect(page.get_by_role("link", name="maya")).to_be_visible()


def test_a_roster_by_keyboard_and_every_page_accessible(page, phone, operator, sign_in, axe, fits, missions, tmp_path):
    course = make_course(operator, "Language models " + "and more " * 8)
    member = add(course, make_user("maya", "maya@uni.example"), name="Rossi, Maya")
    add(course, make_user("an.assistant.with.a.very.long.user.name.indeed"), Role.ASSISTANT)
    Invitation.objects.create(course=course, email="nobody.has.joined.yet@students.university.example", name="New, Nia")
    assign(course, missions[:3])
    for each in (page, phone):
        sign_in(each, operator)
    here = f"/courses/{course.public_id}/"
    phone.set_viewport_size({"width": 320, "height": 640})
    for address in (
        "/courses/",
        "/courses/new/",
        "/join/",
        *(f"{here}people/?show={shown}" for shown in ("students", "staff", "expected", "gone")),
        f"{here}people/{member.pk}/",
        f"{here}people/add/",
        f"{here}people/roster/",
        f"{here}join-link/",
        f"{here}settings/",
        f"{here}copy/",
        f"{here}leave/",
    ):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        axe(page, themes=("light",))
        phone.goto(address)
        fits(phone)

    path = tmp_path / "list.csv"
    path.write_text("E-mail;Name;Section\r\nmaya@uni.example;Rossi, Maya;B\r\nnew@uni.example;New, Noa;A\r\n")
    page.goto(f"{here}people/roster/")
    page.get_by_label("CSV file").set_input_files(path)
    page.get_by_role("button", name="Show what would change").press("Enter")
    expect(page.get_by_role("heading", name="What would change")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Do this").press("Enter")
    expect(page.get_by_text("0 let in, 1 expected, 1 changed")).to_be_visible()
    page.get_by_role("link", name="2 expected").press("Enter")
    page.get_by_role("checkbox", name="Choose New, Noa").press("Space")
    page.get_by_role("button", name="Take those ticked off").press("Enter")
    expect(page.get_by_text("1 taken off the list")).to_be_visible()
