"""``manage.py benchmark``: how long the engine, and a look at a run, take on this machine."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.test import Client

from simulator.engine import inspect_step, parse_setup, simulate
from simulator.engine.candidates.world import clear_cache, load_world
from simulator.engine.reasoning.run import Run, evaluate_logits
from simulator.explorer.address import run_address
from simulator.explorer.source import source_of
from simulator.lab.link import Run as LabRun

EVALUATION_SEEDS = range(32)
DISPLAY_SEED = 1000
COMPARED_WITH = "graded submission, worlds warm"
WIDTH = 52


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


def measure(cases: Sequence[Case], repeats: int) -> Iterator[Timing]:
    """Time each case ``repeats`` times, after one run that does not count.

    The cases take turns, so that whatever else the machine is doing slows all of them: a ratio of two timings of one
    call says more than the timings.
    """
    wall: list[list[float]] = [[] for _ in cases]
    cpu: list[list[float]] = [[] for _ in cases]
    for repeat in range(repeats + 1):
        for number, case in enumerate(cases):
            case.prepare()
            wall_start, cpu_start = time.perf_counter(), _processor_seconds()
            case.run()
            cpu_end, wall_end = _processor_seconds(), time.perf_counter()
            if repeat > 0:
                wall[number].append((wall_end - wall_start) * 1000 / case.runs)
                cpu[number].append((cpu_end - cpu_start) * 1000 / case.runs)
    yield from (Timing(median(w), median(c)) for w, c in zip(wall, cpu, strict=True))


def _processor_seconds() -> float:
    """Of this process and of those that it has started and that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _simulate(seeds: Sequence[int], history: bool = False, **setup: Any) -> Callable[[], object]:
    parsed = parse_setup(setup)
    return lambda: simulate(parsed, seeds, history=history)


def _graded_submission() -> None:
    setup = parse_setup({})
    simulate(setup, EVALUATION_SEEDS)
    simulate(setup, [DISPLAY_SEED], history=True, policy=True)


def candidate_cases() -> list[Case]:
    """The ten-answers world, everyday cases first, the largest setups last."""
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


def token_cases() -> list[Case]:
    """The token world, everyday cases first."""
    plain: dict[str, Any] = {"world": "reasoning", "algorithm": "custom"}
    one = Run(parse_setup(plain), DISPLAY_SEED)
    logits = one.learner.logits[None, None]
    graded = {
        "plain default": plain,
        "GRPO (k3)": plain | {"algorithm": "grpo"},
        "16 epochs": plain | {"num_iterations": 16},
        "DAPO": plain | {"algorithm": "dapo"},
        "PPO": plain | {"algorithm": "ppo"},
        "GSPO": plain | {"algorithm": "gspo"},
    }
    return [
        Case("tokens: 60 steps, B 8, G 8, 4 epochs, 1 seed", _simulate([DISPLAY_SEED], **plain)),
        Case("tokens: the same with history", _simulate([DISPLAY_SEED], history=True, **plain)),
        *(
            Case(f"tokens: 32 graded seeds, {name}", _simulate(EVALUATION_SEEDS, **setup))
            for name, setup in graded.items()
        ),
        Case("tokens: step 60 brought back", lambda: inspect_step(one.setup, DISPLAY_SEED, 60)),
        Case("tokens: exact evaluation of one policy", lambda: evaluate_logits(one.setup, logits)),
        Case("tokens: new process, import and first run", _first_run),
    ]


def explorer_cases() -> list[Case]:
    """Pages of a run that is in the cache, as htmx asks for them: all panels. Each case visits several places."""
    run = LabRun(parse_setup({"world": "reasoning", "group_size": 16}), DISPLAY_SEED)
    tokens = [{"s": 46, "p": 2, "r": r, "t": 2} for r in range(1, 9)]
    places: dict[str, list[dict[str, Any]]] = {
        "another update": [{"s": s} for s in range(3, 240, 15)],
        "another token": tokens,
        "another token, compared with DAPO": [place | {"vs": "dapo"} for place in tokens],
        "a token were epsilon 0.1": [place | {"eps": 0.1} for place in tokens],
    }
    return [Case(f"explorer, G 16: {name}", _pages(run, views), len(views)) for name, views in places.items()]


def _pages(run: LabRun, views: Sequence[dict[str, Any]]) -> Callable[[], object]:
    client = Client(HTTP_HOST=urlsplit(settings.SITE_URL).netloc, HTTP_HX_REQUEST="true")
    is_secure = settings.SITE_URL.startswith("https:")

    def visit() -> None:
        # Whatever was looked at before is trained already, so it is kept.
        source_of(run.setup, run.seed)
        for before, view in zip([views[-1], *views], views, strict=False):
            on = f"{settings.SITE_URL}{run_address(run, **before)}"
            answer = client.get(run_address(run, **view), secure=is_secure, HTTP_HX_CURRENT_URL=on)
            if answer.status_code != 200:
                raise CommandError(f"{run_address(run, **view)} answered {answer.status_code}.")

    return visit


def _first_run() -> None:
    """All that a new worker does before it can train, from a folder of compiled code."""
    subprocess.run([sys.executable, "-m", "simulator.engine.warm"], check=True)


def _repeats(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1000:
        raise ArgumentTypeError("must be a whole number from 1 to 1000")
    return int(text)


def cases() -> list[Case]:
    """Every case of both worlds, and the pages on which runs are looked at."""
    return [*candidate_cases(), *token_cases(), *explorer_cases()]


class Command(BaseCommand):
    help = (
        "Measure the engine and the explorer: medians in milliseconds, wall clock and processor time, and processor "
        "time as a multiple of a graded submission's in the ten-answers world."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repeats", type=_repeats, default=9, help="timed runs per case (default 9)")

    def handle(self, *args: Any, **options: Any) -> None:
        repeats = options["repeats"]
        measured = cases()
        timings = list(measure(measured, repeats))
        base = next((t.cpu for case, t in zip(measured, timings, strict=True) if case.name == COMPARED_WITH), None)
        self.stdout.write(f"{'median of ' + str(repeats) + ', ms':<{WIDTH}}{'wall':>9}{'CPU':>9}{'ratio':>9}")
        for case, timing in zip(measured, timings, strict=True):
            ratio = f"{timing.cpu / base:>9.2f}" if base else ""
            self.stdout.write(f"{case.name:<{WIDTH}}{timing.wall:>9.3f}{timing.cpu:>9.3f}{ratio}")
