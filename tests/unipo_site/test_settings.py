"""One address decides hosts, cookies and redirects; an installation passes Django's own deployment check."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[2]
SHOW = """
import json, unipo_site.settings as s
print(json.dumps({n: getattr(s, n) for n in dir(s) if n.isupper()}, default=str))
"""


def run(arguments: list[str], tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    defaults = {"DATA_DIR": str(tmp_path), "SITE_URL": "http://localhost:8000"}
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=ROOT,
        env={**kept, **defaults, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def site_settings(tmp_path: Path, **environment: str) -> dict[str, Any]:
    done = run(["-c", SHOW], tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_behind_https_everything_is_secure(tmp_path):
    found = site_settings(tmp_path, SITE_URL="https://missions.uni.example/", TRUSTED_PROXIES="1")
    assert found["SITE_URL"] == "https://missions.uni.example"
    assert found["ALLOWED_HOSTS"] == ["missions.uni.example"]
    assert found["CSRF_TRUSTED_ORIGINS"] == ["https://missions.uni.example"]
    assert found["SESSION_COOKIE_SECURE"] and found["CSRF_COOKIE_SECURE"] and found["SECURE_SSL_REDIRECT"]
    assert found["SECURE_HSTS_SECONDS"] > 0
    assert found["SECURE_PROXY_SSL_HEADER"] == ["HTTP_X_FORWARDED_PROTO", "https"]
    assert found["DEBUG"] is False


def test_on_ones_own_machine_plain_http_works(tmp_path):
    found = site_settings(tmp_path, EXTRA_HOSTS="lab-server,10.0.0.5")
    assert set(found["ALLOWED_HOSTS"]) == {"localhost", "127.0.0.1", "[::1]", "lab-server", "10.0.0.5"}
    assert not found["SESSION_COOKIE_SECURE"] and not found["SECURE_SSL_REDIRECT"]
    assert found["SECURE_HSTS_SECONDS"] == 0
    assert "SECURE_PROXY_SSL_HEADER" not in found


def test_a_client_cannot_claim_https_or_an_address_without_a_trusted_proxy(tmp_path):
    found = site_settings(tmp_path, SITE_URL="https://missions.uni.example")
    assert "SECURE_PROXY_SSL_HEADER" not in found
    assert found["ALLAUTH_TRUSTED_PROXY_COUNT"] == 0


@pytest.mark.parametrize("address", ["missions.uni.example", "ftp://missions.uni.example", "https://"])
def test_an_address_that_is_none_stops_the_start(tmp_path, address):
    done = run(["-c", SHOW], tmp_path, SITE_URL=address)
    assert done.returncode != 0
    assert "SITE_URL must look like" in done.stderr


def test_who_creates_courses_is_one_of_two(tmp_path):
    assert site_settings(tmp_path)["COURSE_CREATORS"] == "granted"
    done = run(["-c", SHOW], tmp_path, COURSE_CREATORS="everyone")
    assert done.returncode != 0
    assert "COURSE_CREATORS must be granted or anyone" in done.stderr


def test_the_database_can_be_postgresql(tmp_path):
    found = site_settings(tmp_path, DATABASE_URL="postgres://unipo:pw@db.uni.example:5432/missions")
    database = found["DATABASES"]["default"]
    assert (database["ENGINE"], database["NAME"]) == ("django.db.backends.postgresql", "missions")
    assert "OPTIONS" not in database


def test_sqlite_waits_for_its_turn(tmp_path):
    options = site_settings(tmp_path)["DATABASES"]["default"]["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert options["timeout"] == 20
    assert "journal_mode=WAL" in options["init_command"]


@pytest.mark.parametrize("address", ["https://missions.uni.example"])
def test_djangos_deployment_check_finds_nothing(tmp_path, address):
    done = run(["manage.py", "check", "--deploy", "--fail-level", "WARNING"], tmp_path, SITE_URL=address)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout + done.stderr


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_every_setting_in_the_example_exists():
    readers = ("unipo_site/settings.py", "accounts/management/commands/setup.py", "simulator/engine/compiled.py")
    source = "".join((ROOT / path).read_text() for path in readers)
    names = [
        line.lstrip("# ").split("=")[0] for line in (ROOT / ".env.example").read_text().splitlines() if "=" in line
    ]
    assert names
    assert not [name for name in names if f'"{name}"' not in source]
