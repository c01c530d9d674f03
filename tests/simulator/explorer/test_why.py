"""The explainer calculates what the engine calculates: objective, push, clip, critic and reconciliation."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from simulator.engine.algorithms import ALGORITHMS, objective_formula
from simulator.engine.objective.slots import CHOICE_NAMES
from simulator.explorer.why import arrays, why_panel
from simulator.explorer.why.clip_plot import clip_plot, min_state
from simulator.explorer.why.critic import critic_table
from simulator.explorer.why.markup import formulas_of
from simulator.explorer.why.numbers import Numbers, Spot, numbers_of
from simulator.explorer.why.panel import moving_baseline
from simulator.explorer.why.reconcile import advantage_rule, of_token
from simulator.explorer.why.reconcile import objective as reconciled_objective

from .why_cases import bindings, small, small_update, subject, view

NAMES = [name for name in ALGORITHMS if name != "custom"]
STEP = 1e-6
# One token whose ratio lies above the bounds, one below, one that is the only one of its response.
SPOTS = (Spot(0, 2), Spot(2, 3), Spot(1, 0))


def moved(numbers: Numbers, spot: Spot, by: float) -> Numbers:
    log_probs = numbers.tokens["log_probs"].copy()
    log_probs[spot.row, spot.place] += by
    return replace(numbers, tokens=numbers.tokens | {"log_probs": log_probs})


def slope(numbers: Numbers, what, spot: Spot) -> float:
    """Of the printed objective by one log-probability."""
    tree = formulas_of(what.key).objective.tree
    here = bindings(numbers, what)
    found = []
    for by in (STEP, -STEP):
        there = bindings(moved(numbers, spot, by), what)
        if what.settings["clip"] == "cispo":
            # The weight is held constant: no gradient goes through the ratio.
            there.of_update.update({k: v for k, v in here.of_update.items() if k in ("ratio", "sequence_ratio")})
        found.append(there.whole(tree))
    return (found[0] - found[1]) / (2 * STEP)


def check_push(what, numbers: Numbers) -> None:
    b = bindings(numbers, what)
    formulas = formulas_of(what.key)
    for spot in SPOTS:
        printed = b.value(formulas.push.tree, spot)
        assert printed == pytest.approx(b.computed.at("push", spot.row, spot.place), abs=1e-12)
        assert slope(numbers, what, spot) == pytest.approx(printed, abs=2e-9)


@pytest.mark.parametrize("ratio", CHOICE_NAMES["importance_ratio"])
@pytest.mark.parametrize("clip", CHOICE_NAMES["clip"])
def test_finite_differences_of_the_printed_objective_are_the_push(ratio: str, clip: str) -> None:
    numbers = numbers_of(small_update())
    for count, (aggregation, kl) in enumerate(product(CHOICE_NAMES["aggregation"], CHOICE_NAMES["kl"])):
        # Advantage and sampling only change numbers that the formula is given, so they go round beside the others.
        advantage = CHOICE_NAMES["advantage"][count % len(CHOICE_NAMES["advantage"])]
        overlong = CHOICE_NAMES["overlong"][count % len(CHOICE_NAMES["overlong"])]
        chosen = {"aggregation": aggregation, "kl": kl, "overlong": overlong, "advantage": advantage}
        check_push(subject(importance_ratio=ratio, clip=clip, beta=0.3, **chosen), numbers)


@pytest.mark.parametrize("name", NAMES)
def test_finite_differences_for_every_algorithm(name: str) -> None:
    check_push(subject(**ALGORITHMS[name].settings), numbers_of(small_update()))


@pytest.mark.parametrize("name", NAMES)
def test_whole_rectangles_have_the_value_of_the_engines_own_evaluation(name: str) -> None:
    b = small(subject(**ALGORITHMS[name].settings))
    tree = objective_formula(b.settings)
    assert arrays.evaluate(tree, b.of_update) == pytest.approx(tree.evaluate(b.of_update), abs=1e-14)
    assert arrays.evaluate(tree, b.of_update) == pytest.approx(b.computed.objective, abs=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_is_what_the_run_logged(name: str) -> None:
    x = view({"s": 5, "p": 1, "r": 2, "t": 1}, algorithm=name, num_iterations=2, learning_rate=0.1)
    lines = [line for card in why_panel(x)["cards"] for line in card.reconciled]
    assert [line.name for line in lines] == ["Objective J", "Advantage", "Token objective", "Weight", "Push"]
    assert all(line.agrees and line.by == "logged" for line in lines), lines


def states(what) -> dict[str, list[tuple[float, float]]]:
    """Ratio less 1 and push of all tokens of the small update, by what the minimum is said to do."""
    b = small(what)
    found: dict[str, list[tuple[float, float]]] = {}
    for row, place in np.argwhere(b.numbers.is_token):
        ratio, advantage, state, push = (
            b.computed.at(name, row, place) for name in ("ratio", "advantages", "clip_state", "push")
        )
        told = min_state(b.codes, b.settings, ratio, advantage, int(state))
        if told.name and advantage:
            assert np.isnan(told.unclipped) or (abs(told.unclipped - told.clipped) <= 1e-9) == (told.name == "tie")
        found.setdefault(told.name, []).append((ratio - 1.0, push))
    return found


def test_clip_sides_and_ties() -> None:
    found = states(subject(clip="symmetric", epsilon=0.2))
    assert set(found) == {"tie", "unclipped", "clipped_high", "clipped_low"}
    assert all(abs(gap) <= 0.2 or not push for gap, push in found["tie"])
    assert all(gap > 0.2 and push == 0 for gap, push in found["clipped_high"])
    assert all(gap < -0.2 and push == 0 for gap, push in found["clipped_low"])
    assert all(abs(gap) > 0.2 and push for gap, push in found["unclipped"])
    assert any(gap == 0 and push for gap, push in found["tie"])


def test_other_clips_say_what_they_do() -> None:
    held = states(subject(clip="cispo", epsilon_high=0.28))["held"]
    assert held and all(gap > 0.28 for gap, _ in held) and any(push for _, push in held)
    assert set(states(subject(clip="none"))) == set(states(subject(importance_ratio="none"))) == {""}


@pytest.mark.parametrize(
    ("settings", "advantage", "word", "level"),
    [
        ({"clip": "symmetric"}, 0.5, "above ratio 1.2", "right"),
        ({"clip": "symmetric"}, -0.5, "below ratio 0.8", "left"),
        ({"clip": "higher", "epsilon_high": 0.28}, 0.5, "above ratio 1.28", "right"),
        ({"clip": "cispo", "epsilon_high": 0.28}, -0.5, "above ratio 1.28", "right"),
        ({"importance_ratio": "sequence", "epsilon": 0.03}, 0.5, "above ratio 1.03", "right"),
        ({"clip": "none"}, 0.5, "straight", ""),
    ],
)
def test_the_clip_is_drawn_as_it_acts(settings: dict, advantage: float, word: str, level: str) -> None:
    b = small(subject(**settings))
    plot = clip_plot(b.codes, b.settings, 1.01, -0.7, advantage)
    assert plot is not None and word in plot.description
    heights = [float(point.split(",")[1]) for point in plot.line.split()]
    ends = {"left": heights[0] == heights[1], "right": heights[-1] == heights[-2]}
    assert ends == {"left": level == "left", "right": level == "right"}
    assert len(plot.zones) == bool(level)
    if plot.zones:
        ((start, _),) = plot.zones
        assert (start == plot.left) == (level == "left")


def test_nothing_is_drawn_without_a_ratio_or_an_advantage() -> None:
    for settings, advantage in (({"importance_ratio": "none"}, 0.5), ({"clip": "symmetric"}, 0.0)):
        b = small(subject(**settings))
        assert clip_plot(b.codes, b.settings, 1.0, -0.7, advantage) is None


def test_reinforce_pushes_tokens_of_good_responses_up_although_their_objective_is_below_0() -> None:
    b = small(subject(**ALGORITHMS["reinforce"].settings))
    good = b.computed.tokens["advantages"] > 0
    assert good.any()
    assert (b.computed.tokens["token_objective"][good] < 0).all()
    assert (b.computed.tokens["push"][good] > 0).all()


def test_the_moving_average_is_the_runs_own() -> None:
    x = view({"s": 6, "p": 1, "r": 1, "t": 1}, algorithm="reinforce")
    response = x.update.prompts[0].responses[0]
    assert moving_baseline(x) == pytest.approx(response.reward - response.numbers["advantages"][0], abs=1e-12)


def test_a_critics_surprises_add_up_to_the_advantage() -> None:
    x = view({"s": 5, "p": 1, "r": 2, "t": 2}, algorithm="ppo", kl="k3", beta=0.05, kl_in="reward")
    critic = next(card.critic for card in why_panel(x)["cards"] if card.id == "token")
    assert critic is not None and critic.rows[0].number == 2
    assert critic.total == pytest.approx(critic.advantage, abs=1e-12)
    assert critic_table(small(subject()), Spot(0, 0)) is None


def test_a_group_without_spread_says_why_nothing_moves() -> None:
    update = small_update()
    same = tuple(replace(one, reward=1.0, reward_parts={}) for one in update.prompts[0].responses)
    b = bindings(numbers_of(replace(update, prompts=(replace(update.prompts[0], responses=same),))), subject())
    assert "All rewards of the group are equal" in advantage_rule(b, Spot(0, 0))
    assert all(line.agrees for line in of_token(b, formulas_of(b.subject.key), Spot(0, 0)))


@pytest.mark.parametrize(
    ("without", "settings", "lacks"),
    [
        ("old_log_probs", {}, {"Objective J", "Token objective", "Push"}),
        ("ref_log_probs", {"kl": "k3", "beta": 0.1}, {"Objective J", "Token objective", "Push"}),
        ("ref_log_probs", {}, set()),
        ("old_log_probs", {"importance_ratio": "none"}, set()),
        ("values", {"advantage": "gae"}, {"Objective J", "Advantage", "Token objective", "Push"}),
        ("log_probs", {}, {"Objective J", "Token objective", "Push"}),
    ],
)
def test_what_is_not_logged_is_named(without: str, settings: dict, lacks: set[str]) -> None:
    b = bindings(numbers_of(small_update(without=without)), subject(**settings))
    formulas = formulas_of(b.subject.key)
    lines = [reconciled_objective(b, formulas), *of_token(b, formulas, Spot(0, 1))]
    assert {line.name for line in lines if line.why_not} == lacks
    assert all(without in line.why_not for line in lines if line.why_not), lines
