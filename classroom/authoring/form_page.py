"""The form of an own mission: every part of its text as a field, with what is wrong beside it."""

from dataclasses import dataclass

from classroom.authoring.boxes import Box, Options, errors_by_field
from classroom.authoring.setting_rows import SettingRow, setting_rows
from missions.authoring.fields import Fields, world_in
from missions.authoring.reading import Read
from missions.definition import STAR_NAMES
from missions.definition.parsing import PASS_RULES
from missions.seeds import EVALUATION_SEEDS

WAYS = (("at_least", "at least"), ("at_most", "at most"))
_PROSE = (
    ("title", "Title", "As the map and the course show it.", 1),
    ("aim", "Aim", "A few words that stand below the title on the map.", 1),
    ("story", "Story", "What went wrong, and what there is to find out. It stands at the top of the page.", 4),
    ("symptom", "Symptom", "What the broken start does. {0} is filled in with what is measured.", 3),
    ("hint.0", "First hint", "A direction to look in.", 3),
    ("hint.1", "Second hint", "Nearly the answer.", 3),
    ("lesson", "What to learn", "One sentence, shown when the goal is met.", 3),
    ("debrief", "Debrief", "Why it came as it did, shown once the goal is met. An empty line starts a paragraph.", 12),
)


@dataclass(frozen=True)
class FormPage:
    world: str
    prose: tuple[Box, ...]
    settings: tuple[SettingRow, ...]
    goals: tuple[tuple[Box, Box, Box], ...]
    goals_error: str
    rule: Box
    needed: Box
    charts: tuple[tuple[Box, ...], ...]
    charts_error: str
    budgets: tuple[Box, ...]
    budgets_error: str
    prediction: tuple[Box, Box]
    tables: int
    views: int
    answers: int

    @property
    def shown_settings(self) -> list[SettingRow]:
        return [row for row in self.settings if row.matters]

    @property
    def other_settings(self) -> list[SettingRow]:
        return [row for row in self.settings if not row.matters]


def form_page(fields: Fields, read: Read) -> FormPage:
    """The form that shows `fields`, with the problems that reading the text found."""
    source = read.source or {}
    world = world_in(source)
    errors = errors_by_field(read.problems)
    metrics = tuple((name, label.label) for name, label in world.metrics.items())
    charted = (*metrics, *((name, f"{label.label} (while training)") for name, label in world.training.items()))
    example = f"{{{world.tiles[0]}@start}}"

    def box(name: str, label: str, hint: str = "", rows: int = 1, options: Options = (), about: str = "") -> Box:
        return Box(name, label, fields.get(name, ""), hint, errors.get(name, ""), rows, options, about)

    goals = sorted({int(name.split(".")[1]) for name in fields if name.startswith("goal.")})
    charts = sorted(tuple(int(n) for n in name.split(".")[1:]) for name in fields if name.startswith("chart."))
    return FormPage(
        world=world.name,
        prose=tuple(box(name, label, text.format(example), rows) for name, label, text, rows in _PROSE),
        settings=setting_rows(world, fields, errors),
        goals=tuple(
            (
                box(f"goal.{i}.metric", f"Goal {i + 1}", options=(("", "none"), *metrics)),
                box(f"goal.{i}.way", "has to be", options=WAYS, about=f"goal {i + 1}"),
                box(f"goal.{i}.bound", "this much", about=f"goal {i + 1}"),
            )
            for i in goals
        ),
        goals_error=next((errors[f"goal.{i}.metric"] for i in goals if f"goal.{i}.metric" in errors), ""),
        rule=box(
            "rule",
            "How runs are judged",
            options=tuple(zip(PASS_RULES, ("by their mean: each goal by itself", "one by one"), strict=True)),
        ),
        needed=box("rule.needed", "Runs that have to meet all goals", f"Out of {EVALUATION_SEEDS}, if judged singly."),
        charts=tuple(
            tuple(
                box(f"chart.{i}.{j}", f"Chart {i + 1}, line {j + 1}", options=(("", "none"), *charted))
                for at, j in charts
                if at == i
            )
            for i in sorted({i for i, _ in charts})
        ),
        charts_error=errors.get("chart.0.0", ""),
        budgets=tuple(
            box(f"budget.{name}", label)
            for name, label in zip(STAR_NAMES.values(), ("One star", "Two stars", "Three stars"), strict=True)
        ),
        budgets_error=next((errors[name] for name in errors if name.startswith("budget.")), ""),
        prediction=(
            box("prediction.metric", "What is asked about", options=(("", "none"), *metrics)),
            box("prediction.cuts", "Where the answers are divided", "For example 0.60, 0.68 makes three answers."),
        ),
        tables=_count(source.get("evidence")),
        views=_count(source.get("views")),
        answers=_count(source.get("verify")),
    )


def _count(part: object) -> int:
    return len(part) if isinstance(part, list | dict) else 0
