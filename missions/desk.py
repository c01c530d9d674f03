"""All that a mission page shows, gathered from the domain: form, goals, outcome, figures, history, debrief."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractUser
from django.urls import reverse

from missions import chapters, evidence, goals, outcome
from missions.attempts import next_token
from missions.debrief import Debrief, debrief_of
from missions.definition import Goal as MissionGoal
from missions.definition import MissionDefinition
from missions.explaining import Explained, explaining_step
from missions.form import FormView, form_view
from missions.models import Attempt, Mission, Progress
from missions.observations import observations
from missions.pictures import Picture, picture_of
from missions.predictions import prediction_of
from missions.progress import missions_in_order
from missions.queries import definition_of, draft_of, tries_of
from missions.seeds import EVALUATION_SEEDS
from missions.submission import Reading, read_fields, typed_from
from simulator.charts.curves import CurveFigure, Goal, training_curve
from simulator.charts.table import fixed
from simulator.charts.tiles import Tile, tiles
from simulator.engine import ENGINE_VERSION, parse_setup
from simulator.runs import AnySimulation, at_reference, visible_run
from simulator.worlds import World

# Beside the tile of the cost; together they fill a row.
MOST_TILES = 5


@dataclass(frozen=True)
class Addresses:
    """Where the parts of the page lead: to itself, to what keeps the draft, and to what trains."""

    page: str
    draft: str
    train: str

    @classmethod
    def of(cls, mission: Mission) -> "Addresses":
        return cls(*(reverse(name, args=[mission.slug]) for name in ("mission", "draft", "train")))


@dataclass(frozen=True)
class Record:
    """What a student did at a mission: tries, newest first, and where that leaves them."""

    attempts: list[Attempt]
    progress: Progress | None

    @classmethod
    def of(cls, user: AbstractUser, mission: Mission) -> "Record":
        return cls(tries_of(user, mission), _progress(user, mission))


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
    picture: Picture
    curves: list[CurveFigure]
    compared_with: str
    explained: Explained
    run_link: str


@dataclass(frozen=True)
class Symptom:
    """What the broken start does, before the first try."""

    text: str
    figures: list[CurveFigure]
    picture: Picture


@dataclass(frozen=True)
class Desk:
    """Everything on the mission page below its title."""

    mission: Mission
    definition: MissionDefinition
    total: int
    form: FormView
    goals: list[goals.GoalView]
    judged: Attempt | None
    rule: goals.RuleView | None
    outcome: Outcome | None
    symptom: Symptom | None
    tries: list[outcome.Try]
    progress: Progress | None
    following: Mission | None
    is_opened_now: bool
    opened_chapter: Mission | None
    debrief: Debrief | None
    lab_start: str
    is_start: bool
    addresses: Addresses

    @property
    def chapter(self) -> chapters.Chapter:
        return chapters.chapter_of(self.mission)

    @property
    def opened_chapter_name(self) -> str:
        return chapters.chapter_of(self.opened_chapter).name if self.opened_chapter else ""

    @property
    def was_changed(self) -> bool:
        """Whether some tries were made at the mission as it was before."""
        return any(row.attempt.mission_revision != self.mission.revision for row in self.tries)

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
    opened: Sequence[Mission] = (),
    record: Record | None = None,
    addresses: Addresses | None = None,
) -> Desk:
    """Gather the page of one mission for one student.

    The form holds `typed`; without it the draft, else the latest try's setup, else the start. `attempt` is the try
    whose outcome is shown; `reading` saves reading the form again. With `typed`, `record` and `addresses` the mission
    need not be stored.
    """
    definition = definition_of(mission)
    missions = missions_in_order()
    record = record or Record.of(user, mission)
    attempts, progress = record.attempts, record.progress
    start = typed_from(definition.start.to_dict())
    if typed is None:
        latest = typed_from(attempts[0].setup, attempts[0].display_seed) if attempts else start
        typed = draft_of(user, mission) or latest
    reading = reading or read_fields(definition, typed)
    judged = attempt or _telling(attempts, mission)
    verdict = goals.verdict_of(judged) if judged else None
    is_passed = progress is not None and progress.passed_at is not None
    following = chapters.next_in_chapter(mission, missions) if is_passed else None
    return Desk(
        mission=mission,
        definition=definition,
        total=sum(m.chapter == mission.chapter for m in missions),
        form=_form(user, mission, definition, reading, progress),
        goals=[goals.graded_goal(result, definition.world) for result in verdict.goals]
        if verdict
        else _untried(definition, reading.seed),
        judged=judged,
        rule=goals.graded_rule(verdict)
        if verdict
        else goals.untried_rule(definition.seeds_needed, EVALUATION_SEEDS, len(definition.goals)),
        outcome=_outcome(definition, attempt, attempts) if attempt else None,
        symptom=None if attempt else _symptom(mission, definition, reading.seed),
        tries=outcome.history(attempts, definition.start.to_dict()),
        progress=progress,
        following=following,
        is_opened_now=following in opened,
        opened_chapter=next((m for m in opened if m.chapter != mission.chapter), None),
        debrief=debrief_of(mission, definition) if is_passed else None,
        lab_start=outcome.lab_link(definition.start.to_dict(), reading.seed),
        is_start={**reading.typed, "seed": "1"} == start,
        addresses=addresses or Addresses.of(mission),
    )


def form_for(
    user: AbstractUser, mission: Mission, definition: MissionDefinition, reading: Reading, tries: int | None = None
) -> FormView:
    """The setup form with the token of the student's next submission; `tries` saves looking how many there are."""
    if tries is not None:
        return form_view(definition, reading, next_token(user, mission, tries))
    return _form(user, mission, definition, reading, _progress(user, mission))


def _progress(user: AbstractUser, mission: Mission) -> Progress | None:
    return Progress.objects.filter(user=user, mission=mission).first()


def _form(
    user: AbstractUser, mission: Mission, definition: MissionDefinition, reading: Reading, progress: Progress | None
) -> FormView:
    return form_view(definition, reading, next_token(user, mission, progress.tries if progress else 0))


def _telling(attempts: Sequence[Attempt], mission: Mission) -> Attempt | None:
    """The try that the goals are shown with on a page without an outcome: the best pass, else the latest.

    Tries at an earlier version of the mission say nothing about its goals of today.
    """
    current = [one for one in attempts if one.mission_revision == mission.revision]
    passes = [one for one in current if one.passed]
    if passes:
        return max(passes, key=lambda one: (one.stars, -one.sampled_responses, -one.number))
    return max(current, key=lambda one: one.number, default=None)


def _untried(definition: MissionDefinition, seed: int) -> list[goals.GoalView]:
    world = definition.world
    known = at_reference(visible_run(definition.start, seed))
    return [
        goals.untried_goal(goal, world, EVALUATION_SEEDS, known.get(goal.metric), definition.seeds_needed)
        for goal in definition.goals
    ]


def _outcome(definition: MissionDefinition, attempt: Attempt, attempts: list[Attempt]) -> Outcome:
    last = next((a for a in attempts if a.number == attempt.number - 1), None)
    run = visible_run(parse_setup(attempt.setup), attempt.display_seed)
    if last is not None:
        before = visible_run(parse_setup(last.setup), last.display_seed)
    else:
        start = definition.start
        before = None if start.run_hash == run.setup.run_hash else visible_run(start, attempt.display_seed)
    moved = outcome.against_last(attempt, last)
    seen = [definition.lesson, moved] if attempt.passed else [moved, *observations(attempt, run)]
    sentences = [*seen, outcome.divergence(attempt)]
    means, means_before = (_means(a) if a else None for a in (attempt, last))
    assert means is not None
    explained = explaining_step(run, goals.goal_results(attempt), attempt.passed)
    return Outcome(
        attempt=attempt,
        headline=outcome.headline(attempt),
        sentences=[text for text in sentences if text],
        cost_note=outcome.cost_note(attempt),
        tiles=tiles(
            [definition.world.metrics[name] for name in definition.world.tiles[:MOST_TILES]], means, means_before
        ),
        responses_difference=attempt.sampled_responses - last.sampled_responses if last else None,
        prediction=_prediction_note(definition, attempt),
        other_engine=attempt.engine_version != ENGINE_VERSION,
        picture=picture_of(run),
        curves=_curves(definition, run, before),
        compared_with="last try" if last else "the start",
        explained=explained,
        run_link=outcome.run_link(attempt, explained),
    )


def _means(attempt: Attempt) -> dict[str, float]:
    return {name: stored["mean"] for name, stored in attempt.evaluation["metrics"].items()}


def _curves(definition: MissionDefinition, run: AnySimulation, before: AnySimulation | None) -> list[CurveFigure]:
    """The mission's own charts, then one for each goal's metric that shares no chart with its like."""
    marked = {name for names in definition.charts if _is_one_scale(names, definition.world) for name in names}
    others = [(goal.metric,) for goal in definition.goals if goal.metric not in marked]
    return [_curve(definition, run, before, names) for names in dict.fromkeys([*definition.charts, *others])]


def _curve(
    definition: MissionDefinition, run: AnySimulation, before: AnySimulation | None, names: tuple[str, ...]
) -> CurveFigure:
    world = definition.world
    shown = [goal for goal in definition.goals if goal.metric in names and _is_one_scale(names, world)]
    marks = [Goal(goal.bound, _mark(goal, world, is_named=len(shown) > 1)) for goal in shown]
    return training_curve(run, names, previous=before, goals=marks, with_table=True)


def _is_one_scale(names: tuple[str, ...], world: World) -> bool:
    """Whether a level on the chart's axis means the same for all of its metrics."""
    return len({world.label(name).scale or name for name in names}) == 1


def _mark(goal: MissionGoal, world: World, is_named: bool) -> str:
    metric = world.metrics[goal.metric]
    name = f", {metric.in_sentence}" if is_named else ""
    return f"goal {fixed(goal.bound, metric.decimals)}{name}"


def _symptom(mission: Mission, definition: MissionDefinition, seed: int) -> Symptom:
    run = visible_run(definition.start, seed)
    return Symptom(
        text=evidence.render(definition.symptom, mission.evidence, definition.world),
        figures=[_curve(definition, run, None, names) for names in definition.charts],
        picture=picture_of(run),
    )


def _prediction_note(definition: MissionDefinition, attempt: Attempt) -> str:
    said = prediction_of(definition, attempt)
    if said is None:
        return ""
    if said.is_right:
        return f"You predicted {said.chosen}. That was right."
    return f"You predicted {said.chosen}. It was {said.actual}: what did you not expect?"
