"""What an address of the lab may say in each world: what is looked at beside the run, and what follows a choice.

One table a world; `simulator.lab.link` reads every address by it. A new world is one more entry.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.engine import parse_setup
from simulator.engine.candidates.world import PROMPTS
from simulator.engine.fields import Field, SetupError
from simulator.engine.setup import WORLDS as ENGINE_WORLDS
from simulator.labels import number
from simulator.worlds import WORLDS, Setup, World


@dataclass(frozen=True)
class View:
    """Something that is chosen to look at and does not change the run: a whole number from 1.

    `most` is the largest in a run. Without a default it may stay open; the page then chooses.
    """

    name: str
    label: str
    most: Callable[[Setup], int]
    default: int | None = None


@dataclass(frozen=True)
class Rules:
    """How addresses of one world's lab are read.

    `address` is the name of the lab's page among the site's addresses. `follow` drops settings from what a form sent,
    when another choice in it brings values of its own; it gets the form's settings and the setup it was drawn for.
    `brought` names settings that differ between two setups only because of a choice that differs, too.
    """

    name: str
    address: str
    views: tuple[View, ...]
    follow: Callable[[dict[str, str], Setup], None]
    brought: Callable[[Setup, Setup], set[str]]

    @property
    def fields(self) -> Mapping[str, Field]:
        return ENGINE_WORLDS[self.name].fields

    @property
    def world(self) -> World:
        return WORLDS[self.name]

    def base(self, mapping: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a mapping on which it depends which other settings matter."""
        chosen = {name: mapping[name] for name in self.world.deciders if name in mapping}
        return {"world": self.name, **chosen}

    def active(self, mapping: Mapping[str, Any]) -> set[str]:
        """The settings that matter beside those that a mapping holds.

        Everything, where these alone can't be together: then all of them may be needed to see why.
        """
        try:
            return set(parse_setup(self.base(mapping)).active_fields())
        except SetupError:
            return set(self.fields)


def _follow_method(given: dict[str, str], before: Setup) -> None:
    """When the method or the event changes, beta follows the new default unless the student had chosen another."""
    event, method = given.get("event", before.event), given.get("method", before.method)
    if (event, method) == (before.event, before.method):
        return
    default = parse_setup({"event": before.event, "method": before.method}).beta
    if given.get("beta", "").strip() == number(default) and before.beta == default:
        del given["beta"]
    if event != before.event:
        # Flipped labels are the event itself.
        given.pop("flip_rate", None)


def _brought_by_method(before: Setup, after: Setup) -> set[str]:
    """Settings that come and go with the method."""
    return set() if before.method == after.method else before.active_fields().keys() ^ after.active_fields().keys()


RULES: dict[str, Rules] = {
    "candidates": Rules(
        name="candidates",
        address="lab",
        views=(View("prompt", "Prompt", lambda setup: PROMPTS, default=1),),
        follow=_follow_method,
        brought=_brought_by_method,
    ),
}


def rules_of(setup: Setup) -> Rules:
    """How the lab reads addresses of a setup's world."""
    return RULES[setup.world]
