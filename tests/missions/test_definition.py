"""A mission file is refused with the key that is wrong, and what it promises about grading holds."""

import copy
import tomllib
from typing import Any

import numpy as np
import pytest

from missions.definition import DefinitionError, MissionDefinition, definition_from, parse_definition
from missions.loading import CATALOGUE
from simulator.engine import parse_setup

TEXT = (CATALOGUE / "01-first-signal.toml").read_text(encoding="utf-8")


@pytest.fixture
def source() -> dict:
    return tomllib.loads(TEXT)


def change(source: dict, path: str, value: object) -> dict:
    """Return a copy with one key set; a value of None takes it out."""
    changed = copy.deepcopy(source)
    place: Any = changed
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for name in parents:
        place = place[name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("titel", "A typo", "titel"),
        ("title", "  ", "title"),
        ("slug", "First-Signal", "slug"),
        ("slug", "first--signal", "slug"),
        ("revision", True, "revision"),
        ("position", 0, "position"),
        ("curves", ["win"], "curves"),
        ("hints", ["only one"], "hints"),
        ("setup.group_size", 65, "setup.group_size"),
        ("setup.steps", 60, "setup"),
        ("setup.event", "earthquake", "setup.event"),
        ("controls.speed", {}, "controls.speed"),
        ("controls.world", {"locked": "It stays."}, "controls.world"),
        ("controls.event", {"locked": ""}, "controls.event.locked"),
        ("controls.event", {}, "controls.event"),
        ("controls.event", {"locked": "It stays.", "choices": ["clean"]}, "controls.event"),
        ("controls.beta", {"choices": []}, "controls.beta.choices"),
        ("controls.beta", {"choices": [0.0, 0.8, 0]}, "controls.beta"),
        ("controls.beta", {"choices": [0.8, 6.0]}, "controls.beta.beta"),
        ("controls.group_size", {"minimum": 2}, "controls.group_size.maximum"),
        ("controls.group_size", {"minimum": 2, "maximum": 10**9}, "controls.group_size"),
        ("chapter", None, "chapter"),
        ("title", "T" * 121, "title"),
        ("curves", ["kl"] * 101, "curves"),
        ("controls.group_size", {"minimum": 8, "maximum": 8}, "controls.group_size"),
        ("controls.group_size", {"minimum": 2, "maximum": 200}, "controls.group_size.group_size"),
        ("goals", [], "goals"),
        ("goals.0", {"metric": "win_rate"}, "goals[0]"),
        ("goals.0", {"metric": "win_rate", "at_least": 0.7, "at_most": 0.8}, "goals[0]"),
        ("goals.0", {"metric": "wins", "at_least": 0.7}, "goals[0]"),
        ("goals.0.at_least", float("nan"), "goals[0]"),
        ("budgets.two_stars", 3_600, "budgets"),
        ("prediction.cuts", [0.8, 0.6], "prediction.cuts"),
        ("evidence.0.name", "start", "evidence"),
        ("evidence.1.name", "steps", "evidence"),
        ("evidence.0.values", [25, 2_500], "evidence[0].values.steps"),
        ("evidence.0.vary", "spin", "evidence[0].values.spin"),
        ("evidence.0.unit", "steps", "evidence[0].unit"),
        ("evidence.2.vary", "steps", "evidence[2]"),
        ("evidence.2.rows.0.label", "50 steps, groups of 16", "evidence[2]"),
        ("evidence.2.rows.0.setup", {"group_size": 0}, "evidence[2].rows[0].setup.group_size"),
        ("verify.two_stars", [], "verify.two_stars"),
        ("verify.two_stars", {"self": 1}, "verify.two_stars.self"),
        ("verify.one_star", {"group_size": 5}, "verify.one_star"),
        ("verify.one_star", {"method": "dpo"}, "verify.one_star"),
    ],
)
def test_what_is_wrong_is_refused_by_name(source: dict, path: str, value: object, where: str) -> None:
    with pytest.raises(DefinitionError) as refusal:
        definition_from(change(source, path, value))
    assert refusal.value.where == where


def test_text_that_is_not_toml_is_refused() -> None:
    with pytest.raises(DefinitionError) as refusal:
        parse_definition("title = ")
    assert refusal.value.where == "file"


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("debrief", "It reaches {win_rate@steps:401}."),
        ("debrief", "It reaches {win_rate@step:400}."),
        ("debrief", "It reaches {wins@steps:400}."),
        ("debrief", "It reaches {win_rate@steps}."),
        ("debrief", "It reaches {win_rate@start:400}."),
        ("debrief", "It reaches {win rate}."),
        ("symptom", "It reaches {win_rate@start."),
        ("story", "It reaches {win_rate@start}."),
    ],
)
def test_a_number_that_is_not_measured_is_refused(source: dict, key: str, text: str) -> None:
    with pytest.raises(DefinitionError) as refusal:
        definition_from(change(source, key, text))
    assert refusal.value.where == key


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("setup.steps", 75),
        ("controls.beta", {"choices": [0.0, 0.02, 0.05, 0.1, 0.8]}),
        ("controls.beta", {"locked": "It stays."}),
        ("goals.0.at_least", 0.80),
        ("budgets.three_stars", 3_500),
    ],
)
def test_the_digest_follows_what_decides_stars(source: dict, path: str, value: object) -> None:
    changed = change(source, path, value)
    # The proven settings have to stay possible; they are no part of grading.
    changed["verify"] = {name: {} for name in changed["verify"]}
    before, after = definition_from(source), definition_from(changed)
    assert before.grading_digest != after.grading_digest


@pytest.mark.parametrize("path", ["title", "aim", "lesson", "story", "controls.event.locked"])
def test_the_digest_ignores_words(source: dict, path: str) -> None:
    assert definition_from(change(source, path, "New words")).grading_digest == definition_from(source).grading_digest


@pytest.fixture
def mission() -> MissionDefinition:
    return parse_definition((CATALOGUE / "03-sample-once.toml").read_text(encoding="utf-8"))


def test_a_setting_may_be_chosen_from_its_control_only(mission: MissionDefinition) -> None:
    assert mission.check(mission.start) == {}
    assert mission.check(mission.start.replace(method="dpo", samples_per_prompt=12)) == {}
    assert set(mission.check(mission.start.replace(steps=60, beta=0.3))) == {"steps", "beta"}
    assert set(mission.check(mission.start.replace(method="best_of_n"))) == {"method"}
    locked = mission.check(mission.start.replace(event="sparse"))
    assert locked["event"].startswith("This control is locked.") and mission.controls["event"].locked in locked["event"]


def test_a_setting_without_a_control_stays(mission: MissionDefinition) -> None:
    assert set(mission.check(mission.start.replace(length_penalty=1.0))) == {"length_penalty"}
    # GRPO makes no use of flips, but the record of a try must not hold what the page never offered.
    assert set(mission.check(mission.start.replace(flip_rate=0.2))) == {"flip_rate"}
    assert set(mission.check(mission.start.replace(method="dpo", flip_rate=0.2))) == {"flip_rate"}


def test_controls_come_in_the_order_of_the_contract(source: dict) -> None:
    # JSON in a database need not keep the order of a file.
    turned = change(source, "controls", dict(reversed(source["controls"].items())))
    assert list(definition_from(turned).controls) == ["event", "method", "steps", "group_size", "beta"]


def test_a_range_takes_whole_numbers_inside_it() -> None:
    definition = parse_definition((CATALOGUE / "06-never-seen.toml").read_text(encoding="utf-8"))
    control = definition.controls["samples_per_prompt"]
    assert (control.values()[0], control.values()[-1], len(control.values())) == (2, 64, 63)
    assert control.refuse(17, 8) == ""
    for value in (1, 65, 8.0, True):
        assert control.refuse(value, 8) == "Must be a whole number from 2 to 64."


def test_stars_and_goals_count_their_bounds_in(mission: MissionDefinition) -> None:
    assert [mission.budgets.stars_for(n) for n in (320, 321, 640, 641, 12_800, 12_801)] == [3, 2, 2, 1, 1, 0]
    assert [mission.budgets.for_stars(n) for n in (1, 2, 3)] == [12_800, 640, 320]
    for win_rate, kl, is_passed in ((0.80, 1.75, True), (0.7999, 1.0, False), (0.9, 1.7501, False)):
        assert mission.is_passed({"win_rate": np.array([win_rate]), "kl": np.array([kl])}) is is_passed
    assert [round(goal.margin(1.0), 2) for goal in mission.goals] == [0.2, 0.75]


def test_evidence_changes_the_start_and_nothing_else() -> None:
    definition = parse_definition(TEXT)
    steps, split = definition.evidence[0], definition.evidence[2]
    assert [row.label for row in steps.rows] == [str(value) for value in steps.values]
    assert steps.rows[0].setup == definition.start.replace(beta=0.05, steps=25)
    assert split.vary == "" and split.values == tuple(row.label for row in split.rows)
    assert {row.setup.sampled_responses for row in split.rows} == {6_400}
    assert parse_setup(definition.start.to_dict()) == definition.start


VIEW = {"row": "steps:400", "seed": 3, "step": 5, "state": {"c": "advantage"}, "text": "Step {step@here}."}


def test_views_say_where_to_look(source: dict) -> None:
    read = definition_from(source | {"views": [VIEW, {"setup": {"steps": 25}, "step": "last", "text": "The end."}]})
    first, second = read.views
    assert (first.setup.steps, first.seed, first.step, first.state) == (400, 3, 5, {"c": "advantage"})
    assert (second.setup.steps, second.seed, second.step, second.beside) == (25, 1, "last", None)
    assert read.grading_digest == definition_from(source).grading_digest


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"row": "steps:7"}, "views[0].row"),
        ({"beside": "no"}, "views[0].beside"),
        ({"setup": {}}, "views[0]"),
        ({"seed": -1}, "views[0].seed"),
        ({"step": 401}, "views[0].step"),
        ({"step": "largest_fall"}, "views[0].step"),
        ({"step": "largest_fall:honesty"}, "views[0].step"),
        ({"state": {"s": 3}}, "views[0].state.s"),
        ({"state": {"c": "mood"}}, "views[0].state"),
        ({"state": {"m": ["win_rate", "honesty"]}}, "views[0].state"),
        ({"text": "{honesty@here}"}, "views[0].text"),
        ({"text": "{win_rate@start}"}, "views[0].text"),
        ({"text": "a brace {"}, "views[0].text"),
        ({"why": "?"}, "views[0].why"),
    ],
)
def test_a_view_that_leads_nowhere_is_refused(source: dict, changes: dict, where: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        definition_from(source | {"views": [VIEW | changes]})
    assert refused.value.where == where


def look(source: dict, **changes: object) -> dict:
    kept = {k: source[k] for k in ("slug", "revision", "chapter", "position", "title", "aim", "lesson", "story")}
    more = {"kind": "look", "look": {"generator": "any"}, "debrief": "So it was.", "hints": ["One.", "Two."]}
    return kept | more | {"setup": {"event": "sparse"}} | changes


def test_a_mission_to_look_has_no_goals(source: dict) -> None:
    read = definition_from(look(source))
    assert read.is_look
    assert (read.generator, read.goals, read.controls, read.symptom) == ("any", (), {}, "")
    assert read.grading_digest != definition_from(look(source, look={"generator": "another"})).grading_digest


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"kind": "guess"}, "kind"),
        ({"look": {}}, "look"),
        ({"look": {"generator": "any", "answer": 3}}, "look"),
        ({"goals": [{"metric": "win_rate", "at_least": 0.6}]}, "goals"),
        ({"budgets": {}}, "budgets"),
    ],
)
def test_a_mission_to_look_is_refused(source: dict, changes: dict, where: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        definition_from(look(source, **changes))
    assert refused.value.where == where


def test_only_the_catalogue_has_missions_to_look(source: dict) -> None:
    own = {key: value for key, value in look(source).items() if key not in ("chapter", "position")}
    with pytest.raises(DefinitionError) as refused:
        definition_from(own)
    assert refused.value.where == "kind"
    with pytest.raises(DefinitionError) as refused:
        definition_from(source | {"look": {"generator": "any"}})
    assert refused.value.where == "kind"


@pytest.mark.parametrize("expects", [{"honesty": [0, 1]}, {"clipped": [1]}, {"clipped": ["few", "many"]}])
def test_a_view_expects_only_what_is_seen(source: dict, expects: dict) -> None:
    with pytest.raises(DefinitionError) as refused:
        definition_from(source | {"views": [VIEW | {"expects": expects}]})
    assert refused.value.where.startswith("views[0].expects")


def test_a_view_of_a_run_that_takes_too_long_is_refused(source: dict) -> None:
    with pytest.raises(DefinitionError) as refused:
        tokens = {"world": "reasoning", "steps": 200, "prompts_per_step": 32, "group_size": 16, "num_iterations": 16}
        definition_from(look(source, setup=tokens, views=[{"text": "Long."}]))
    assert refused.value.where == "views[0]"
