"""A form, a text and a definition are the same mission, whichever of them is changed; and no text breaks anything."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from missions.authoring.fields import MOST_ROWS, fields_of, tidy
from missions.authoring.reading import LONGEST_TEXT, MOST_PROBLEMS, decoded, read_text
from missions.authoring.starting import copied, empty, exported, without_place
from missions.authoring.writing import with_fields
from missions.definition import DefinitionError, parse_definition, parse_toml
from missions.loading import CATALOGUE, read_catalogue
from simulator.worlds import WORLDS

TRAINED = [path for path in sorted(CATALOGUE.glob("*.toml")) if "generator" not in path.read_text()]
FIRST, REASONING = (next(p for p in TRAINED if name in p.name) for name in ("first-signal", "rare-but-right"))
COMMENTED = FIRST.read_text().replace("steps = 50\n", "steps = 50  # too few\n")


def name_of(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", TRAINED, ids=name_of)
def test_every_mission_survives_the_form(path: Path) -> None:
    text = path.read_text()
    fields = fields_of(tomllib.loads(text))
    assert with_fields(text, fields) == text
    # Everything is written, and written back.
    other = {
        name: f"{value}1" for name, value in fields.items() if name.startswith(("hint", "start", "goal", "budget"))
    }
    changed = with_fields(text, other | {"title": "Two\nlines"})
    assert changed != text
    back = with_fields(changed, fields)
    assert fields_of(tomllib.loads(back)) == fields
    before, after = read_text(text).definition, read_text(back).definition
    assert before is not None and after is not None
    assert after.grading_digest == before.grading_digest
    assert (after.title, after.debrief, after.hints, after.charts) == (
        *(before.title, before.debrief, before.hints, before.charts),
    )
    assert (after.evidence, after.verify, after.prediction) == (before.evidence, before.verify, before.prediction)


@pytest.mark.parametrize("path", TRAINED, ids=name_of)
def test_every_mission_survives_export_and_import_and_loads_as_a_catalogue(path: Path, tmp_path: Path) -> None:
    text = without_place(path.read_text())
    read = read_text(text)
    assert read.definition is not None and not read.ignored
    file = exported(text, read.title, 3)
    again = decoded(file.encode())
    assert read_text(without_place(again)).definition == read.definition
    definition = parse_definition(file)
    assert definition.revision == 3
    (tmp_path / f"01-{definition.slug}.toml").write_text(file)
    assert [entry.definition.slug for entry in read_catalogue(tmp_path)] == [definition.slug]


@pytest.mark.parametrize("world", WORLDS)
def test_an_empty_mission_lacks_words_and_a_goal_and_nothing_else(world: str) -> None:
    text = empty(world, 'A "quoted" title $title')
    assert parse_toml(text)["title"] == 'A "quoted" title $title'
    missing = {problem.where.partition("[")[0] for problem in read_text(text).problems}
    assert missing == {"aim", "lesson", "story", "symptom", "debrief", "hints", "goals", "prediction.cuts"}
    words = dict.fromkeys(("aim", "lesson", "story", "symptom", "debrief", "hint.0", "hint.1"), "Words.")
    filled = with_fields(text, words | {"goal.0.bound": "0.5", "prediction.cuts": "0.4, 0.5"})
    assert read_text(filled).problems == ()
    assert "# The broken start." in filled


def test_only_what_is_changed_is_rewritten_and_comments_stay() -> None:
    changed = with_fields(
        COMMENTED, {"start.beta": "0.4", "control.beta": "list", "control.beta.choices": "0, 0.05, 0.4, 1"}
    )
    rest = [line for line in changed.splitlines() if "beta" not in line]
    assert rest == [line for line in COMMENTED.splitlines() if "beta" not in line]
    definition = read_text(changed).definition
    assert definition is not None
    assert definition.controls["beta"].choices == (0.0, 0.05, 0.4, 1.0)
    assert {type(choice) for choice in definition.controls["beta"].choices} == {float}


def test_rows_are_added_and_taken_away() -> None:
    more = with_fields(COMMENTED, {"goal.1.metric": "kl", "goal.1.way": "at_most", "goal.1.bound": "2"})
    definition = read_text(more).definition
    assert definition is not None
    assert [goal.to_dict() for goal in definition.goals] == [
        {"metric": "win_rate", "at_least": 0.795},
        {"metric": "kl", "at_most": 2.0},
    ]
    fewer = with_fields(more, {"goal.0.metric": "", "goal.0.bound": "", "chart.1.0": "quality"})
    definition = read_text(fewer).definition
    assert definition is not None
    assert [goal.metric for goal in definition.goals] == ["kl"]
    assert definition.charts == (("win_rate", "kl"), ("quality",))


def test_choosing_another_algorithm_takes_what_it_fills_in() -> None:
    text = empty("reasoning", "PPO")
    fields = fields_of(tomllib.loads(text))
    assert fields["start.advantage"] == "group_normalized"
    # The page sends all fields; those that follow from the algorithm were not typed.
    changed = with_fields(text, fields | {"start.algorithm": "ppo"})
    assert fields_of(tomllib.loads(changed))["start.advantage"] == "gae"


def test_what_is_typed_wrong_is_kept_and_said_by_line() -> None:
    text = with_fields(COMMENTED, {"budget.three_stars": "a few", "start.steps": "-3", "rule": "seeds"})
    fields = fields_of(tomllib.loads(text))
    assert (fields["budget.three_stars"], fields["start.steps"]) == ("a few", "-3")
    found = {problem.where: problem.line for problem in read_text(text).problems}
    lines = text.splitlines()
    assert lines[(found["setup.steps"] or 0) - 1].startswith("steps = -3")
    assert "seeds_needed" in found


TYPED = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    ["0", "1e400", "-0.0", "[[goals]]", '"""', "\\"]
)


@settings(deadline=None, max_examples=30)
@given(
    st.dictionaries(st.sampled_from(sorted(fields_of(tomllib.loads(COMMENTED)))), TYPED, max_size=6),
    st.sampled_from([COMMENTED, REASONING.read_text(), ""]),
)
def test_whatever_is_typed_is_in_the_text_and_reading_it_raises_nothing(typed: dict[str, str], text: str) -> None:
    wanted = {name: tidy(value) for name, value in typed.items()}
    result = with_fields(text, wanted)
    fields = fields_of(parse_toml(result))
    assert with_fields(result, fields) == result
    for name in ("title", "debrief", "hint.0"):
        if name in wanted:
            assert fields[name] == wanted[name]
    read_text(result)


WEIRD = """
title = 5
hints = "one"
curves = [1, ["x", 2], {}]
setup = [1]
controls = { steps = 5, beta = { choices = 3, minimum = {} }, nothing = {} }
goals = [1, { metric = [], at_least = 1979-05-27T07:32:00Z }]
budgets = "none"
prediction = { metric = {}, cuts = [inf, nan, {}] }
pass_rule = ["mean"]
"""


@pytest.mark.parametrize("text", ["", WEIRD, "x = 1979-05-27", 'setup = { world = ["reasoning"] }', "[setup.world]"])
def test_any_toml_can_be_shown_in_the_form_and_written_from_it(text: str) -> None:
    fields = fields_of(parse_toml(text))
    assert with_fields(text, fields) == text
    new = dict.fromkeys(fields, "7") | {"goal.999.metric": "kl", "chart.x.0": "kl", "goal.-1.bound": "1"}
    assert parse_toml(with_fields(text, new))["title"] == "7"
    assert read_text(text).problems


HOSTILE = {
    "too long": (b"#" * (LONGEST_TEXT + 1), "longer than"),
    "no UTF-8": (b'title = "x"\naim = "\xff"', "at line 2"),
    "NUL": (b'title = "x"\n\naim = "\x00"', "at line 3"),
    "UTF-16": ('title = "x"'.encode("utf-16"), "not written in UTF-8"),
    "zip": (b"PK\x03\x04\x00\x00", "NUL"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_files_that_are_no_text_are_refused_with_the_line(case: str) -> None:
    content, message = HOSTILE[case]
    with pytest.raises(DefinitionError, match=message):
        decoded(content)


NO_TOML = [
    *("a = " + "[" * 30_000, "a." * 16_000 + "b = 1", '["a".' + "'b'." * 9_000 + "c]", "x = " + "9" * 20_000),
    *('title = "x', "[a]\n[a]", "x = {a = 1\n", "\ufeff\ufeff"),
]


@pytest.mark.parametrize("text", NO_TOML, ids=range(len(NO_TOML)))
def test_texts_that_are_no_toml_have_one_problem_and_are_left_as_they_are(text: str) -> None:
    read = read_text(text)
    assert read.source is None
    assert [problem.where for problem in read.problems] == ["file"]
    assert copied(text, "T") == exported(text, "T", 1) == text
    with pytest.raises(DefinitionError):
        with_fields(text, {"title": "x"})


def test_thousands_of_mistakes_are_counted_and_not_all_listed() -> None:
    text = "".join(f"[a{i}]\n" for i in range(8000))
    problems = read_text(text).problems
    assert len(problems) == MOST_PROBLEMS + 1
    assert "more things" in str(problems[-1])
    assert "title" in with_fields(text, {"title": "x"})


def test_more_goals_than_the_form_shows_stay() -> None:
    text = COMMENTED + '\n[[goals]]\nmetric = "kl"\nat_most = 9\n' * MOST_ROWS
    goals = parse_toml(with_fields(text, {"goal.0.bound": "0.5"}))["goals"]
    assert len(goals) == MOST_ROWS + 1
    assert goals[0]["at_least"] == 0.5
