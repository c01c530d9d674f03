"""Questions about real runs: beyond doubt, true, and not won by always answering the same."""

from collections import Counter

import numpy as np
import pytest

from missions.loading import read_catalogue
from missions.looking import GENERATORS, Question
from missions.looking.chances import Chances
from missions.looking.soundness import verify_look
from simulator.engine import inspect_step
from simulator.engine.candidates.inspection import inspect_candidate_step
from simulator.explorer.exploration import bounds_of
from simulator.explorer.source import source_of
from simulator.explorer.state import parse
from simulator.lab.link import Run
from simulator.worlds import world_of

LOOKS = {e.definition.generator: e.definition for e in read_catalogue() if e.definition.is_look}
STUDENTS = 60


def questions(name: str, count: int = STUDENTS) -> list[Question]:
    return [GENERATORS[name].find(LOOKS[name].start, Chances("tests", f"{name}/{n}")) for n in range(count)]


@pytest.fixture(scope="module")
def made() -> dict[str, list[Question]]:
    return {name: questions(name) for name in GENERATORS}


def test_every_generator_is_somebodys_question() -> None:
    assert LOOKS.keys() == GENERATORS.keys()
    assert {name: LOOKS[name].world.name for name in LOOKS} == {name: one.world for name, one in GENERATORS.items()}


@pytest.mark.parametrize("name", GENERATORS)
def test_what_is_shown_allows_one_answer(name: str, made: dict[str, list[Question]]) -> None:
    generator = GENERATORS[name]
    for question in made[name]:
        values = [choice.value for choice in generator.choices(question)]
        assert generator.read(question) == {question.answer} <= set(values)
        assert all(sentence and "{" not in sentence for sentence in generator.because(question))
    assert len({question.seed for question in made[name]}) == STUDENTS, "neighbors see other runs"
    right = Counter(question.answer for question in made[name])
    assert set(right) == set(values), "every answer is the right one for somebody"
    assert max(right.values()) <= 2 * STUDENTS / len(values)


@pytest.mark.parametrize("name", GENERATORS)
def test_the_same_chances_make_the_same_question(name: str, made: dict[str, list[Question]]) -> None:
    assert questions(name, 3) == made[name][:3]
    again = made[name][0]
    assert GENERATORS[name].material(Question(name, again.setup, again.seed, dict(again.place), "")) is not None


@pytest.mark.parametrize("name", GENERATORS)
def test_the_view_that_explains_it_exists(name: str, made: dict[str, list[Question]]) -> None:
    for question in made[name][:8]:
        source, run = source_of(question.setup, question.seed), Run(question.setup, question.seed)
        parsed = parse(list(GENERATORS[name].state(question).items()), bounds_of(source, run))
        assert not parsed.notes
        if parsed.state.s is not None:
            update = source.record.update(int(source.steps[parsed.state.s - 1]))
            assert parsed.state.p is not None and parsed.state.p <= len(update.prompts)


def test_only_the_group_that_spoke_was_moved(made: dict[str, list[Question]]) -> None:
    """Against the step itself: the policy before it and after it."""
    for question in made["spoke"]:
        record = inspect_candidate_step(question.setup, question.seed, question.place["step"])
        moved = np.abs(record.new_log_probs - record.log_probs).max(axis=1)[question.place["shown"]]
        assert ["ABCDEF"[k] for k in np.flatnonzero(moved > 1e-9)] == [question.answer]


def test_only_the_token_that_is_right_has_no_push(made: dict[str, list[Question]]) -> None:
    """Against what the engine calls clipped, and the pushes that it trained with."""
    for question in made["clipped"]:
        place = question.place
        record = inspect_step(question.setup, question.seed, place["step"])
        k, b = place["update"], place["prompt"]
        states = [int(record.clip_states[k, b, i, t]) >= 2 for i, t in place["shown"]]
        pushed = [record.pushes[k, b, i, t] != 0 for i, t in place["shown"]]
        assert [n for n, is_clipped in enumerate(states, 1) if is_clipped] == [int(question.answer)]
        assert pushed == [not is_clipped for is_clipped in states]
        outside = sum(not 0.8 <= record.ratios[k, b, i, t] <= 1.2 for i, t in place["shown"])
        assert outside == 3, "two others have left the interval, and keep their push"


def test_the_setup_of_an_update_is_the_algorithm_that_is_right(made: dict[str, list[Question]]) -> None:
    for question in made["whose"]:
        assert question.setup.algorithm == question.answer and question.setup.kl == "none"
        plain = world_of(question.setup).filled(LOOKS["whose"].start, question.answer)
        assert question.setup == plain.replace(kl="none", beta=0.0)
    assert {question.setup.event == question.answer for question in made["paid"]} == {True}


def test_a_question_that_is_too_often_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = GENERATORS["paid"]
    always = questions("paid", 1)[0]
    assert verify_look(LOOKS["paid"], 20).problems == []
    monkeypatch.setattr(type(generator), "find", lambda self, base, chances: always)
    found = verify_look(LOOKS["paid"], 20).problems
    assert any("constant answer is right 100%" in problem for problem in found)
    assert any("never the right answer" in problem for problem in found)
    monkeypatch.setattr(type(generator), "read", lambda self, question: frozenset({"clean", "sparse"}))
    assert any("more than one way" in problem for problem in verify_look(LOOKS["paid"], 20).problems)


def test_chances_follow_from_the_secret_and_are_even() -> None:
    def drawn(secret: str, name: str) -> list[int]:
        chances = Chances(secret, name)
        return [chances.below(6) for _ in range(600)]

    assert drawn("s", "a") == drawn("s", "a") != drawn("t", "a") != drawn("s", "b")
    assert all(70 <= count <= 130 for count in Counter(drawn("s", "a")).values())
    assert sorted(Chances("s", "c").some_of(range(9), 9)) == list(range(9))
    assert Chances("s", "d").between(3, 3) == 3
