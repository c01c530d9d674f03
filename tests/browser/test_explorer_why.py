"""The algorithm explainer in a real browser: a token's numbers by keyboard, a comparison, a phone, and no scripts."""

import re
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

RUN = Run(parse_setup({"world": "reasoning", "algorithm": "ppo", "steps": 20, "num_iterations": 2}), 1)


@pytest.fixture(scope="module", autouse=True)
def warmed() -> None:
    warm()
    source_of(RUN.setup, RUN.seed)


def address(**view: object) -> str:
    return run_address(RUN, **view)  # type: ignore[arg-type]


def press(page: Page, key: str) -> None:
    """Follow a link by keyboard alone."""
    page.locator(f"#{key}").focus()
    page.keyboard.press("Enter")


def test_a_token_is_explained_and_compared_by_keyboard(new_page: Callable[..., Page], axe: Check, fits: Check) -> None:
    page = new_page(viewport={"width": 1440, "height": 900})
    page.goto(address(s=12, p=1))
    why = page.locator("#why")
    expect(why).to_contain_text("Pick a token to fill in numbers.")
    why.locator("#why-token .choices a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"[?&]t=\d"))
    expect(page.locator("#why-said")).to_contain_text("is pushed")
    expect(page.locator("#why-token .why-recon .off")).to_have_count(0)
    expect(page.locator("#why-token .why-recon li")).to_have_count(4)
    expect(page.locator(".why-gae tbody tr").first).to_be_visible()
    expect(page.locator(".clipplot circle")).to_have_count(1)

    press(page, "why-token-t-ratio")
    expect(page.locator("#why-token .term.on").first).to_be_visible()
    expect(page.locator("#why-token-t-ratio")).to_be_focused()
    press(page, "why-aggregation-open")
    expect(page.locator(".why-lengths")).to_be_visible()
    expect(page.locator("#why-aggregation-open")).to_have_attribute("aria-expanded", "true")
    axe(page)

    page.locator("#why-vs > summary").focus()
    page.keyboard.press("Enter")
    press(page, "why-vs-grpo")
    expect(page.locator("#why-compared")).to_contain_text("divides by the standard deviation of the group")
    expect(page.locator(".why-second .differs").first).to_be_visible()
    assert page.locator(".pairtok").count() == page.locator(".pairtok .tok:first-child").count() > 8
    press(page, "why-alg-dapo")
    expect(page.locator("#why-compared-h")).to_have_text("DAPO and GRPO")
    expect(page.locator("#why-said")).to_contain_text("would ")
    axe(page)
    fits(page)
    press(page, "why-alone")
    expect(page.locator("#why-compared")).to_have_count(0)
    page.go_back()
    expect(page.locator("#why-compared-h")).to_have_text("DAPO and GRPO")


def test_on_a_phone_and_without_scripts(new_page: Callable[..., Page], axe: Check, fits: Check) -> None:
    page = new_page(viewport=PHONE, java_script_enabled=False)
    page.goto(address(s=12, p=1, r=1, t=2, tab="why"))
    page.locator("#why-alg-gspo").click()
    expect(page.locator("#why-alg-gspo")).to_have_attribute("aria-current", "true")
    page.locator("#why-vs > summary").click()
    page.locator("#why-vs-cispo").click()
    expect(page.locator("#why-compared-h")).to_have_text("GSPO and CISPO")
    expect(page.locator(".js-only").first).to_be_hidden()
    page.get_by_role("link", name="All algorithms and their design choices").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("One recipe, seven switches")
    expect(page.locator(".algo-matrix tr[aria-current]")).to_contain_text("GSPO")

    page = new_page(viewport={"width": 320, "height": 700})
    for place in (address(s=12, p=1, r=1, t=2, tab="why", vs="cispo"), "/algorithms/?alg=dapo"):
        page.goto(place)
        fits(page)
        axe(page)
