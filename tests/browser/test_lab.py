"""The lab in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, Watcher

Check = Callable[[Page], None]

HACK = "/lab/?event=reward_hack&method=grpo&steps=400&group_size=8&beta=0.05&length_penalty=0&seed=1&prompt=3"


def win_rate(page: Page) -> str:
    return page.locator('[data-metric="win_rate"] .v').inner_text()


def change(page: Page, field: str, value: str) -> None:
    """Type into a field, leave it, and wait for the new run."""
    with page.expect_response(lambda answer: "/lab/" in answer.url):
        page.fill(f"#{field}", value)
        page.press(f"#{field}", "Tab")
    expect(page.locator("#lab.htmx-settling")).to_have_count(0)


def wait_until(page: Page, condition: str) -> None:
    """Wait for a condition in the page. Playwright's own way evaluates a string there, which the policy forbids."""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true: {condition}")


def heights(page: Page, figure: str) -> list[float]:
    """Heights of the bars that are visible now."""
    return page.evaluate(
        """(id) => [...document.querySelectorAll(`#${id} svg`)].find((svg) => svg.getBoundingClientRect().width)
            .querySelectorAll('.bar').values().map((bar) => Number(bar.getAttribute('height'))).toArray()""",
        figure,
    )


def test_a_change_trains_again_and_compares(page: Page) -> None:
    page.goto("/lab/?event=length_bias")
    before = win_rate(page)
    change(page, "length_penalty", "2.5")
    expect(page.locator("#lab-comparison")).to_contain_text("length penalty 0")
    expect(page.locator('[data-metric="win_rate"]')).to_contain_text("better")
    expect(page.locator("#lab-said")).to_contain_text("Trained again: win rate 0.796")
    assert win_rate(page) != before
    assert "length_penalty=2.5" in page.url and "previous=" in page.url
    # The field that came next keeps the focus, although the form was drawn anew.
    assert page.evaluate("document.activeElement.id") == "seed"

    reloaded = page.url
    page.reload()
    assert page.url == reloaded
    expect(page.locator("#lab-comparison")).to_contain_text("up by 0.377, to 0.796")

    page.go_back()
    expect(page.locator('[data-metric="win_rate"] .v')).to_have_text(before)
    expect(page.locator("#length_penalty")).to_have_value("0")
    page.go_forward()
    expect(page.locator('[data-metric="win_rate"] .v')).to_have_text("0.796")


def test_event_and_method_with_the_keyboard(page: Page) -> None:
    page.goto("/lab/")
    page.focus("#event-clean")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**event=length_bias**")
    expect(page.locator("#event-length_bias")).to_be_focused()
    page.select_option("#method", "dpo")
    page.wait_for_url("**method=dpo**")
    expect(page.locator("#samples_per_prompt")).to_have_value("8")
    expect(page.locator("#beta")).to_have_value("0.1")
    expect(page.locator("#group_size")).to_have_count(0)
    expect(page.locator(".cost")).to_contain_text("40 prompts × 8 responses, sampled once = 320")


def test_a_bad_value_is_marked_and_nothing_is_lost(page: Page, watcher: Watcher) -> None:
    watcher.expect("422")
    page.goto("/lab/?steps=100")
    before, address = win_rate(page), page.url
    change(page, "steps", "many")
    expect(page.locator("#steps")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#steps")).to_have_value("many")
    expect(page.locator("#steps-error")).to_have_text("Steps must be a whole number from 1 to 800.")
    expect(page.locator("#lab-said")).to_contain_text("Not trained.")
    assert win_rate(page) == before and page.url == address
    change(page, "steps", "200")
    expect(page.locator("#steps-error")).to_have_count(0)
    expect(page.locator("#lab-comparison")).to_contain_text("steps 100")


def test_a_number_being_typed_survives_the_answer_to_another(page: Page) -> None:
    page.goto("/lab/")
    page.route("**/lab/?*", lambda route: (page.wait_for_timeout(400), route.continue_()))
    page.fill("#steps", "100")
    page.press("#steps", "Tab")
    page.keyboard.press("Control+a")
    with page.expect_response(lambda answer: "steps=100" in answer.url):
        page.keyboard.type("4")
    page.wait_for_url("**steps=100**")
    expect(page.locator("#group_size")).to_be_focused()
    expect(page.locator("#group_size")).to_have_value("4")
    page.press("#group_size", "Tab")
    page.wait_for_url("**group_size=4**")


def test_bars_scrub_and_jump_without_motion(page: Page) -> None:
    page.goto(HACK)
    final = heights(page, "ranks")
    slider = page.locator("#ranks-scrub")
    expect(slider).to_have_attribute("aria-valuetext", "step 400 of 400")
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "step 0 of 400")
    expect(page.locator("#ranks figcaption")).to_contain_text("after step 0")
    start = heights(page, "ranks")
    assert start != final and max(start) < max(final)
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "step 10 of 400")
    # Reduced motion: one jump, nothing in between.
    page.click("#ranks-play")
    assert heights(page, "ranks") == pytest.approx(final, abs=0.2)
    expect(page.locator("#ranks-play")).to_contain_text("To the start")
    # The other figure didn't move along.
    expect(page.locator("#answers-scrub")).to_have_attribute("aria-valuetext", "step 400 of 400")


def test_bars_play_and_pause(new_page: Callable[..., Page]) -> None:
    page = new_page(viewport=DESKTOP)
    page.emulate_media(reduced_motion="no-preference")
    page.goto(HACK)
    expect(page.locator("#ranks-play")).to_contain_text("Play")
    page.click("#ranks-play")
    expect(page.locator("#ranks-play")).to_contain_text("Pause")
    wait_until(page, "Number(document.getElementById('ranks-scrub').value) >= 4")
    page.click("#ranks-play")
    expect(page.locator("#ranks-play")).to_contain_text("Play")
    stopped = heights(page, "ranks")
    assert 0 < int(page.input_value("#ranks-scrub")) < 40
    page.wait_for_timeout(300)
    assert heights(page, "ranks") == stopped
    page.click("#ranks-play")
    wait_until(page, "document.getElementById('ranks-scrub').value === '40'")
    expect(page.locator("#ranks-play")).to_contain_text("Play")


def test_charts_are_drawn_again_and_old_ones_are_let_go(page: Page) -> None:
    page.goto("/lab/")
    drawn = "Object.values(Chart.instances).length"
    wait_until(page, f"{drawn} === 5")
    for steps in ("100", "150", "125"):
        change(page, "steps", steps)
    wait_until(page, f"{drawn} === 5")
    assert page.evaluate("Object.values(Chart.instances).every((chart) => chart.canvas.isConnected)")
    light = page.evaluate("Object.values(Chart.instances)[0].data.datasets.at(-1).borderColor")
    page.emulate_media(color_scheme="dark")
    wait_until(page, f"Object.values(Chart.instances)[0].data.datasets.at(-1).borderColor !== '{light}'")
    labels = page.eval_on_selector_all(
        "[data-curves] canvas", "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    assert all(re.search(r"goes from .+ to .+ in 125 steps", label) for label in labels)


def test_open_tables_stay_open(page: Page) -> None:
    page.goto("/lab/")
    page.click("#curves-table summary")
    change(page, "steps", "100")
    expect(page.locator("#curves-table table")).to_be_visible()


def test_prompts_by_link_and_number(page: Page) -> None:
    page.goto("/lab/?prompt=40")
    page.click("#prompt-next")
    expect(page.locator("#prompt-title")).to_have_text("One prompt: number 1")
    expect(page.locator("#prompt-next")).to_be_focused()
    change(page, "prompt", "12")
    expect(page.locator("#prompt-title")).to_have_text("One prompt: number 12")
    assert "prompt=12" in page.url
    # Looking at another prompt is not a change of the setup.
    expect(page.locator("#lab-comparison")).to_contain_text("Change one setting")


def test_copy_link(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/lab/?steps=100")
    page.click("#lab-copy button")
    expect(page.locator("#toast")).to_have_text("Link copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    page.goto(copied)
    expect(page.locator("#steps")).to_have_value("100")
    assert page.url == copied


def test_without_scripts_everything_is_there(new_page: Callable[..., Page]) -> None:
    page = new_page(viewport=DESKTOP, java_script_enabled=False)
    page.goto("/lab/?event=length_bias")
    page.fill("#length_penalty", "2.5")
    page.click("#train")
    assert "length_penalty=2.5" in page.url and "from=" not in page.url
    assert win_rate(page) == "0.796"
    expect(page.locator("#lab-comparison")).to_contain_text("up by 0.377")
    expect(page.locator("#ranks svg:visible")).to_have_count(1)
    expect(page.locator("#ranks [data-player]")).to_be_hidden()
    expect(page.locator("#curve-win_rate")).to_contain_text("drawing itself needs scripts", use_inner_text=True)
    expect(page.locator("#curve-win_rate canvas")).to_be_hidden()
    page.click("#prompt-next")
    expect(page.locator("#prompt-title")).to_have_text("One prompt: number 2")


def test_pages_are_accessible_and_fit_any_width(page: Page, axe: Check, fits: Check) -> None:
    # One test for all: each new browser context would fetch styles and fonts again.
    for path in (HACK, "/lab/?method=rdpo&event=label_flips", "/lab/assumptions/", "/lab/limits/"):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(path)
        axe(page)
        for width in (960, 768, 320):
            page.set_viewport_size({"width": width, "height": 700})
            fits(page)


def test_accessible_on_the_phone(phone: Page, axe: Check) -> None:
    phone.goto(HACK)
    axe(phone)


def test_errors_are_accessible(page: Page, watcher: Watcher, axe: Check) -> None:
    watcher.expect("400")
    for path in ("/lab/?steps=0&beta=x", "/lab/?event=no&method=no"):
        page.goto(path)
        axe(page)
