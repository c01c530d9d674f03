"""``make screenshots``: pictures of the site with a demo course, made anew into docs/screenshots.

The demo is built in a temporary folder and served from this process; a page that this version doesn't have is left
out, with a message.
"""

import os
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import NoReverseMatch, reverse  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from classroom.demo.build import Built, build_demo  # noqa: E402
from missions.models import Attempt, Mission  # noqa: E402
from missions.queries import definition_of  # noqa: E402
from tests.browser.conftest import DESKTOP, FLAGS, PHONE, ROOT, find_chromium  # noqa: E402

FOLDER = ROOT / "docs/screenshots"
MOST_BYTES = 150_000


@dataclass(frozen=True)
class Shot:
    """A picture: which page, as whom, from which element on (the page's beginning unless given)."""

    name: str
    route: str
    args: tuple[object, ...] = ()
    user: str = ""
    query: str = ""
    start: str = ""
    viewport: Any = None


def shots(built: Built) -> list[Shot]:
    """Name the pictures; students and tries are those of the demo that show most."""
    instructor, student = (name for name in built.passwords if not name.endswith("assistant"))
    here = (built.course.public_id,)
    missions = Mission.objects.filter(is_retired=False)
    trained = [mission for mission in missions if not definition_of(mission).is_look]
    crowded = max(trained, key=lambda mission: Attempt.objects.filter(mission=mission).count())
    ours = Attempt.objects.filter(user__username=student, mission__in=trained)
    best = ours.filter(passed=True).order_by("-stars", "-mission__chapter", "-mission__position").first()
    result = best or ours.latest("created_at")
    # The one whose tries tell most: many, and something gained by them.
    busiest = max(
        built.course.memberships.students().select_related("user"),
        key=lambda member: member.user.attempts.filter(mission=result.mission).count(),
    )
    return [
        Shot("home", "home"),
        Shot("mission", "try", (result.mission.slug, result.number), student, start="section:has(#outcome-title)"),
        Shot("lab", "lab_reasoning", query="?algorithm=ppo"),
        # So much text takes more bytes than other pages.
        Shot("evidence", "evidence", viewport={"width": 1280, "height": 720}),
        Shot("class", "course_progress", here, instructor),
        Shot(
            "student",
            "course_student_mission",
            (*here, busiest.pk, result.mission.slug),
            instructor,
            start="main .panel",
        ),
        Shot("term", "course_summary", here, instructor),
        Shot("class-mission", "course_mission", (*here, crowded.slug), instructor, start=".panel:has(#tries)"),
        Shot("projector", "course_projector", (*here, crowded.slug), instructor),
        Shot("phone", "mission", (missions.earliest("chapter", "position").slug,), student, viewport=PHONE),
    ]


@contextmanager
def server() -> Any:
    """Serve the site on a free port; yield its address."""

    class Quiet(WSGIRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

    with ThreadedWSGIServer(("localhost", 0), Quiet) as httpd:
        httpd.set_app(get_wsgi_application())
        Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://localhost:{httpd.server_address[1]}"
        httpd.shutdown()


def take(browser: Browser, address: str, shot: Shot, path: str, password: str | None, file: Path) -> None:
    """Sign in where somebody has to, open the page, and write what is seen of it."""
    is_phone = shot.viewport == PHONE
    context = browser.new_context(
        base_url=address,
        viewport=shot.viewport or DESKTOP,
        is_mobile=is_phone,
        has_touch=is_phone,
        reduced_motion="reduce",
        color_scheme="light",
    )
    page = context.new_page()
    if password:
        _sign_in(page, shot.user, password)
    page.goto(path + shot.query, wait_until="networkidle")
    if shot.start and page.locator(shot.start).count():
        page.locator(shot.start).first.evaluate("element => element.scrollIntoView()")
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(300)
    page.screenshot(path=file, animations="disabled")
    context.close()


def _sign_in(page: Page, user: str, password: str) -> None:
    page.goto(reverse("account_login"))
    page.fill("[name=login]", user)
    page.fill("[name=password]", password)
    page.press("[name=password]", "Enter")
    page.wait_for_url(lambda url: reverse("account_login") not in url)


def main(say: Callable[[str], Any] = print) -> int:
    chromium = find_chromium()
    if not chromium:
        say("There is no Chromium here: install it (Debian, Ubuntu: apt install chromium) or set CHROMIUM to its path.")
        return 1
    call_command("migrate", verbosity=0)
    call_command("load_missions", verbosity=0)
    built = build_demo(40, 1, say)
    wanted = []
    for shot in shots(built):
        try:
            wanted.append((shot, reverse(shot.route, args=shot.args)))
        except NoReverseMatch:
            say(f"{shot.name}.png: left out, as this version has no such page")
    FOLDER.mkdir(parents=True, exist_ok=True)
    too_large = False
    with server() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for shot, path in wanted:
            file = FOLDER / f"{shot.name}.png"
            take(browser, address, shot, path, built.passwords.get(shot.user), file)
            size = file.stat().st_size
            too_large |= size > MOST_BYTES
            say(f"{file.relative_to(ROOT)}: {size / 1000:.0f} kB{', too large' if size > MOST_BYTES else ''}")
        browser.close()
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
