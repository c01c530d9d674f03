"""A real browser for the tests: system Chromium, a fresh context per test, and no tolerance for errors in the page.

Pages are driven under the site's own Content-Security-Policy; nothing bypasses it.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from accounts.models import User

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules/axe-core/axe.min.js"
RESULTS = ROOT / "test-results"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
COLORS = ["color-contrast", "link-in-text-block"]
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}


def find_chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    if not path:
        reason = "no Chromium here: install it (Debian, Ubuntu: apt install chromium) or set CHROMIUM to its path"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        # Playwright keeps an event loop in this thread, where Django then refuses to touch the database, although
        # nothing here is asynchronous. It starts with the first browser test and stays to the end of the process.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


class Watcher:
    """Collects what a page must not do: log errors, break the content policy, throw, or fail to load something."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.expected: list[str] = []

    def watch(self, page: Page) -> None:
        page.on("console", lambda message: message.type == "error" and self._note(f"console: {message.text}"))
        page.on("pageerror", lambda error: self._note(f"script: {error}"))
        page.on("response", lambda answer: answer.status >= 400 and self._note(f"{answer.status}: {answer.url}"))
        page.on("requestfailed", lambda request: self._note(f"request: {request.url} {request.failure}"))

    def _note(self, problem: str) -> None:
        # A navigation that overtakes another, and a request that htmx replaces, are no failures.
        if "net::ERR_ABORTED" not in problem:
            self.problems.append(problem)

    def expect(self, pattern: str) -> None:
        """Allow problems that match `pattern`: for tests of the error pages themselves."""
        self.expected.append(pattern)

    def unexpected(self) -> list[str]:
        return [p for p in self.problems if not any(re.search(pattern, p) for pattern in self.expected)]


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


FAILED = pytest.StashKey[bool]()


@pytest.fixture
def new_page(
    browser: Browser, live_server: Any, watcher: Watcher, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page in a context of its own, with addresses relative to the test's server."""
    contexts: list[BrowserContext] = []

    def open_page(**options: Any) -> Page:
        context = browser.new_context(base_url=live_server.url, reduced_motion="reduce", **options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        watcher.watch(page)
        return page

    yield open_page
    problems = watcher.unexpected()
    if problems or request.node.stash.get(FAILED, False):
        RESULTS.mkdir(exist_ok=True)
        name = re.sub(r"\W+", "-", request.node.name)
        for number, page in enumerate(page for context in contexts for page in context.pages):
            page.screenshot(path=RESULTS / f"{name}-{number}.png", full_page=True)
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page(viewport=DESKTOP)


@pytest.fixture
def phone(new_page: Callable[..., Page]) -> Page:
    return new_page(viewport=PHONE, has_touch=True, is_mobile=True)


@pytest.fixture
def sign_in(live_server: Any) -> Callable[[Page, User], None]:
    """Return a function that signs a user in without the sign-in page."""

    def sign_in(page: Page, user: User) -> None:
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session.session_key, "url": live_server.url}
        page.context.add_cookies([cookie])  # type: ignore[list-item]

    return sign_in


@pytest.fixture
def axe() -> Callable[..., None]:
    """Return a function that asserts that the page has no serious accessibility problem, light or dark.

    axe comes in through the debugging protocol, not as a script of the page, so the page's policy stays in force.
    """
    source = AXE.read_text()

    def check(page: Page, themes: tuple[str, ...] = ("light", "dark")) -> None:
        page.evaluate(source)
        # Structure is the same in both themes, so the second run looks at colors alone.
        for theme in themes:
            options = {"runOnly": WCAG if theme == themes[0] else COLORS}
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            found = page.evaluate("(o) => axe.run(document, o)", {"resultTypes": ["violations"], **options})[
                "violations"
            ]
            serious = [
                f"{theme}: {violation['help']}: {node['html']}\n    {node['failureSummary']}"
                for violation in found
                if violation["impact"] in ("serious", "critical")
                for node in violation["nodes"]
            ]
            assert not serious, f"{page.url}\n" + "\n".join(serious)
        page.emulate_media(color_scheme=None)

    return check


@pytest.fixture
def fits() -> Callable[[Page], None]:
    """Return a function that asserts that nothing sticks out to the side."""

    def check(page: Page) -> None:
        limit = page.viewport_size["width"]  # type: ignore[index]
        for _ in range(20):
            width = page.evaluate("document.documentElement.scrollWidth")
            if width <= limit:
                return
            # Charts follow a new width in the next frames, not at once.
            page.wait_for_timeout(50)
        too_wide = page.evaluate(
            """() => [...document.querySelectorAll('body *')]
                .filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1)
                .map((e) => e.outerHTML.slice(0, 120))"""
        )
        pytest.fail(f"{page.url} is {width} px wide\n" + "\n".join(too_wide))

    return check
