"""The explorer in a real browser: by keyboard, by pointer, on a phone, and without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from simulator.engine import parse_setup
from simulator.engine.warm import warm
from simulator.explorer.address import run_address
from simulator.explorer.source import source_of
from simulator.lab.link import Run
from tests.browser.conftest import PHONE

Check = Callable[..., None]

TOKENS = Run(parse_setup({"world": "reasoning", "steps": 20, "num_iterations": 2}), 1)
ANSWERS = Run(parse_setup({"world": "candidates", "steps": 50}), 1)


@pytest.fixture(scope="module", autouse=True)
def warmed() -> None:
    warm()
    for run in (TOKENS, ANSWERS):
        source_of(run.setup, run.seed)


def address(run: Run = TOKENS, **view: object) -> str:
    # Pages can also be made without the database's settings of addresses, so it is spelled out here.
    return run_address(run, **view)  # type: ignore[arg-type]


def test_a_run_is_walked_through_by_keyboard_alone(new_page: Callable[..., Page], axe: Check, fits: Check) -> None:
    page = new_page(viewport={"width": 1440, "height": 900})
    page.goto(address(s=7))
    heading = page.locator("#step-h")
    expect(heading).to_contain_text("Step 4 of 20 · update 1 of 2")
    page.locator("#cell-7").focus()
    page.keyboard.press("ArrowRight")
    expect(heading).to_contain_text("Step 4 of 20 · update 2 of 2")
    expect(page.locator("#cell-8")).to_be_focused()
    page.keyboard.press("End")
    expect(heading).to_contain_text("Step 20 of 20 · update 2 of 2")
    page.go_back()
    expect(heading).to_contain_text("Step 4 of 20 · update 2 of 2")
    page.locator("#s-slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(heading).to_contain_text("Step 4 of 20 · update 1 of 2")
    expect(page.locator("#s-slider")).to_be_focused()
    expect(page.locator("#live")).to_contain_text("Step 4 of 20")

    page.locator("#explore-table > summary").focus()
    page.keyboard.press("Enter")
    page.locator("#m-entropy").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#m-entropy")).to_have_attribute("aria-current", "true")
    expect(page.locator("#m-entropy")).to_be_focused()
    expect(page.locator("#explore-table table")).to_be_visible()
    expect(page.locator("#explore-table thead")).to_contain_text("Entropy")
    page.locator("#plot-line").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#explorer-entropy canvas")).to_be_visible()
    axe(page)
    fits(page)


def test_the_ring_leads_where_it_is_pressed_and_a_second_run_lies_over_the_first(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address(s=7))
    ring = page.locator("#ring")
    box = ring.bounding_box()
    assert box
    # Three o'clock is a quarter of the way.
    ring.click(position={"x": box["width"] * 0.9, "y": box["height"] / 2})
    expect(page.locator("#step-h")).to_contain_text("Step 6 of 20 · update 1 of 2")
    page.locator("#second > summary").click()
    page.locator("#second").get_by_role("link", name="DAPO").click()
    expect(page.locator("#second table")).to_contain_text("Algorithm")
    expect(page.locator(".ring-behind").first).to_be_attached()
    shared = page.url
    page.goto(shared)
    expect(page.locator("#second table")).to_contain_text("DAPO")


@pytest.mark.parametrize("run", [TOKENS, ANSWERS], ids=["tokens", "answers"])
def test_on_a_phone_the_views_are_tabs(phone: Page, axe: Check, fits: Check, run: Run) -> None:
    phone.goto(address(run, s=9))
    expect(phone.locator("#step")).to_be_visible()
    expect(phone.locator("#explore")).to_be_hidden()
    axe(phone)
    fits(phone)
    phone.locator("#tab-explore").tap()
    expect(phone.locator("#explore .curve canvas").first).to_be_visible()
    expect(phone.locator("#ring")).to_be_hidden()
    expect(phone.locator("#step")).to_be_hidden()
    fits(phone)
    axe(phone)
    phone.locator("#tab-why").tap()
    expect(phone.locator("#why")).to_be_visible()
    fits(phone)
    axe(phone)


def test_everything_is_there_without_scripts(new_page: Callable[..., Page]) -> None:
    page = new_page(viewport=PHONE, java_script_enabled=False)
    page.goto(address(s=3, tab="explore"))
    page.locator("#s").fill("12")
    page.locator("#goto-go").click()
    assert "s=12" in page.url
    page.locator("#tab-step").click()
    expect(page.locator("#step-h")).to_contain_text("Step 6 of 20 · update 2 of 2")
