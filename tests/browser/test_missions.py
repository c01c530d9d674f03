"""A student plays, in a real browser: fail, fix, earn stars, unlock, go back, reload, on a desk and on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from missions.models import Attempt, Draft, Mission, Progress
from tests.missions.helpers import record

pytestmark = pytest.mark.django_db(transaction=True)


def choose(page: Page, **settings: str) -> None:
    for name, value in settings.items():
        page.locator(f"#{name}").focus()
        with page.expect_response(re.compile(r"/draft/$")):
            page.locator(f"#{name}").select_option(value)


def press_train(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Train")).click()


def test_from_sign_up_to_three_stars_and_the_next_mission(page: Page, missions: list[Mission], password: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Start playing").click()
    page.get_by_label("User name").fill("newcomer")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your missions")
    expect(page.get_by_text("opens after 1", exact=True).first).to_be_visible()
    page.get_by_role("link", name="Start", exact=True).click()

    press_train(page)
    expect(page.get_by_role("heading", name=re.compile("Not yet: 0.1"))).to_be_focused()
    expect(page).to_have_url(re.compile(r"/missions/first-signal/tries/1/$"))
    expect(page).to_have_title(re.compile("^Not yet"))

    choose(page, steps="150", group_size="3", beta="0")
    expect(page.locator("#train-cost")).to_have_text("3,600 responses")
    page.get_by_text("0.795 or more").click()
    press_train(page)
    expect(page.get_by_role("heading", name="Three stars")).to_be_focused()
    expect(page.locator("#star-count")).to_contain_text("3")
    expect(page.get_by_text("That was right.")).to_be_visible()
    expect(page.get_by_role("heading", name="What happened here")).to_be_visible()
    assert [canvas.bounding_box()["height"] > 50 for canvas in page.locator("canvas").all()].count(False) == 0

    page.get_by_role("link", name="Play mission 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("On a short leash")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Missions").click()
    expect(page.get_by_text("One passed, 23 to go.")).to_be_visible()
    expect(page.locator(".stop.done")).to_have_count(1)


def test_reload_and_back_charge_nothing_and_show_whole_pages(
    page: Page, student: User, missions: list[Mission], sign_in
) -> None:
    sign_in(page, student)
    page.goto("/missions/")
    page.get_by_role("link", name="Start", exact=True).click()
    press_train(page)
    expect(page.locator(".outcome")).to_be_visible()
    page.reload()
    expect(page.locator(".outcome")).to_be_visible()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="The goal")).to_be_visible()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    expect(page.get_by_role("region", name="Tries at").locator("tbody tr")).to_have_count(1)
    page.go_back()
    expect(page.get_by_text("1 try so far")).to_be_visible()
    assert Attempt.objects.count() == 1


def test_a_double_click_is_one_try(page: Page, student: User, missions: list[Mission], sign_in) -> None:
    sign_in(page, student)
    page.goto("/missions/first-signal/")
    page.get_by_role("button", name=re.compile("^Train")).dblclick()
    expect(page.locator(".outcome")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert Attempt.objects.count() == 1


def test_two_tabs_make_one_try_and_lose_nothing(page: Page, student: User, missions: list[Mission], sign_in) -> None:
    sign_in(page, student)
    page.goto("/missions/first-signal/")
    second = page.context.new_page()
    second.goto("/missions/first-signal/")
    press_train(page)
    expect(page.locator(".outcome")).to_be_visible()
    second.locator("#steps").select_option("300")
    press_train(second)
    expect(second.get_by_text("You had already trained from another page.")).to_be_visible()
    expect(second.locator("#steps")).to_have_value("300")
    assert Attempt.objects.count() == 1
    press_train(second)
    expect(second.get_by_text(re.compile("Win rate is up by"))).to_be_visible()
    assert Attempt.objects.count() == 2


def test_typed_settings_survive_leaving_the_page(page: Page, student: User, missions: list[Mission], sign_in) -> None:
    sign_in(page, student)
    page.goto("/missions/first-signal/")
    choose(page, steps="300", beta="0.1")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Lab").click()
    page.goto("/missions/first-signal/")
    expect(page.locator("#steps")).to_have_value("300")
    expect(page.locator("#beta")).to_have_value("0.1")
    page.get_by_role("link", name="Back to the start").click()
    expect(page.locator("#steps")).to_have_value("50")
    choose(page, steps="400")
    expect(page).to_have_url(re.compile(r"/missions/first-signal/$"))
    page.reload()
    expect(page.locator("#steps")).to_have_value("400")


def test_a_wrong_value_is_explained_at_its_field(
    page: Page, student: User, missions: list[Mission], sign_in, axe, watcher
) -> None:
    watcher.expect("422")
    sign_in(page, student)
    page.goto("/missions/first-signal/")
    page.get_by_label("Your seed").fill("one")
    press_train(page)
    error = page.locator("#seed-error")
    expect(error).to_contain_text("whole number")
    expect(page.get_by_label("Your seed")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Your seed")).to_have_value("one")
    axe(page)
    page.get_by_label("Your seed").fill("12")
    press_train(page)
    expect(page.locator(".outcome")).to_be_visible()
    assert Attempt.objects.get().display_seed == 12


def test_a_method_brings_its_own_controls(page: Page, student: User, missions: list[Mission], sign_in) -> None:
    mission = next(m for m in missions if m.slug == "sample-once")
    Progress.objects.create(user=student, mission=mission, unlocked_at=student.date_joined)
    sign_in(page, student)
    page.goto("/missions/sample-once/")
    expect(page.get_by_label("Group size")).to_be_visible()
    choose(page, method="dpo")
    expect(page.get_by_label("Samples per prompt")).to_be_visible()
    expect(page.get_by_label("Group size")).to_have_count(0)
    expect(page.locator("#method")).to_be_focused()


def test_a_session_that_ended_leads_to_sign_in_and_back(
    page: Page, student: User, missions: list[Mission], sign_in, password: str
) -> None:
    sign_in(page, student)
    page.goto("/missions/first-signal/")
    page.context.clear_cookies(name="sessionid")
    press_train(page)
    expect(page).to_have_url(re.compile(r"/account/login/\?next=%2Fmissions%2Ffirst-signal%2F$"))
    page.get_by_label("User name or e-mail").fill(student.username)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("First signal")
    assert not Attempt.objects.exists()


def test_the_keyboard_is_enough(page: Page, student: User, missions: list[Mission], sign_in) -> None:
    sign_in(page, student)
    page.goto("/missions/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("First signal")
    page.locator("#steps").focus()
    with page.expect_response(re.compile(r"/draft/$")):
        page.keyboard.press("ArrowDown")
    expect(page.locator("#steps")).to_be_focused()
    page.get_by_role("button", name=re.compile("^Train")).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=re.compile("Not yet"))).to_be_focused()
    assert Attempt.objects.get().setup["steps"] == 75


def test_everything_works_without_scripts(new_page, student: User, missions: list[Mission], sign_in) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, student)
    page.goto("/missions/first-signal/")
    page.locator("#steps").select_option("300")
    page.get_by_role("button", name="Keep these settings and show what they cost").click()
    expect(page.locator("#cost")).to_contain_text("19,200")
    page.locator("#group_size").select_option("3")
    page.locator("#beta").select_option("0")
    press_train(page)
    expect(page.get_by_role("heading", name="Two stars")).to_be_visible()
    page.get_by_text("Show data table").first.click()
    expect(page.get_by_role("table").first).to_be_visible()


def play_some(student: User, missions: list[Mission]) -> None:
    record(student, missions[0], passed=False)
    record(student, missions[0], passed=True, sampled_responses=3000)
    Draft.objects.create(user=student, mission=missions[1], fields={"steps": "75"})
    for mission in missions:
        if mission.slug in ("stale-data", "the-rambling-failure"):
            Progress.objects.create(user=student, mission=mission, unlocked_at=student.date_joined)
    rambling = next(mission for mission in missions if mission.slug == "the-rambling-failure")
    record(student, rambling, passed=False)


PAGES = [
    "/",
    "/missions/",
    "/missions/first-signal/tries/1/",
    "/missions/first-signal/tries/2/",
    "/missions/short-leash/",
    "/missions/stale-data/",
    "/missions/the-rambling-failure/tries/1/",
    "/me/",
    "/me/delete/",
    "/privacy/",
    "/missions/nowhere/",
]


def test_pages_are_accessible_and_fit_any_width(
    page: Page, student: User, missions: list[Mission], sign_in, axe, fits, watcher
) -> None:
    # One test for all: each new browser context would fetch styles and fonts again.
    watcher.expect("404.*nowhere|console: .*404")
    play_some(student, missions)
    sign_in(page, student)
    for address in PAGES:
        page.set_viewport_size({"width": 1440, "height": 740})
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
        axe(page)
        assert page.locator("h1").count() == 1, address
        for width in (1440, 900, 360, 320):
            page.set_viewport_size({"width": width, "height": 740})
            fits(page)


def test_a_phone_in_a_lecture(phone: Page, student: User, missions: list[Mission], sign_in, fits) -> None:
    sign_in(phone, student)
    phone.goto("/missions/")
    phone.get_by_role("link", name="Start", exact=True).tap()
    choose(phone, steps="150", group_size="3", beta="0")
    phone.get_by_role("button", name=re.compile("^Train")).tap()
    expect(phone.get_by_role("heading", name="Three stars")).to_be_in_viewport()
    fits(phone)
    # These tests ask for reduced motion, so the player jumps instead of playing.
    phone.get_by_role("button", name=re.compile("^To the start")).first.tap()
    expect(phone.locator("[data-bars] [data-step]").first).to_have_text("0")
    phone.get_by_role("link", name="Play mission 2").tap()
    expect(phone.get_by_role("heading", level=1)).to_have_text("On a short leash")


def test_chapter_two_opens_with_the_sixth_pass_and_is_played(
    page: Page, student: User, missions: list[Mission], sign_in
) -> None:
    for mission in missions[:6]:
        record(student, mission, passed=True)
    sign_in(page, student)
    page.goto("/missions/")
    page.get_by_role("link", name="Silence is not a gradient").first.click()
    expect(page.get_by_text("At least 24 of 32 hidden runs have to reach the goal.")).to_be_visible()
    choose(page, dynamic_sampling="true")
    expect(page.locator("#train-cost")).to_have_text("at most 1,920 responses")
    choose(page, dynamic_sampling="false", group_size="8")
    expect(page.locator("#train-cost")).to_have_text("1,920 responses")
    press_train(page)
    expect(page.get_by_role("heading", name="Three stars")).to_be_focused()
    expect(page.get_by_text(re.compile(r"^\d\d of 32 hidden runs reached the goal; 24 are needed"))).to_be_visible()
    expect(page.locator(".resps .tok").first).to_be_visible()
    page.get_by_role("link", name="Play mission 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The rambling failure")


def test_the_account_s_data_and_end(page: Page, student: User, missions: list[Mission], sign_in, password: str) -> None:
    play_some(student, missions)
    sign_in(page, student)
    page.goto("/me/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download my data").click()
    assert download.value.suggested_filename.endswith(".json")
    page.get_by_role("link", name="Delete my account").click()
    page.get_by_label("Your password").fill(password)
    page.get_by_role("button", name="Delete everything").click()
    expect(page.get_by_text("are deleted.")).to_be_visible()
    assert not User.objects.exists() and not Attempt.objects.exists()
