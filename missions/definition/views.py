"""The views of a mission file: exact places in runs that its debrief leads to, each with a sentence on what to see.

    [[views]]
    row = "fences:both sides, 0.2"      # a measured setup; or  setup = { clip = "symmetric" }; or the start
    beside = "fences:no fence"          # a second run to compare with, likewise; may be left out
    seed = 1
    step = "most_clipped"               # an optimizer update, from 1, or the name of a rule that finds one
    state = { p = 2, c = "clip" }       # what else an address of the explorer says
    text = "{clipped@here} of {tokens@here} tokens are clipped."
    expects = { clipped = [1, 99] }     # what the sentence takes for granted: facts and their bounds; may be left out

What stands in braces is read off the run when missions are loaded, as `missions.seeing` says.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from missions.definition.parts import HERE, DefinitionError, Evidence, View
from missions.definition.placeholders import placeholders_in
from missions.definition.reading import changed, items, number, text
from simulator.engine.randomness import MAX_SEED
from simulator.explorer.state import KEYS, Bounds, parse
from simulator.worlds import Setup, World, world_of

MOST_VIEWS = 6

RULES = (
    "first",
    "last",
    "first_clipped",
    "most_clipped",
    "first_silent",
    "most_silent",
    "largest_gradient",
    "diverged",
)
"""Rules that find a step in any run."""
METRIC_RULES = ("largest_rise", "largest_fall", "highest", "lowest")
"""Rules about a metric, such as largest_fall:win_rate."""

COUNTS = (
    *("step", "rollout", "prompts", "silent", "responses", "right", "tokens", "clipped", "clipped_above"),
    *("clipped_below", "pushed"),
)
"""What is counted at a view. Responses and tokens are those of its prompt, where it names one."""

_PARTS = {"row", "setup", "beside", "seed", "step", "state", "text", "expects"}
# These have parts of their own in the file.
_OWN_KEYS = {"s", "run2"}


def views_from(source: Mapping[str, Any], start: Setup, evidence: Sequence[Evidence]) -> tuple[View, ...]:
    """Read the views of a mission; there need not be any. Raises DefinitionError."""
    given = items(source, "views") if "views" in source else []
    if len(given) > MOST_VIEWS:
        raise DefinitionError("views", f"has {len(given)} entries; {MOST_VIEWS} are the most")
    rows = {f"{table.name}:{row.label}": row.setup for table in evidence for row in table.rows}
    return tuple(_view(item, start, rows, f"views[{i}]") for i, item in enumerate(given))


def check_facts(views: Sequence[View], world: World) -> None:
    """Hold what the texts of views ask for against what can be seen there. Raises DefinitionError."""
    for i, view in enumerate(views):
        where = f"views[{i}].text"
        try:
            found = placeholders_in(view.text)
        except ValueError as error:
            raise DefinitionError(where, f"has {error}") from error
        for item in found:
            if item.table != HERE or item.row or not _is_seen(item.metric, world):
                raise DefinitionError(where, f"{item} names nothing that is seen there")


def check_lengths(views: Sequence[View], most: int) -> None:
    """Hold the runs of views against the most responses times uses of each that a run may take.

    Raises DefinitionError.
    """
    for i, view in enumerate(views):
        for setup in filter(None, (view.setup, view.beside)):
            updates = setup.steps * getattr(setup, "group_size", 1) * getattr(setup, "num_iterations", 1)
            updates *= getattr(setup, "prompts_per_step", 1)
            if updates > most:
                raise DefinitionError(
                    f"views[{i}]", f"has a run of {updates:,} responses for updates; {most:,} are the most"
                )


def _view(item: Any, start: Setup, rows: Mapping[str, Setup], where: str) -> View:
    if not isinstance(item, Mapping):
        raise DefinitionError(where, "must be a table")
    if extra := set(item) - _PARTS:
        raise DefinitionError(f"{where}.{min(extra)}", "is not a part of a view")
    if "row" in item and "setup" in item:
        raise DefinitionError(where, "takes a row or a setup")
    setup = _row(item, "row", rows, where) if "row" in item else changed(start, item.get("setup", {}), f"{where}.setup")
    seed = item.get("seed", 1)
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise DefinitionError(f"{where}.seed", f"must be a whole number from 0 to {MAX_SEED}")
    return View(
        setup=setup,
        seed=seed,
        step=_step(item.get("step", "first"), setup, f"{where}.step"),
        state=_state(item.get("state", {}), setup, f"{where}.state"),
        text=text(item, "text", where),
        beside=_row(item, "beside", rows, where) if "beside" in item else None,
        expects=_expected(item.get("expects", {}), world_of(setup), f"{where}.expects"),
    )


def _expected(value: Any, world: World, where: str) -> dict[str, tuple[float, float]]:
    """Facts that have to lie between two bounds."""
    if not isinstance(value, Mapping):
        raise DefinitionError(where, "must be a table")
    found = {}
    for name in value:
        bounds = items(value, name, where)
        if not _is_seen(name, world) or len(bounds) != 2:
            raise DefinitionError(f"{where}.{name}", "must be something that is seen there, with two bounds")
        found[name] = (number(bounds[0], f"{where}.{name}"), number(bounds[1], f"{where}.{name}"))
    return found


def _is_seen(name: str, world: World) -> bool:
    return name in COUNTS or name in world.metrics or name in world.training


def _row(item: Mapping[str, Any], key: str, rows: Mapping[str, Setup], where: str) -> Setup:
    name = text(item, key, where)
    if name not in rows:
        raise DefinitionError(f"{where}.{key}", f"names no measured row; there are {', '.join(rows) or 'none'}")
    return rows[name]


def _step(value: Any, setup: Setup, where: str) -> int | str:
    most = updates_of(setup)
    if type(value) is int and 1 <= value <= most:
        return value
    if isinstance(value, str):
        rule, _, metric = value.partition(":")
        world = world_of(setup)
        if (rule in RULES and not metric) or (rule in METRIC_RULES and metric in (*world.metrics, *world.training)):
            return value
    rules = ", ".join((*RULES, *(f"{rule}:METRIC" for rule in METRIC_RULES)))
    raise DefinitionError(where, f"must be a whole number from 1 to {most:,}, or one of {rules}")


def _state(value: Any, setup: Setup, where: str) -> dict[str, str]:
    """What an address says besides the step, held against the page that will read it."""
    if not isinstance(value, Mapping):
        raise DefinitionError(where, "must be a table")
    known = sorted(KEYS - _OWN_KEYS)
    for key in value:
        if key not in known:
            raise DefinitionError(f"{where}.{key}", f"must be one of {', '.join(known)}")
    world = world_of(setup)
    bounds = Bounds(updates_of(setup), (*world.metrics, *world.training), tuple(world.choices[_decider(world)]))
    written = {key: _written(one) for key, one in value.items()}
    parsed = parse(list(written.items()), bounds)
    if parsed.notes:
        raise DefinitionError(where, parsed.notes[0])
    return dict(parsed.state.pairs())


def updates_of(setup: Setup) -> int:
    """How many optimizer updates a run makes if it doesn't diverge."""
    return int(setup.steps * getattr(setup, "num_iterations", 1) * getattr(setup, "minibatches", 1))


def _decider(world: World) -> str:
    return world.fills or world.deciders[0]


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
