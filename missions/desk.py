"""All that a mission page shows, gathered from the domain: form, goals, outcome, figures, history, debrief."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import AbstractUser

from missions import evidence, outcome
from missions.attempts import next_token
from missions.definition import MissionDefinition
from missions.form import FormView, form_view, prediction_options
from missions.models import Attempt, Mission, Progress
from missions.observations import observations
from missions.progress import mission_after, missions_in_order
from missions.queries import definition_of, draft_of, tries_of
from missions.seeds import EVALUATION_SEEDS
from missions.submission import Reading, read_fields, typed_from
from simulator.charts.bars import BarChart, rank_bars
from simulator.charts.curves import CurveFigure, Goal, plain_curve, training_curve
from simulator.charts.table import Table, fixed
from simulator.charts.tiles import Tile, tiles
from simulator.engine import ENGINE_VERSION, Simulation, parse_setup
from simulator.labels.candidates import METRICS, SETTINGS
from simulator.runs import visible_run

TILE_METRICS = ("win_rate", "quality", "reward_model_score", "response_length", "kl")
# The reference policy's win rate and KL are exact by definition; its other metrics differ from world to world.
REFERENCE = {"win_rate": 0.5, "kl": 0.0}


@dataclass(frozen=True)
class Outcome:
    """A try in words and figures."""

    attempt: Attempt
    headline: str
    sentences: list[str]
    cost_note: str
    tiles: list[Tile]
    responses_difference: int | None
    prediction: str
    other_engine: bool
    bars: BarChart
    curves: list[CurveFigure]
    compared_with: str


@dataclass(frozen=True)
class EvidenceView:
    title: str
    figure: CurveFigure | None
    table: Table


@dataclass(frozen=True)
class Debrief:
    paragraphs: list[str]
    evidence: list[EvidenceView]


@dataclass(frozen=True)
class Symptom:
    """What the broken start does, before the first try."""

    text: str
    figure: CurveFigure
    bars: BarChart


@dataclass(frozen=True)
class Desk:
    """Everything on the mission page below its title."""

    mission: Mission
    definition: MissionDefinition
    total: int
    form: FormView
    goals: list[outcome.GoalView]
    outcome: Outcome | None
    symptom: Symptom | None
    tries: list[outcome.Try]
    progress: Progress | None
    following: Mission | None
    is_opened_now: bool
    debrief: Debrief | None
    lab_start: str
    is_start: bool

    @property
    def shown_try(self) -> outcome.Try | None:
        """The row of the history whose outcome is shown."""
        return next((row for row in self.tries if self.outcome and row.attempt.pk == self.outcome.attempt.pk), None)


def desk_for(
    user: AbstractUser,
    mission: Mission,
    typed: Mapping[str, str] | None = None,
    attempt: Attempt | None = None,
    *,
    reading: Reading | None = None,
    opened: Mission | None = None,
) -> Desk:
    """Gather the page of one mission for one student.

    The form holds `typed`; without it the draft, else the latest try's setup, else the start. `attempt` is the try
    whose outcome is shown; `reading` saves reading the form again.
    """
    definition = definition_of(mission)
    missions = missions_in_order()
    attempts = tries_of(user, mission)
    progress = _progress(user, mission)
    start = typed_from(definition.start.to_dict())
    if typed is None:
        latest = typed_from(attempts[0].setup, attempts[0].display_seed) if attempts else start
        typed = draft_of(user, mission) or latest
    reading = reading or read_fields(definition, typed)
    results = outcome.goal_results(attempt) if attempt else []
    is_passed = progress is not None and progress.passed_at is not None
    return Desk(
        mission=mission,
        definition=definition,
        total=sum(m.chapter == mission.chapter for m in missions),
        form=_form(user, mission, definition, reading, progress),
        goals=[outcome.graded_goal(result) for result in results]
        or [outcome.untried_goal(goal, EVALUATION_SEEDS, REFERENCE.get(goal.metric)) for goal in definition.goals],
        outcome=_outcome(definition, attempt, attempts) if attempt else None,
        symptom=None if attempt else _symptom(mission, definition, reading.seed),
        tries=outcome.history(attempts, definition.start.to_dict()),
        progress=progress,
        following=mission_after(mission, missions) if is_passed else None,
        is_opened_now=opened is not None,
        debrief=_debrief(mission, definition) if is_passed else None,
        lab_start=outcome.lab_link(definition.start.to_dict(), reading.seed),
        is_start={**reading.typed, "seed": "1"} == start,
    )


def form_for(user: AbstractUser, mission: Mission, definition: MissionDefinition, reading: Reading) -> FormView:
    """The setup form with the token of the student's next submission."""
    return _form(user, mission, definition, reading, _progress(user, mission))


def _progress(user: AbstractUser, mission: Mission) -> Progress | None:
    return Progress.objects.filter(user=user, mission=mission).first()


def _form(
    user: AbstractUser, mission: Mission, definition: MissionDefinition, reading: Reading, progress: Progress | None
) -> FormView:
    return form_view(definition, reading, next_token(user, mission, progress.tries if progress else 0))


def _outcome(definition: MissionDefinition, attempt: Attempt, attempts: list[Attempt]) -> Outcome:
    last = next((a for a in attempts if a.number == attempt.number - 1), None)
    run = visible_run(parse_setup(attempt.setup), attempt.display_seed)
    if last is not None:
        before = visible_run(parse_setup(last.setup), last.display_seed)
    else:
        start = definition.start
        before = None if start.run_hash == run.setup.run_hash else visible_run(start, attempt.display_seed)
    moved = outcome.against_last(attempt, last)
    sentences = [definition.lesson, moved] if attempt.passed else [moved, *observations(attempt, run)]
    means, means_before = (_means(a) if a else None for a in (attempt, last))
    assert means is not None
    return Outcome(
        attempt=attempt,
        headline=outcome.headline(attempt),
        sentences=[text for text in sentences if text],
        cost_note=outcome.cost_note(attempt),
        tiles=tiles([METRICS[name] for name in TILE_METRICS], means, means_before),
        responses_difference=attempt.sampled_responses - last.sampled_responses if last else None,
        prediction=_prediction_note(definition, attempt),
        other_engine=attempt.engine_version != ENGINE_VERSION,
        bars=rank_bars(run),
        curves=_curves(definition, run, before, with_goals=True),
        compared_with="last try" if last else "the start",
    )


def _means(attempt: Attempt) -> dict[str, float]:
    return {name: stored["mean"] for name, stored in attempt.evaluation["metrics"].items()}


def _curves(
    definition: MissionDefinition, run: Simulation, before: Simulation | None, with_goals: bool
) -> list[CurveFigure]:
    """The mission's own chart, then each goal's metric with the goal in it."""
    figures = []
    groups = (
        [tuple(definition.curves), *((goal.metric,) for goal in definition.goals)]
        if with_goals
        else [tuple(definition.curves)]
    )
    for names in dict.fromkeys(groups):
        marks = [
            Goal(goal.bound, f"goal {fixed(goal.bound, METRICS[goal.metric].decimals)}")
            for goal in definition.goals
            if names == (goal.metric,)
        ]
        figures.append(training_curve(run, names, previous=before, goals=marks, with_table=True))
    return figures


def _symptom(mission: Mission, definition: MissionDefinition, seed: int) -> Symptom:
    run = visible_run(definition.start, seed)
    return Symptom(
        text=evidence.render(definition.symptom, mission.evidence),
        figure=_curves(definition, run, None, with_goals=False)[0],
        bars=rank_bars(run),
    )


def _prediction_note(definition: MissionDefinition, attempt: Attempt) -> str:
    if attempt.prediction is None:
        return ""
    options = prediction_options(definition.prediction)
    if attempt.prediction >= len(options):
        return ""  # The mission asks something else by now.
    mean = attempt.evaluation["metrics"][definition.prediction.metric]["mean"]
    actual = definition.prediction.answer(mean)
    if actual == attempt.prediction:
        return f"You predicted {options[attempt.prediction]}. That was right."
    return f"You predicted {options[attempt.prediction]}. It was {options[actual]}: what did you not expect?"


def _debrief(mission: Mission, definition: MissionDefinition) -> Debrief:
    return Debrief(
        paragraphs=evidence.paragraphs(evidence.render(definition.debrief, mission.evidence)),
        # In the definition's order: a JSON column of PostgreSQL doesn't keep that of its keys.
        evidence=[
            _evidence_view(mission.evidence["tables"][table.name], mission.evidence["seeds"])
            for table in definition.evidence
        ],
    )


def _evidence_view(table: Mapping[str, Any], seeds: int) -> EvidenceView:
    """Draw a measurement whose setting is a number as a curve; others stay a table."""
    rows, names = table["rows"], table["metrics"]
    varied = SETTINGS[table["vary"]].label if table["vary"] in SETTINGS else "Setup"
    cells = tuple(
        (
            row["label"],
            *(_with_interval(name, row["metrics"][name]) for name in names),
            f"{row['sampled_responses']:,}",
        )
        for row in rows
    )
    head = (varied, *(METRICS[name].label for name in names), "Responses")
    xs = [row["value"] for row in rows]
    numbers = Table(table["title"], head, cells, f"Means over {seeds} seeds, 95% intervals.")
    if len(xs) < 3 or not all(isinstance(x, int | float) for x in xs):
        return EvidenceView(table["title"], None, numbers)
    figure = plain_curve(
        ident=f"evidence-{table['name']}",
        title=table["title"],
        x=xs,
        lines={METRICS[name].label: [row["metrics"][name]["mean"] for row in rows] for name in names[:1]},
        x_label=varied.lower(),
        decimals=METRICS[names[0]].decimals,
        is_log=min(xs) > 0 and max(xs) / min(xs) > 8,
    )
    return EvidenceView(table["title"], replace(figure, table=numbers), numbers)


def _with_interval(metric: str, measured: Mapping[str, float]) -> str:
    digits = METRICS[metric].decimals
    return f"{fixed(measured['mean'], digits)} ± {fixed(measured['half_width'], max(digits, 1))}"
