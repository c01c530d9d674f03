"""Texts to begin with, and to take along: an empty mission, a copy of one, and a file that a catalogue can hold."""

import json
from collections.abc import Mapping
from string import Template
from typing import Any

import tomlkit
from django.utils.text import slugify

from missions.authoring.reading import PLACE
from missions.authoring.writing import rewritten
from missions.chapters import CHAPTERS
from missions.definition import CHOICES, STAR_NAMES, DefinitionError, parse_toml
from missions.definition.parsing import LONGEST_SLUG
from missions.loading import CATALOGUE
from missions.models import Mission
from missions.models.own import LONGEST_TITLE, OWN_SLUG
from simulator.engine import parse_setup
from simulator.worlds import WORLDS, sampled_bounds

_OFFERED = ("steps", "group_size", "beta")
# What an empty mission holds: its words, goals and answers are the author's.
_EMPTY = Template("""\
title = $title
# What it is about, in a few words for the map.
aim = ""
# What is learned; shown once the goal is met.
lesson = ""
# What went wrong here, and what there is to do.
story = ""
# What the broken start does. Numbers are measured and filled in: {$tile@start}.
symptom = ""
# Each list of metrics is one chart.
curves = [[$metric]]
hints = ["", ""]
# Shown once the goal is met: why it came as it did.
debrief = ""

# The broken start. What is left out stands at the lab's own values.
[setup]
world = $world

# The settings that students see: {} offers what is usual; also locked, choices, or minimum and maximum.
[controls]
$controls

# Each goal needs at_least or at_most.
[[goals]]
metric = $metric

# The most sampled responses for each number of stars; these follow from what the start costs.
[budgets]
$budgets

# Asked before training: the cuts divide the metric into answers.
[prediction]
metric = $metric
cuts = []
""")


def empty(world: str, title: str = "") -> str:
    """The text of a mission in which everything is still to be said."""
    start = parse_setup({"world": world})
    cost, choices = sampled_bounds(start)[1], CHOICES[world]
    # Where the lab's own value is none of the usual ones, a start could not be chosen.
    offered = [name for name in _OFFERED if getattr(start, name) in choices.get(name, ())]
    budgets = zip(STAR_NAMES.values(), (cost, cost // 2, cost // 4), strict=True)
    filled = {
        "title": _quoted(title),
        "world": _quoted(world),
        "metric": _quoted(WORLDS[world].tiles[0]),
        "tile": WORLDS[world].tiles[0],
        "controls": "\n".join(f"{name} = {{}}" for name in offered),
        "budgets": "\n".join(f"{name} = {budget}" for name, budget in budgets),
    }
    return _EMPTY.substitute(filled)


def text_of(mission: Mission) -> str:
    """The text of a built-in mission, as its file has it; [verify] included, so only for those who may write."""
    path = next(iter(CATALOGUE.glob(f"[0-9][0-9]-{mission.slug}.toml")), None)
    if path is not None:
        text = path.read_text(encoding="utf-8")
        if parse_toml(text) == mission.definition:
            return without_place(text)
    # Loaded from elsewhere, or since changed: the row is what students play.
    return without_place(tomlkit.dumps(_plain(mission.definition)))


def copied(text: str, title: str) -> str:
    """A copy of a text, called a copy; the same text if it can't be read."""
    name = f"{title[: LONGEST_TITLE - 7]} (copy)"
    try:
        return rewritten(text, lambda document, _: document.update(title=name))
    except DefinitionError:
        return text


def without_place(text: str) -> str:
    """The text without what it says about a place in a catalogue. Raises DefinitionError if it is no TOML."""
    there = [key for key in PLACE if key in parse_toml(text)]
    if not there:
        return text

    def remove(document: Any, _: Any) -> None:
        for key in there:
            del document[key]

    return rewritten(text, remove).lstrip("\n")


def exported(text: str, title: str, revision: int) -> str:
    """The text as a file that is imported to the same mission, and that a catalogue can hold, at its end."""
    try:
        present = parse_toml(text)
    except DefinitionError:
        return text
    place = {"slug": slug_for(title), "revision": revision, "chapter": max(CHAPTERS) + 1, "position": 1}
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in place.items() if key not in present]
    return "".join(lines) + text


def slug_for(title: str) -> str:
    """A slug for a catalogue from a title in any language."""
    slug = slugify(title).replace("_", "-")[:LONGEST_SLUG]
    words = [word for word in slug.split("-") if word]
    if not words or slug.startswith(OWN_SLUG):
        words = ["mission", *words][: LONGEST_SLUG // 8]
    return "-".join(words)[:LONGEST_SLUG].strip("-")


def _quoted(text: str) -> str:
    return tomlkit.item(text).as_string()


def _plain(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Tables after single values, as TOML needs them."""
    return dict(sorted(definition.items(), key=lambda item: isinstance(item[1], dict)))
