"""Every printed formula has the value of the compiled function that trains with it, and so has every derivative."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.algorithms import objective_formula, push_formula, token_formula, weight_formula
from simulator.engine.formula import Symbol
from simulator.engine.objective import advantage, aggregation, clip, divergence, sampling, terms
from simulator.engine.objective.response import response_objective
from simulator.engine.objective.slots import CHOICE_NAMES, CHOICES

from .batch import BETA, EPSILON, EPSILON_HIGH, LENGTHS, LIMIT, Case, compute

# The first example may have to wait for the compiler.
checked = settings(max_examples=60, deadline=None)
# Eighths add up without rounding, so that rewards that are equal on paper are equal here.
REWARDS = st.lists(st.integers(-16, 16).map(lambda n: n / 8), min_size=2, max_size=6)
LOG_PROBS = st.floats(-6, -0.01)
PER_RESPONSE = [choice for choice in CHOICES["advantage"].values() if choice.name != "gae"]


def close(value):
    return pytest.approx(value, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("choice", PER_RESPONSE, ids=lambda choice: choice.name)
@checked
@given(rewards=REWARDS, baseline=st.floats(-1, 1))
def test_advantages_of_a_group(choice, rewards, baseline):
    computed = np.zeros(len(rewards))
    advantage.group_advantages(choice.code, np.array(rewards), baseline, computed)
    bindings = {"reward": rewards, "group_size": len(rewards), "baseline": baseline}
    for i, value in enumerate(computed, start=1):
        for formula in (choice.formula, *choice.readings):
            assert formula.evaluate({**bindings, "i": i}) == close(value)


@checked
@given(
    tokens=st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=1, max_size=7),
    gamma=st.floats(0.9, 1),
    lam=st.floats(0, 1),
)
def test_generalized_advantages(tokens, gamma, lam):
    choice = CHOICES["advantage"]["gae"]
    values, rewards = (list(column) for column in zip(*tokens, strict=True))
    advantages, returns = np.zeros((2, len(tokens)))
    advantage.generalized_advantages(np.array(values), np.array(rewards), gamma, lam, advantages, returns)
    bindings = {"value": [*values, 0.0], "token_reward": rewards, "gamma": gamma, "gae_lambda": lam}
    bindings["length"] = len(tokens)
    error, target = choice.definitions
    positions = range(1, len(tokens) + 1)
    bindings["td_error"] = [error.evaluate({**bindings, "t": t}) for t in positions]
    bindings["advantage"] = [choice.formula.evaluate({**bindings, "t": t}) for t in positions]
    assert bindings["advantage"] == close(list(advantages))
    assert [target.evaluate({**bindings, "t": t}) for t in positions] == close(list(returns))


@checked
@given(baseline=st.floats(-1, 1), mean=st.floats(-1, 1))
def test_moving_baseline(baseline, mean):
    (following,) = CHOICES["advantage"]["ema_baseline"].definitions
    value = following.evaluate({"baseline": baseline, "mean_reward": mean})
    assert value == close(advantage.next_baseline(baseline, mean))


@pytest.mark.parametrize("choice", CHOICES["importance_ratio"].values(), ids=lambda choice: choice.name)
@checked
@given(tokens=st.lists(st.tuples(LOG_PROBS, LOG_PROBS), min_size=1, max_size=6), data=st.data())
def test_ratios(choice, tokens, data):
    log_probs, old = np.array(tokens).T.copy()
    count = len(tokens)
    t = data.draw(st.integers(1, count))
    # With an advantage of 1, no clip and weight on one token alone, the objective is that token's ratio.
    weights = np.zeros(count)
    weights[t - 1] = 1.0
    ratios, objectives, pushes, token_kls = np.zeros((4, count))
    states = np.zeros(count, np.int8)
    inputs = (log_probs, old, old, np.ones(count), weights)
    total = response_objective(
        choice.code, clip.NO_CLIP, 0, 0.2, 0.2, 0.0, *inputs, ratios, objectives, pushes, states, token_kls
    )
    bindings = {"log_probs": log_probs, "old_log_probs": old, "length": count, "t": t}
    bindings |= {"probability": np.exp(log_probs), "old_probability": np.exp(old)}
    bindings |= {"ratio": ratios, "sequence_ratio": ratios[0]}
    for formula in (choice.formula, *choice.readings):
        assert formula.evaluate(bindings) == close(total)
    assert choice.derivative.evaluate(bindings) == close(pushes[t - 1])


@pytest.mark.parametrize("choice", CHOICES["clip"].values(), ids=lambda choice: choice.name)
@checked
@given(
    ratio=st.one_of(st.floats(0.01, 20), st.sampled_from([1.0, 1 - EPSILON, 1 + EPSILON, 1 + EPSILON_HIGH])),
    worth=st.one_of(st.floats(-3, 3), st.just(0.0)),
    log_prob=LOG_PROBS,
)
def test_clips(choice, ratio, worth, log_prob):
    value, slope, _ = clip.surrogate(0, choice.code, EPSILON, EPSILON_HIGH, ratio, log_prob, worth)
    bindings = {"ratio": ratio, "advantage": worth, "log_probs": log_prob}
    bindings |= {"epsilon": EPSILON, "epsilon_high": EPSILON_HIGH}
    assert choice.formula.evaluate(bindings) == close(value)
    assert choice.derivative.evaluate(bindings) == close(slope)


@pytest.mark.parametrize("choice", CHOICES["aggregation"].values(), ids=lambda choice: choice.name)
@checked
@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=5), data=st.data())
def test_aggregations(choice, lengths, data):
    i = data.draw(st.integers(1, len(lengths)))
    weight = aggregation.response_weight(choice.code, len(lengths), lengths[i - 1], sum(lengths), 9)
    bindings = {"length": lengths, "responses": len(lengths), "max_completion_length": 9}
    assert choice.formula.evaluate({**bindings, "i": i}) == close(weight)
    # In the whole, a token whose term is 1 among zeros adds its weight.
    objectives = [[0.0] * length for length in lengths]
    objectives[i - 1][-1] = 1.0
    assert choice.whole.evaluate({**bindings, "objective": objectives}) == close(weight)


@pytest.mark.parametrize("choice", CHOICES["kl"].values(), ids=lambda choice: choice.name)
@checked
@given(log_prob=LOG_PROBS, ref_log_prob=LOG_PROBS)
def test_divergences(choice, log_prob, ref_log_prob):
    value, slope = divergence.estimate(choice.code, log_prob, ref_log_prob)
    bindings = {"log_probs": log_prob, "ref_log_probs": ref_log_prob}
    for definition in choice.definitions:
        bindings[definition.symbol.term.id] = definition.evaluate(bindings)
    assert choice.formula.evaluate(bindings) == close(value)
    assert choice.derivative.evaluate(bindings) == close(slope)


@pytest.mark.parametrize("choice", CHOICES["dynamic_sampling"].values(), ids=lambda choice: choice.name)
@checked
@given(size=st.integers(1, 9), data=st.data())
def test_sampling(choice, size, data):
    correct = data.draw(st.integers(0, size))
    value = choice.formula.evaluate({"correct_count": correct, "group_size": size})
    assert value == sampling.keeps_group(choice.code, correct, size)


@pytest.mark.parametrize("choice", CHOICES["overlong"].values(), ids=lambda choice: choice.name)
@checked
@given(limit=st.integers(6, 32), data=st.data())
def test_overlong(choice, limit, data):
    cache, length = data.draw(st.integers(1, limit - 1)), data.draw(st.integers(1, limit))
    truncated = length == limit and data.draw(st.booleans())
    value = choice.formula.evaluate(
        {"max_completion_length": limit, "overlong_cache": cache, "length": length, "truncated": truncated}
    )
    if choice.symbol == terms.MASK.at("i"):
        assert value == 1 - sampling.is_masked(choice.code, truncated)
    else:
        assert value == close(sampling.overlong_reward(choice.code, length, truncated, limit, cache))


@checked
@given(
    case=st.builds(
        Case,
        advantage=st.sampled_from(CHOICE_NAMES["advantage"]),
        ratio=st.sampled_from(CHOICE_NAMES["importance_ratio"]),
        clip=st.sampled_from(CHOICE_NAMES["clip"]),
        aggregation=st.sampled_from(CHOICE_NAMES["aggregation"]),
        kl=st.sampled_from(CHOICE_NAMES["kl"]),
        overlong=st.sampled_from(CHOICE_NAMES["overlong"]),
    )
)
def test_whole_objectives_and_pushes(case):
    result = compute(case)
    bindings = bindings_of(case, result)
    assert objective_formula(case.settings).evaluate(bindings) == close(result.objective)
    token, weight, push = (make(case.settings) for make in (token_formula, weight_formula, push_formula))
    for i, arrays in enumerate(result.responses, start=1):
        for t in range(1, len(arrays["push"]) + 1):
            here = {**bindings, "i": i, "t": t}
            assert token.evaluate(here) == close(arrays["objective"][t - 1])
            assert weight.evaluate(here) == close(arrays["weight"][t - 1])
            assert push.evaluate(here) == close(arrays["push"][t - 1])


def bindings_of(case, result):
    """Every symbol of the objective, from what a step records."""
    ratios = [arrays["ratio"] for arrays in result.responses]
    by_token = "t" in CHOICES["advantage"][case.advantage].symbol.indices
    log_ratios = [np.array(now) - ref for now, ref in zip(case.log_probs, case.ref_log_probs, strict=True)]
    return {
        "responses": len(LENGTHS),
        "length": LENGTHS,
        "max_completion_length": LIMIT,
        "mask": [1.0 - (case.overlong == "filter" and cut) for cut in case.truncated],
        "ratio": ratios,
        "sequence_ratio": [row[0] for row in ratios],
        "log_probs": case.log_probs,
        "advantage": case.advantages if by_token else [row[0] for row in case.advantages],
        "epsilon": EPSILON,
        "epsilon_high": EPSILON_HIGH,
        "beta": BETA,
        "token_kl": [arrays["token_kl"] for arrays in result.responses],
        "log_ratio_to_reference": log_ratios,
    }


def test_every_symbol_is_explained_and_ids_are_not_shared():
    found = {value for value in vars(terms).values() if isinstance(value, terms.Term)}
    assert len({term.id for term in found}) == len(found)
    for term in found:
        assert term.meaning.endswith(".") and term.name[0].isupper() and not term.spoken.endswith(".")
    for choices in CHOICES.values():
        for choice in choices.values():
            trees = [choice.formula, choice.equation, *choice.definitions, *choice.readings]
            used = {term for tree in trees for term in tree.terms()}
            assert used <= found


def test_codes_count_up_and_texts_are_sentences():
    for slot, choices in CHOICES.items():
        assert [choice.code for choice in choices.values()] == list(range(len(choices)))
        aspects = {tuple(choice.aspects) for choice in choices.values()}
        assert len(aspects) == 1, slot
        told = [tuple(choice.aspects.values()) for choice in choices.values()]
        assert len(set(told)) == len(told), slot
        for choice in choices.values():
            texts = [choice.sentence, choice.edge, *(note.statement for note in choice.notes)]
            assert all(text.endswith(".") for text in texts if text), choice.name
            assert isinstance(choice.symbol, Symbol)


def test_the_gradient_goes_through_ratio_clip_and_kl_alone():
    through = {slot for slot, choices in CHOICES.items() for choice in choices.values() if choice.derivative}
    assert through == {"importance_ratio", "clip", "kl"}
    assert math.isclose(CHOICES["kl"]["k1"].derivative.evaluate({}), 1.0)
