"""Bring the missions in the database in line with the catalogue."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from missions.loading import CATALOGUE, CatalogueError, load, read_catalogue


class Command(BaseCommand):
    help = "Load the mission files into the database. Safe to repeat: attempts, stars and unlocks stay as they are."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--catalogue", type=Path, default=CATALOGUE, help="a folder of NN-slug.toml files")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            changes = load(read_catalogue(options["catalogue"]))
        except CatalogueError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            counts = ", ".join(f"{len(slugs)} {name}" for name, slugs in vars(changes).items() if slugs)
            self.stdout.write(f"Missions: {counts}.")
