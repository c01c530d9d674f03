"""What is explained: an algorithm under the settings of a run, or under its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from simulator.engine import ReasoningSetup, SetupError
from simulator.engine.algorithms import ALGORITHMS, CHOICES, PRESETS, SLOTS, Algorithm, choices_of
from simulator.engine.objective.choice import Choice
from simulator.explorer.exploration import Exploration
from simulator.explorer.whatif import assumed
from simulator.labels.reasoning import SETTINGS

SettingsKey: TypeAlias = tuple[tuple[str, Any], ...]

# Beside what an algorithm decides, these settings of a run are symbols of its formulas.
_OF_THE_RUN: dict[str, Any] = {
    "group_size": None,
    "max_completion_length": None,
    "minibatches": 1,
    "format_coefficient": 0.0,
    "length_coefficient": 0.0,
}


@dataclass(frozen=True)
class Subject:
    """An algorithm with its settings.

    Attributes:
        algorithm: the engine's description of it.
        key: all settings, sorted, so that what only depends on them can be kept under it.
        is_own: it is what the run trained with, so that the run's own numbers belong to it.
        changed: names of settings in which it is not the plain algorithm.
        assumed: names of settings that a log does not tell, taken from the plain algorithm.
    """

    algorithm: Algorithm
    key: SettingsKey
    is_own: bool
    changed: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.algorithm.name

    @property
    def label(self) -> str:
        return f"{self.algorithm.label}, changed" if self.changed else self.algorithm.label

    @property
    def settings(self) -> dict[str, Any]:
        return dict(self.key)

    @property
    def choices(self) -> dict[str, Choice]:
        """The choice in every slot."""
        return choices_of(self.settings)

    @property
    def changes(self) -> str:
        """The settings in which it is not the plain algorithm, in words."""
        settings = self.settings
        return ", ".join(f"{setting_label(name)} {setting_text(name, settings[name])}" for name in self.changed)


def own_algorithm(x: Exploration) -> str:
    """The name of the algorithm that the run trained with; "custom" for one that isn't known."""
    name = x.record.header.algorithm.strip().lower().replace(" ", "_").replace(".", "").replace("-", "_")
    return name if name in ALGORITHMS else "custom"


def subject_of(x: Exploration, name: str = "") -> Subject:
    """An algorithm as the run trained with it or, by any other name, as its paper has it, in the run's world.

    What-if settings count for the run's own algorithm.
    """
    own = own_algorithm(x)
    name = name or own
    given, assumed = _of_the_run(x)
    world = {key: given.get(key, default) for key, default in _OF_THE_RUN.items()}
    if name != own:
        return Subject(ALGORITHMS[name], _key({**PRESETS[name], **world, "algorithm": name}), is_own=False)
    settings = {**PRESETS[name], **{key: given[key] for key in PRESETS[name] if key in given}, **world}
    plain = choices_of({**PRESETS[name], "algorithm": name})
    matters = {*SLOTS, "num_iterations"}
    matters |= {one for choice in [*plain.values(), *choices_of(settings).values()] for one in choice.settings}
    changed = [key for key, value in PRESETS[name].items() if key in matters and settings[key] != value]
    return Subject(
        ALGORITHMS[name],
        _key(settings | {"algorithm": name}),
        is_own=True,
        changed=() if name == "custom" else tuple(changed),
        assumed=tuple(key for key in assumed if key in matters),
    )


def setup_in_force(x: Exploration) -> ReasoningSetup | None:
    """The run's setup, with what the view assumes in place of what ran; None for a log."""
    if x.run is None or not isinstance(x.run.setup, ReasoningSetup):
        return None
    try:
        return assumed(x.run.setup, x.state)
    except SetupError:
        return x.run.setup


def preset(name: str) -> Subject:
    """An algorithm as it is, in no run."""
    return Subject(ALGORITHMS[name], _key({**PRESETS[name], **_OF_THE_RUN, "algorithm": name}), is_own=False)


def setting_label(name: str) -> str:
    """What a setting is called, within a sentence."""
    return SETTINGS[name].in_sentence if name in SETTINGS else name.replace("_", " ")


def setting_title(name: str) -> str:
    """What a setting is called, by itself."""
    return SETTINGS[name].label if name in SETTINGS else name.replace("_", " ").capitalize()


def setting_text(name: str, value: Any) -> str:
    """A setting's value in words."""
    if value is None:
        return "not used"
    if name in CHOICES:
        return CHOICES[name][str(value).lower()].label
    return f"{value:g}" if isinstance(value, float) else str(value)


def _key(settings: Mapping[str, Any]) -> SettingsKey:
    return tuple(sorted(settings.items()))


def _of_the_run(x: Exploration) -> tuple[dict[str, Any], list[str]]:
    """The settings that the run is known to have, and the names of those that a log leaves open."""
    setup = setup_in_force(x)
    if setup is not None:
        return setup.to_dict(), []
    found = _from_log(x.hparams)
    return found, [name for name in PRESETS["custom"] if name not in found]


def _from_log(hparams: Mapping[str, Any]) -> dict[str, Any]:
    """What a log says about its settings, in the engine's names. Values that can't be are left out."""
    found: dict[str, Any] = {}
    for slot, choices in CHOICES.items():
        value = hparams.get(slot)
        if isinstance(value, str | bool) and str(value).lower() in choices:
            found[slot] = value
    numbers = [key for key, value in {**PRESETS["custom"], **_OF_THE_RUN}.items() if key not in CHOICES]
    for name in numbers:
        if _is_number(hparams.get(name)):
            found[name] = hparams[name]
    if hparams.get("kl_in") in ("loss", "reward"):
        found["kl_in"] = hparams["kl_in"]
    found |= {name: hparams[other] for name, other in (("beta", "kl_coef"),) if _is_number(hparams.get(other))}
    clip = hparams.get("clip_eps")
    sides = clip if isinstance(clip, list) else [clip, clip]
    if len(sides) == 2 and all(map(_is_number, sides)):
        found.setdefault("epsilon", sides[0])
        found.setdefault("epsilon_high", sides[1])
    return found


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e6
