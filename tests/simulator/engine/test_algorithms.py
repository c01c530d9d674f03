"""Algorithms: their settings are those of the specification, and comparing two shows the rows that differ."""

import pytest

from simulator.engine.algorithms import (
    ALGORITHMS,
    CHOICE_NAMES,
    CHOICES,
    PRESETS,
    SLOT_LABELS,
    SLOTS,
    advantage_formula,
    choice_of,
    code_of,
    definitions,
    difference,
    objective_formula,
    reward_formula,
    settings_of,
    token_formula,
)

# advantage, ratio, clip, aggregation and what else is set.
SPECIFIED = {
    "reinforce": ("ema_baseline", "none", "none", "per_token", {"num_iterations": 1}),
    "ppo": ("gae", "token", "symmetric", "per_token", {"gamma": 1, "gae_lambda": 0.95, "value_learning_rate": 0.05}),
    "grpo": ("group_normalized", "token", "symmetric", "per_response", {"kl": "k3", "beta": 0.001, "epsilon": 0.2}),
    "dapo": (
        "group_normalized",
        "token",
        "higher",
        "per_token",
        {"epsilon": 0.2, "epsilon_high": 0.28, "dynamic_sampling": True, "overlong": "soft", "overlong_cache": 6},
    ),
    "dr_grpo": ("group_mean", "token", "symmetric", "constant", {}),
    "rloo": ("leave_one_out", "token", "symmetric", "per_token", {}),
    "gspo": ("group_normalized", "sequence", "higher", "per_response", {"epsilon": 0.03, "epsilon_high": 0.04}),
    "cispo": ("group_normalized", "token", "cispo", "per_token", {"epsilon_high": 0.28}),
    "custom": ("group_normalized", "token", "symmetric", "per_response", {"kl": "none", "beta": 0}),
}

# Which slots differ, as far as our settings follow the papers.
ROWS = {
    ("grpo", "dapo"): ["dynamic_sampling", "overlong", "clip", "aggregation", "kl"],
    ("grpo", "dr_grpo"): ["advantage", "aggregation", "kl"],
    ("grpo", "gspo"): ["importance_ratio", "clip", "kl"],
    ("ppo", "grpo"): ["advantage", "aggregation", "kl"],
    ("reinforce", "ppo"): ["advantage", "importance_ratio", "clip"],
    ("dr_grpo", "rloo"): ["advantage", "aggregation"],
    ("dapo", "cispo"): ["dynamic_sampling", "overlong", "clip"],
}


@pytest.mark.parametrize("name", SPECIFIED)
def test_settings_are_those_of_the_specification(name):
    *slots, others = SPECIFIED[name]
    settings = PRESETS[name]
    assert [settings[key] for key in ("advantage", "importance_ratio", "clip", "aggregation")] == slots
    assert {key: settings[key] for key in others} == others
    if name != "reinforce":
        assert settings["num_iterations"] == 4
    if name != "grpo":
        assert settings["kl"] == "none"


def test_every_algorithm_fills_in_the_same_settings():
    assert list(ALGORITHMS) == list(SPECIFIED_ORDER)
    assert {frozenset(settings) for settings in PRESETS.values()} == {frozenset(PRESETS["custom"])}
    assert set(SLOTS) <= set(PRESETS["custom"])
    assert set(SLOT_LABELS) == set(SLOTS) == set(CHOICES)
    named = {name for choices in CHOICES.values() for choice in choices.values() for name in choice.settings}
    assert named | set(SLOTS) | {"num_iterations"} == set(PRESETS["custom"])


SPECIFIED_ORDER = ("grpo", "dapo", "dr_grpo", "ppo", "reinforce", "rloo", "gspo", "cispo", "custom")


def test_codes():
    assert [code_of("dynamic_sampling", value) for value in (False, True)] == [0, 1]
    assert [code_of("kl", name) for name in CHOICE_NAMES["kl"]] == [0, 1, 2, 3]
    assert choice_of("clip", "cispo").label == "Bounded weight (CISPO)"
    with pytest.raises(KeyError):
        code_of("clip", "tighter")


def test_a_family_tree_and_texts():
    for algorithm in ALGORITHMS.values():
        assert algorithm.builds_on == "" or ALGORITHMS[algorithm.builds_on].year <= algorithm.year
        texts = [algorithm.sentence, algorithm.departs, *(note.statement for note in algorithm.notes)]
        assert all(text.endswith(".") for text in texts if text)


@pytest.mark.parametrize("pair", ROWS, ids="-".join)
def test_comparing_two_algorithms_shows_the_slots_that_differ(pair):
    comparison = difference(*(ALGORITHMS[name] for name in pair))
    assert [slot.slot for slot in comparison.slots] == ROWS[pair]
    for slot in comparison.slots:
        assert slot.aspects and slot.formula
    assert comparison.objective


def test_grpo_and_dr_grpo_in_words():
    comparison = difference(ALGORITHMS["grpo"], ALGORITHMS["dr_grpo"])
    (scale,) = comparison.slots[0].aspects
    assert (scale.first, scale.second) == ("divides by the standard deviation of the group", "does not divide")
    (mark,) = comparison.slots[0].formula.first_marks
    assert comparison.slots[0].first.formula.part(mark).latex() == (
        r"\operatorname*{std}_{j = 1 \ldots G} \left(R_{j}\right) + 10^{-6}"
    )
    assert [(change.name, change.first, change.second) for change in comparison.settings] == [
        ("beta", 0.001, None),
        ("kl_in", "loss", None),
    ]


def test_an_algorithm_does_not_differ_from_itself():
    for algorithm in ALGORITHMS.values():
        assert not difference(algorithm, {"algorithm": algorithm.name})
        assert not difference(algorithm, algorithm.settings)


def test_a_setting_beside_the_algorithm_overrules_it():
    assert settings_of({"algorithm": "dapo", "clip": "none"})["clip"] == "none"
    assert settings_of({})["kl"] == "k3"
    comparison = difference({"algorithm": "gspo"}, {"algorithm": "gspo", "epsilon": 0.2})
    assert comparison.slots == () and [change.name for change in comparison.settings] == ["epsilon"]
    assert not comparison.objective


def test_formulas_of_a_setup():
    grpo, ppo, reinforce = (ALGORITHMS[name] for name in ("grpo", "ppo", "reinforce"))
    assert "beta" in {term.id for term in objective_formula(grpo).terms()}
    assert "beta" not in {term.id for term in objective_formula({"algorithm": "grpo", "beta": 0}).terms()}
    assert advantage_formula(ppo) == CHOICES["advantage"]["gae"].formula
    assert token_formula(reinforce).latex() == r"\hat{A}_{i} \, \log \pi_{\theta}(o_{i, t})"
    for algorithm in ALGORITHMS.values():
        defined = {equation.symbol.term.id for equation in definitions(algorithm)}
        settings = {"epsilon", "epsilon_high", "beta", "responses", "length", "max_completion_length", "log_probs"}
        assert {term.id for term in objective_formula(algorithm).terms()} <= defined | settings


def test_a_kl_in_the_reward_is_paid_by_the_policy_that_sampled():
    setup = {"algorithm": "rloo", "kl": "k1", "beta": 0.1, "kl_in": "reward"}
    assert reward_formula(setup).latex() == (
        r"R_{\text{verified}, i} - \beta \, \sum_{t = 1}^{\lvert o_{i} \rvert} D_{i, t}"
    )
    assert "beta" not in {term.id for term in objective_formula(setup).terms()}
    used = {term.id for equation in definitions(setup) for term in equation.terms()}
    assert {"old_log_probs", "ref_log_probs"} <= used
    shaped = {**setup, "advantage": "gae", "overlong": "soft", "format_coefficient": 0.1, "length_coefficient": 0.2}
    value = reward_formula(shaped).evaluate(
        {
            "verified": 1,
            "format_coefficient": 0.1,
            "truncated": 0,
            "length_coefficient": 0.2,
            "length": 6,
            "max_completion_length": 24,
            "overlong_reward": -0.5,
        }
    )
    assert value == pytest.approx(1 + 0.1 - 0.2 * 6 / 24 - 0.5)
    (paid,) = [equation for equation in definitions(shaped) if equation.symbol.term.id == "token_reward"]
    bindings = {"reward": 1.0, "length": 3, "beta": 0.1, "token_kl": [0.5] * 3}
    assert [paid.evaluate({**bindings, "t": t}) for t in (1, 3)] == pytest.approx([-0.05, 0.95])
