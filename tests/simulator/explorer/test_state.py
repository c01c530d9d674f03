"""Addresses of the explorer: one way to write each view, and nothing that is typed breaks it."""

from dataclasses import fields
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.objective.slots import CHOICES
from simulator.engine.setup import WORLDS
from simulator.explorer import state
from simulator.explorer.state import (
    BEATS,
    BINS,
    CARDS,
    COLORS,
    DOMAINS,
    KEYS,
    PLOTS,
    TABS,
    Bounds,
    ExplorerState,
    parse,
)

BOUNDS = Bounds(240, ("reward", "kl", "entropy", "clip_fraction", "grad_norm"), ("grpo", "dapo", "ppo"))
PLACES = st.none() | st.integers(1, 200)
FACTORS = st.none() | st.floats(0.01, 0.5).map(lambda value: value + 0.0)


@st.composite
def states(draw: st.DrawFn) -> ExplorerState:
    r = draw(PLACES)
    return ExplorerState(
        s=draw(PLACES),
        p=draw(PLACES),
        r=r,
        t=draw(PLACES) if r is not None else None,
        m=tuple(draw(st.lists(st.sampled_from(BOUNDS.metrics), max_size=4, unique=True))),
        plot=draw(st.sampled_from(PLOTS)),
        c=draw(st.sampled_from(COLORS)),
        dom=draw(st.sampled_from(DOMAINS)),
        q=draw(st.none() | st.integers(-BINS, BINS)),
        grid=draw(st.booleans()),
        x=tuple(sorted(draw(st.sets(st.integers(1, 64), max_size=5)))),
        alg=draw(st.sampled_from(("", *BOUNDS.algorithms))),
        vs=draw(st.sampled_from(("", *BOUNDS.algorithms))),
        run2=draw(st.sampled_from(("", "world=reasoning&algorithm=dapo&seed=2"))),
        cards=tuple(card for card in CARDS if draw(st.booleans())),
        term=draw(st.sampled_from(("", "ratio", "advantage"))),
        beat=draw(st.integers(0, len(BEATS) - 1)),
        answer=draw(st.sampled_from(("", "c"))),
        eps=draw(FACTORS),
        epsh=draw(FACTORS),
        beta_if=draw(FACTORS),
        norm=draw(st.sampled_from(("", *CHOICES["aggregation"]))),
        std=draw(st.sampled_from(("", *CHOICES["advantage"]))),
        tab=draw(st.sampled_from(TABS)),
    )


@settings(deadline=None)
@given(states())
def test_a_view_reads_back_as_it_was_written(view: ExplorerState) -> None:
    query = urlencode(view.pairs())
    parsed = parse(parse_qsl(query), BOUNDS)
    assert parsed.state == view
    assert not parsed.notes
    assert urlencode(parsed.state.pairs()) == query


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(KEYS)) | st.text(max_size=5), st.text(max_size=30)), max_size=30))
def test_whatever_is_typed_becomes_a_view_that_is_written_in_one_way(pairs: list[tuple[str, str]]) -> None:
    found = parse(pairs, BOUNDS).state
    again = parse(found.pairs(), BOUNDS)
    assert again.state == found
    assert not again.notes


@pytest.mark.parametrize(
    ("key", "text", "becomes"),
    [
        ("s", "0", 1),
        ("s", "241", 240),
        ("s", "99999999999999", None),
        ("s", "x", None),
        ("s", "１２", None),
        ("q", "9", 3),
        ("beat", "7", 6),
        ("beat", "-1", 0),
        ("eps", "nan", None),
        ("eps", "1e999", None),
        ("eps", "1_0", None),
        ("eps", "11", 0.5),
        ("eps", "-1", 0.01),
        ("epsh", "3", 1.0),
        ("beta_if", "5", 1.0),
        ("answer", "xx", ""),
        ("m", "reward,nothing", ("reward",)),
        ("m", "reward,kl,entropy,clip_fraction,grad_norm", ("reward", "kl", "entropy", "clip_fraction")),
        ("alg", "dpo", ""),
        ("c", "mood", "push"),
        ("cards", "token,cellar", ("token",)),
        ("x", "1,zero", (1,)),
        ("term", "<b>", ""),
        ("t", "3", None),
        ("run2", "a\x00b", ""),
    ],
)
def test_a_value_that_can_t_be_is_put_right_with_a_note(key: str, text: str, becomes: object) -> None:
    parsed = parse([(key, text)], BOUNDS)
    assert getattr(parsed.state, key) == becomes
    assert len(parsed.notes) == 1


def test_no_setting_of_a_run_is_called_like_a_key_of_the_view() -> None:
    taken = {"seed", "world", "from", "previous"} | {name for world in WORLDS.values() for name in world.fields}
    assert not KEYS & taken


def test_every_key_is_read_and_has_a_place_in_the_address() -> None:
    assert {one.name for one in fields(ExplorerState)} == KEYS == set(state._READ)


def test_another_update_leaves_prompt_and_token_open_but_keeps_how_one_looks() -> None:
    view = ExplorerState(s=4, p=2, r=3, t=1, c="ratio", vs="dapo", m=("kl",))
    moved = view.replace(s=5)
    assert (moved.p, moved.r, moved.t) == (None, None, None)
    assert (moved.c, moved.vs, moved.m) == ("ratio", "dapo", ("kl",))
    assert view.replace(s=4) == view
    assert view.replace(s=5, p=2).p == 2
    assert view.replace(r=4).t is None
