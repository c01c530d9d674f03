"""The panels of the ten-answers world say what the engine calculated, at every stage and for every method."""

import itertools
import re
from urllib.parse import urlencode

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import Client

from simulator.engine import parse_setup
from simulator.engine.candidates.events import EVENTS
from simulator.engine.candidates.methods import METHODS
from simulator.explorer.address import run_address
from simulator.explorer.candidates.beats import stages
from simulator.explorer.candidates.sight import sight_of
from simulator.explorer.candidates.step import step_panel
from simulator.explorer.candidates.why import DEPARTS, why_panel
from simulator.explorer.exploration import Exploration, explore
from simulator.lab.link import Run


def look(view: dict[str, object] | None = None, seed: int = 3, **setup: object) -> Exploration:
    run = Run(parse_setup({"world": "candidates", "steps": 30} | setup), seed)
    return explore(run, [(key, str(value)) for key, value in (view or {}).items()], "/runs/", [])


def written(x: Exploration) -> str:
    context = {"x": x, "step": step_panel(x), "why": why_panel(x)}
    return "".join(render_to_string(f"explorer/candidates/{name}.html", context) for name in ("step", "why"))


@pytest.mark.parametrize(("method", "event"), list(zip(METHODS, itertools.cycle(EVENTS), strict=False)))
def test_every_method_reconciles(method: str, event: str) -> None:
    view = {"s": 17, "p": 3, "r": 2, "t": 1, "cards": "aggregation,token"}
    x = look(view, method=method, event=event, length_penalty=0.5)
    why = why_panel(x)
    checks = [check for card in why["cards"] for check in card.reconciled]
    assert {"Objective J of the prompt", "Push", "Change of the logit"} <= {check.name for check in checks} or (
        sight_of(x).is_silent
    )
    assert all(check.agrees for check in checks), checks
    assert DEPARTS[method] == why["departs"]
    html = written(x)
    assert html.count('class="ans') >= 10
    assert re.findall(r'id="([^"]+)"', html) == list(dict.fromkeys(re.findall(r'id="([^"]+)"', html)))


def test_rows_hold_the_engine_s_numbers() -> None:
    x = look({"s": 8, "p": 2}, event="reward_hack")
    sight, step = sight_of(x), step_panel(x)
    record, b = sight.record, sight.b
    assert [row.rank for row in step["answers"]] == list(range(1, 11))
    qualities = [float(dict(row.facts)["quality"].replace("−", "-")) for row in step["answers"]]
    assert qualities == sorted(qualities, reverse=True)
    for row, k in zip(step["answers"], sight.order, strict=True):
        assert row.count == f"drawn {record.counts[b, k]} of 8"
        assert float(row.push.replace("−", "-")) == pytest.approx(record.pushes[b, k], abs=6e-4)
        assert float(row.after) == pytest.approx(np.exp(record.new_log_probs[b, k]), abs=6e-4)
        assert row.is_exploit == (record.exploit[b] == k)
    assert sum(one.count for one in step["legend"]) == 10
    assert len(step["draws"]) == 8
    assert np.abs(record.pushes).max() == pytest.approx(sight.width * 3.5)


def test_a_bin_filters_answers() -> None:
    step = step_panel(look({"s": 8, "p": 2, "q": 0}))
    off = sum("off" in row.css for row in step["answers"])
    assert off == 10 - next(one.count for one in step["legend"] if one.is_only) > 0


def test_a_group_without_spread_says_what_moves() -> None:
    setup = {"event": "sparse", "group_size": 2}
    silent = next(p for p in range(1, 9) if sight_of(look({"s": 12, "p": p}, **setup)).is_silent)
    free = step_panel(look({"s": 12, "p": silent}, beta=0, **setup))
    assert "so nothing moves" in free["said"]
    assert free["prompt"].flag == "no signal"
    # One that has learned before is pulled back, a silent group or not.
    later = (look({"s": s, "p": p}, beta=0.4, **setup) for s in range(30, 10, -1) for p in range(1, 9))
    held = next(x for x in later if sight_of(x).is_silent and sight_of(x).pushes.any())
    assert "only the pull to the reference moves" in step_panel(held)["said"]
    pairs = step_panel(look({"s": 12, "p": silent}, method="online_dpo", **setup))
    assert "no pair of a better and a worse one, so nothing moves" in pairs["said"]
    assert "usual here" in step_panel(look({"s": 12, "p": silent}, method="reinforce", **setup))["said"]


@pytest.mark.parametrize("method", ["grpo", "reinforce", "raft", "dpo"])
def test_stages_ask_what_the_step_answers_and_keep_back_what_comes_later(method: str) -> None:
    for beat in range(1, 7):
        x = look({"s": 14, "p": 2, "r": 1, "t": 1, "beat": beat}, method=method)
        step, stage = step_panel(x), stages(x)[beat - 1]
        assert bool(step["draws"]) == (beat >= 2)
        assert any(row.reward for row in step["answers"]) == (beat >= 3)
        assert any(row.push for row in step["answers"]) == ("legend" in step) == (beat >= 4)
        assert any(row.after for row in step["answers"]) == (beat == 6)
        html = written(x)
        assert ("→" in html, "Change of the logit" in html, "after this step" in html) == (beat == 6,) * 3
        assert "table" not in step or ("After" in step["table"].head) == (beat == 6)
        if stage.question is not None:
            assert 0 <= stage.question.right < len(stage.question.options) >= 2
            assert len(set(stage.question.options)) == len(stage.question.options)


def test_methods_that_draw_alike_are_compared_and_others_only_in_formulas() -> None:
    view = {"s": 14, "p": 2, "r": 2, "t": 1}
    alike = why_panel(look(view | {"vs": "dr_grpo"}))["compared"]
    assert len(alike.answers) == 10 and not alike.missing and alike.changes
    otherwise = why_panel(look(view | {"vs": "dpo"}))["compared"]
    assert not otherwise.answers and "never have the same draws" in otherwise.missing and otherwise.changes
    twins = why_panel(look(view | {"vs": "online_dpo"}, method="dpo"))["compared"]
    assert not twins.changes and twins.missing
    alone = why_panel(look(view | {"alg": "rloo"}, group_size=1))
    assert "groups of 2" in alone["said"]
    assert written(look(view | {"alg": "ipo", "vs": "best_of_n"}, method="dpo"))


def test_another_beta_is_a_step_of_its_own() -> None:
    view = {"s": 25, "p": 2, "r": 1, "t": 1}
    ran, other = step_panel(look(view)), step_panel(look(view | {"beta_if": 2}))
    assert not ran["is_what_if"] and other["is_what_if"]
    assert ran["answers"] != other["answers"]
    assert "With a beta of 2 in place of 0.05" in other["what_if"]["sentence"]
    assert all(check.agrees for card in why_panel(look(view | {"beta_if": 2}))["cards"] for check in card.reconciled)


def test_a_second_run_of_the_same_world_stands_beside_the_first(client: Client) -> None:
    def shown(**second: object) -> str:
        setups = ({"method": "grpo", "steps": 20}, {"steps": 20} | second)
        first, other = (Run(parse_setup({"world": "candidates"} | one), 3) for one in setups)
        other = Run(other.setup, int(str(second.get("seed", 3)))) if "seed" in second else other
        query = run_address(other).partition("?")[2]
        return client.get(run_address(first, s=9, p=1) + "&" + urlencode({"run2": query})).content.decode()

    same = shown(method="dr_grpo")
    assert 'id="step-second"' in same and "The ten answers in both runs" in same


def test_a_page_of_answers_by_htmx_and_whole_is_the_same(client: Client) -> None:
    run = Run(parse_setup({"world": "candidates", "steps": 20}), 3)
    address = run_address(run, s=9, p=1, r=4, t=1)
    whole, part = (client.get(address, **extra).content.decode() for extra in ({}, {"HTTP_HX_REQUEST": "true"}))
    for name in ("step", "why"):
        found = [
            re.search(rf'<section class="xcol" id="{name}".*?\n</section>', one, re.DOTALL) for one in (whole, part)
        ]
        assert found[0] and found[1]
        assert re.sub(r' hx-swap-oob="[^"]+"', "", found[1][0]) == found[0][0]
    assert "Answer 4" in whole
    # An answer that there isn't is put right with a note.
    assert "This prompt has 10 answers" in client.get(run_address(run, s=9, p=1, r=40, t=1)).content.decode()


@pytest.mark.parametrize("method", ["grpo", "online_dpo", "best_of_n"])
def test_what_is_right_comes_from_the_step(method: str) -> None:
    for p in range(1, 9):
        x = look({"s": 14, "p": p}, event="reward_hack", method=method)
        sight, asked = sight_of(x), [stage.question for stage in stages(x)]
        record, b = sight.record, sight.b
        assert asked[0] is not None and asked[2] is not None
        drawn = 0 if method == "best_of_n" else record.draws.size
        assert asked[0].options[asked[0].right] == str(drawn)
        if asked[1] is not None:
            best = int(record.draws[b][record.signal[b, record.draws[b]].argmax()])
            assert asked[1].options[asked[1].right] == sight.name(best)
        k = next(k for k in range(10) if f" {sight.name(k).lower()}?" in asked[2].text)
        assert asked[2].options[asked[2].right] == (
            "not at all" if sight.is_silent else "up" if record.rule_pushes[b, k] > 0 else "down"
        )
        if asked[4] is not None:
            moved = next(k for k in range(10) if asked[4].text.startswith(f"{sight.name(k)} "))
            assert float(asked[4].options[asked[4].right]) == pytest.approx(sight.after[moved], abs=6e-4)
