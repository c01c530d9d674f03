"""Setups of the token world: what is read, what is refused, what decides a run."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine import ReasoningSetup, SetupError, check_setup, parse_setup, read_form
from simulator.engine.algorithms import CHOICE_NAMES, PRESETS
from simulator.engine.reasoning.setup import FIELDS

WORLD = {"world": "reasoning"}
# Section 4 of the world's specification.
PLAIN = {
    "world": "reasoning",
    "algorithm": "custom",
    "steps": 60,
    "prompts_per_step": 8,
    "group_size": 8,
    "max_completion_length": 24,
    "num_iterations": 4,
    "minibatches": 1,
    "learning_rate": 0.03,
    "lr_schedule": "constant",
    "warmup_ratio": 0.0,
    "optimizer": "adam",
    "max_grad_norm": 1.0,
    "prompt_memory": 0.5,
    "advantage": "group_normalized",
    "importance_ratio": "token",
    "clip": "symmetric",
    "epsilon": 0.2,
    "epsilon_high": 0.28,
    "aggregation": "per_response",
    "kl": "none",
    "beta": 0.0,
    "kl_in": "loss",
    "dynamic_sampling": False,
    "overlong": "none",
    "overlong_cache": 6,
    "gamma": 1.0,
    "gae_lambda": 0.95,
    "value_learning_rate": 0.05,
    "false_negative_rate": 0.0,
    "false_positive_rate": 0.0,
    "length_coefficient": 0.0,
    "format_coefficient": 0.0,
    "train_prompts": 32,
    "world_seed": 0,
}


def parse(**values):
    return parse_setup(WORLD | values)


def check(**values):
    return check_setup(WORLD | values)


def test_the_plain_default_is_the_specification_s():
    assert parse(algorithm="custom").to_dict() == PLAIN
    assert parse().algorithm == "grpo"
    assert (parse().kl, parse().beta) == ("k3", 0.001)


@pytest.mark.parametrize("name", PRESETS)
def test_an_algorithm_fills_in_what_is_not_given(name):
    setup = parse(algorithm=name)
    assert setup.to_dict() == PLAIN | {"algorithm": name} | dict(PRESETS[name])
    assert parse(algorithm=name, clip="none", gamma=0.95).to_dict() == setup.to_dict() | {"clip": "none", "gamma": 0.95}
    # The choices decide a run, whatever they are called.
    assert parse(algorithm="custom", **PRESETS[name]).run_hash == setup.run_hash


def test_every_choice_has_its_field():
    for slot, names in CHOICE_NAMES.items():
        assert FIELDS[slot].choices == names


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"algorithm": "sft"}, "algorithm", "Algorithm must be grpo, dapo, dr_grpo, ppo, reinforce, rloo, gspo, cispo"),
        ({"steps": 9}, "steps", "Steps must be a whole number from 10 to 200."),
        ({"group_size": 33}, "group_size", "Group size must be a whole number from 1 to 32."),
        ({"max_completion_length": 5}, "max_completion_length", "Longest response must be a whole number from 6 to 32"),
        ({"minibatches": 3}, "minibatches", "Minibatches must be 1, 2 or 4."),
        (
            {"minibatches": 4, "prompts_per_step": 6},
            "minibatches",
            "Minibatches must divide the 6 prompts per step evenly, and 4 doesn't.",
        ),
        ({"learning_rate": 2}, "learning_rate", "Learning rate must be a number from 0.003 to 1."),
        ({"learning_rate": 101, "optimizer": "sgd"}, "learning_rate", "Learning rate must be a number from 0.003 to 1"),
        ({"train_prompts": 30}, "train_prompts", "Train prompts must be a multiple of 4 from 8 to 64."),
        ({"train_prompts": 68}, "train_prompts", "Train prompts must be a multiple of 4 from 8 to 64."),
        ({"world_seed": 2**32}, "world_seed", "World seed must be a whole number from 0 to 4294967295."),
        ({"epsilon": 0}, "epsilon", "Epsilon must be a number from 0.01 to 0.5."),
        ({"dynamic_sampling": "yes"}, "dynamic_sampling", "Dynamic sampling must be true or false."),
        ({"dynamic_sampling": 1}, "dynamic_sampling", "Dynamic sampling must be true or false."),
        ({"kl_in": "critic"}, "kl_in", "KL goes into must be loss or reward."),
        (
            {"overlong": "soft", "overlong_cache": 9, "max_completion_length": 8},
            "overlong_cache",
            "Penalty zone must not be longer than the longest response, 8 tokens.",
        ),
        ({"method": "grpo"}, "method", "There is no field named 'method' in this setup."),
    ],
)
def test_refusals(values, field, message):
    errors = check(**values)
    assert list(errors) == [field]
    assert errors[field].startswith(message)
    with pytest.raises(SetupError) as refused:
        parse(**values)
    assert (refused.value.field, refused.value.message) == (field, errors[field])


def test_what_may_stand_together():
    assert parse(optimizer="sgd").learning_rate == 10
    assert parse(optimizer="sgd", learning_rate=100).learning_rate == 100
    assert parse(overlong_cache=9, max_completion_length=8, overlong="none").overlong_cache == 9
    with pytest.raises(SetupError) as refused:
        parse(overlong_cache=9, max_completion_length=8).replace(overlong="soft")
    assert refused.value.field == "overlong_cache"
    for algorithm in PRESETS:
        parse(algorithm=algorithm, max_completion_length=6, group_size=1)


def test_a_change_changes_only_what_it_names():
    setup = parse(algorithm="dapo", steps=20)
    assert setup.replace(algorithm="gspo").to_dict() == setup.to_dict() | {"algorithm": "gspo"}
    assert setup.replace(steps=60) == parse(algorithm="dapo")
    with pytest.raises(SetupError):
        ReasoningSetup(**{name: value for name, value in (PLAIN | {"steps": 0}).items() if name != "world"})


ONLY_SOMETIMES = {
    "overlong_cache",
    "gamma",
    "gae_lambda",
    "value_learning_rate",
    "clip",
    "epsilon",
    "epsilon_high",
    "kl_in",
    "beta",
}


@pytest.mark.parametrize(
    ("values", "used"),
    [
        ({"algorithm": "custom"}, {"clip", "epsilon"}),
        ({"algorithm": "grpo"}, {"clip", "epsilon", "kl_in", "beta"}),
        ({"algorithm": "ppo"}, {"clip", "epsilon", "gamma", "gae_lambda", "value_learning_rate"}),
        ({"algorithm": "dapo"}, {"clip", "epsilon", "epsilon_high", "overlong_cache"}),
        ({"algorithm": "cispo"}, {"clip", "epsilon_high"}),
        ({"algorithm": "custom", "clip": "none"}, {"clip"}),
        ({"algorithm": "reinforce", "clip": "higher"}, set()),
    ],
)
def test_settings_that_matter(values, used):
    setup = parse(**values)
    assert set(setup.active_fields()) == set(FIELDS) - ONLY_SOMETIMES | used
    ignored = {"gamma": 0.9, "beta": 1.0, "overlong_cache": 1, "epsilon_high": 1.0, "epsilon": 0.5, "clip": "cispo"}
    changes = {name: value for name, value in ignored.items() if name not in used}
    assert setup.replace(**changes).run_hash == setup.run_hash
    for name in used - {"clip", "kl_in"}:
        assert setup.replace(**{name: FIELDS[name].minimum}).run_hash != setup.run_hash


def test_sampled_responses():
    assert parse(steps=20, prompts_per_step=16, group_size=4).sampled_responses == 1280
    dynamic = parse(algorithm="dapo")
    assert dynamic.sampled_responses is None
    assert dynamic.most_sampled_responses == 60 * 32 * 8  # all train prompts in every step
    assert dynamic.replace(prompts_per_step=5).most_sampled_responses == 60 * 30 * 8
    assert dynamic.replace(prompts_per_step=32, train_prompts=8).most_sampled_responses == 60 * 32 * 8


def _values_of(field):
    if field.kind == "choice":
        return st.sampled_from(field.choices)
    if field.kind == "boolean":
        return st.booleans()
    if field.kind == "number":
        return st.floats(field.minimum, field.maximum)
    return st.integers(int(field.minimum) // field.multiple, int(field.maximum) // field.multiple).map(
        lambda value: value * field.multiple
    )


mappings = st.fixed_dictionaries(
    {"world": st.just("reasoning")},
    optional={name: _values_of(field) for name, field in FIELDS.items() if name != "world"},
).filter(lambda mapping: not check_setup(mapping))


@settings(max_examples=100, deadline=None)
@given(mappings)
def test_round_trip(mapping):
    setup = parse_setup(mapping)
    again = parse_setup(json.loads(json.dumps(setup.to_dict())))
    assert again == setup
    assert (hash(again), again.run_hash) == (hash(setup), setup.run_hash)
    assert list(setup.to_dict()) == list(FIELDS)
    form = {name: f" {json.dumps(value)} ".replace('"', "") for name, value in setup.to_dict().items()}
    assert parse_setup(read_form(form)) == setup
    # A link holds what matters, and leads to the same run.
    assert parse_setup(setup.active_fields()).run_hash == setup.run_hash


@pytest.mark.parametrize(("text", "value"), [("true", True), (" on ", True), ("false", False)])
def test_booleans_in_forms(text, value):
    assert parse_setup(read_form(WORLD | {"dynamic_sampling": text})).dynamic_sampling is value


@pytest.mark.parametrize("text", ["", "True", "1", "0", "off", "yes", "null"])
def test_what_is_no_boolean_gets_its_field_s_message(text):
    expected = {"dynamic_sampling": "Dynamic sampling must be true or false."}
    assert check_setup(read_form(WORLD | {"dynamic_sampling": text})) == expected
