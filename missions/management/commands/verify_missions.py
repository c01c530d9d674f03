"""Prove that the missions are sound: starts fail, stars can be earned, luck is not enough."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from missions.definition import MissionDefinition
from missions.evidence import number_text
from missions.loading import CATALOGUE, CatalogueError, read_catalogue
from missions.looking.soundness import verify_look
from missions.seeds import evaluation_seeds, fresh_seeds
from missions.verification import Proof, Report, text_problems, verify
from simulator.worlds import World

# In a world that is not here too few runs could be made quickly to say anything about luck.
QUICK_RUNS = {"candidates": 75}
# Of the first world so many that every setting of every mission is tried; of the second, where each takes a tenth of a
# second and there are thousands, enough to tell one in twenty from less.
FULL_RUNS = {"candidates": 50_000, "reasoning": 160}
FRESH_SETS = {"candidates": 4, "reasoning": 2}
# Questions of a mission to look: enough to tell an answer that is right too often from chance.
QUICK_QUESTIONS, FULL_QUESTIONS = 60, 400


class Command(BaseCommand):
    help = "Check each mission on the hidden evaluation seeds; exit with status 1 when one is not sound."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--quick", action="store_true", help="a few hundred runs in place of every setting")
        parser.add_argument("--mission", metavar="SLUG", help="only this mission")
        parser.add_argument("--catalogue", type=Path, default=CATALOGUE, help="a folder of NN-slug.toml files")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            definitions = [entry.definition for entry in read_catalogue(options["catalogue"])]
        except CatalogueError as error:
            raise CommandError(str(error)) from error
        if slug := options["mission"]:
            definitions = [definition for definition in definitions if definition.slug == slug]
            if not definitions:
                raise CommandError(f"There is no mission {slug}.")
        began = time.perf_counter()
        unsound = []
        for definition in definitions:
            world = definition.world.name
            if definition.is_look:
                if not self._is_sound_to_look(definition, is_quick=options["quick"]):
                    unsound.append(definition.slug)
                continue
            if options["quick"]:
                levels = (3,) if world in QUICK_RUNS else ()
                runs = QUICK_RUNS.get(world, 0)
                report = verify(definition, evaluation_seeds(), runs=runs, star_levels=levels)
            else:
                fresh = [fresh_seeds(number) for number in range(FRESH_SETS[world])]
                runs = FULL_RUNS[world]
                report = verify(definition, evaluation_seeds(), runs=runs, star_levels=(1, 2, 3), fresh=fresh)
                report.problems.extend(text_problems(definition))
            self._show(report)
            if report.problems:
                unsound.append(definition.slug)
        seconds = time.perf_counter() - began
        if unsound:
            raise CommandError(f"Not sound: {', '.join(unsound)} ({seconds:.0f} s).")
        self.stdout.write(f"{len(definitions)} missions are sound ({seconds:.0f} s).")

    def _is_sound_to_look(self, definition: MissionDefinition, *, is_quick: bool) -> bool:
        report = verify_look(definition, QUICK_QUESTIONS if is_quick else FULL_QUESTIONS)
        if not is_quick:
            report.problems.extend(text_problems(definition))
        self.stdout.write(f"{definition.chapter}.{definition.position} {definition.title}")
        right = ", ".join(f"{value} {count}" for value, count in sorted(report.right.items()))
        self.stdout.write(f"     {report.asked} questions; right answers: {right}; constant {report.constant:.0%}")
        for text in report.problems:
            self.stdout.write(self.style.ERROR(f"     PROBLEM: {text}"))
        return not report.problems

    def _show(self, report: Report) -> None:
        definition = report.definition
        self.stdout.write(f"{definition.chapter}.{definition.position} {definition.title}")
        for proof in (report.start, *report.stars):
            self.stdout.write(_proof_line(definition.world, proof))
        for luck in report.luck:
            how = "all" if luck.is_exact else "drawn"
            self.stdout.write(
                f"     luck {luck.stars}*       {luck.share:6.2%} (at most {luck.upper:.2%}): {luck.affordable:.1%} of"
                f" all choices fit the budget; of those {luck.passed} of {luck.tried} {how} pass"
            )
        for text in report.problems:
            self.stdout.write(self.style.ERROR(f"     PROBLEM: {text}"))
        for text in report.warnings:
            self.stdout.write(self.style.WARNING(f"     warning: {text}"))


def _proof_line(world: World, proof: Proof) -> str:
    goals = ", ".join(
        f"{result.goal.metric} {number_text(world, result.goal.metric, result.interval.mean)}"
        f" ± {result.interval.half_width:.3f} ({'>=' if result.goal.at_least else '<='} {result.goal.bound:g})"
        for result in proof.verdict.goals
    )
    sets = f"; {proof.agreeing_sets} of {proof.sets} fresh sets" if proof.sets else ""
    margin = f"margin {proof.margin:.1f} s.e."
    if proof.counts:
        margin = f"passes on {', '.join(map(str, proof.counts))} of {proof.verdict.seed_count}"
    cost = f"{proof.verdict.sampled_responses:,}"
    return f"     {proof.name:<12} {proof.verdict.stars}* {cost:>7}  {goals}; {margin}{sets}"
