"""Assigning and grading in a real browser, by keyboard: a chapter, its due date, an extension, and a file of grades."""

import csv
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from classroom.models import Assignment, Extension
from missions.models import Mission
from tests.classroom.factories import add, make_course, make_user
from tests.missions.helpers import record

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_chapter_is_assigned_graded_and_handed_in(page, phone, operator, sign_in, axe, fits, missions, tmp_path):
    course = make_course(operator, "Language models " + "and more " * 8)
    maya = add(course, make_user("maya", "maya@uni.example"), name="Rossi, Maya", student_number="007")
    record(maya.user, missions[0], passed=True, sampled_responses=1)
    for each in (page, phone):
        sign_in(each, operator)
    phone.set_viewport_size({"width": 320, "height": 640})
    here = f"/courses/{course.public_id}/"

    page.goto(f"{here}assignments/")
    page.get_by_role("link", name="Assign missions").first.press("Enter")
    axe(page, themes=("light",))
    whole = Mission.objects.filter(chapter=1).count()
    page.get_by_label(f"All of it: {whole} missions of Chapter one").press("Space")
    page.get_by_role("button", name="Assign those ticked").press("Enter")
    expect(page.get_by_role("heading", name=f"{whole} missions")).to_be_visible()
    page.get_by_label("Due", exact=True).fill("2020-01-31T23:59")
    page.get_by_label("Per star", exact=True).fill("2")
    expect(page.get_by_text("A student with 2 stars, one day late, gets 4 of 6 points.")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_text(f"Saved for {whole} missions.")).to_be_visible()
    page.get_by_role("button", name=f"Down {missions[0].title}").press("Enter")
    expect(page.get_by_role("row").nth(2)).to_contain_text(missions[0].title)
    axe(page, themes=("light",))

    page.goto(f"{here}grades/")
    expect(page.get_by_text("days late").first).to_be_visible()
    page.get_by_role("link", name="Rossi, Maya").press("Enter")
    page.get_by_role("link", name="Give more time").press("Enter")
    page.get_by_role("checkbox", name=missions[0].title).press("Space")
    page.get_by_label("Due", exact=True).fill((timezone.now() + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M"))
    page.get_by_label("Reason (optional)").fill("was ill")
    axe(page, themes=("light",))
    page.get_by_role("button", name="Give more time").press("Enter")
    expect(page.get_by_text("Rossi, Maya has more time for 1 mission")).to_be_visible()
    axe(page, themes=("light",))

    page.goto(f"{here}grades/")
    axe(page)
    expect(page.get_by_role("cell", name="try 1, ext.")).to_be_visible()
    page.get_by_role("link", name="Export").press("Enter")
    axe(page, themes=("light",))
    with page.expect_download() as download:
        page.get_by_role("button", name="Download for Moodle").press("Enter")
    path = tmp_path / "grades.csv"
    download.value.save_as(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["Email address"], row[missions[0].title], row[missions[1].title]) == (
        "maya@uni.example",
        "6.00",
        "0.00",
    )

    one, extension = Assignment.objects.first(), Extension.objects.get()
    seen = ("assignments/", "assignments/add/", "exceptions/", "exceptions/extend/", "grades/", "grades/export/")
    for address in (
        *seen,
        "assignments/rules/",
        f"assignments/edit/?chosen={one.pk}",
        "assignments/shift/",
        f"assignments/remove/?chosen={one.pk}",
        f"exceptions/extensions/{extension.pk}/",
        "exceptions/unlock/",
        f"grades/{maya.pk}/",
    ):
        phone.goto(here + address)
        expect(phone.get_by_role("heading", level=1)).to_have_count(1)
        fits(phone)
        if address not in seen:
            axe(phone, themes=("light",))
