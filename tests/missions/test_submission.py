"""Whatever is typed leads to a setup or to a message at its field, and never to an error."""

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from missions.definition import MissionDefinition
from missions.loading import read_catalogue
from missions.submission import LARGEST_SEED, fields_to_keep, read_fields, read_submission, typed_from

DEFINITIONS = {entry.definition.slug: entry.definition for entry in read_catalogue()}
FIRST = DEFINITIONS["first-signal"]
NAMES = [
    "event",
    "method",
    "steps",
    "group_size",
    "beta",
    "seed",
    "prediction",
    "token",
    "world",
    "nonsense",
    "flip_rate",
]


def posted(definition: MissionDefinition = FIRST, **changes: str) -> dict[str, str]:
    open_controls = {n: v for n, v in typed_from(definition.start.to_dict()).items() if n in definition.controls}
    return open_controls | {"seed": "1", "token": str(uuid4())} | changes


@pytest.mark.parametrize("slug", DEFINITIONS)
def test_the_start_of_every_mission_may_be_trained(slug: str) -> None:
    submission, reading = read_submission(DEFINITIONS[slug], posted(DEFINITIONS[slug]))
    assert reading.errors == {}
    assert submission is not None
    assert submission.setup == DEFINITIONS[slug].start


def test_fields_that_are_missing_stand_at_the_start() -> None:
    reading = read_fields(FIRST, {"steps": "200"})
    assert reading.setup == FIRST.start.replace(steps=200)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"steps": "201"}, "steps"),
        ({"steps": ""}, "steps"),
        ({"steps": "many"}, "steps"),
        ({"steps": "1e400"}, "steps"),
        ({"beta": "nan"}, "beta"),
        ({"beta": "-1"}, "beta"),
        ({"group_size": "9" * 400}, "group_size"),
        ({"method": "dpo"}, "method"),
        ({"event": "sparse"}, "event"),
        ({"length_penalty": "2"}, "length_penalty"),
        ({"world": "reasoning"}, "world"),
        ({"reward": "1"}, "reward"),
        ({"seed": "-1"}, "seed"),
        ({"seed": str(LARGEST_SEED + 1)}, "seed"),
        ({"seed": "1.5"}, "seed"),
        ({"prediction": "9"}, "prediction"),
        ({"token": "not-a-token"}, "token"),
        ({"token": ""}, "token"),
    ],
)
def test_what_is_wrong_is_named_at_its_field(changes: dict[str, str], field: str) -> None:
    submission, reading = read_submission(FIRST, posted(**changes))
    assert submission is None
    assert set(reading.errors) == {field}
    assert reading.errors[field][-1] == "."


def test_a_locked_control_says_why() -> None:
    reading = read_fields(FIRST, posted(method="dpo"))
    assert FIRST.controls["method"].locked in reading.errors["method"]


def test_every_wrong_field_gets_its_own_message() -> None:
    reading = read_fields(FIRST, posted(steps="x", beta="y", seed="z"))
    assert set(reading.errors) == {"steps", "beta", "seed"}


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=60)))
def test_no_text_is_ever_an_error_of_ours(data: dict[str, str]) -> None:
    submission, reading = read_submission(FIRST, data)
    assert (submission is None) == bool(reading.errors)
    assert all(len(value) <= 40 and "\0" not in value for value in fields_to_keep(FIRST, data).values())


@given(st.data())
def test_every_offered_choice_may_be_trained(data: st.DataObject) -> None:
    definition = DEFINITIONS[data.draw(st.sampled_from(sorted(DEFINITIONS)))]
    chosen = {
        name: typed_from({name: data.draw(st.sampled_from(control.values()))})[name]
        for name, control in definition.controls.items()
        if not control.locked
    }
    assert read_fields(definition, posted(definition, **chosen)).errors == {}
