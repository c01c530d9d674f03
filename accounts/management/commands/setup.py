"""Make an installation ready to serve, as often as you like: run it after every update."""

import hashlib
import os
import shlex
import sys
from argparse import ArgumentParser
from getpass import getpass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.contrib.staticfiles.finders import get_finders
from django.core.exceptions import ValidationError
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils.crypto import get_random_string

from accounts.addresses import account_named, set_address
from accounts.models import User


class Command(BaseCommand):
    help = "Prepare data folder, database, missions, static files and, if asked, an administrator. Safe to repeat."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="say only what needs attention")
        parser.add_argument("--noinput", action="store_true", help="never ask; take ADMIN_PASSWORD or make one up")
        parser.add_argument("--admin", metavar="NAME", help="administrator to make (or set ADMIN_USERNAME)")
        parser.add_argument(
            "--reset-admin-password",
            action="store_true",
            help="give an administrator who exists already a new password",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.quiet: bool = options["quiet"]
        self._prepare_folders()
        self._migrate()
        self._load_missions()
        if not settings.DEBUG:
            self._collect_static()
        self._administrator(
            name=options["admin"] or os.environ.get("ADMIN_USERNAME", ""),
            may_ask=not options["noinput"] and not options["quiet"] and sys.stdin.isatty(),
            reset=options["reset_admin_password"],
        )

    def _say(self, text: str) -> None:
        if not self.quiet:
            self.stdout.write(text)

    # --- data --------------------------------------------------------------------------------------------------------

    def _prepare_folders(self) -> None:
        """Make the data folder. Raises CommandError if the database can't live where it is configured."""
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        # SECRET_KEY was made, if need be, when the settings were read.
        self._say(f"Data folder: {settings.DATA_DIR}")
        if connection.vendor != "sqlite" or connection.is_in_memory_db():
            return
        database = Path(connection.settings_dict["NAME"])
        if not database.parent.is_dir():
            # Making it would hide that a disk isn't mounted, and the class would find an empty site.
            raise CommandError(f"The database's folder {database.parent} isn't there. Is its disk or volume mounted?")
        if not os.access(database.parent, os.W_OK) or (database.exists() and not os.access(database, os.W_OK)):
            raise CommandError(f"{database} can't be written. Give the user that runs the server the right to.")

    def _migrate(self) -> None:
        is_new = not connection.introspection.table_names()
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            call_command("migrate", verbosity=0, interactive=False)
        if is_new:
            # Said even when quiet: whoever expected an old database must notice.
            self.stdout.write(f"New, empty database: {connection.settings_dict['NAME']}")
            if "demo" in get_commands():
                self.stdout.write("To look around in a course with 40 invented students, any time: make demo")
        else:
            self._say(f"Database: {len(plan)} migrations applied." if plan else "Database: up to date.")

    def _load_missions(self) -> None:
        if "load_missions" in get_commands():
            call_command("load_missions", verbosity=0 if self.quiet else 1)

    # --- static files ------------------------------------------------------------------------------------------------

    def _collect_static(self) -> None:
        root = Path(settings.STATIC_ROOT)
        stamp = root / "collected.txt"
        fingerprint = _static_fingerprint()
        if stamp.exists() and stamp.read_text() == fingerprint:
            self._say("Static files: up to date.")
            return
        # The stamp goes first and comes back last, so that a broken-off run is done again.
        stamp.unlink(missing_ok=True)
        call_command("collectstatic", verbosity=0, interactive=False)
        stamp.write_text(fingerprint)
        self._say(f"Static files: collected in {root}")

    # --- administrator -----------------------------------------------------------------------------------------------

    def _administrator(self, name: str, may_ask: bool, reset: bool) -> None:
        if not name:
            if os.environ.get("ADMIN_PASSWORD") or reset:
                self.stderr.write("No administrator was changed: set ADMIN_USERNAME or give --admin NAME.")
            elif not User.objects.filter(is_superuser=True).exists():
                command = f"{shlex.quote(_shortest(sys.executable))} manage.py setup --admin NAME"
                self.stdout.write(f"To make an administrator: {command}")
            return
        user = account_named(name)
        if user and not user.is_superuser:
            # Whoever signed up with that name first must not become the operator.
            raise CommandError(f"{name} is an ordinary account. Choose another name for the administrator.")
        if user and not reset:
            self._say(f"Administrator: {user.username} is there already; nothing changed.")
            return
        user = user or User(username=User.normalize_username(name), is_staff=True, is_superuser=True)
        password, made_up = _choose_password(user, may_ask)
        user.set_password(password)
        try:
            with transaction.atomic():
                user.save()
                if address := os.environ.get("ADMIN_EMAIL", ""):
                    set_address(user, address)
        except IntegrityError as error:
            raise CommandError("Another account has that name or ADMIN_EMAIL.") from error
        self.stdout.write(f"Administrator: {user.username}")
        if made_up:
            self.stdout.write(f"Password, shown only now: {password}")


def _choose_password(user: User, may_ask: bool) -> tuple[str, bool]:
    """Return the administrator's password, and whether it was made up here. Raises CommandError if it is weak."""
    password = os.environ.get("ADMIN_PASSWORD", "")
    if not password and may_ask:
        password = getpass(f"Password for {user.username} (empty: make one up): ")
        if password and getpass("Once more: ") != password:
            raise CommandError("The two passwords differ. Nothing was changed for the administrator.")
    if not password:
        return get_random_string(20), True
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    return password, False


def _shortest(path: str) -> str:
    """Write a path as a user in this folder would type it."""
    here = Path(path)
    return str(here.relative_to(Path.cwd())) if here.is_relative_to(Path.cwd()) else path


def _static_fingerprint() -> str:
    """Return a hash that changes when any static file does, from names, sizes and times alone."""
    digest = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            status = os.stat(storage.path(name))
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
