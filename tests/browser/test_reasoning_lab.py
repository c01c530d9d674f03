"""The reasoning lab in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from simulator import runs
from simulator.engine.warm import warm
from tests.browser.conftest import DESKTOP, Watcher

Check = Callable[[Page], None]

PPO = "/lab/reasoning/?algorithm=ppo&num_iterations=8&learning_rate=0.05&kl=k3&beta=0.01&previous=algorithm%3Dgrpo"


@pytest.fixture(scope="module", autouse=True)
def warmed() -> None:
    warm()


def tile(page: Page, metric: str = "train_accuracy") -> str:
    return page.locator(f'[data-metric="{metric}"] .v').inner_text()


def test_an_algorithm_a_choice_a_step_and_back(page: Page) -> None:
    page.goto("/lab/")
    page.get_by_role("navigation", name="Labs").get_by_role("link", name="Reasoning").click()
    before = tile(page)
    page.select_option("#algorithm", "dapo")
    page.wait_for_url("**algorithm=dapo**")
    expect(page.locator("#lab-comparison")).to_contain_text("algorithm GRPO")
    expect(page.locator(".cost")).to_contain_text("dynamic sampling drew")
    assert tile(page) != before

    page.locator("#group-adding-up summary").click()
    page.locator("#aggregation").focus()
    page.select_option("#aggregation", "constant")
    expect(page.locator("#deviations")).to_contain_text("DAPO, changed: aggregation Constant")
    # The group that was open stays open, and the field keeps the focus.
    expect(page.locator("#aggregation")).to_be_focused()
    expect(page.locator("#group-adding-up math").first).to_be_visible()

    page.locator("#step-slide").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#step-title")).to_have_text("Step 11 of 60")
    expect(page.locator("#step-slide")).to_be_focused()
    page.select_option("#step-epoch", "1")
    page.wait_for_url("**epoch=1**")
    page.click("#step-next")
    expect(page.locator("#step-title")).to_have_text("Step 12 of 60")
    expect(page.locator("#lab-said")).to_contain_text("Step 12, prompt")
    # Looking at another step is no change of the setup, and a change of the setup keeps the step.
    expect(page.locator("#lab-comparison")).to_contain_text("aggregation")
    page.get_by_role("link", name="Back to plain DAPO").click()
    expect(page.locator("#deviations")).to_have_count(0)
    assert "step=12" in page.url and "aggregation=per_token" in page.url

    address = page.url
    page.reload()
    expect(page.locator("#step-title")).to_have_text("Step 12 of 60")
    assert page.url == address
    page.go_back()
    expect(page.locator("#deviations")).to_contain_text("aggregation Constant")


def test_a_long_run_shows_progress_and_the_old_one_meanwhile(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    page.goto("/lab/reasoning/?steps=30")
    before = tile(page)
    monkeypatch.setattr(runs, "AT_A_TIME", 0.0)
    page.route("**/lab/reasoning/?*", lambda route: (page.wait_for_timeout(60), route.continue_()))
    page.fill("#steps", "70")
    page.press("#steps", "Enter")
    expect(page.get_by_role("progressbar", name="Training")).to_be_visible()
    assert tile(page) == before and "steps=30" in page.url
    expect(page.locator("#lab-comparison")).to_contain_text("steps 30", timeout=30_000)
    assert "steps=70" in page.url and tile(page) != before
    expect(page.get_by_role("progressbar", name="Training")).to_have_count(0)


def test_a_refused_setting_is_marked_in_its_group(page: Page, watcher: Watcher) -> None:
    watcher.expect("422")
    page.goto("/lab/reasoning/")
    before = tile(page)
    page.locator("#group-optimization summary").click()
    page.fill("#minibatches", "3")
    page.press("#minibatches", "Tab")
    expect(page.locator("#minibatches-error")).to_have_text("Minibatches must be 1, 2 or 4.")
    assert tile(page) == before


def test_without_scripts_everything_is_there(new_page: Callable[..., Page]) -> None:
    page = new_page(viewport=DESKTOP, java_script_enabled=False)
    page.goto("/lab/reasoning/")
    page.select_option("#algorithm", "dr_grpo")
    page.click("#train")
    assert "algorithm=dr_grpo" in page.url and "from=" not in page.url
    expect(page.locator("#lab-comparison")).to_contain_text("algorithm GRPO")
    expect(page.locator("#step-slide")).to_be_hidden()
    page.fill("#step-number", "25")
    page.click("#step-go")
    expect(page.locator("#step-title")).to_have_text("Step 25 of 60")
    expect(page.locator("#lab-comparison")).to_contain_text("algorithm GRPO")
    page.get_by_text("Show token table").click()
    expect(page.get_by_role("columnheader", name="Ratio")).to_be_visible()


def test_pages_are_accessible_and_fit_any_width(page: Page, axe: Check, fits: Check) -> None:
    # One test for all: each new browser context would fetch styles and fonts again.
    for path in (PPO, "/lab/reasoning/assumptions/", "/lab/limits/"):
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
        axe(page)
        for width in (900, 320):
            page.set_viewport_size({"width": width, "height": 740})
            fits(page)


def test_accessible_on_the_phone(phone: Page, axe: Check) -> None:
    phone.goto(PPO)
    expect(phone.locator("#step-title")).to_have_text(re.compile("Step 10"))
    axe(phone)
