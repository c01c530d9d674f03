"""What a mission's debrief shows once it is passed: its prose with the measured numbers, and the measurements."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from missions import evidence
from missions.definition import MissionDefinition
from missions.models import Mission
from missions.seeing import Look, looks_of
from simulator.charts.curves import CurveFigure, plain_curve
from simulator.charts.table import Table, fixed
from simulator.labels import MetricLabel
from simulator.worlds import World


@dataclass(frozen=True)
class EvidenceView:
    title: str
    figure: CurveFigure | None
    table: Table


@dataclass(frozen=True)
class Debrief:
    paragraphs: list[str]
    evidence: list[EvidenceView]
    looks: list[Look]


def debrief_of(mission: Mission, definition: MissionDefinition) -> Debrief:
    """The debrief of a mission as it is loaded."""
    return Debrief(
        paragraphs=evidence.paragraphs(evidence.render(definition.debrief, mission.evidence, definition.world)),
        # In the definition's order: a JSON column of PostgreSQL doesn't keep that of its keys.
        evidence=[
            _evidence_view(definition.world, mission.evidence["tables"][table.name], mission.evidence["seeds"])
            for table in definition.evidence
        ],
        looks=looks_of(definition, mission.evidence),
    )


def _evidence_view(world: World, table: Mapping[str, Any], seeds: int) -> EvidenceView:
    """Draw a measurement whose setting is a number as a curve; others stay a table."""
    rows, metrics = table["rows"], [world.metrics[name] for name in table["metrics"]]
    varied = world.settings[table["vary"]].label if table["vary"] in world.settings else "Setup"
    cells = tuple(
        (
            world.setting_value(table["vary"], row["value"]) if table["vary"] in world.choices else row["label"],
            *(_with_interval(metric, row["metrics"][metric.name]) for metric in metrics),
            f"{row['sampled_responses']:,}",
        )
        for row in rows
    )
    head = (varied, *(metric.label for metric in metrics), "Responses")
    xs = [row["value"] for row in rows]
    numbers = Table(table["title"], head, cells, f"Means over {seeds} seeds, 95% intervals.")
    if len(xs) < 3 or not all(isinstance(x, int | float) and not isinstance(x, bool) for x in xs):
        return EvidenceView(table["title"], None, numbers)
    figure = plain_curve(
        ident=f"evidence-{table['name']}",
        title=table["title"],
        x=xs,
        lines={metrics[0].label: [row["metrics"][metrics[0].name]["mean"] for row in rows]},
        x_label=varied.lower(),
        decimals=metrics[0].decimals,
        is_log=min(xs) > 0 and max(xs) / min(xs) > 8,
    )
    return EvidenceView(table["title"], replace(figure, table=numbers), numbers)


def _with_interval(metric: MetricLabel, measured: Mapping[str, float]) -> str:
    digits = metric.decimals
    return f"{fixed(measured['mean'], digits)} ± {fixed(measured['half_width'], max(digits, 1))}"
