"""Setups: what is read, what is refused, and with which words."""

import dataclasses
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine import ENGINE_VERSION, CandidateSetup, SetupError, check_setup, parse_setup, read_form
from simulator.engine.candidates.methods import METHODS
from simulator.engine.candidates.setup import FIELDS

DEFAULTS = {
    "world": "candidates",
    "event": "clean",
    "method": "grpo",
    "steps": 200,
    "group_size": 8,
    "samples_per_prompt": 8,
    "beta": 0.05,
    "length_penalty": 0.0,
    "label_smoothing": 0.1,
    "flip_rate": 0.0,
}
NUMBERS = [name for name, field in FIELDS.items() if field.kind != "choice"]
INTEGERS = [name for name, field in FIELDS.items() if field.kind == "integer"]


def test_defaults():
    assert parse_setup({}).to_dict() == DEFAULTS
    assert parse_setup({"method": "dpo"}).beta == 0.1
    assert parse_setup({"method": "online_dpo"}).beta == 0.05
    assert parse_setup({"event": "label_flips"}).flip_rate == 0.3
    assert ENGINE_VERSION == "1.0"


@pytest.mark.parametrize(
    ("mapping", "field", "message"),
    [
        ({"group_size": 65}, "group_size", "Group size must be a whole number from 1 to 64."),
        ({"group_size": 1, "method": "rloo"}, "group_size", "Group size must be a whole number from 2 to 64."),
        ({"steps": 2.5}, "steps", "Steps must be a whole number from 1 to 800."),
        ({"beta": -0.1}, "beta", "Beta must be a number from 0 to 5."),
        ({"label_smoothing": 0.5}, "label_smoothing", "Label smoothing must be a number from 0 to 0.49."),
        ({"flip_rate": 0.51}, "flip_rate", "Flip rate must be a number from 0 to 0.5."),
        ({"length_penalty": 4.1}, "length_penalty", "Length penalty must be a number from 0 to 4."),
        ({"samples_per_prompt": 1}, "samples_per_prompt", "Samples per prompt must be a whole number from 2 to 64."),
        ({"world": "moon"}, "world", "World must be candidates or reasoning."),
        ({"learning_rate": 1}, "learning_rate", "There is no field named 'learning_rate' in this setup."),
        (
            {"event": "length"},
            "event",
            "Event must be clean, length_bias, label_flips, sparse or reward_hack.",
        ),
    ],
)
def test_refusals(mapping, field, message):
    assert check_setup(mapping) == {field: message}
    with pytest.raises(SetupError) as refused:
        parse_setup(mapping)
    assert (refused.value.field, refused.value.message) == (field, message)
    assert isinstance(refused.value, ValueError)
    assert str(refused.value) == f"{field}: {message}"


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize(
    "value",
    [True, False, None, "8", "", [8], {}, float("nan"), float("inf"), -float("inf"), 10**400, -1, -1e-9, 1e9, 3j],
    ids=lambda value: str(value)[:12],
)
def test_values_that_no_number_field_takes(name, value):
    assert list(check_setup({name: value})) == [name]


@pytest.mark.parametrize("name", ["world", "event", "method"])
@pytest.mark.parametrize("value", [None, 0, True, "", "GRPO", "clean ", ["clean"], {}, "grpo\x00"])
def test_values_that_no_choice_field_takes(name, value):
    assert list(check_setup({name: value})) == [name]


@pytest.mark.parametrize("name", NUMBERS)
def test_the_ends_of_a_range_belong_to_it(name):
    field = FIELDS[name]
    for value in (field.minimum, field.maximum):
        assert getattr(parse_setup({name: value}), name) == value
    for value in (field.minimum - 1e-9, field.maximum + 1e-9, field.minimum - 1, field.maximum + 1):
        assert name in check_setup({name: value})


@pytest.mark.parametrize("mapping", [None, [], "grpo", 3])
def test_a_setup_must_be_a_mapping(mapping):
    assert list(check_setup(mapping)) == ["setup"]
    with pytest.raises(SetupError):
        parse_setup(mapping)


def test_every_error_is_reported_once_and_the_first_is_raised():
    mapping = {"zzz": 1, "beta": 9, "steps": 0, "method": "ppo", "group_size": "x"}
    assert list(check_setup(mapping)) == ["method", "steps", "group_size", "beta", "zzz"]
    with pytest.raises(SetupError) as refused:
        parse_setup(mapping)
    assert refused.value.field == "method"


def test_unknown_keys_are_refused_even_when_odd():
    assert list(check_setup({3: 1, "x" * 5000: 1})) == ["3", "x" * 5000]
    assert len(check_setup({"x" * 5000: 1})["x" * 5000]) < 100


def test_whole_floats_are_whole_numbers():
    steps = parse_setup({"steps": 40.0}).steps
    assert (steps, type(steps)) == (40, int)
    assert parse_setup({"steps": np.int64(40), "beta": np.float64(0.2)}).beta == 0.2
    assert type(parse_setup({"beta": 1}).beta) is float
    assert parse_setup({"beta": Fraction(1, 4)}).beta == 0.25


def test_a_setup_cannot_be_made_or_changed_without_being_checked():
    with pytest.raises(SetupError):
        CandidateSetup(**{name: value for name, value in (DEFAULTS | {"beta": 9}).items() if name != "world"})
    setup = parse_setup({})
    with pytest.raises(SetupError) as refused:
        setup.replace(steps=0)
    assert refused.value.field == "steps"
    with pytest.raises(SetupError) as refused:
        setup.replace(method="rloo", group_size=1)
    assert refused.value.field == "group_size"
    with pytest.raises(SetupError):
        setup.replace(world="moon")
    with pytest.raises(dataclasses.FrozenInstanceError):
        setup.steps = 3
    assert setup.replace(method="dpo", steps=3).to_dict() == DEFAULTS | {"method": "dpo", "steps": 3}


values = st.fixed_dictionaries(
    {},
    optional={
        "event": st.sampled_from(FIELDS["event"].choices),
        "method": st.sampled_from(FIELDS["method"].choices),
        "steps": st.integers(1, 800),
        "group_size": st.integers(2, 64),
        "samples_per_prompt": st.integers(2, 64),
        "beta": st.floats(0, 5),
        "length_penalty": st.floats(0, 4),
        "label_smoothing": st.floats(0, 0.49),
        "flip_rate": st.floats(0, 0.5),
    },
)


@settings(max_examples=100, deadline=None)
@given(values)
def test_round_trip(mapping):
    setup = parse_setup(mapping)
    again = parse_setup(json.loads(json.dumps(setup.to_dict())))
    assert again == setup
    assert hash(again) == hash(setup)
    assert again.run_hash == setup.run_hash
    form = {name: f" {value} " for name, value in setup.to_dict().items()}
    assert parse_setup(read_form(form)) == setup
    assert list(setup.to_dict()) == list(FIELDS)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(list(FIELDS)) | st.text(max_size=5), anything, max_size=5))
def test_checking_never_fails_and_agrees_with_parsing(mapping):
    errors = check_setup(mapping)
    if errors:
        with pytest.raises(SetupError) as refused:
            parse_setup(mapping)
        assert refused.value.field == next(iter(errors))
    else:
        parse_setup(mapping)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        (" 8\t", 8),
        ("+8", 8),
        ("08", 8),
        ("8.0", 8),
        (".5", 0.5),
        ("5.", 5),
        ("1e-1", 0.1),
        ("-0", 0),
        ("-0.0", 0),
    ],
)
def test_numbers_in_forms(text, value):
    name = "beta" if 0 <= value <= 5 else "steps"
    assert getattr(parse_setup(read_form({name: text})), name) == value


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize(
    "text",
    ["", " ", "eight", "nan", "inf", "-Infinity", "1e400", "1_0", "٣", "３", "0x8", "8,0", "1 0", "--1", "9" * 5000,
     "0." + "0" * 5000, "e5", ".", "1e", "True", "None", "8\x00", "1e99999999"],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_strings_that_are_not_numbers_get_their_field_s_message(name, text):
    field = FIELDS[name]
    noun = "a whole number" if field.kind == "integer" else "a number"
    expected = f"{field.label} must be {noun} from {field.minimum:g} to {field.maximum:g}."
    assert check_setup(read_form({name: text})) == {name: expected}


@pytest.mark.parametrize("name", INTEGERS)
def test_fractions_in_forms_are_no_whole_numbers(name):
    assert list(check_setup(read_form({name: "8.5"}))) == [name]


def test_forms_keep_choices_and_unknown_keys():
    form = {"world": " candidates ", "event": "sparse ", "token": "x", "odd": "1"}
    assert read_form(form, ignore=["token"]) == {"world": "candidates", "event": "sparse", "odd": "1"}
    assert list(check_setup(read_form(form))) == ["token", "odd"]
    assert list(check_setup(read_form({"world": "moon", "steps": "3"}))) == ["world"]


def test_active_fields():
    always = {"world", "event", "method", "steps", "beta", "length_penalty"}
    assert set(parse_setup({}).active_fields()) == always | {"group_size"}
    expected = {
        "dpo": {"samples_per_prompt", "flip_rate"},
        "rdpo": {"samples_per_prompt", "flip_rate", "label_smoothing"},
        "cdpo": {"samples_per_prompt", "flip_rate", "label_smoothing"},
        "ipo": {"samples_per_prompt", "flip_rate"},
        "best_of_n": {"samples_per_prompt"},
        "online_dpo": {"group_size"},
    }
    for method, own in expected.items():
        assert set(parse_setup({"method": method}).active_fields()) == always | own


def test_sampled_responses():
    assert parse_setup({"steps": 57, "group_size": 3}).sampled_responses == 1368
    assert parse_setup({"method": "dpo", "steps": 800, "samples_per_prompt": 16}).sampled_responses == 640


def test_run_hash_is_stable_and_tells_runs_apart():
    setup = parse_setup({})
    assert setup.run_hash == parse_setup({"beta": 0.05, "steps": 200.0}).run_hash
    assert setup.run_hash == "29b2df77b232e52219b3583d58acb5ff1eae27468a9d2a2de2aa43fa1f22bdb4"
    assert parse_setup({"beta": 0}).run_hash == parse_setup({"beta": -0.0}).run_hash
    hashes = {
        parse_setup({"method": method, "event": event}).run_hash
        for method in METHODS
        for event in FIELDS["event"].choices
    }
    assert len(hashes) == len(METHODS) * 5
