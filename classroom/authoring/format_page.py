"""What a mission's file can say, from the tables by which files are read: the page can't be out of date."""

from dataclasses import dataclass

from missions.authoring.reading import LONGEST_TEXT, PLACE
from missions.authoring.starting import empty
from missions.definition import CHOICES, STAR_NAMES
from missions.definition.parsing import LONGEST_TITLE, MOST_UPDATES, PASS_RULES
from missions.definition.reading import LONGEST_LIST
from missions.definition.views import COUNTS, METRIC_RULES, MOST_VIEWS, RULES
from missions.seeds import EVALUATION_SEEDS
from simulator.engine.fields import Field
from simulator.labels import number
from simulator.worlds import WORLDS, World


@dataclass(frozen=True)
class SettingFormat:
    """A setting of a world: what it may be, what it is if nothing is said, and what students are usually offered."""

    name: str
    label: str
    takes: str
    default: str
    usual: str


@dataclass(frozen=True)
class WorldFormat:
    name: str
    settings: tuple[SettingFormat, ...]
    metrics: tuple[tuple[str, str, str], ...]
    training: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class FormatPage:
    worlds: tuple[WorldFormat, ...]
    example: str
    place: tuple[str, ...]
    stars: tuple[str, ...]
    rules: tuple[str, ...]
    seeds: int
    longest_kilobytes: int
    longest_title: int
    longest_list: int
    most_updates: int
    most_views: int
    step_rules: tuple[str, ...]
    metric_rules: tuple[str, ...]
    view_counts: tuple[str, ...]


def format_page() -> FormatPage:
    return FormatPage(
        worlds=tuple(_world(world) for world in WORLDS.values()),
        example=empty(next(iter(WORLDS)), "A mission"),
        place=PLACE,
        stars=tuple(STAR_NAMES.values()),
        rules=PASS_RULES,
        seeds=EVALUATION_SEEDS,
        longest_kilobytes=LONGEST_TEXT // 1024,
        longest_title=LONGEST_TITLE,
        longest_list=LONGEST_LIST,
        most_updates=MOST_UPDATES,
        most_views=MOST_VIEWS,
        step_rules=RULES,
        metric_rules=METRIC_RULES,
        view_counts=COUNTS,
    )


def _world(world: World) -> WorldFormat:
    return WorldFormat(
        world.name,
        tuple(
            SettingFormat(
                name,
                world.settings[name].label,
                _takes(field),
                number(field.default),
                ", ".join(number(value) for value in CHOICES[world.name].get(name, ())),
            )
            for name, field in world.fields.items()
            if name in world.settings
        ),
        tuple((name, label.label, label.help) for name, label in world.metrics.items()),
        tuple((name, label.label, label.help) for name, label in world.training.items()),
    )


def _takes(field: Field) -> str:
    if field.kind == "boolean":
        return "true or false"
    if field.kind == "choice":
        return ", ".join(f'"{choice}"' for choice in field.choices)
    noun = "whole number" if field.kind == "integer" else "number"
    return f"{noun} from {number(field.minimum)} to {number(field.maximum)}"
