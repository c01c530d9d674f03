"""``manage.py simulate``: run a setup and print its numbers as JSON."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from django.core.management.base import BaseCommand, CommandParser

from simulator.engine import ENGINE_VERSION, ReasoningSimulation, SetupError, Simulation, parse_setup, simulate
from simulator.records import SUFFIXES, RunRecord, record_of, write_canonical

MAX_SEEDS = 4096
REFUSED = 2  # exit status

_PART = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?")


def read_setup(path: str) -> dict[str, Any]:
    """The JSON object in a file, or on standard input when the path is ``-``.

    Raises:
        SetupError: there is no such object; field ``setup``, or the name of a
            key that is given twice.
    """
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SetupError("setup", f"The setup cannot be read: {reason}.") from None
    try:
        setup = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object_without_repeats)
    except SetupError:
        raise
    except (ValueError, RecursionError) as error:
        reason = f": {error}" if isinstance(error, json.JSONDecodeError) else ""
        raise SetupError("setup", f"The setup is not valid JSON{reason}.") from None
    if not isinstance(setup, dict):
        raise SetupError("setup", "A setup must be a JSON object of names and values.")
    return setup


def _refuse_constant(name: str) -> NoReturn:
    raise SetupError("setup", f"The setup is not valid JSON: {name} is not a JSON number.")


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise SetupError(key, "This name is given twice in the setup.")
        result[key] = value
    return result


def read_seeds(text: str) -> list[int]:
    """Seeds written as ``3``, ``0-7``, ``3,5,8`` or a mix, in that order.

    Raises:
        SetupError: field ``seeds``.
    """
    seeds: list[int] = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise SetupError("seeds", "Seeds must look like 0-7 or 3,5,8.")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if last < first:
            raise SetupError("seeds", "A range of seeds must go from the smaller to the larger one.")
        if len(seeds) + last - first + 1 > MAX_SEEDS:
            raise SetupError("seeds", f"At most {MAX_SEEDS} seeds can be run at once.")
        seeds.extend(range(first, last + 1))
    return seeds


def as_json(runs: Simulation | ReasoningSimulation) -> dict[str, Any]:
    """The object that the command prints. What is no number, such as the length of wrong responses in a step without
    any, is null."""
    sampled = np.broadcast_to(np.asarray(runs.sampled_responses), runs.seeds.shape)
    result: dict[str, Any] = {
        "engine_version": ENGINE_VERSION,
        "setup": runs.setup.to_dict(),
        "seeds": runs.seeds.tolist(),
        "sampled_responses": sampled.tolist(),
        "final": {name: _numbers(values) for name, values in runs.final.items()},
    }
    if isinstance(runs, ReasoningSimulation):
        result["diverged_at"] = runs.diverged_at.tolist()
    if runs.history is not None:
        result["history"] = _over_steps(runs.steps, runs.history)[int(runs.steps[0] == 0) :]
        if isinstance(runs, ReasoningSimulation) and runs.evaluations is not None:
            result["evaluations"] = _over_steps(runs.evaluated_steps, runs.evaluations)
    return result


def _over_steps(steps: npt.NDArray[np.int64], metrics: Mapping[str, npt.NDArray[np.float64]]) -> list[dict[str, Any]]:
    return [
        {"step": int(step), "metrics": {name: _numbers(values[:, i]) for name, values in metrics.items()}}
        for i, step in enumerate(steps)
    ]


def _numbers(values: npt.NDArray[np.float64]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]


class Command(BaseCommand):
    help = "Run a training setup and print one JSON object with its metrics, one value per seed."
    requires_system_checks = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        # Whoever reads the output by program gets every refusal in the same form.
        parser.error = self._refuse_arguments
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("setup", metavar="SETUP", help="a JSON file, or - for standard input")
        parser.add_argument("--seeds", default="0", help="such as 0-7 or 3,5,8 (default 0)")
        parser.add_argument("--history", action="store_true", help="also print metrics over the steps")
        parser.add_argument("--canonical", metavar="FILE", help="write one seed's log to FILE.json or FILE.jsonl")
        parser.add_argument("--force", action="store_true", help="let --canonical replace a file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            setup, seeds = parse_setup(read_setup(options["setup"])), read_seeds(options["seeds"])
            if options["canonical"] is not None:
                if len(seeds) != 1:
                    raise SetupError("seeds", "A canonical log holds one seed.")
                self._write_log(record_of(setup, seeds[0]), Path(options["canonical"]), options["force"])
            runs = simulate(setup, seeds, history=options["history"])
        except SetupError as error:
            self._refuse(error.field, error.message)
        self.stdout.write(json.dumps(as_json(runs), allow_nan=False))

    def _write_log(self, record: RunRecord, path: Path, replace: bool) -> None:
        total = record.header.total_steps or 1
        tenths = 0

        def progress(written: int) -> None:
            nonlocal tenths
            if written * 10 // total > tenths:
                tenths = written * 10 // total
                self.stderr.write(f"{path.name}: {written} of {total} updates", style_func=str)

        if path.suffix not in SUFFIXES:
            raise SetupError("canonical", "The log's name must end with .json or .jsonl.")
        if path.exists() and not replace:
            raise SetupError("canonical", "There is a file of that name; --force replaces it.")
        try:
            write_canonical(record, path, progress)
        except OSError as error:
            raise SetupError("canonical", f"The log cannot be written: {error.strerror}.") from None

    def _refuse_arguments(self, message: str) -> NoReturn:
        field = "seeds" if "--seeds" in message else "setup" if "SETUP" in message else "arguments"
        self._refuse(field, message[:1].upper() + message[1:] + ".")

    def _refuse(self, field: str, message: str) -> NoReturn:
        # Uncolored also on a terminal: it is JSON.
        self.stderr.write(json.dumps({"error": {"field": field, "message": message}}), style_func=str)
        sys.exit(REFUSED)
