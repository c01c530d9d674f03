"""The lab's address, to and from a query string."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine import parse_setup
from simulator.engine.candidates.events import EVENTS
from simulator.engine.candidates.methods import METHODS
from simulator.lab.link import Place, Reading, Run, read


def place(prompt: int = 1, seed: int = 1, previous: Run | None = None, **setup: Any) -> Place:
    return Place(Run(parse_setup(setup), seed), {"prompt": prompt}, previous)


def read_query(query: str) -> Reading:
    return read(parse_qsl(query, keep_blank_values=True))


def change(before: Place, **typed: str) -> Reading:
    """What the form sends when some of its fields are changed."""
    fields = dict(before.run.pairs()) | {"prompt": str(before.views["prompt"]), "from": before.query()} | typed
    return read(list(fields.items()))


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("method", METHODS)
def test_canonical_address_round_trip(event: str, method: str) -> None:
    previous = Run(parse_setup({"steps": 50}), 7)
    there = place(prompt=40, seed=4294967295, previous=previous, event=event, method=method, beta=0.123456789)
    back = read_query(there.query())
    assert back.is_good and back.place == there and back.shown == there and not back.is_form
    assert back.place.query() == there.query()
    assert set(there.run.setup.active_fields()) - {"world"} == {name for name, _ in there.run.pairs()} - {"seed"}


def test_nothing_given_is_the_default() -> None:
    reading = read([])
    assert reading.is_good and reading.place == place()


def test_settings_of_another_method_are_dropped_even_when_they_are_bad() -> None:
    reading = read_query("method=dpo&group_size=nan&label_smoothing=9&samples_per_prompt=4")
    assert reading.is_good and reading.place.run.setup.samples_per_prompt == 4


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "1e99", "9" * 5000, "8.5", "", " ", "0x10", "٣", "1_0", "801"])
def test_bad_numbers_are_refused_at_their_field(value: str) -> None:
    reading = read([("steps", value)])
    assert reading.place is None and list(reading.errors) == ["steps"]
    assert len(reading.typed["steps"]) <= 80


@pytest.mark.parametrize("key", ["event", "method"])
def test_unknown_names_are_refused(key: str) -> None:
    reading = read([(key, "'; drop"), ("steps", "-4")])
    assert reading.place is None and key in reading.errors


@pytest.mark.parametrize("name, value", [("seed", "-1"), ("seed", "4294967296"), ("seed", "1.0"), ("seed", "")])
def test_bad_seed(name: str, value: str) -> None:
    reading = read([(name, value)])
    assert reading.place is None and list(reading.errors) == ["seed"]


@pytest.mark.parametrize("value", ["0", "41", "-1", "x", "9" * 99])
def test_bad_prompt_does_not_stop_the_run(value: str) -> None:
    reading = read([("prompt", value)])
    assert list(reading.errors) == ["prompt"] and reading.place.views["prompt"] == 1


def test_unknown_keys_are_named() -> None:
    reading = read_query("gruop_size=4&steps=100")
    assert "gruop_size" in reading.notes[0] and not reading.errors
    assert reading.place.run.setup.steps == 100


def test_a_key_given_twice_is_refused() -> None:
    assert list(read_query("steps=100&steps=200").errors) == ["steps"]
    assert list(read_query("seed=1&seed=2").errors) == ["seed"]
    assert read_query("steps=100&steps=100").is_good


def test_broken_previous_is_left_out_and_said() -> None:
    for broken in ("x", "steps=0", "previous=steps%3D1", "from=a", "%", "a=b", "steps=1&steps=2", "=" * 3000):
        reading = read([("steps", "100"), ("previous", broken)])
        assert reading.place == place(steps=100) and len(reading.notes) == 1 and not reading.errors


def test_a_change_compares_with_where_the_form_came_from() -> None:
    start = place(event="length_bias")
    reading = change(start, length_penalty="2.5")
    assert reading.is_form and reading.place.previous == start.run
    again = change(reading.place, steps="400")
    assert again.place.previous == reading.place.run


def test_training_again_unchanged_keeps_the_comparison() -> None:
    there = place(steps=400, previous=Run(parse_setup({}), 1))
    assert change(there).place == there
    assert change(there, prompt="9").place.previous == there.previous


def test_a_run_is_not_compared_with_itself() -> None:
    there = place(steps=100)
    assert read_query(there.query() + "&" + urlencode({"previous": there.run.query()})).place.previous is None


def test_beta_follows_the_method_unless_it_was_chosen() -> None:
    assert change(place(), method="dpo").place.run.setup.beta == 0.1
    assert change(place(beta=0.3), method="dpo").place.run.setup.beta == 0.3
    assert change(place(), method="dpo", beta="0.07").place.run.setup.beta == 0.07
    assert change(place(), method="rloo").place.run.setup.beta == 0.05
    # Outside of a form an address means what it says.
    assert read_query("method=dpo&beta=0.05").place.run.setup.beta == 0.05


def test_flips_belong_to_their_event() -> None:
    flipped = change(place(method="dpo"), event="label_flips")
    assert flipped.place.run.setup.flip_rate == 0.3
    assert change(flipped.place, flip_rate="0.1").place.run.setup.flip_rate == 0.1
    assert change(flipped.place, event="clean").place.run.setup.flip_rate == 0


def test_the_last_good_run_stays_when_a_value_is_refused() -> None:
    start = place(steps=300, prompt=5)
    reading = change(start, steps="abc")
    assert reading.place is None and reading.shown == start and reading.typed["steps"] == "abc"


def test_broken_origin_is_harmless() -> None:
    for origin in ("", "x", "steps=0", "from=steps%3D1"):
        reading = read([("steps", "100"), ("from", origin)])
        assert reading.place == place(steps=100) and reading.is_form


keys = st.sampled_from(["event", "method", "steps", "beta", "seed", "prompt", "previous", "from", "world", "x", ""])


@settings(max_examples=300)
@given(st.lists(st.tuples(keys, st.text(max_size=12) | st.sampled_from(["dpo", "clean", "1", "0.1", "steps=1"]))))
def test_reading_never_raises(pairs: list[tuple[str, str]]) -> None:
    reading = read(pairs)
    assert (reading.place is None) <= bool(reading.errors)
    if reading.place is not None:
        assert read_query(reading.place.query()).place == reading.place


def test_every_wrong_setting_is_marked_even_when_the_event_is_wrong() -> None:
    reading = read([("event", "zzz"), ("steps", "99999"), ("beta", "x"), ("seed", "-1")])
    assert set(reading.errors) == {"event", "steps", "beta", "seed"}
