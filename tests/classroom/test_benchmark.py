"""The measuring of a large class, on a tiny one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import AbstractBaseUser

from classroom.benchmark.build import Size, build_class
from classroom.benchmark.measure import Measured, Page
from classroom.results import class_results
from missions.models import Attempt, Progress
from missions.progress import rebuild_progress

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["--students", "2", "--missions", "2", "--attempts", "2", "--repeats", "1"]


@pytest.mark.django_db
def test_progress_of_the_class_is_what_follows_from_its_attempts() -> None:
    course, _ = build_class(Size(students=3, missions=2, attempts=4))
    assert Attempt.objects.count() == 3 * 2 * 4
    results = class_results(course)
    assert [row.tries for row in results.rows] == [8, 8, 8]
    before = list(Progress.objects.order_by("pk").values())
    users: list[AbstractBaseUser] = [row.member.user for row in results.rows]
    assert not any(rebuild_progress(user) for user in users)  # type: ignore[arg-type]
    assert list(Progress.objects.order_by("pk").values()) == before


def test_over_is_more_queries_or_more_time_than_allowed() -> None:
    page = Page("grid", "course_progress", (), most_queries=8, most_ms=500)
    assert not Measured(page, 8, (400.0, 500.0, 900.0), (1.0,), 1, 1).is_over
    assert Measured(page, 9, (1.0,), (1.0,), 1, 1).is_over
    assert Measured(page, 8, (400.0, 501.0, 900.0), (1.0,), 1, 1).is_over


def test_the_command_leaves_the_installation_alone(tmp_path: Path) -> None:
    own = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SITE_URL")}
    environment = own | {
        "DJANGO_SETTINGS_MODULE": "unipo_site.settings",
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/unipo.sqlite3",
        "SITE_URL": "http://localhost:8000",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "benchmark_class", *SMALL],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    queries = {name: int(count) for name, count in re.findall(r"^(.+?) {2,}(\d+) ", done.stdout, re.M)}
    assert 0 < queries["grid"] <= 8
    assert 0 < queries["summary"] <= 8
    assert "not in this version" not in done.stdout
    assert 0 < queries["grid, asked for news, none"] < queries["grid, asked for news, one try"]
    assert queries["lossless.csv"] > 0
    database = tmp_path / "unipo.sqlite3"
    assert not database.exists() or database.stat().st_size == 0
