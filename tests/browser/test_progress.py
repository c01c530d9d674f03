"""The progress of a class in a real browser: it changes while it is read, and nothing moves; by keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from missions.models import Attempt
from tests.classroom.factories import add, assign, make_course, make_user
from tests.missions.helpers import record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def course(missions, student):
    """Six students; Bea is stuck at the second mission, Ann has done the first."""
    course = make_course(make_user("prof"), stuck_after_tries=3)
    assign(course, missions[:12])
    add(course, student, name="Rossi, Maya", section="A")
    for name in ("Ann", "Bea", "Cem", "Dov", "A student with a very long name indeed, Bartholomew"):
        add(course, make_user(name[:3].lower()), name=name, section="B")
    for member in course.memberships.filter(name__in=("Ann", "Bea")):
        record(member.user, missions[0], passed=True, sampled_responses=1)
    for step in range(3):
        record(course.memberships.get(name="Bea").user, missions[1], passed=False, steps=20 + step, prediction=0)
    return course


def test_the_grid_changes_while_it_is_read_and_whoever_is_stuck_is_found(
    page, phone, student, sign_in, axe, watcher, course, missions
):
    sign_in(page, course.memberships.get(role="owner").user)
    page.set_viewport_size({"width": 1280, "height": 300})
    page.clock.install()
    page.goto(f"/courses/{course.public_id}/")
    expect(page.get_by_role("heading", name="Progress", level=1)).to_be_visible()
    page.evaluate("window.isTheSamePage = true")
    axe(page)
    maya = page.get_by_role("row", name=re.compile("Rossi, Maya"))
    name = maya.get_by_role("link", name="Rossi, Maya")
    name.focus()
    page.evaluate("document.getElementById('grid-box').scrollTop = 3")

    sign_in(phone, student)
    phone.goto(f"/missions/{missions[0].slug}/")
    phone.get_by_role("button", name=re.compile("Train")).click()
    expect(phone.get_by_role("heading", name=re.compile("Not yet"))).to_be_visible()

    page.clock.run_for(26_000)
    expect(maya.get_by_role("link", name="no star, 1 try")).to_be_visible()
    expect(page.locator("td.fresh")).to_have_count(1)
    expect(page.get_by_role("status")).to_contain_text("Rossi, Maya, mission 1: First signal: no star, 1 try.")
    expect(name).to_be_focused()
    assert page.evaluate("[window.isTheSamePage, document.getElementById('grid-box').scrollTop]") == [True, 3]
    axe(page, themes=("dark",))

    # A hidden page asks for nothing; once it is looked at again it does so at once.
    record(student, missions[0], passed=True, sampled_responses=1)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    hide = "Object.defineProperty(document, 'hidden', {configurable: true, value: %s})"
    page.evaluate(hide % "true")
    page.clock.run_for(60_000)
    assert asked == []
    page.evaluate(hide % "false")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(maya.get_by_role("link", name="3 stars, 2 tries")).to_be_visible()
    assert len(asked) == 1
    expect(page.locator("td.fresh")).to_have_count(2)  # Passing the first mission opened the second.
    with page.expect_response("**/progress/*"):  # One that is under way would keep the next from being sent.
        page.clock.run_for(26_000)
    assert len(asked) == 2 and page.evaluate("window.isTheSamePage")

    # The network goes and comes back: the page says so where it said what was new, and nowhere else.
    watcher.expect("ERR_FAILED|net::|htmx:(afterRequest|sendError)")
    page.route("**/progress/*", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.clock.run_for(26_000)
    expect(page.get_by_role("status")).to_contain_text("Not up to date")
    expect(page.get_by_role("alert")).to_be_hidden()
    page.unroute("**/progress/*")
    page.clock.run_for(26_000)
    expect(page.get_by_role("status")).to_contain_text("Up to date again")

    # By keyboard: those who are stuck, then the cell itself, then the tries behind it.
    page.get_by_role("link", name="stuck 1").press("Enter")
    expect(page.get_by_role("row", name=re.compile("Rossi"))).to_have_count(0)
    expect(page.get_by_role("link", name="stuck 1")).to_be_focused()
    expect(page).to_have_url(re.compile(r"\?show=stuck$"))
    bea = page.get_by_role("link", name="Bea", exact=True)
    bea.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("link", name="no star, 3 tries, stuck")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Bea", level=1)).to_be_visible()
    expect(page.get_by_text("Try 3", exact=True)).to_be_visible()
    axe(page)
    page.get_by_role("link", name=re.compile("Open try 2")).press("Enter")
    expect(page.get_by_role("heading", name=re.compile("Try 2"), level=1)).to_be_visible()
    axe(page)
    page.go_back()
    page.go_back()
    expect(page.get_by_role("row", name=re.compile("Bea"))).to_be_visible()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()


def test_sorted_and_searched_in_place_and_on_a_phone(page, phone, sign_in, axe, fits, course, student):
    for each in (page, phone):
        sign_in(each, course.memberships.get(role="owner").user)
    address = f"/courses/{course.public_id}/progress/"
    page.goto(address)
    names = page.locator(".class tbody th")
    page.get_by_role("link", name="Student", exact=True).press("Enter")
    expect(names.first).to_have_text("Rossi, Maya")
    expect(page.get_by_role("link", name="Student", exact=True)).to_be_focused()
    page.get_by_role("searchbox").fill("be")
    expect(names).to_have_text(["Bea"])
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.get_by_role("searchbox").fill("nobody at all")
    expect(page.get_by_text("No student is like that.")).to_be_visible()
    page.get_by_role("searchbox").fill("")
    expect(names).to_have_count(6)
    page.get_by_label("Section").select_option("A")
    expect(names).to_have_text(["Rossi, Maya"])
    page.get_by_role("link", name="Show points").press("Enter")
    expect(page.get_by_role("columnheader", name="Points")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.path().read_text("utf-8-sig").count("\n") == 2

    member = course.memberships.get(user=student)
    record(student, course.assignments.first().mission, passed=True, steps=33)
    phone.set_viewport_size({"width": 320, "height": 640})
    below = f"/courses/{course.public_id}/students/{member.pk}/"
    slug = Attempt.objects.get(user=student).mission.slug
    for there in (address, below, f"{below}missions/{slug}/", f"{below}missions/{slug}/tries/1/"):
        phone.goto(there)
        axe(phone, themes=("light",))
        fits(phone)
    phone.goto(address)
    phone.get_by_label("Sort by").select_option("stuck")
    expect(phone.locator(".class tbody th").first).to_have_text("Bea")
    sign_in(phone, student)
    phone.goto(f"/courses/{course.public_id}/")
    axe(phone)
    fits(phone)
    phone.get_by_role("link", name="your tries").click()
    expect(phone.get_by_text("This is what those who teach the course see of you.")).to_be_visible()
    axe(phone)
