"""What is printed of a method is what trained: its formulas give the numbers of the engine, for every method."""

import pytest

from simulator.engine import parse_setup
from simulator.engine.candidates.events import EVENTS
from simulator.engine.candidates.formulas import bindings, formulas
from simulator.engine.candidates.inspection import inspect_candidate_step
from simulator.engine.candidates.methods import METHODS


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("method", METHODS)
def test_formulas_give_the_numbers_that_ran(method, event):
    for beta in (0.0, 0.3):
        values = {"method": method, "event": event, "beta": beta, "steps": 40, "length_penalty": 0.5}
        setup = parse_setup(values | {"group_size": 5, "samples_per_prompt": 6, "label_smoothing": 0.2})
        record, tree = inspect_candidate_step(setup, 2, 33), formulas(setup)
        for b in range(0, 8, 2):
            bound = bindings(record, b)
            if record.pairs is not None and record.pairs[b].total == 0:
                # No pair, nothing to divide by: nothing moves.
                assert not record.pushes[b].any() and record.objective[b] == 0.0
                continue
            assert tree.objective.evaluate(bound) == pytest.approx(record.objective[b], abs=1e-9)
            for k in range(10):
                assert tree.push.evaluate(bound | {"k": k + 1}) == pytest.approx(record.pushes[b, k], abs=1e-9)
                assert tree.update.evaluate(bound | {"k": k + 1}) == pytest.approx(record.moved[b, k], abs=1e-9)
            for definition in tree.definitions:
                check_definition(definition, bound)
        assert tree.step.evaluate(bound) == pytest.approx(record.metrics["policy_objective"])


def check_definition(definition, bound):
    """A symbol is bound to what its definition evaluates to, at every index."""
    symbol = definition.symbol
    if symbol.term.id == "target" and not bound["differs"]:
        return  # there is none, and the mask takes it away
    if symbol.term.id == "next_baseline":
        assert definition.evaluate(bound) == pytest.approx(bound["baseline"] * 0.8 + bound["mean_reward"] * 0.2)
        return
    letters = symbol.indices
    if not letters:
        assert definition.evaluate(bound) == pytest.approx(bound[symbol.term.id], abs=1e-9)
        return
    for place, value in enumerate(bound[symbol.term.id], start=1):
        assert definition.evaluate(bound | {letters[0]: place}) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_formulas_are_written_in_every_way(method):
    for beta in (0.0, 0.3):
        tree = formulas(parse_setup({"method": method, "beta": beta}))
        for one in (tree.objective, *tree.definitions, tree.push, tree.step, tree.update):
            assert one.mathml().startswith("<math") and one.latex() and one.spoken()
            assert ("β" in one.mathml()) <= bool(beta)


def test_the_next_step_begins_with_the_next_baseline():
    setup = parse_setup({"method": "reinforce", "steps": 10})
    tree = formulas(setup)
    first = {
        int(p): (r, b)
        for r in (inspect_candidate_step(setup, 1, s) for s in range(1, 6))
        for b, p in enumerate(r.prompts)
    }
    record = inspect_candidate_step(setup, 1, 6)
    for b, prompt in enumerate(record.prompts):
        before, place = first[int(prompt)]
        expected = tree.definition("next_baseline").evaluate(bindings(before, place))
        assert record.baseline[b] == pytest.approx(expected)
