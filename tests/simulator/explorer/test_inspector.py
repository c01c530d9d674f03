"""The step inspector: bins, words, cells and what it says where there is nothing to say."""

import gzip
import re
import time
from dataclasses import replace

import numpy as np
import pytest
from django.template.loader import render_to_string

from simulator.engine.objective.clip import CLIPPED_HIGH, CLIPPED_LOW
from simulator.engine.objective.divergence import K3, estimate
from simulator.explorer.inspector import step_panel
from simulator.explorer.inspector.cells import Cells, Links
from simulator.explorer.inspector.colors import COLORS, scale_of
from simulator.explorer.inspector.domains import domain, sampled_steps
from simulator.explorer.inspector.sheet import Sheet
from simulator.explorer.inspector.weights import fraction, weights_of
from simulator.records import Prompt, Response, Update, open_canonical, write_canonical

from .inspector_cases import at, log, run


def rendered(x, **more):
    return render_to_string("explorer/step.html", {"x": x, "step": step_panel(x), **more})


def first_where(x, is_it):
    """The first update of a run that has something, and the prompt that has it."""
    for place, step in enumerate(x.source.steps, 1):
        sheet = Sheet(x.record.update(int(step)))
        for p in range(len(sheet.prompts)):
            if is_it(sheet, p):
                return place, p + 1
    raise AssertionError("no such update")


def test_bins_are_symmetric_and_robust():
    values = np.concatenate([np.linspace(-1, 1, 99), [50.0, np.nan]])
    scale = scale_of(COLORS["push"], values)
    assert scale.limit == pytest.approx(1.0, abs=0.05)
    bins = scale.bins(np.array([-9.0, -scale.limit, -scale.width, -0.49 * scale.width, 0.0, scale.width, 50.0, np.nan]))
    assert bins.tolist() == [-3, -3, -1, 0, 0, 1, 3, 0]
    assert scale.is_beyond(np.array([scale.limit, 50.0, -9.0])).tolist() == [False, True, True]
    assert [scale.range(bin_, {}) for bin_ in (-3, 0, 3)] == ["−700 or less", "−140 to +140", "+700 or more"]
    ratio = scale_of(COLORS["ratio"], np.array([0.8, 1.0, 1.2]))
    assert ratio.bins(np.array([0.8, 1.0, 1.2])).tolist() == [-3, 0, 3] and ratio.limit_text.startswith("1 ± 0.")
    share = scale_of(COLORS["probability"], np.array([0.3]))
    assert share.bins(np.array([0.0, 0.19, 0.21, 1.0])).tolist() == [1, 1, 2, 5]
    # An estimate that can be negative is no amount.
    assert scale_of(COLORS["kl"], np.array([-0.2, 0.1])).kind == "signed"
    assert scale_of(COLORS["push"], np.zeros(4)).bins(np.zeros(4)).tolist() == [0] * 4


def test_kl_of_a_run_without_kl_is_k3():
    sheet = Sheet(at(run(algorithm="dapo"), s=8).update)
    one, two = (sheet.numbers(name)[0, 0, 0] for name in ("log_probs", "ref_log_probs"))
    assert sheet.kl[0, 0, 0] == pytest.approx(estimate(K3, one, two)[0])
    assert sheet.kl[0, 0, 0] > 0
    assert domain(at(run(algorithm="dapo"), s=8, dom="run"), sheet, COLORS["kl"]).scale.width > 0


@pytest.mark.parametrize("color", COLORS)
def test_every_color_counts_every_token_of_the_prompt_once_and_filters_by_its_bin(color):
    x = at(run(algorithm="grpo"), s=8, p=2, c=color)
    step = step_panel(x)
    assert step["is_known"]
    counts = [swatch.count for swatch in step["legend"]]
    assert sum(counts) == Sheet(x.update).lengths[1].sum()
    fullest = step["legend"][int(np.argmax(counts))]
    q = int(re.search(r"[?&]q=(-?\d)", fullest.href)[1])
    shown = "".join(row.tokens for row in step_panel(at(run(algorithm="grpo"), s=8, p=2, c=color, q=q))["responses"])
    assert shown.count('class="tok off') == sum(counts) - fullest.count


def test_scales_reach_over_a_prompt_an_update_or_the_run():
    found = run(algorithm="grpo")
    x = at(found, s=8, p=2)
    sheet, color = Sheet(x.update), COLORS["push"]
    pushes = sheet.numbers("push")
    assert domain(x, sheet, color).scale == scale_of(color, pushes)
    assert domain(at(found, s=8, p=2, dom="group"), sheet, color).scale == scale_of(color, pushes[1])
    over_run = domain(at(found, s=8, p=2, dom="run"), sheet, color)
    assert sampled_steps(12) == [1, 12] and sampled_steps(60) == [1, 21, 41, 60] and "1 and 12" in over_run.words
    first, last = (Sheet(x.record.update(k)).numbers("push").ravel() for k in (0, 47))
    assert first.size and last.size and over_run.scale == domain(at(found, s=40, p=1, dom="run"), sheet, color).scale


def test_clipped_tokens_are_marked_and_counted_by_side():
    found = run(algorithm="dapo", epsilon=0.02, epsilon_high=0.03)
    place, p = first_where(at(found), lambda sheet, p: min(sheet.clipped(p)) > 0)
    x = at(found, s=place, p=p)
    sheet = Sheet(x.update)
    states, ratios, advantages = (sheet.numbers(name)[p - 1] for name in ("clip_state", "ratio", "advantages"))
    high, low = (states == CLIPPED_HIGH).sum(), (states == CLIPPED_LOW).sum()
    assert high == ((advantages > 0) & (ratios > 1.03)).sum() and low == ((advantages < 0) & (ratios < 0.98)).sum()
    step = step_panel(x)
    tokens = sheet.lengths[p - 1].sum()
    assert f"{high + low} of {tokens} tokens clipped: {high} high, {low} low." in step["summary"]
    html = "".join(row.tokens for row in step["responses"])
    assert len(re.findall(r'class="[^"]* clip', html)) == high + low == step["clip_count"]
    assert html.count("clipped high") == 2 * high  # in the name, and in the tooltip
    assert re.search(r"\. The strongest push is on .+ in R\d: [+−][\d.]+ thousandths\.", step["summary"])


def test_a_clipped_token_is_pulled_by_the_kl_alone_and_said_to_be():
    found = run(algorithm="grpo", epsilon=0.02)
    place, p = first_where(at(found), lambda sheet, p: sheet.clipped(p)[1] > 0 and sheet.update.step > 4)
    sheet = Sheet(at(found, s=place).update)
    i, t = (int(k[0]) for k in np.nonzero(sheet.numbers("clip_state")[p - 1] == CLIPPED_LOW))
    said = step_panel(at(found, s=place, p=p, r=i + 1, t=t + 1))["said"]
    assert " is clipped low; only the KL pulls, by " in said and "pushed" not in said


def test_reinforce_pushes_a_right_response_up_although_its_objective_is_negative():
    x = at(run(algorithm="reinforce"), s=3)
    sheet = Sheet(x.update)
    p, i = next((p, i) for p, prompt in enumerate(sheet.prompts) for i, r in enumerate(prompt.responses) if r.correct)
    t = int(np.nanargmin(sheet.numbers("token_objective")[p, i]))
    assert sheet.numbers("token_objective")[p, i, t] < 0 < sheet.numbers("push")[p, i, t]
    step = step_panel(at(run(algorithm="reinforce"), s=3, p=p + 1, r=i + 1, t=t + 1))
    assert "is pushed up" in step["selected"].sentence and "Without a ratio" in step["clipped"]


def test_a_group_without_a_signal_is_said_plainly():
    found = run(algorithm="dr_grpo")
    place, p = first_where(at(found), lambda sheet, p: not sheet.has_signal(p))
    step = step_panel(at(found, s=place, p=p))
    assert step["prompt"].flag == "no signal" and step["prompt"].spread == "0.00"
    assert "All rewards are equal, so every advantage is 0" in step["said"] and step["said"].endswith("No token moves.")
    assert [swatch.count for swatch in step["legend"] if swatch.count] == [
        Sheet(at(found, s=place).update).lengths[p - 1].sum()
    ]
    # With a KL in the loss it is the KL alone that pushes.
    found = run(algorithm="grpo", beta=0.1)
    place, p = first_where(at(found), lambda sheet, p: not sheet.has_signal(p) and sheet.numbers("push")[p, 0, 0] != 0)
    assert "Only the KL term is left" in step_panel(at(found, s=place, p=p))["said"]
    # A moving average, or a critic, compares with more than the group.
    found = run(algorithm="reinforce")
    place, p = first_where(at(found), lambda sheet, p: not sheet.has_signal(p) and place_is_late(sheet))
    step = step_panel(at(found, s=place, p=p))
    assert "compared with more than this group" in step["said"] and step["prompt"].flag == "equal rewards"


def place_is_late(sheet):
    return sheet.update.step > 3


def test_fillers_and_masked_responses_are_explained():
    found = run(algorithm="dapo", train_prompts=8, max_completion_length=8, overlong="filter")
    place, p = first_where(at(found), lambda sheet, p: sheet.prompts[p].filler)
    assert "fills the batch and teaches nothing" in step_panel(at(found, s=place, p=p))["said"]
    place, p = first_where(at(found), lambda sheet, p: any(r.masked for r in sheet.prompts[p].responses))
    step = step_panel(at(found, s=place, p=p))
    assert "left out: weight 0" in step["said"]
    assert {row.weight.text for row in step["responses"] if row.tags} == {"0"}


def test_weights_make_the_three_aggregations_differ_on_the_same_responses():
    texts = {}
    for algorithm in ("grpo", "dapo", "dr_grpo"):
        found = run(algorithm=algorithm, dynamic_sampling=False, overlong="none")
        sheet = Sheet(at(found, s=1).update)
        texts[algorithm] = [weight.text for weight in weights_of(sheet, 0)]
        lengths, tokens = sheet.lengths[0], sheet.lengths.sum()
    assert texts["grpo"] == [f"1/{16 * length}" for length in lengths]
    assert texts["dapo"] == [f"1/{tokens}"] * 4 and texts["dr_grpo"] == [f"1/{16 * 24}"] * 4
    assert fraction(0.3) == "0.300000" and fraction(1 / 384) == "1/384"


def test_the_chosen_token_says_what_went_into_it():
    def inputs(**changes):
        return {one.letter: one.words for one in step_panel(at(run(**changes), s=8, p=1, r=2, t=1))["selected"].inputs}

    sheet = Sheet(at(run(algorithm="grpo"), s=8).update)
    assert f"mean {sheet.rewards[0].mean():.3f}" in inputs(algorithm="grpo")["B"]
    assert "critic’s value" in inputs(algorithm="ppo")["B"] and "token’s advantage" in inputs(algorithm="ppo")["A"]
    assert "moving average" in inputs(algorithm="reinforce")["B"]
    assert "B" not in inputs(algorithm="custom", advantage="none")
    html = rendered(at(run(algorithm="grpo"), s=8, p=1, r=2, t=1))
    panel = step_panel(at(run(algorithm="grpo"), s=8, p=1, r=2, t=1))
    # Whoever listens hears of the token that was chosen.
    assert panel["said"] == panel["selected"].sentence and " in R2 is " in panel["said"]
    assert html.count('data-key="B"') == 4 + 1 and html.count('data-key="A"') == 2
    assert html.count('aria-current="true" data-key="C"') == 1


def test_the_same_seed_gives_the_same_bytes():
    view = {"s": 8, "p": 1, "r": 2, "t": 1, "c": "kl", "dom": "run"}
    assert rendered(at(run(algorithm="ppo"), **view)) == rendered(at(run(algorithm="ppo"), **view))


def test_a_grid_has_a_row_a_response_and_a_column_a_token():
    x = at(run(algorithm="grpo"), s=8, p=1, grid=1, r=1, t=2)
    html = rendered(x)
    sheet = Sheet(x.update)
    assert html.count('role="row" data-rove') == 4
    assert html.count('role="gridcell"') == 4 * sheet.lengths[0].max()
    assert html.count('aria-selected="true"') == 1 and 'id="tok-1-2"' in html
    token = re.search(r'<a class="tok[^>]+aria-label="([^"]+)"', html)[1]
    assert re.search(r": push .*thousandths.*; ratio \d\.\d{3}; (not clipped|clipped)", token)


def test_a_second_run_stands_beside_with_the_same_draws():
    x = at(run(algorithm="grpo"), run(algorithm="dr_grpo"), s=1, p=1)
    beside = step_panel(x)["beside"]
    # Before any update both are the reference policy, so the same random numbers give the same responses.
    assert [pair.note for pair in beside["pairs"]] == ["the same tokens"] * 4
    assert "Same seed" in beside["notes"][0]
    assert "this" in rendered(x) and step_panel(at(run(algorithm="grpo"), s=1))["beside"] is None


def long_update(**numbers):
    text = "<script>alert(1)</script>"
    response = Response("a", 1.0, 0.5, text, 50, (), (text,) * 49 + ("<eos>",), numbers)
    return Update(0, True, {}, (Prompt(f"{text}?", (response,)),))


class Opened:
    """A log of one update."""

    def __init__(self, tmp_path, update):
        write_canonical(at(run(algorithm="grpo", steps=10, num_iterations=1)).record, tmp_path / "run.jsonl")
        self.x = log(open_canonical(tmp_path / "run.jsonl"))
        self.update = update

    def at(self, **view):
        state = replace(self.x.state, s=1, p=1, **view)
        x = replace(self.x, state=state, asked=state)
        x.__dict__["update"] = self.update
        return x


def test_a_log_shows_what_it_has_says_what_it_has_not_and_is_not_trusted(tmp_path):
    opened = Opened(tmp_path, long_update(log_probs=np.full(50, -1.0)))
    html = rendered(opened.at())
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "Push is not logged" in html and "which are right is not logged" in html
    # A long response is folded to its last tokens, where its answer is.
    assert "10 tokens before" in html and html.count('<a class="tok') == 40 and "end of answer" in html
    assert rendered(opened.at(x=(1,))).count('<a class="tok') == 50
    html = rendered(opened.at(c="probability", r=1, t=3))
    assert "0.3679" in html and "push, thousandths</dt><dd>not logged" in html


def test_sixteen_responses_of_24_tokens_are_small_and_fast():
    found = run(algorithm="grpo", group_size=16)
    x = at(found, s=1, p=1, c="push")
    sheet = Sheet(x.update)
    # As long as any can be.
    whole = tuple(
        replace(
            one,
            length=24,
            strings=(one.strings * 24)[:24],
            contexts=(one.contexts * 24)[:24],
            entropies=np.resize(one.entropies, 24),
            numbers={name: np.resize(values, 24) for name, values in one.numbers.items()},
        )
        for one in sheet.prompts[0].responses
    )
    x.__dict__["update"] = replace(
        x.update, prompts=(replace(x.update.prompts[0], responses=whole), *x.update.prompts[1:])
    )
    taken = []
    for _ in range(3):
        start = time.process_time()
        html = rendered(x, oob=True)
        taken.append(time.process_time() - start)
    assert html.count('<a class="tok') == 16 * 24
    assert len(gzip.compress(html.encode())) < 40_000
    # Some 40 ms on a machine that has nothing else to do.
    assert min(taken) < 0.2


def test_links_find_their_place_in_any_address():
    x = at(run(algorithm="grpo"), s=8, p=1)
    links = Links(x, Cells(Sheet(x.update), 0, None, None))
    assert f'href="{x.link(r=1, t=2)}"'.replace("&", "&amp;") in links.tokens(0)
