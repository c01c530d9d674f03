"""The pages of a class, asked for as a browser does: queries, time to the last byte, and bytes."""

import gzip
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from classroom.garbage import look_less_often
from classroom.models import Course
from classroom.views.progress import POLL
from missions.models import Mission, Progress

PAGE_MS, FILE_MS = 500, 3000
GRID_QUERIES, STUDENT_QUERIES, SUMMARY_QUERIES, LEADERBOARD_QUERIES = 8, 10, 8, 6


@dataclass(frozen=True)
class Page:
    """One address. `most_queries` and `most_ms` are what it may take at 500 students × 30 missions × 10 attempts."""

    name: str
    route: str
    args: tuple[object, ...]
    most_queries: int | None = None
    most_ms: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True)
class Measured:
    """What one page took: milliseconds of each request, wall clock and this process's own (a database server's work
    is not in it), and bytes as sent and as unpacked."""

    page: Page
    queries: int
    ms: tuple[float, ...]
    cpu_ms: tuple[float, ...]
    sent: int
    unpacked: int

    @property
    def is_over(self) -> bool:
        """Whether it took more queries, or more time in the median, than it may."""
        page = self.page
        too_many = page.most_queries is not None and self.queries > page.most_queries
        return too_many or (page.most_ms is not None and median(self.ms) > page.most_ms)


@dataclass(frozen=True)
class Missing:
    """A page that this version has no address for."""

    page: Page


def measure_class(course: Course, user: AbstractBaseUser, repeats: int) -> Iterator[Measured | Missing]:
    """Ask for every page `repeats` times, after one request that counts queries and warms up."""
    # As the server's processes do.
    look_less_often()
    site = urlsplit(settings.SITE_URL)
    client = Client(headers={"accept-encoding": "gzip"}, SERVER_NAME=site.hostname or "localhost")
    client.force_login(user)
    for page in _pages(course):
        try:
            yield _measure(client, page, repeats)
        except NoReverseMatch:
            yield Missing(page)
    known = _ask(client, Page("", "course_progress", (course.public_id,)))[0].headers["ETag"]
    poll = {"hx-request": "true", "hx-trigger": POLL, "if-none-match": known}
    grid = ("course_progress", (course.public_id,), GRID_QUERIES, PAGE_MS)
    yield _measure(client, Page("grid, asked for news, none", *grid, headers=poll, status=304), repeats)
    one = Progress.objects.filter(user__memberships__course=course).latest("pk")
    Progress.objects.filter(pk=one.pk).update(tries=one.tries + 1, last_tried_at=timezone.now())
    yield _measure(client, Page("grid, asked for news, one try", *grid, headers=poll), repeats)


def _pages(course: Course) -> list[Page]:
    here = (course.public_id,)
    member = course.memberships.students().by_name()[0]
    mission = Mission.objects.filter(assignments__course=course).earliest("assignments__position")
    student = (*here, member.pk)
    one_mission = (*here, mission.slug)
    return [
        Page("grid", "course_progress", here, GRID_QUERIES, PAGE_MS),
        Page("grid, points", "course_progress", here, GRID_QUERIES, PAGE_MS),
        Page("one student", "course_student", student, STUDENT_QUERIES, PAGE_MS),
        Page("one student, one mission", "course_student_mission", (*student, mission.slug), STUDENT_QUERIES, PAGE_MS),
        Page("one try", "course_student_try", (*student, mission.slug, 1), None, PAGE_MS),
        Page("mission", "course_mission", one_mission, None, PAGE_MS),
        Page("summary", "course_summary", here, SUMMARY_QUERIES, PAGE_MS),
        Page("projector", "course_projector", one_mission, None, PAGE_MS),
        Page("leaderboard", "course_leaderboard", here, LEADERBOARD_QUERIES, PAGE_MS),
        Page("grade book", "course_grades", here, None, PAGE_MS),
        Page("one student's grades", "student_grades", student, None, PAGE_MS),
        Page("people", "course_people", here, None, PAGE_MS),
        Page("progress.csv", "progress_csv", here, None, FILE_MS),
        Page("roster.csv", "export_roster", here, None, FILE_MS),
        *(
            Page(f"{shape}.csv", "grade_file", (*here, shape), None, FILE_MS)
            for shape in ("canvas", "moodle", "blackboard", "lossless")
        ),
        Page("everything as JSON", "export_course", here, None, FILE_MS),
    ]


def _measure(client: Client, page: Page, repeats: int) -> Measured:
    with CaptureQueriesContext(connection) as queries:
        _ask(client, page)
        # Further requests empty the log.
        count = len(queries)
    ms, cpu_ms = [], []
    for _ in range(repeats):
        begun, cpu_begun = time.perf_counter(), time.process_time()
        response, body = _ask(client, page)
        cpu_ms.append((time.process_time() - cpu_begun) * 1000)
        ms.append((time.perf_counter() - begun) * 1000)
    unpacked = gzip.decompress(body) if response.headers.get("Content-Encoding") == "gzip" else body
    return Measured(page, count, tuple(ms), tuple(cpu_ms), len(body), len(unpacked))


def _ask(client: Client, page: Page) -> tuple[Any, bytes]:
    """Send the request and read the answer to its end. Raises RuntimeError for an answer with another status."""
    address = reverse(page.route, args=page.args)
    query = "?points=1" if page.name.endswith(", points") else ""
    response: Any = client.get(address + query, headers=page.headers, secure=settings.SECURE_SSL_REDIRECT)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    response.close()
    if response.status_code != page.status:
        raise RuntimeError(f"{address}{query} answered {response.status_code}, not {page.status}.")
    return response, body
