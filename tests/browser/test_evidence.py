"""The evidence page in a real browser: nothing sticks out, nothing is unreadable, and no script is needed."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE

Check = Callable[..., None]


def test_the_page_fits_and_reads(page: Page, phone: Page, axe: Check, fits: Callable[[Page], None]) -> None:
    for each in (page, phone):
        each.goto("/evidence/?verdict=partly")
        fits(each)
    axe(phone)
    phone.set_viewport_size({"width": 320, "height": 700})
    fits(phone)


def test_filter_and_anchors_need_no_script(new_page: Callable[..., Page]) -> None:
    page = new_page(viewport=PHONE, java_script_enabled=False)
    page.goto("/evidence/")
    total = page.locator("article.claim").count()
    page.get_by_role("link", name="not here").click()
    expect(page.locator('.chip[aria-current="true"]')).to_contain_text("not here")
    assert 0 < page.locator("article.claim").count() < total
    page.locator(".ev a[href='#noise']").click()
    expect(page.locator("#noise h3")).to_be_in_viewport()
    page.locator("#noise a", has_text="Clean, 800 steps").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Lab")
