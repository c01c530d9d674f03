"""The ten answers in the explorer, in a real browser: by keyboard to an answer, its formula and another method."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from simulator.engine import parse_setup
from simulator.explorer.address import run_address
from simulator.lab.link import Run

Check = Callable[..., None]

RUN = Run(parse_setup({"world": "candidates", "event": "reward_hack", "steps": 60}), 3)


def test_answers_by_keyboard_then_their_formula_and_another_method(page: Page, axe: Check, fits: Check) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(run_address(RUN, s=40, p=2))
    # Ten answers are one tab stop.
    expect(page.locator("#tokens a.tok[tabindex='0']")).to_have_count(1)
    page.locator("#ans-1").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#ans-3")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**r=3&t=1**")
    expect(page.locator("#ans-3")).to_be_focused()
    expect(page.locator("#token-h")).to_contain_text("Answer 3")
    expect(page.locator("#why-token-h")).to_contain_text("Push on answer 3")
    expect(page.locator("#why .off")).to_have_count(0)
    expect(page.locator("#live")).to_contain_text("Step 40 of 60")

    page.locator("#why-vs > summary").click()
    page.locator("#why-vs-dr_grpo").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#why-compared-h")).to_contain_text("GRPO and Dr. GRPO")
    expect(page.locator("#why-vs-dr_grpo")).to_be_focused()
    page.locator("#bin-4").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#bin-4")).to_have_attribute("aria-current", "true")
    fits(page)
    axe(page)

    page.locator("#what-if > summary").click()
    page.locator("#if-beta").fill("1.5")
    page.keyboard.press("Enter")
    expect(page.locator("#step-what-if")).to_contain_text("Beta is 1.5 here")
    page.locator("#what-if-off").click()
    expect(page.locator("#step-what-if")).to_have_count(0)
    assert "beta_if" not in page.url

    page.locator("#beat-2").click()
    expect(page.locator("#draws")).to_be_visible()
    expect(page.locator("#legend")).to_have_count(0)
    expect(page.locator("#tokens")).not_to_contain_text(re.compile("reward|→"))
    axe(page)
