"""The explainer as a panel: every algorithm and every comparison drawn, links that keep the place, and logs."""

import re
import time
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.template.loader import render_to_string
from django.test import Client

from simulator.engine.algorithms import ALGORITHMS
from simulator.explorer.exploration import Exploration
from simulator.explorer.source import read_source
from simulator.explorer.state import ExplorerState
from simulator.explorer.why import why_panel
from simulator.explorer.why.matrix import names
from simulator.records import open_canonical, write_canonical

from .why_cases import view

TOKEN = {"s": 7, "p": 1, "r": 2, "t": 1}
ALL = {"cards": "step,aggregation,token"}
NAMES = [name for name in ALGORITHMS if name != "custom"]


def drawn(x: Exploration) -> str:
    return render_to_string("explorer/why.html", {"why": why_panel(x), "x": x})


def check(html: str) -> None:
    """Formulas are well-formed, and no number came out as none."""
    formulas = re.findall(r"<math.*?</math>", html, re.DOTALL)
    assert len(formulas) > 10
    for formula in formulas:
        ElementTree.fromstring(formula)
    text = re.sub(r"<[^>]+>", " ", html)
    assert not re.search(r"\b(nan|inf)\b", text)
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_explains_its_own_run(name: str) -> None:
    x = view(TOKEN | ALL, algorithm=name, num_iterations=2, learning_rate=0.1)
    html = drawn(x)
    check(html)
    assert html == drawn(view(TOKEN | ALL, algorithm=name, num_iterations=2, learning_rate=0.1))
    assert html.count("recomputed") == 6 and "differs" not in html


@pytest.mark.parametrize("own", ["grpo", "ppo"])
def test_every_pair_is_compared_on_the_same_token(own: str) -> None:
    for first, second in combinations(NAMES, 2):
        x = view(TOKEN | {"alg": first, "vs": second}, algorithm=own)
        found = why_panel(x)["compared"]
        assert found.definitions.changes and len(found.values) == 7
        needs = [row.second_missing or row.first_missing for row in found.values]
        assert any("critic" in why for why in needs) == (own != "ppo" and "ppo" in (first, second))
        check(drawn(x))


def test_an_algorithm_does_not_differ_from_itself() -> None:
    html = drawn(view(TOKEN | {"vs": "grpo"}, algorithm="grpo", beta=0.3))
    assert "no difference" in html and "why-heat" not in html


def test_what_cannot_be_compared_does_not_differ() -> None:
    found = why_panel(view(TOKEN | {"vs": "ppo"}, algorithm="grpo"))["compared"]
    clip = next(row for row in found.values if row.label == "Clip")
    assert not clip.second and not clip.difference and "critic" in clip.second_missing
    assert re.search(r"clip[^;]* can’t be compared", found.said)


def test_two_algorithms_differ_by_what_their_slots_say() -> None:
    found = why_panel(view(TOKEN | {"vs": "dr_grpo"}, algorithm="grpo"))["compared"]
    rows = {row.label: row for row in found.values}
    assert float(rows["Ratio"].difference) == 0 and rows["Clip"].difference == "same"
    assert rows["Weight"].second == "0.01042"  # 1 / (8 responses x 12 tokens at most)
    about = {change.about for change in found.definitions.changes}
    assert {"Advantage: scale", "Aggregation: divides by"} <= about
    assert 'class="differs"' in found.definitions.formulas[0].first
    bins = [token.first_bin for response in found.heat for token in response.tokens]
    assert sum(swatch.count for swatch in found.swatches) == 2 * len(bins)


def test_without_a_token_the_strongest_are_offered() -> None:
    x = view({"s": 7, "p": 1}, algorithm="grpo")
    found = why_panel(x)
    card = next(card for card in found["cards"] if card.id == "token")
    strongest = {one.href for one in card.strongest}
    pushes = [
        (float(push), r, t)
        for r, one in enumerate(x.prompt.responses, 1)
        for t, push in enumerate(one.numbers["push"], 1)
    ]
    _, r, t = max(pushes)
    assert max(pushes)[0] == 0 or any(f"r={r}&t={t}" in href for href in strongest)
    assert all(not entry.value for entry in card.terms if entry.term.id == "ratio")


def test_a_term_is_in_focus_in_list_and_formula_and_links_keep_the_place() -> None:
    x = view(TOKEN | {"term": "advantage", "vs": "dapo"}, algorithm="grpo")
    html = drawn(x)
    assert html.count('class="term on" data-term="advantage"') >= 4
    assert re.search(r'id="why-step-t-advantage" href="[^"]*" aria-current="true"', html)
    for key in ("why-alg-ppo", "why-swap", "why-aggregation-open"):
        href = re.search(rf'id="{key}"[^>]*href="([^"]+)"', html)
        assert href and "s=7&amp;p=1&amp;r=2&amp;t=1" in href[1]


def test_what_if_settings_are_explained_in_place_of_those_that_ran() -> None:
    x = view(TOKEN | ALL | {"eps": 0.05, "norm": "constant"}, algorithm="grpo", num_iterations=2, learning_rate=0.1)
    found = why_panel(x)
    assert "epsilon 0.05" in found["subject"].changes
    assert all(line.agrees for card in found["cards"] for line in card.reconciled)


def test_before_credit_is_given_no_number_gives_it_away() -> None:
    for beat, is_told in ((1, False), (4, False), (5, True), (6, True)):
        found = why_panel(view(TOKEN | ALL | {"beat": beat}, algorithm="grpo"))
        assert any(card.reconciled or card.value or card.lengths for card in found["cards"]) == is_told, beat


def test_logs_of_other_programs_are_explained_as_far_as_they_go(tmp_path: Path) -> None:
    x = view(TOKEN, algorithm="grpo", num_iterations=2, learning_rate=0.1)
    write_canonical(x.record, tmp_path / "run.jsonl")
    lines = (tmp_path / "run.jsonl").read_text()
    own = r', "(ratio|clip_state|weight|push)": \[[^\]]*\]'
    (tmp_path / "other.jsonl").write_text(re.sub(own, "", lines))
    (tmp_path / "bare.jsonl").write_text(re.sub(r', "old_log_probs": \[[^\]]*\]', "", re.sub(own, "", lines)))
    state = ExplorerState(**TOKEN)
    found = {}
    for name in ("run", "other", "bare"):
        log = Exploration(read_source(open_canonical(tmp_path / f"{name}.jsonl")), state, state, "/log/", ())
        check(drawn(log))
        found[name] = [(one.by, one.agrees) for card in why_panel(log)["cards"] for one in card.reconciled]
    assert found["run"] == [("logged", True)] * 5
    assert found["other"] == [("engine", True)] * 5
    # Advantage and weight need no ratio.
    assert [agrees for _, agrees in found["bare"]] == [False, True, False, True, False]


def test_a_token_click_takes_little_time() -> None:
    x = view({"s": 9, "p": 1, "r": 2, "t": 1} | ALL, algorithm="grpo", prompts_per_step=8, group_size=8)
    drawn(x)
    times = []
    for t in (1, 2, 3, 1, 2):
        start = time.process_time()
        drawn(replace(x, state=x.state.replace(t=t)))
        times.append(time.process_time() - start)
    # 25 ms on a core of its own, several times that where cores are shared.
    assert min(times) < 0.1


def test_all_algorithms_are_told_beside_each_other(client: Client) -> None:
    page = client.get("/algorithms/", {"alg": "dapo"}).content.decode()
    check(page)
    assert all(f'id="{name}"' in page for name in names())
    row = page.split('<tr aria-current="true">')[1].split("</tr>")[0]
    assert "DAPO" in row and "apart" not in row
    assert client.get("/algorithms/", {"alg": "<b>"}).status_code == 200
