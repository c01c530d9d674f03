"""The step inspector, what-if and stages in a real browser: by keyboard, on a phone, without scripts."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from simulator.engine import parse_setup
from simulator.engine.warm import warm
from simulator.runs import visible_run

Check = Callable[..., None]

RUN = "/runs/?world=reasoning&algorithm=grpo&steps=12&learning_rate=0.1&seed=1"


@pytest.fixture(scope="module", autouse=True)
def trained() -> None:
    warm()
    setup = parse_setup({"world": "reasoning", "algorithm": "grpo", "steps": 12, "learning_rate": 0.1})
    visible_run(setup, 1)


def at_token(page: Page, response: int, token: int) -> None:
    expect(page.locator(f"#tok-{response}-{token}")).to_be_focused()


def test_tokens_by_keyboard_then_colors_what_if_and_back(page: Page, axe: Check, fits: Check) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{RUN}&s=8&p=1")
    # One tab stop a response, in the text and in the grid alike.
    assert page.locator("#tokens a.tok[tabindex='0']").count() == 8
    page.locator("#tok-1-1").focus()
    page.keyboard.press("ArrowRight")
    at_token(page, 1, 2)
    page.keyboard.press("ArrowDown")
    at_token(page, 2, 2)
    page.keyboard.press("Home")
    at_token(page, 2, 1)
    page.keyboard.press("Enter")
    page.wait_for_url("**r=2&t=1**")
    expect(page.locator("#token-h")).to_contain_text("R2, token 1")
    at_token(page, 2, 1)
    assert page.locator("[data-key='B']").count() > 8

    page.locator("#step-shape").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid")).to_be_visible()
    page.locator("#tok-2-1").focus()
    page.keyboard.press("Control+End")
    last = page.evaluate("document.activeElement.id")
    assert last.startswith("tok-8-")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == last
    page.keyboard.press("Control+Home")
    at_token(page, 1, 1)
    expect(page.get_by_role("gridcell", selected=True)).to_have_count(1)

    page.locator("#color-by").select_option("probability")
    page.wait_for_url("**c=probability**")
    expect(page.locator("#legend")).to_contain_text("0.80 to 1.00")
    page.locator("#bin-5").click()
    page.wait_for_url(re.compile(r"q=2"))
    expect(page.locator("#bin-5")).to_be_focused()
    expect(page.locator("#tokens .off").first).to_be_visible()

    page.locator("#what-if > summary").click()
    page.locator("#if-eps").fill("0.02")
    page.locator("#if-norm").select_option("constant")
    page.locator("#what-if-apply").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**&eps=0.02**")
    expect(page.locator("#what-if .say")).to_contain_text("With epsilon 0.02, aggregation Constant")
    expect(page.locator("#what-if .pair").first).to_be_visible()
    axe(page)
    fits(page)
    page.locator("#what-if-off").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#what-if .say")).to_have_count(0)
    assert "&eps=" not in page.url and "&norm=" not in page.url


def test_stages_and_a_token_on_a_phone(phone: Page, axe: Check, fits: Check) -> None:
    phone.goto(f"{RUN}&s=8&p=1")
    for stage in range(1, 5):
        phone.locator(f"#beat-{stage}").click()
        expect(phone.locator("#beats [aria-current=step]")).to_have_id(f"beat-{stage}")
    expect(phone.locator("#beat-because")).to_have_count(0)
    phone.locator("#answer-3").click()
    phone.wait_for_url("**answer=c**")
    expect(phone.locator("#beat-because")).to_contain_text("Right. Tokens times the weight of one")
    expect(phone.locator("#live")).to_contain_text("Right.")
    phone.locator("#beat-next").click()
    phone.wait_for_url("**beat=5**")
    phone.locator("#tok-2-1").click()
    # What the token says stands where it was touched.
    panel = phone.locator("#token-row")
    expect(panel).to_be_in_viewport()
    axe(phone)
    fits(phone)
    panel.locator("#token-why").click()
    expect(phone.locator("#why")).to_be_visible()


def test_everything_is_a_link_without_scripts(new_page: Callable[..., Page]) -> None:
    page = new_page(java_script_enabled=False, viewport={"width": 1280, "height": 800})
    page.goto(f"{RUN}&s=8&p=1")
    page.locator("#color-by").select_option("ratio")
    page.locator(".selrow button").click()
    assert "c=ratio" in page.url
    page.locator("#tok-3-1").click()
    assert "r=3&t=1" in page.url
    page.locator("#beat-3").click()
    page.locator("#answer-1").click()
    assert "answer=a" in page.url
    expect(page.locator("#beat-because")).to_be_visible()
