"""Erase a person or a course, as the pages do, from the command line."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from classroom.data import erase_course, export_course
from classroom.models import Course
from missions.own_data import export_of


class Command(BaseCommand):
    help = "Write everything kept about a person or a course to a file, and erase it. Without --yes nothing is erased."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--user", metavar="NAME", help="a person: account, tries, progress, memberships")
        what.add_argument("--course", metavar="ID", help="a course, by the name in its address; tries stay")
        parser.add_argument(
            "--export", metavar="FILE", type=Path, help="first write what is kept to this new JSON file"
        )
        parser.add_argument("--yes", action="store_true", help="erase")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["user"]:
            user = User.objects.filter(username=options["user"]).first()
            if user is None:
                raise CommandError(f"There is no user {options['user']!r}.")
            self._finish(f"user {user.username}", export_of(user), options, user.delete)
            return
        course = Course.objects.filter(public_id=options["course"]).first()
        if course is None:
            raise CommandError(f"There is no course {options['course']!r}.")
        self._finish(f"course {course}", export_course(course), options, lambda: erase_course(course))

    def _finish(self, what: str, kept: dict[str, Any], options: dict[str, Any], erase: Any) -> None:
        if path := options["export"]:
            try:
                with path.open("x", encoding="utf-8") as file:
                    json.dump(kept, file, indent=2)
            except OSError as error:
                raise CommandError(f"{path} can't be written, so nothing was erased: {error.strerror}.") from error
            self.stdout.write(f"Everything kept about {what} is in {path}.")
        if options["yes"]:
            erase()
            self.stdout.write(f"Erased {what}.")
        else:
            self.stdout.write(f"Nothing was erased. To erase {what}, add --yes.")
