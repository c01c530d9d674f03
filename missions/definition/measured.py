"""The measurements of a mission file, and the metrics that it names."""

from collections.abc import Mapping
from typing import Any

from missions.definition.controls import label_of
from missions.definition.parts import HERE, START, DefinitionError, Evidence, EvidenceRow
from missions.definition.reading import LONGEST_LIST, changed, items, text
from simulator.worlds import Setup, World, world_of


def metric_named(value: Any, world: World, where: str) -> str:
    """A metric that a run of the world ends with. Raises DefinitionError."""
    if not isinstance(value, str) or value not in world.metrics:
        raise DefinitionError(where, f"must be one of {', '.join(world.metrics)}")
    return value


def evidences_from(source: Mapping[str, Any], start: Setup) -> tuple[Evidence, ...]:
    """Read the measurements of a mission; there need not be any. Raises DefinitionError."""
    given = items(source, "evidence") if "evidence" in source else []
    tables = tuple(_evidence(item, start, f"evidence[{i}]") for i, item in enumerate(given))
    if sum(len(found.rows) for found in tables) > LONGEST_LIST:
        raise DefinitionError("evidence", f"has more than {LONGEST_LIST} rows in all")
    names = [found.name for found in tables]
    if len({*names, START, HERE}) <= len(names) + 1:
        raise DefinitionError("evidence", f"names must differ, and none may be {START} or {HERE}")
    return tables


def _evidence(item: Any, start: Setup, where: str) -> Evidence:
    if not isinstance(item, Mapping):
        raise DefinitionError(where, "must be a table")
    if extra := set(item) - {"name", "title", "metrics", "setup", "vary", "values", "rows"}:
        raise DefinitionError(f"{where}.{min(extra)}", "is not a part of evidence")
    base = changed(start, item.get("setup", {}), f"{where}.setup")
    vary, values, rows = "", (), ()
    if "rows" in item:
        if "vary" in item or "values" in item:
            raise DefinitionError(where, "takes rows, or vary and values")
        rows = tuple(_row(row, base, f"{where}.rows[{i}]") for i, row in enumerate(items(item, "rows", where)))
        values = tuple(row.label for row in rows)
    else:
        vary, values = text(item, "vary", where), tuple(items(item, "values", where))
        rows = tuple(EvidenceRow(label_of(v), changed(base, {vary: v}, f"{where}.values")) for v in values)
    if len({row.label for row in rows}) != len(rows):
        raise DefinitionError(where, "two rows have the same label")
    return Evidence(
        name=text(item, "name", where),
        title=text(item, "title", where),
        vary=vary,
        values=values,
        base=base,
        metrics=tuple(
            metric_named(metric, world_of(start), f"{where}.metrics") for metric in items(item, "metrics", where)
        ),
        rows=rows,
    )


def _row(item: Any, base: Setup, where: str) -> EvidenceRow:
    if not isinstance(item, Mapping) or set(item) != {"label", "setup"}:
        raise DefinitionError(where, "takes a label and a setup")
    return EvidenceRow(text(item, "label", where), changed(base, item["setup"], f"{where}.setup"))
