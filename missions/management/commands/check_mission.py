"""Check a mission that somebody wrote, from its file: what the site's page does with a worker, in the terminal."""

import json
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from missions.authoring.reading import decoded, read_text
from missions.checking import FRESH_SETS, check_mission, limits_for
from missions.definition import STAR_NAMES, DefinitionError
from missions.seeds import evaluation_seeds, fresh_seeds

EVERY = 5.0
"""Seconds between two lines that say how far it is."""


class Command(BaseCommand):
    help = "Search a mission file for what each star needs, measure luck, and propose star budgets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a mission in TOML, as the site imports and exports it")
        parser.add_argument("--seconds", type=float, default=settings.CHECK_SECONDS, help="end after so many seconds")
        parser.add_argument("--json", action="store_true", help="print all that was found as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["file"]
        try:
            read = read_text(decoded(path.read_bytes()))
        except (OSError, DefinitionError) as error:
            raise CommandError(f"{path}: {error}") from error
        if read.definition is None:
            raise CommandError("\n".join(f"{path}: {problem}" for problem in read.problems))
        world = read.definition.world
        fresh = [fresh_seeds(number) for number in range(FRESH_SETS[world.name])]
        self._said = 0.0
        limits = limits_for(world, options["seconds"])
        result = check_mission(read.definition, evaluation_seeds(), fresh, limits, self._tell)
        if options["json"]:
            self.stdout.write(json.dumps(result))
            return
        self._show(result)
        if result["asked"]["problems"] or result["text_problems"]:
            raise CommandError("This mission has problems.")

    def _tell(self, share: float, doing: str) -> None:
        if time.monotonic() - self._said >= EVERY:
            self._said = time.monotonic()
            self.stderr.write(f"{share:4.0%}  {doing}")

    def _show(self, result: dict[str, Any]) -> None:
        count, start = result["seed_count"], result["start"]
        passes = "passes" if start["passed"] else "fails"
        self.stdout.write(f"The start {passes}: all goals hold on {start['seeds_met']} of {count} seeds.")
        self.stdout.write(f"{result['settings']:,} settings tried.")
        for title, part in (("Budgets as written", result["asked"]), ("Budgets proposed", result["proposed"])):
            if part is None:
                continue
            self.stdout.write(f"{title}: " + ", ".join(f"{n} = {part['budgets'][n]:,}" for n in STAR_NAMES.values()))
            for row in part["stars"]:
                found = row["found"]
                what = "none found" if found is None else f"{found['cost']:,} responses, margin {found['margin']:g}"
                self.stdout.write(f"     {row['stars']}*  {what}")
            for luck in part["luck"]:
                self.stdout.write(f"     luck {luck['stars']}*  {luck['share']:.2%} (at most {luck['upper']:.2%})")
            for text in part["problems"]:
                self.stdout.write(self.style.ERROR(f"     PROBLEM: {text}"))
            for text in part["warnings"]:
                self.stdout.write(self.style.WARNING(f"     warning: {text}"))
        for text in result["rule"]:
            self.stdout.write(f"     {text}")
        for text in result["text_problems"] or ():
            self.stdout.write(self.style.ERROR(f"PROBLEM: {text}"))
        for text in result["ran_out"]:
            self.stdout.write(self.style.WARNING(f"Time was up: {text}"))
