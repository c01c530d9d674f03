"""`manage.py setup` makes an installation ready, and a second run changes nothing."""

import os
import re
import sqlite3
import stat
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.models import User

ROOT = Path(__file__).resolve().parents[2]


class Installation:
    """A folder with its own database and key, and `manage.py` run on it as an operator would."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.environment: dict[str, str] = {}

    def setup(self, *arguments: str, code: int = 0, **environment: str) -> str:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        own = {"DATA_DIR": str(self.data), "DEBUG": "true", "SITE_URL": "http://localhost:8000"}
        done = subprocess.run(
            [sys.executable, "-W", "error", "manage.py", "setup", *arguments],
            cwd=ROOT,
            env={**kept, **own, **self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            # Measuring the missions is half a minute's work, on a machine that does nothing else.
            timeout=400,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def rows(self, query: str) -> list[tuple]:
        connection = sqlite3.connect(self.data / "unipo.sqlite3")
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def accounts(self) -> list[tuple]:
        return self.rows("SELECT username, password, is_superuser FROM accounts_user ORDER BY id")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Installation:
    """Set one installation up without an administrator, for the tests to go on from."""
    installation = Installation(tmp_path_factory.mktemp("prepared") / "data")
    installation.first_words = installation.setup()
    return installation


@pytest.fixture
def site(prepared, tmp_path) -> Installation:
    copy = Installation(tmp_path / "data")
    copy.data.mkdir()
    # Folders hold only what is made again when it is missing.
    for file in (path for path in prepared.data.iterdir() if path.is_file()):
        (copy.data / file.name).write_bytes(file.read_bytes())
    return copy


def test_the_first_run_makes_everything_and_the_second_changes_nothing(prepared, site):
    # One test for both: each parallel test process would have to prepare an installation of its own.
    _check_first_run(prepared)
    _check_second_run(site)


def _check_first_run(prepared):
    words = prepared.first_words
    assert f"New, empty database: {prepared.data / 'unipo.sqlite3'}" in words
    assert "To make an administrator: " in words
    assert "manage.py setup --admin NAME" in words
    assert stat.S_IMODE((prepared.data / "secret_key").stat().st_mode) == 0o600
    assert prepared.accounts() == []
    assert prepared.rows("SELECT COUNT(*) FROM missions_mission")[0][0] >= 12
    assert prepared.rows("PRAGMA journal_mode") == [("wal",)]


def _check_second_run(site):
    site.setup(ADMIN_USERNAME="operator", ADMIN_PASSWORD="four unrelated words")
    key = (site.data / "secret_key").read_text()
    before = site.accounts()
    start = time.perf_counter()
    words = site.setup(ADMIN_USERNAME="operator", ADMIN_PASSWORD="another good password")
    # Under 3 s on an idle machine; the tests share theirs.
    assert time.perf_counter() - start < 10
    assert "Database: up to date." in words
    assert "nothing changed" in words
    assert site.accounts() == before
    assert (site.data / "secret_key").read_text() == key


class Operator:
    """Calls `setup` on the test's own database, in this process: the same command, without a second interpreter."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch

    def setup(self, *arguments: str, **environment: str) -> str:
        words = StringIO()
        with self.monkeypatch.context() as patched:
            for name, value in environment.items():
                patched.setenv(name, value)
            call_command("setup", *arguments, stdout=words, stderr=words)
        return words.getvalue()


@pytest.fixture
def operators(monkeypatch, settings, missions) -> Operator:
    settings.DEBUG = True  # static files are another test's business
    monkeypatch.delenv("ADMIN_USERNAME", raising=False)
    monkeypatch.delenv("ADMIN_PASSWORD", raising=False)
    return Operator(monkeypatch)


def accounts() -> list[tuple]:
    return list(User.objects.order_by("id").values_list("username", "password", "is_superuser"))


def test_quiet_says_only_what_needs_attention(operators):
    line = r"To make an administrator: \S+ manage.py setup --admin NAME\n"
    assert re.fullmatch(line, operators.setup("--quiet"))
    operators.setup("--quiet", ADMIN_USERNAME="operator", ADMIN_PASSWORD="four unrelated words")
    assert operators.setup("--quiet") == ""


def test_a_made_up_password_is_shown_once_and_works(operators):
    words = operators.setup("--noinput", "--admin", "operator")
    shown = re.search(r"Password, shown only now: (\S{20})\n", words)[1]
    operator = User.objects.get()
    assert (operator.username, operator.is_superuser) == ("operator", True)
    assert shown not in operator.password
    assert operator.check_password(shown)
    assert shown not in operators.setup("--noinput", "--admin", "operator")


def test_a_password_changes_only_when_asked_for(operators):
    operators.setup(ADMIN_USERNAME="operator", ADMIN_PASSWORD="four unrelated words")
    before = accounts()
    operators.setup(ADMIN_USERNAME="operator", ADMIN_PASSWORD="five quite different words")
    assert accounts() == before
    operators.setup("--reset-admin-password", ADMIN_USERNAME="Operator", ADMIN_PASSWORD="five quite different words")
    after = accounts()
    assert len(after) == 1
    assert after != before


def test_whoever_took_the_name_first_does_not_become_operator(operators):
    User.objects.create_user("Admin", "", "x")
    before = accounts()
    with pytest.raises(CommandError, match="ordinary account"):
        operators.setup(ADMIN_USERNAME="admin", ADMIN_PASSWORD="four unrelated words")
    assert accounts() == before


@pytest.mark.parametrize("weak", ["short", "password1234"])
def test_a_weak_administrators_password_is_refused(operators, weak):
    with pytest.raises(CommandError, match="password is too"):
        operators.setup(ADMIN_USERNAME="operator", ADMIN_PASSWORD=weak)
    assert accounts() == []


def test_a_password_without_a_name_is_pointed_out(operators):
    assert "set ADMIN_USERNAME" in operators.setup("--quiet", ADMIN_PASSWORD="four unrelated words")


def test_a_missing_volume_is_not_papered_over(tmp_path):
    installation = Installation(tmp_path / "data")
    database = tmp_path / "volume" / "unipo.sqlite3"
    words = installation.setup(code=1, DATABASE_URL=f"sqlite:///{database}")
    assert "Is its disk or volume mounted?" in words
    assert not database.parent.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(site):
    (site.data / "unipo.sqlite3").chmod(0o400)
    assert "can't be written" in site.setup(code=1)


def test_static_files_are_collected_only_when_they_changed(monkeypatch, settings, tmp_path):
    from unittest.mock import patch

    from accounts.management.commands import setup

    settings.STATIC_ROOT = tmp_path
    command = setup.Command()
    command.quiet = True
    with patch.object(setup, "call_command") as collect:
        command._collect_static()
        command._collect_static()
        assert collect.call_count == 1
        with patch.object(setup, "_static_fingerprint", lambda: "changed"):
            command._collect_static()
        assert collect.call_count == 2
