"""The parts of a mission's text that a form shows, as flat fields: {"start.steps": "50", "goal.0.bound": "0.795", ...}.

Pure. Reading never fails: what is not what it should be is shown as it is, and stays as it is until it is changed.
Evidence tables and [verify] are in the text only.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from missions.definition import STAR_NAMES
from simulator.engine.fields import check_fields
from simulator.engine.setup import DEFAULT_WORLD
from simulator.labels import number
from simulator.worlds import WORLDS, World

TEXTS = ("title", "aim", "story", "symptom", "lesson", "debrief")
HINTS = 2
# Rows that a form shows at least, and one more than are filled.
GOALS, CHARTS, CHART_METRICS = 2, 3, 2
# And at most; what a text has beyond stays as it is.
MOST_ROWS, MOST_METRICS = 20, 12

HIDDEN, LOCKED, USUAL, LIST, RANGE = "hidden", "locked", "usual", "list", "range"
"""How students see a setting: not at all; with a reason why it stays; or to choose from what is usual, a list or a
range."""

Fields = dict[str, str]


def world_in(source: Mapping[str, Any]) -> World:
    """The world that a text is about; the first one where it says none that there is."""
    setup = source.get("setup")
    name = setup.get("world", DEFAULT_WORLD) if isinstance(setup, Mapping) else DEFAULT_WORLD
    return WORLDS.get(name if isinstance(name, str) else "", WORLDS[DEFAULT_WORLD])


def fields_of(source: Mapping[str, Any]) -> Fields:
    """What a form shows of a parsed text."""
    world = world_in(source)
    hints = _list(source.get("hints"))
    found = {name: _prose(source.get(name)) for name in TEXTS}
    found |= {f"hint.{i}": _prose(hints[i] if i < len(hints) else None) for i in range(HINTS)}
    found |= _charts(source.get("curves"))
    found |= {f"start.{name}": text for name, text in _start(source.get("setup"), world).items()}
    controls = _table(source.get("controls"))
    for name in world.settings.keys() & world.fields.keys():
        found |= {f"control.{name}{key}": text for key, text in _control(controls.get(name)).items()}
    found |= _goals(source.get("goals"))
    budgets = _table(source.get("budgets"))
    found |= {f"budget.{name}": said(budgets.get(name)) for name in STAR_NAMES.values()}
    found |= {"rule": said(source.get("pass_rule", "mean")), "rule.needed": said(source.get("seeds_needed"))}
    prediction = _table(source.get("prediction"))
    found |= {"prediction.metric": said(prediction.get("metric"))}
    return found | {"prediction.cuts": ", ".join(said(cut) for cut in _list(prediction.get("cuts")))}


def settings_in(world: World) -> list[str]:
    """The settings of a world that a form shows, in the order of the contract."""
    return [name for name in world.fields if name in world.settings]


def said(value: Any) -> str:
    """A value as a field holds it: 0.05, true, grpo; "" for none."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return number(value)
    return " ".join(str(value).split())


def tokens(text: str) -> list[str]:
    """What a field with a list holds: "25, 50" is 25 and 50."""
    return [token for part in text.split(",") if (token := part.strip())]


def tidy(typed: str) -> str:
    """What was typed, as a field holds it: without spaces around, without NUL, with plain line ends."""
    return typed.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()


def _prose(value: Any) -> str:
    return tidy(value) if isinstance(value, str) else said(value)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _start(setup: Any, world: World) -> Fields:
    """Every setting of the start; those that the text leaves out stand at what they are beside the others."""
    given = {name: value for name, value in _table(setup).items() if name in world.fields and name != "world"}
    values, _ = check_fields(world.fields, given)
    return {name: said(given.get(name, values[name])) for name in settings_in(world)}


def _control(item: Any) -> Fields:
    given = _table(item)
    if not isinstance(item, Mapping):
        mode = HIDDEN
    elif "locked" in given:
        mode = LOCKED
    elif "minimum" in given or "maximum" in given:
        mode = RANGE
    else:
        mode = LIST if "choices" in given else USUAL
    return {
        "": mode,
        ".reason": _prose(given.get("locked")),
        ".choices": ", ".join(said(choice) for choice in _list(given.get("choices"))),
        ".minimum": said(given.get("minimum")),
        ".maximum": said(given.get("maximum")),
        ".spacing": said(given.get("spacing", "linear")),
    }


def charts_in(curves: Any) -> list[list[str]]:
    """The charts of a text as lists of metrics; one list of metrics is one chart."""
    given = _list(curves)
    lists = given if given and all(isinstance(item, list) for item in given) else [given] if given else []
    return [[said(name) for name in names] for names in lists]


def _charts(curves: Any) -> Fields:
    charts = [names[:MOST_METRICS] for names in charts_in(curves)[:MOST_ROWS]]
    width = max([CHART_METRICS, *(len(names) + 1 for names in charts)])
    return {
        f"chart.{i}.{j}": charts[i][j] if i < len(charts) and j < len(charts[i]) else ""
        for i in range(max(CHARTS, len(charts) + 1))
        for j in range(width)
    }


def _goals(value: Any) -> Fields:
    goals = [_table(item) for item in _list(value)[:MOST_ROWS]]
    found: Fields = {}
    for i in range(max(GOALS, len(goals) + 1)):
        goal = goals[i] if i < len(goals) else {}
        way = "at_most" if "at_most" in goal else "at_least"
        found |= {
            f"goal.{i}.metric": said(goal.get("metric")),
            f"goal.{i}.way": way,
            f"goal.{i}.bound": said(goal.get(way)),
        }
    return found
