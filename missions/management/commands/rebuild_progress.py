"""Make all progress again from the attempts, for example after a restore or a change of rules."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from missions.progress import rebuild_progress


class Command(BaseCommand):
    help = "Make the progress rows again from the attempts. Running it on sound data changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", help="only this user name")

    def handle(self, *args: Any, **options: Any) -> None:
        users = get_user_model().objects.all()
        if options["user"]:
            users = users.filter(username=options["user"])
            if not users.exists():
                raise CommandError(f"There is no user {options['user']!r}.")
        seen = changed = 0
        for user in users.iterator():
            seen += 1
            changed += rebuild_progress(user)
        self.stdout.write(f"{seen} students read, progress of {changed} changed.")
