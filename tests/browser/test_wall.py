"""A lecture in a real browser: the wall follows the class, students decide what is shown, and a leaderboard freezes."""

import re

import pytest
from playwright.sync_api import expect

from tests.classroom.factories import add, assign, make_course, make_user
from tests.missions.helpers import record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def course(missions, student):
    """Maya, and Ann with two tries at the first mission."""
    course = make_course(make_user("prof"), has_leaderboard=True)
    assign(course, missions[:3])
    add(course, student, name="Rossi, Maya")
    ann = add(course, make_user("ann.doe"), name="Doe, Ann").user
    record(ann, missions[0], passed=False, steps=33, sampled_responses=330)
    record(ann, missions[0], passed=True, steps=44, sampled_responses=440)
    return course


def test_a_lecture(page, phone, student, sign_in, axe, fits, watcher, course, missions):
    here = f"/courses/{course.public_id}/"
    watcher.expect("422")  # A name that tells who it is.
    sign_in(page, course.memberships.get(role="owner").user)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.clock.install()
    page.goto(f"{here}missions/{missions[0].slug}/")
    axe(page)
    page.get_by_role("link", name="Show it on the wall").press("Enter")
    page.evaluate("window.isTheSamePage = true")
    expect(page.locator(".proj-n dd").first).to_have_text("2")
    # Nobody agreed: there is nothing to reveal. And all of it is on one screen, in letters for the last row.
    expect(page.get_by_role("link", name="Reveal")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollHeight") <= 720
    sizes = (
        "[...document.querySelectorAll('.proj h1, .proj-k, .proj-n dt, .proj-foot .key, .at-wide text, .wide text')]"
    )
    heights = page.evaluate(
        f"{sizes}.filter((e) => e.checkVisibility()).map((e) => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert heights and min(heights) >= 24
    axe(page)

    # On a phone, a student agrees, takes a name for the leaderboard, and trains.
    sign_in(phone, student)
    phone.goto(here)
    phone.get_by_role("link", name="Choose what others see of you").click()
    axe(phone)
    fits(phone)
    phone.get_by_label("A try of mine may be picked").check()
    phone.get_by_role("button", name="Save").click()
    expect(phone.get_by_role("status").first).to_contain_text("may be shown, without a name")
    phone.get_by_label("A name of your own").fill("maya 1")
    phone.get_by_role("button", name="Go on the leaderboard").click()
    expect(phone.get_by_label("A name of your own")).to_be_focused()
    expect(phone.get_by_text("a part of your name or account")).to_be_visible()
    phone.get_by_role("group", name="Take one of these").get_by_role("button").first.click()
    expect(phone.get_by_role("status").first).to_contain_text("You are on the leaderboard now")
    phone.goto(f"/missions/{missions[0].slug}/")
    phone.get_by_role("button", name=re.compile("Train")).click()
    expect(phone.get_by_role("heading", name=re.compile("Not yet"))).to_be_visible()

    # The wall has it without a reload, and reveals that one by keyboard, without a name.
    page.clock.run_for(21_000)
    expect(page.locator(".proj-n dd").first).to_have_text("3")
    page.get_by_role("link", name="Reveal a try").press("Enter")
    one = page.get_by_role("region", name="One try")
    expect(one).to_be_visible()
    expect(page.locator("#wall-said")).to_have_text(re.compile("responses"))
    expect(page.get_by_role("link", name="Hide it")).to_be_visible()
    assert page.evaluate("window.isTheSamePage") and page.evaluate("document.documentElement.scrollHeight") <= 720
    axe(page)
    for word in ("maya", "rossi", "doe"):
        assert word not in page.content().lower()

    # While it is shown, its student says no: gone with the next news.
    phone.goto(f"{here}choices/")
    phone.get_by_label("A try of mine may be picked").uncheck()
    phone.get_by_role("button", name="Save").click()
    expect(phone.get_by_role("status").first).to_contain_text("are not shown")
    page.clock.run_for(21_000)
    expect(one).to_have_count(0)

    # The network goes and comes back; then the wall is stopped, and asks for nothing.
    watcher.expect("ERR_FAILED|net::|htmx:(afterRequest|sendError)")
    page.route("**/wall/*", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.clock.run_for(21_000)
    expect(page.locator("#wall-state")).to_contain_text("not up to date")
    expect(page.get_by_role("alert")).to_be_hidden()
    page.unroute("**/wall/*")
    page.clock.run_for(21_000)
    expect(page.locator("#wall-state")).to_have_text("live")
    page.get_by_role("link", name="Pause").press("Enter")
    expect(page.locator("#wall-state")).to_have_text("paused")
    expect(page.get_by_role("link", name="Go on")).to_be_focused()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(60_000)
    assert asked == []

    # The leaderboard: one name, frozen by who teaches.
    page.goto(f"{here}leaderboard/")
    page.get_by_role("button", name="Freeze it as it is now").press("Enter")
    expect(page.get_by_text(re.compile("Frozen since"))).to_be_visible()
    phone.goto(f"{here}leaderboard/")
    expect(phone.get_by_text(re.compile("in place 1 of 1"))).to_be_visible()
    axe(phone)
    fits(phone)
    phone.set_viewport_size({"width": 320, "height": 640})
    sign_in(phone, course.memberships.get(role="owner").user)
    for there in (f"missions/{missions[0].slug}/", f"missions/{missions[0].slug}/wall/", "leaderboard/"):
        phone.goto(f"{here}{there}")
        fits(phone)
