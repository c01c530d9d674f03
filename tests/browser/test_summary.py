"""The summary of a course in a real browser: curves with dates, filters, and the way to a mission."""

import pytest
from playwright.sync_api import expect

from tests.classroom.factories import add, assign, make_course, make_user
from tests.missions.helpers import record

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_instructor_sees_how_the_term_goes(page, phone, sign_in, axe, fits, missions):
    prof = make_user("prof")
    course = make_course(prof)
    assign(course, [missions[0], missions[-1]])
    for place, name in enumerate(("Ann", "Bea", "Cem")):
        user = make_user(name.lower())
        add(course, user, name=name, section="A" if place else "B")
        for step in range(place):
            record(user, missions[0], passed=step > 0, sampled_responses=1, steps=20 + step)
    for one in (page, phone):
        sign_in(one, prof)
        one.goto(f"/courses/{course.public_id}/")
        one.get_by_role("navigation", name="Course").get_by_role("link", name="Summary").click()
        expect(one.get_by_role("img", name="Tries. Tries: most in the day")).to_be_visible()
        axe(one)
        fits(one)
    page.get_by_role("link", name="by week").click()
    expect(page.get_by_role("link", name="by week")).to_have_attribute("aria-current", "true")
    page.get_by_role("link", name="responses of the best pass").click()
    expect(page.locator(".histogram").first.get_by_role("img")).to_be_visible()
    page.get_by_label("Students", exact=True).select_option("A")
    page.get_by_role("button", name="Show").click()
    # What was chosen before stays.
    expect(page.get_by_role("link", name="responses of the best pass")).to_have_attribute("aria-current", "true")
    expect(page.get_by_text("Everybody has tried something.")).to_be_visible()
    axe(page, themes=("dark",))
    page.get_by_role("link", name=missions[0].title).first.click()
    expect(page.get_by_role("heading", name=missions[0].title, level=1)).to_be_visible()
