"""``manage.py benchmark_class``: how long the pages of a large class take on this machine and database."""

import warnings
from argparse import ArgumentParser, ArgumentTypeError
from statistics import median
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.test.utils import override_settings

from classroom.benchmark.build import Size, build_class
from classroom.benchmark.database import NoDatabaseError, settle, throwaway_database
from classroom.benchmark.measure import Measured, measure_class

WIDTH = 32
# Names of static files without their hashes: pages are measured before `setup` has gathered the files, too.
STATIC = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}


def _count(most: int) -> Any:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
            raise ArgumentTypeError(f"must be a whole number from 1 to {most}")
        return int(text)

    return parse


class Command(BaseCommand):
    help = (
        "Build a large class in a database of its own, which is thrown away, and measure its pages: queries, "
        "milliseconds to the last byte (median, longest, and median of this process's own work, which a busy machine "
        "does not change), and bytes. DATABASE_URL decides the kind of database, as ever."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--students", type=_count(1000), default=500, help="default 500")
        parser.add_argument("--missions", type=_count(100), default=30, help="default 30")
        parser.add_argument("--attempts", type=_count(100), default=10, help="of each student at each; default 10")
        parser.add_argument("--repeats", type=_count(1000), default=9, help="timed requests a page; default 9")

    def handle(self, *args: Any, **options: Any) -> None:
        size = Size(options["students"], options["missions"], options["attempts"])
        attempts = size.students * size.missions * size.attempts
        try:
            with throwaway_database(), override_settings(STORAGES={**settings.STORAGES, **STATIC}):
                self.stdout.write(
                    f"Building {size.students} students × {size.missions} missions × {size.attempts} attempts "
                    f"({attempts:,}) in a database that is thrown away"
                )
                course, owner = build_class(size)
                self.stdout.write(f"{connection.display_name} {_version()}, {settle()}")
                self._measure(course, owner, options["repeats"])
        except NoDatabaseError:
            raise CommandError(
                "There is no database to measure in: the account of DATABASE_URL needs the right to create one "
                "(ALTER ROLE … CREATEDB)."
            ) from None

    def _measure(self, course: Any, owner: Any, repeats: int) -> None:
        titles = f"{'queries':>9}{'median':>9}{'max':>9}{'CPU':>9}{'kB sent':>10}{'kB':>9}"
        self.stdout.write(f"{f'{repeats} requests each, ms':<{WIDTH}}{titles}")
        over = []
        with warnings.catch_warnings():
            # Static files are not served here, so it does not matter where they are.
            warnings.filterwarnings("ignore", message="No directory at")
            for found in measure_class(course, owner, repeats):
                if not isinstance(found, Measured):
                    self.stdout.write(f"{found.page.name:<{WIDTH}}  not in this version")
                    continue
                over += [found] if found.is_over else []
                times = (median(found.ms), max(found.ms), median(found.cpu_ms))
                self.stdout.write(
                    f"{found.page.name:<{WIDTH}}{found.queries:>9}{''.join(f'{ms:>9.0f}' for ms in times)}"
                    f"{found.sent / 1000:>10.1f}{found.unpacked / 1000:>9.1f}{'   over' if found.is_over else ''}"
                )
        for found in over:
            allowed = [f"{found.page.most_queries} queries"] if found.page.most_queries is not None else []
            allowed += [f"{found.page.most_ms} ms"] if found.page.most_ms is not None else []
            self.stdout.write(f"Over: {found.page.name} may take {' and '.join(allowed)}.")
        if not over:
            self.stdout.write("All within what they may take.")


def _version() -> str:
    return ".".join(map(str, connection.get_database_version()))
