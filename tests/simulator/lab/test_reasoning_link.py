"""Addresses of the reasoning lab, and what a change in its form does to the other settings."""

from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine import parse_setup
from simulator.engine.algorithms import PRESETS
from simulator.engine.reasoning.setup import FIELDS
from simulator.lab.changes import changes
from simulator.lab.link import Place, Reading, Run, read
from simulator.lab.rules import value_text


def run(seed: int = 1, **setup: Any) -> Run:
    return Run(parse_setup({"world": "reasoning", **setup}), seed)


def place(previous: Run | None = None, views: dict[str, int] | None = None, **setup: Any) -> Place:
    return Place(run(**setup), views or {}, previous)


def read_query(query: str) -> Reading:
    return read(parse_qsl(query, keep_blank_values=True), "reasoning")


def change(before: Place, **typed: str) -> Reading:
    """What the form sends when some of its fields are changed."""
    views = {name: str(value) for name, value in before.views.items()}
    return read(list((dict(before.run.pairs()) | views | {"from": before.query()} | typed).items()), "reasoning")


def setup_of(reading: Reading) -> dict[str, Any]:
    assert reading.place is not None
    return reading.place.run.setup.to_dict()


@pytest.mark.parametrize("algorithm", PRESETS)
def test_the_canonical_address_is_complete_and_comes_back(algorithm: str) -> None:
    there = place(
        run(algorithm="ppo", steps=20), {"step": 33, "prompt": 4, "epoch": 1}, algorithm=algorithm, learning_rate=0.0123
    )
    back = read_query(there.query())
    assert back.is_good and back.place == there and back.place.query() == there.query()
    named = dict(parse_qsl(there.query()))
    assert set(there.run.setup.active_fields()) - {"world"} <= set(named)


def test_a_short_address_takes_the_algorithm_s_own_settings() -> None:
    reading = read_query("algorithm=gspo")
    assert {name: setup_of(reading)[name] for name in PRESETS["gspo"]} == PRESETS["gspo"]
    assert reading.place.views == {"step": 10}


def test_another_algorithm_fills_in_all_of_its_choices() -> None:
    before = place(algorithm="grpo", aggregation="per_token", num_iterations=8, learning_rate=0.05)
    after = setup_of(change(before, algorithm="dapo"))
    assert {name: after[name] for name in PRESETS["dapo"]} == PRESETS["dapo"]
    assert after["learning_rate"] == 0.05
    # What was changed in the same moment, as without scripts, is meant.
    assert setup_of(change(before, algorithm="dapo", aggregation="constant"))["aggregation"] == "constant"


def test_a_choice_keeps_the_rest() -> None:
    after = setup_of(change(place(algorithm="ppo", epsilon=0.3), aggregation="constant"))
    assert after["algorithm"] == "ppo" and after["epsilon"] == 0.3 and after["advantage"] == "gae"


def test_the_learning_rate_follows_the_optimizer_unless_it_was_chosen() -> None:
    assert setup_of(change(place(), optimizer="sgd"))["learning_rate"] == 10
    assert setup_of(change(place(learning_rate=0.1), optimizer="sgd"))["learning_rate"] == 0.1
    assert setup_of(change(place(optimizer="sgd"), optimizer="adam"))["learning_rate"] == 0.03


def test_an_address_means_what_it_says_outside_of_a_form() -> None:
    assert setup_of(read_query("algorithm=dapo&aggregation=per_response"))["aggregation"] == "per_response"


def test_a_step_beyond_a_shortened_run_is_left_but_a_typed_one_is_refused() -> None:
    shortened = change(place(views={"step": 55}), steps="20")
    assert shortened.is_good and shortened.place.views["step"] == 10
    typed = read_query("steps=20&step=55")
    assert list(typed.errors) == ["step"] and typed.place is not None and typed.place.views["step"] == 10


def test_an_open_view_stays_open() -> None:
    reading = read_query("prompt=&epoch=")
    assert reading.is_good and set(reading.place.views) == {"step"}


@pytest.mark.parametrize(
    "query, field",
    [
        ("prompts_per_step=6&minibatches=4", "minibatches"),
        ("overlong=soft&overlong_cache=20&max_completion_length=10", "overlong_cache"),
        ("train_prompts=30", "train_prompts"),
        ("dynamic_sampling=perhaps", "dynamic_sampling"),
        ("clip=sideways", "clip"),
        ("algorithm=sft", "algorithm"),
        ("learning_rate=1.5", "learning_rate"),
        ("prompt=9", "prompt"),
        ("epoch=5", "epoch"),
    ],
)
def test_what_can_not_be_is_refused_at_its_field(query: str, field: str) -> None:
    assert list(read_query(query).errors) == [field]


def test_settings_without_effect_are_dropped_even_when_they_are_bad() -> None:
    reading = read_query("advantage=group_mean&gae_lambda=7&kl=none&beta=-3")
    assert reading.is_good and "gae_lambda" not in dict(reading.place.run.pairs())


def test_what_an_algorithm_brings_is_not_a_change_of_its_own() -> None:
    assert [c.name for c in changes(run(), run(algorithm="dapo"))] == ["algorithm"]
    found = changes(run(), run(algorithm="dapo", aggregation="constant", steps=30))
    assert [c.name for c in found] == ["algorithm", "steps", "aggregation"]
    assert [(c.before, c.after) for c in changes(run(), run(dynamic_sampling=True))] == [("off", "on")]


values = st.text(max_size=8) | st.sampled_from(
    ["ppo", "gae", "none", "true", "1", "0.1", "algorithm=ppo&seed=1", "sgd", "64"]
)
keys = st.sampled_from([*FIELDS, "seed", "step", "prompt", "epoch", "previous", "from", "x", ""])


@settings(max_examples=200)
@given(st.lists(st.tuples(keys, values)))
def test_reading_never_raises(pairs: list[tuple[str, str]]) -> None:
    reading = read(pairs, "reasoning")
    assert (reading.place is None) <= bool(reading.errors)
    if reading.place is not None:
        assert read_query(reading.place.query()).place == reading.place


def test_values_in_addresses_read_back() -> None:
    assert [value_text(value) for value in (True, False, 0.03, 8, 1.0)] == ["true", "false", "0.03", "8", "1"]
