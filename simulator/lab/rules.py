"""What an address of the lab may say in each world: what is looked at beside the run, and what follows a choice.

One table a world; `simulator.lab.link` reads every address by it. A new world is one more entry.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.engine import parse_setup
from simulator.engine.algorithms import PRESETS
from simulator.engine.candidates.world import PROMPTS
from simulator.engine.fields import Field, SetupError
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

    `follow` drops settings from what a form sent, when another choice in it brings values of its own; it gets the
    form's settings and the setup it was drawn for.
    `brought` names settings that differ between two setups only because of a choice that differs, too.
    """

    name: str
    views: tuple[View, ...]
    follow: Callable[[dict[str, str], Setup], None]
    brought: Callable[[Setup, Setup], set[str]]

    @property
    def world(self) -> World:
        return WORLDS[self.name]

    @property
    def fields(self) -> Mapping[str, Field]:
        return self.world.fields

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


def value_text(value: object) -> str:
    """A setting's value as it stands in an address and in a form."""
    return str(value).lower() if isinstance(value, bool) else number(value)


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


def _follow_algorithm(given: dict[str, str], before: Setup) -> None:
    """An algorithm fills in all of its settings anew; only what was changed along with it stays.

    The learning rate belongs to the optimizer in the same way, unless the student had chosen another.
    """
    if given.get("algorithm", before.algorithm) != before.algorithm:
        for name in PRESETS[before.algorithm]:
            if given.get(name, "").strip() == value_text(getattr(before, name)):
                del given[name]
    if given.get("optimizer", before.optimizer) != before.optimizer:
        default = parse_setup({"world": "reasoning", "optimizer": before.optimizer}).learning_rate
        if given.get("learning_rate", "").strip() == value_text(default) and before.learning_rate == default:
            del given["learning_rate"]


def _brought_by_algorithm(before: Setup, after: Setup) -> set[str]:
    """Settings that two algorithms fill in differently, and those that come and go with a choice."""
    old, new = before.active_fields(), after.active_fields()
    brought = set(old.keys() ^ new.keys())
    if before.algorithm != after.algorithm:
        presets = PRESETS[before.algorithm], PRESETS[after.algorithm]
        brought |= {
            name
            for name in presets[0]
            if all(
                name not in used or used[name] == preset[name] for used, preset in zip((old, new), presets, strict=True)
            )
        }
    return brought


RULES: dict[str, Rules] = {
    "candidates": Rules(
        name="candidates",
        views=(View("prompt", "Prompt", lambda setup: PROMPTS, default=1),),
        follow=_follow_method,
        brought=_brought_by_method,
    ),
    "reasoning": Rules(
        name="reasoning",
        views=(
            View("step", "Step", lambda setup: setup.steps, default=10),
            View("prompt", "Prompt", lambda setup: setup.prompts_per_step),
            View("epoch", "Epoch", lambda setup: setup.num_iterations),
        ),
        follow=_follow_algorithm,
        brought=_brought_by_algorithm,
    ),
}


def rules_of(setup: Setup) -> Rules:
    """How the lab reads addresses of a setup's world."""
    return RULES[setup.world]
