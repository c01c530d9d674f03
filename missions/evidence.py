"""Measurements behind a mission's texts: computed from its definition, stored with the row, filled into the prose.

Pure. What `measure` returns, and Mission.evidence holds, is JSON:

    {"key": "...", "seeds": 64,
     "start": {"sampled_responses": 25600, "metrics": {"win_rate": {"mean": 0.512, "half_width": 0.012}, ...}},
     "tables": {"steps": {"name": "steps", "title": "...", "vary": "steps", "metrics": ["win_rate", ...],
                          "rows": [{"label": "25", "value": 25, "setup": {...}, "sampled_responses": 1600,
                                    "metrics": {every metric: {"mean": ..., "half_width": ...}}}, ...]}},
     "views": [{"query": "...", "facts": {"step": 12, "clipped": 5, "entropy": 0.81, ...}}, ...]}

Views, of which there need not be any, are as missions.seeing makes them. Tables keep the order of the file. `metrics`
of a table are the columns to show; a row has them all. `value` is what the varied setting was set to, or the label
when rows were chosen one by one. Half widths are of 95 % intervals.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from missions.definition import MissionDefinition, Placeholder, replace_placeholders
from missions.grading import DECIMALS, charged
from missions.seeing import seen_at
from simulator.engine import ENGINE_VERSION, simulate
from simulator.interval import Interval
from simulator.worlds import Setup, World, world_of

# A set of its own: neither a student's seed nor the hidden ones can be guessed from these numbers.
EVIDENCE_SEEDS = tuple(range(1000, 1064))
# A run of this world takes longer, and a new installation measures all missions before its first page.
FEWER_SEEDS = {"reasoning": 32}

# Raised when what `measure` returns changes its shape.
_SHAPE = 1
Final = dict[str, NDArray[np.float64]]
"""Every metric after the last step, (S,) each, and under COST what a run is charged, (1,)."""

COST = "sampled_responses"


class Measurements:
    """Runs on one set of seeds (S,), each made once.

    Fewer steps are an exact prefix of more, so setups that differ only in steps are read off one trace. Announce all
    setups first: then the longest of each kind is the one that runs.
    """

    def __init__(self, announced: Iterable[Setup] = (), seeds: Sequence[int] | None = None) -> None:
        self._seeds = seeds
        self._steps: dict[str, set[int]] = {}
        self._final: dict[str, Final] = {}
        self._alone: dict[str, Setup] = {}
        for setup in announced:
            epoch = world_of(setup).epoch
            # A run of an incomplete epoch ends between two recorded steps of a longer one.
            if epoch and setup.steps % epoch == 0:
                self._steps.setdefault(_kind(setup), set()).add(setup.steps)
            elif not epoch:
                self._alone.setdefault(setup.run_hash, setup)

    def run_ahead(self) -> None:
        """Make at once, on all processors, the announced runs of which none is part of another.

        The compiled loops that these spend their time in do not hold Python's lock.
        """
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            for _ in threads.map(self.of, self._alone.values()):
                pass

    def of(self, setup: Setup) -> Final:
        """Return every metric after the last step, (S,) each, and what the run costs."""
        if setup.run_hash not in self._final:
            self._run(setup)
        return self._final[setup.run_hash]

    def _run(self, setup: Setup) -> None:
        seeds = evidence_seeds(world_of(setup)) if self._seeds is None else self._seeds
        steps = self._steps.get(_kind(setup), set())
        # Measuring a policy after every epoch costs as much as training it.
        if setup.steps not in steps or sum(steps) < 2 * max(steps):
            run = simulate(setup, seeds)
            self._final[setup.run_hash] = {**run.final, COST: np.array([charged(run.sampled_responses)])}
            return
        trace = simulate(setup.replace(steps=max(steps)), seeds, history=True)
        assert trace.history is not None
        for count in steps:
            at = int(np.flatnonzero(trace.steps == count)[0])
            values = {name: per_step[:, at].copy() for name, per_step in trace.history.items()}
            shorter = setup.replace(steps=count)
            self._final[shorter.run_hash] = {**values, COST: np.array([charged(shorter.sampled_responses)])}


def evidence_seeds(world: World) -> tuple[int, ...]:
    """The seeds that a world's missions are measured on."""
    return EVIDENCE_SEEDS[: FEWER_SEEDS.get(world.name)]


def _kind(setup: Setup) -> str:
    """The same for setups that differ in nothing but steps."""
    return setup.replace(steps=world_of(setup).epoch or setup.steps).run_hash


def setups_measured(definition: MissionDefinition) -> list[Setup]:
    """Every setup whose numbers a mission's texts and tables need."""
    return [definition.start, *(row.setup for table in definition.evidence for row in table.rows)]


def evidence_key(definition: MissionDefinition) -> str:
    """Changes exactly when stored evidence is out of date: another engine, start, or table."""
    content = [_SHAPE, ENGINE_VERSION, definition.start.to_dict(), definition.source.get("evidence", [])]
    if definition.views:
        content.append(definition.source["views"])
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def measure(
    definition: MissionDefinition, runs: Measurements | None = None, *, with_views: bool = True
) -> dict[str, Any]:
    """Return the evidence of a mission as JSON; `runs` shares what several missions need.

    Without `with_views` its debrief leads nowhere.
    """
    runs = runs or Measurements(setups_measured(definition))
    return {
        "key": evidence_key(definition),
        "seeds": len(evidence_seeds(definition.world)),
        "start": _measured(definition.start, runs),
        "tables": {
            table.name: {
                "name": table.name,
                "title": table.title,
                "vary": table.vary,
                "metrics": list(table.metrics),
                "rows": [
                    {"label": row.label, "value": value, "setup": row.setup.to_dict()} | _measured(row.setup, runs)
                    for row, value in zip(table.rows, table.values, strict=True)
                ],
            }
            for table in definition.evidence
        },
    } | ({"views": [seen_at(view) for view in definition.views]} if definition.views and with_views else {})


def _measured(setup: Setup, runs: Measurements) -> dict[str, Any]:
    final = runs.of(setup)
    intervals = {metric: Interval.of(final[metric]) for metric in world_of(setup).metrics}
    return {
        "sampled_responses": int(final[COST][0]),
        "metrics": {
            metric: {"mean": round(i.mean, DECIMALS), "half_width": round(i.half_width, DECIMALS)}
            for metric, i in intervals.items()
        },
    }


def render(text: str, evidence: Mapping[str, Any], world: World) -> str:
    """Return a mission's text with its numbers. Raises LookupError when the evidence lacks one of them."""
    return replace_placeholders(text, lambda item: number_text(world, item.metric, _value(item, evidence)))


def paragraphs(text: str) -> list[str]:
    """Split a text at its blank lines; line breaks inside a paragraph become spaces."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip())]


def number_text(world: World, metric: str, value: float) -> str:
    """A number as prose writes it: 0.683, −0.07, 12,800."""
    text = f"{value:,.{0 if metric == COST else world.label(metric).decimals}f}"
    if not text.strip("-0.,"):
        return text.lstrip("-")
    return text.replace("-", "−")


def _value(item: Placeholder, evidence: Mapping[str, Any]) -> float:
    if item.row:
        rows = evidence["tables"][item.table]["rows"]
        found = next((row for row in rows if row["label"] == item.row), None)
        if found is None:
            raise LookupError(f"{item} is not among the measurements")
    else:
        found = evidence[item.table]
    return float(found[COST] if item.metric == COST else found["metrics"][item.metric]["mean"])
