"""``manage.py benchmark``: how long the engine takes on this machine."""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandParser

from simulator.engine import parse_setup, simulate
from simulator.engine.candidates.world import clear_cache, load_world

EVALUATION_SEEDS = range(32)
DISPLAY_SEED = 1000


class Case(NamedTuple):
    """What is measured: ``run`` does it ``runs`` times at once."""

    name: str
    run: Callable[[], object]
    runs: int = 1
    prepare: Callable[[], object] = lambda: None


class Timing(NamedTuple):
    """Medians per run, in milliseconds."""

    wall: float
    cpu: float


def measure(case: Case, repeats: int) -> Timing:
    """Time a case ``repeats`` times, after one run that does not count."""
    wall, cpu = [], []
    for repeat in range(repeats + 1):
        case.prepare()
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        case.run()
        cpu_end, wall_end = time.process_time(), time.perf_counter()
        if repeat > 0:
            wall.append((wall_end - wall_start) * 1000 / case.runs)
            cpu.append((cpu_end - cpu_start) * 1000 / case.runs)
    return Timing(median(wall), median(cpu))


def _simulate(seeds: range, **setup: Any) -> Callable[[], object]:
    parsed = parse_setup(setup)
    return lambda: simulate(parsed, seeds)


def _graded_submission() -> None:
    setup = parse_setup({})
    simulate(setup, EVALUATION_SEEDS)
    simulate(setup, [DISPLAY_SEED], history=True, policy=True)


def cases() -> list[Case]:
    """Every case, the everyday ones first, the largest setups last."""
    many, some = range(64), range(32)
    large_pairs = {"samples_per_prompt": 64, "steps": 800}
    return [
        Case("GRPO, 200 steps, G 8, 1 seed", _simulate(range(1))),
        Case("GRPO, 200 steps, G 8, 64 seeds: per run", _simulate(many), 64),
        Case("DPO, 200 steps, n 8, 64 seeds: per run", _simulate(many, method="dpo"), 64),
        Case("graded submission, worlds warm", _graded_submission),
        Case("graded submission, worlds cold", _graded_submission, prepare=clear_cache),
        Case("64 worlds, cold: per world", lambda: load_world(many, "clean"), 64, clear_cache),
        Case("64 worlds, warm: per world", lambda: load_world(many, "clean"), 64),
        Case("GRPO, 800 steps, G 64, 32 seeds: per run", _simulate(some, group_size=64, steps=800), 32),
        Case("DPO, 800 steps, n 64, 32 seeds: per run", _simulate(some, method="dpo", **large_pairs), 32),
        Case(
            "rDPO, flips, 800 steps, n 64, 32 seeds: per run",
            _simulate(some, method="rdpo", event="label_flips", **large_pairs),
            32,
        ),
    ]


def _repeats(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1000:
        raise ArgumentTypeError("must be a whole number from 1 to 1000")
    return int(text)


class Command(BaseCommand):
    help = "Measure the engine: medians in milliseconds, wall clock and processor time."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repeats", type=_repeats, default=9, help="timed runs per case (default 9)")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{'median of ' + str(options['repeats']) + ', ms':<52}{'wall':>9}{'CPU':>9}")
        for case in cases():
            timing = measure(case, options["repeats"])
            self.stdout.write(f"{case.name:<52}{timing.wall:>9.3f}{timing.cpu:>9.3f}")
