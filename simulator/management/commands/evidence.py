"""``manage.py evidence``: measure every claim of the evidence page again."""

import time
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from simulator.evidence import results
from simulator.evidence.claim import Claim, contradictions, verdict
from simulator.evidence.measure import Laboratory
from simulator.evidence.registry import BY_NAME, CLAIMS


def _claim(name: str) -> Claim:
    if name not in BY_NAME:
        raise ArgumentTypeError(f"there is no claim {name!r}; they are {', '.join(BY_NAME)}")
    return BY_NAME[name]


class Command(BaseCommand):
    help = (
        "Measure every claim of the evidence page and write simulator/evidence/results.json. Each claim is kept as "
        "soon as it is measured, so --stale takes up an interrupted run. Fails when a finding does not hold."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--only", nargs="+", type=_claim, metavar="NAME", help="only these claims")
        parser.add_argument("--stale", action="store_true", help="only claims whose stored results are out of date")
        parser.add_argument("--check", action="store_true", help="write nothing; compare with the stored results")

    def handle(self, *args: Any, **options: Any) -> None:
        stored = results.read()
        chosen = options["only"] or list(CLAIMS)
        if options["stale"]:
            chosen = [claim for claim in chosen if stored.get(claim.name, {}).get("key") != results.key(claim)]
        laboratory, start, moved, problems = Laboratory(), time.perf_counter(), 0, []
        for number, claim in enumerate(chosen, start=1):
            self.stdout.write(f"{number:>3} of {len(chosen)}  {claim.name:<26}", ending="")
            self.stdout.flush()
            began = time.perf_counter()
            found = laboratory.measure(claim)
            fresh = results.as_json(claim, found)
            wrong = contradictions(claim, found.intervals)
            if not options["check"]:
                stored[claim.name] = fresh
                results.write(stored, BY_NAME)
            elif claim.name not in stored:
                wrong.append("nothing is stored")
            else:
                wrong += results.differences(stored[claim.name], fresh)
                moved += stored[claim.name] != fresh
            took = time.perf_counter() - began
            self.stdout.write(f"{verdict(claim, found.intervals).value:<12}{took:>6.1f} s")
            for problem in wrong:
                self.stdout.write(self.style.ERROR(f"          {problem}"))
                problems.append(claim.name)
        took = time.perf_counter() - start
        if problems:
            raise CommandError(f"{len(set(problems))} of {len(chosen)} claims do not hold: {', '.join(set(problems))}")
        done = f"written to {results.PATH.name}"
        if options["check"]:
            done = f"agree with what is stored, {len(chosen) - moved} of them to the last digit"
        self.stdout.write(f"{len(chosen)} claims {done}; {took:.0f} s")
